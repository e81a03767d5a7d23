{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro membership(original, released, holdout, columns, household=none, copy=none, ordinal=none, continuous=none, scaling=none, weights=none, isolated=none, confidence=none) -%}
    {{ sdc.sdc__only('membership', kwargs, ['original', 'released', 'holdout', 'columns', 'household', 'copy', 'ordinal', 'continuous', 'scaling', 'weights', 'isolated', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_membership', [original, released, holdout, columns], {'household': household, 'copy': copy, 'ordinal': ordinal, 'continuous': continuous, 'scaling': scaling, 'weights': weights, 'isolated': isolated, 'confidence': confidence})) }}
{%- endmacro -%}
