{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro data_shuffling(tbl, columns, given, id, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('data_shuffling', kwargs, ['tbl', 'columns', 'given', 'id', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_data_shuffling', id, [tbl, columns, given, id], {'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
