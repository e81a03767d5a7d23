{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro matrix_distance(original, released, columns, id, max_variation=none) -%}
    {{ sdc.sdc__only('matrix_distance', kwargs, ['original', 'released', 'columns', 'id', 'max_variation']) }}
    {{ return(sdc.sdc__measure('sdc_matrix_distance', [original, released, columns, id], {'max_variation': max_variation})) }}
{%- endmacro -%}
