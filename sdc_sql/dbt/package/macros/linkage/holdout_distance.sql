{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro holdout_distance(original, released, holdout, columns, household=none, ordinal=none, continuous=none, scaling=none, weights=none, confidence=none) -%}
    {{ sdc.sdc__only('holdout_distance', kwargs, ['original', 'released', 'holdout', 'columns', 'household', 'ordinal', 'continuous', 'scaling', 'weights', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_holdout_distance', [original, released, holdout, columns], {'household': household, 'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'confidence': confidence})) }}
{%- endmacro -%}
