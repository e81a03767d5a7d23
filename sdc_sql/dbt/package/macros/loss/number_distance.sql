{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro number_distance(original, released, columns, weight=none) -%}
    {{ sdc.sdc__only('number_distance', kwargs, ['original', 'released', 'columns', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_number_distance', [original, released, columns], {'weight': weight})) }}
{%- endmacro -%}
