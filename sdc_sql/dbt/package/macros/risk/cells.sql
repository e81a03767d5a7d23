{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro cells(tbl, keys, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_cells', [tbl, keys], {'nulls': nulls})) }}
{%- endmacro -%}
