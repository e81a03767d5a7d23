{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro key_uniques(tbl, keys) -%}
    {{ sdc.sdc__only('key_uniques', kwargs, ['tbl', 'keys']) }}
    {{ return(sdc.sdc__measure('sdc_key_uniques', [tbl, keys], {})) }}
{%- endmacro -%}
