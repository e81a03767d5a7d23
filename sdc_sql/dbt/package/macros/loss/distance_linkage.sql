{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro distance_linkage_records(original, released, columns, id, ordinal=none, continuous=none, scaling=none, weights=none, external=none) -%}
    {{ return(sdc.sdc__measure('sdc_distance_linkage_records', [original, released, columns, id], {'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'external': external})) }}
{%- endmacro -%}

{%- macro distance_linkage(original, released, columns, id, ordinal=none, continuous=none, scaling=none, weights=none, external=none) -%}
    {{ return(sdc.sdc__measure('sdc_distance_linkage', [original, released, columns, id], {'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'external': external})) }}
{%- endmacro -%}
