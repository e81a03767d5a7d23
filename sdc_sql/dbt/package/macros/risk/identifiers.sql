{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro identifiers(tbl) -%}
    {{ sdc.sdc__only('identifiers', kwargs, ['tbl']) }}
    {{ return(sdc.sdc__measure('sdc_identifiers', [tbl], {})) }}
{%- endmacro -%}
