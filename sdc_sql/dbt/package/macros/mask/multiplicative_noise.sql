{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro multiplicative_noise(tbl, columns, size, id, method=none, spread=none, stratum=none, stream=none, release=none, unit=none, household=none) -%}
    {{ return(sdc.sdc__mask('sdc_multiplicative_noise', id, [tbl, columns, size, id], {'method': method, 'spread': spread, 'stratum': stratum, 'stream': stream, 'release': release, 'unit': unit, 'household': household})) }}
{%- endmacro -%}
