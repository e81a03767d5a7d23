{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro mondrian(tbl, keys, k, id, hierarchies=none) -%}
    {{ sdc.sdc__only('mondrian', kwargs, ['tbl', 'keys', 'k', 'id', 'hierarchies']) }}
    {{ return(sdc.sdc__mask('sdc_mondrian', id, [tbl, keys, k, id], {'hierarchies': hierarchies})) }}
{%- endmacro -%}
