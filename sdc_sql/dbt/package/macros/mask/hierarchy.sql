{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro hierarchy(tbl, variable) -%}
    {{ sdc.sdc__only('hierarchy', kwargs, ['tbl', 'variable']) }}
    {{ return(sdc.sdc__measure('sdc_hierarchy', [tbl, variable], {})) }}
{%- endmacro -%}
