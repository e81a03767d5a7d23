{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro il1(original, released, columns, id, most=none, weight=none) -%}
    {{ sdc.sdc__only('il1', kwargs, ['original', 'released', 'columns', 'id', 'most', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_il1', [original, released, columns, id], {'most': most, 'weight': weight})) }}
{%- endmacro -%}
