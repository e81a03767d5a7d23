{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro distance_linkage_records(original, released, columns, id, ordinal=none, continuous=none, scaling=none, weights=none, external=none) -%}
    {{ sdc.sdc__only('distance_linkage_records', kwargs, ['original', 'released', 'columns', 'id', 'ordinal', 'continuous', 'scaling', 'weights', 'external']) }}
    {{ return(sdc.sdc__measure('sdc_distance_linkage_records', [original, released, columns, id], {'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'external': external})) }}
{%- endmacro -%}

{%- macro distance_linkage(original, released, columns, id, ordinal=none, continuous=none, scaling=none, weights=none, external=none) -%}
    {{ sdc.sdc__only('distance_linkage', kwargs, ['original', 'released', 'columns', 'id', 'ordinal', 'continuous', 'scaling', 'weights', 'external']) }}
    {{ return(sdc.sdc__measure('sdc_distance_linkage', [original, released, columns, id], {'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'external': external})) }}
{%- endmacro -%}
