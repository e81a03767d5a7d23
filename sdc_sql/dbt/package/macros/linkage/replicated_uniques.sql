{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro replicated_uniques(original, released, keys) -%}
    {{ sdc.sdc__only('replicated_uniques', kwargs, ['original', 'released', 'keys']) }}
    {{ return(sdc.sdc__measure('sdc_replicated_uniques', [original, released, keys], {})) }}
{%- endmacro -%}
