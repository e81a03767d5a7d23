{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro recode_level(tbl, column_name, hierarchy, id, level=none) -%}
    {{ sdc.sdc__only('recode_level', kwargs, ['tbl', 'column_name', 'hierarchy', 'id', 'level']) }}
    {{ return(sdc.sdc__mask('sdc_recode_level', id, [tbl, column_name, hierarchy, id], {'level': level})) }}
{%- endmacro -%}
