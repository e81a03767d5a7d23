{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro content_digest(tbl) -%}
    {{ sdc.sdc__only('content_digest', kwargs, ['tbl']) }}
    {{ return(sdc.sdc__measure('sdc_content_digest', [tbl], {})) }}
{%- endmacro -%}
