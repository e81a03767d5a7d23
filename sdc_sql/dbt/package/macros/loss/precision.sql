{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro precision(tbl, keys, hierarchies) -%}
    {{ sdc.sdc__only('precision', kwargs, ['tbl', 'keys', 'hierarchies']) }}
    {{ return(sdc.sdc__measure('sdc_precision', [tbl, keys, hierarchies], {})) }}
{%- endmacro -%}
