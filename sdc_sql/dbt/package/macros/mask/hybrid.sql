{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro hybrid(tbl, columns, alpha, id, given=none, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('hybrid', kwargs, ['tbl', 'columns', 'alpha', 'id', 'given', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_hybrid', id, [tbl, columns, alpha, id], {'given': given, 'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
