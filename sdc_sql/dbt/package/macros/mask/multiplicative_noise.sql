{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro multiplicative_noise(tbl, columns, size, id, method=none, spread=none, stratum=none, stream=none, release=none, unit=none, household=none) -%}
    {{ sdc.sdc__only('multiplicative_noise', kwargs, ['tbl', 'columns', 'size', 'id', 'method', 'spread', 'stratum', 'stream', 'release', 'unit', 'household']) }}
    {{ return(sdc.sdc__mask('sdc_multiplicative_noise', id, [tbl, columns, size, id], {'method': method, 'spread': spread, 'stratum': stratum, 'stream': stream, 'release': release, 'unit': unit, 'household': household})) }}
{%- endmacro -%}
