{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro direct_distance(original, released, columns, id, ordinal=none, weight=none) -%}
    {{ sdc.sdc__only('direct_distance', kwargs, ['original', 'released', 'columns', 'id', 'ordinal', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_direct_distance', [original, released, columns, id], {'ordinal': ordinal, 'weight': weight})) }}
{%- endmacro -%}
