{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro cells(tbl, keys, nulls=none) -%}
    {{ sdc.sdc__only('cells', kwargs, ['tbl', 'keys', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_cells', [tbl, keys], {'nulls': nulls})) }}
{%- endmacro -%}
