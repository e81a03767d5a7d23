{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro class_sizes(tbl, keys) -%}
    {{ sdc.sdc__only('class_sizes', kwargs, ['tbl', 'keys']) }}
    {{ return(sdc.sdc__measure('sdc_class_sizes', [tbl, keys], {})) }}
{%- endmacro -%}
