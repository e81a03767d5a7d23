{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro recode_relative(tbl, column_name, relative_to, id, geography=none, labels=none) -%}
    {{ sdc.sdc__only('recode_relative', kwargs, ['tbl', 'column_name', 'relative_to', 'id', 'geography', 'labels']) }}
    {{ return(sdc.sdc__mask('sdc_recode_relative', id, [tbl, column_name, relative_to, id], {'geography': geography, 'labels': labels})) }}
{%- endmacro -%}
