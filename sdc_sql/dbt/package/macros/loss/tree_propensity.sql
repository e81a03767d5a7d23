{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro tree_propensity(original, released, columns, continuous=none, weight=none, size=none, permutations=none) -%}
    {{ sdc.sdc__only('tree_propensity', kwargs, ['original', 'released', 'columns', 'continuous', 'weight', 'size', 'permutations']) }}
    {{ return(sdc.sdc__measure('sdc_tree_propensity', [original, released, columns], {'continuous': continuous, 'weight': weight, 'size': size, 'permutations': permutations})) }}
{%- endmacro -%}
