{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro recode_classes(tbl, column_name, classes, id, method=none, labels=none) -%}
    {{ sdc.sdc__only('recode_classes', kwargs, ['tbl', 'column_name', 'classes', 'id', 'method', 'labels']) }}
    {{ return(sdc.sdc__mask('sdc_recode_classes', id, [tbl, column_name, classes, id], {'method': method, 'labels': labels})) }}
{%- endmacro -%}
