{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro recode(tbl, column_name, mapping, id, others=none, label=none) -%}
    {{ sdc.sdc__only('recode', kwargs, ['tbl', 'column_name', 'mapping', 'id', 'others', 'label']) }}
    {{ return(sdc.sdc__mask('sdc_recode', id, [tbl, column_name, mapping, id], {'others': others, 'label': label})) }}
{%- endmacro -%}
