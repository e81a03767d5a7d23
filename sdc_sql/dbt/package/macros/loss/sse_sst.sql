{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro sse_sst(tbl, masked, columns, id) -%}
    {{ sdc.sdc__only('sse_sst', kwargs, ['tbl', 'masked', 'columns', 'id']) }}
    {{ return(sdc.sdc__measure('sdc_sse_sst', [tbl, masked, columns, id], {})) }}
{%- endmacro -%}
