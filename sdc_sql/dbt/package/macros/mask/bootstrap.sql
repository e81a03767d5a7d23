{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro bootstrap(tbl, columns, categories, id, smoothing=none, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('bootstrap', kwargs, ['tbl', 'columns', 'categories', 'id', 'smoothing', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_bootstrap', id, [tbl, columns, categories, id], {'smoothing': smoothing, 'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
