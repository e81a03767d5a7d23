{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro data_distortion(tbl, columns, families, id, significance=none, intervals=none, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('data_distortion', kwargs, ['tbl', 'columns', 'families', 'id', 'significance', 'intervals', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_data_distortion', id, [tbl, columns, families, id], {'significance': significance, 'intervals': intervals, 'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
