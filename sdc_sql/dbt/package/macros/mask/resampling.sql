{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro resample(tbl, column_name, samples, id, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('resample', kwargs, ['tbl', 'column_name', 'samples', 'id', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_resample', id, [tbl, column_name, samples, id], {'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
