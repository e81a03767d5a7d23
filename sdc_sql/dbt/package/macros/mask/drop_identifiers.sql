{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro drop_identifiers(tbl, columns, id) -%}
    {{ sdc.sdc__only('drop_identifiers', kwargs, ['tbl', 'columns', 'id']) }}
    {{ return(sdc.sdc__measure('sdc_drop_identifiers', [tbl, columns, id], {})) }}
{%- endmacro -%}
