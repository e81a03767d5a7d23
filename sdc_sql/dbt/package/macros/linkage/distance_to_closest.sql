{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro distance_to_closest(original, released, columns, ordinal=none, continuous=none, scaling=none, weights=none) -%}
    {{ sdc.sdc__only('distance_to_closest', kwargs, ['original', 'released', 'columns', 'ordinal', 'continuous', 'scaling', 'weights']) }}
    {{ return(sdc.sdc__measure('sdc_distance_to_closest', [original, released, columns], {'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights})) }}
{%- endmacro -%}
