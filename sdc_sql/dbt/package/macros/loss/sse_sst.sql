{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro sse_sst(original, released, columns, id) -%}
    {{ sdc.sdc__only('sse_sst', kwargs, ['original', 'released', 'columns', 'id']) }}
    {{ return(sdc.sdc__measure('sdc_sse_sst', [original, released, columns, id], {})) }}
{%- endmacro -%}
