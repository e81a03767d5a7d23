{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro frequencies(tbl, keys, weight=none, nulls=none) -%}
    {{ sdc.sdc__only('frequencies', kwargs, ['tbl', 'keys', 'weight', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_frequencies', [tbl, keys], {'weight': weight, 'nulls': nulls})) }}
{%- endmacro -%}
