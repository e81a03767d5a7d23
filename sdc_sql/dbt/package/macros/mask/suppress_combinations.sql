{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro suppress_combinations(tbl, keys, threshold, id, weight=none, dimension=none, levels=none, inclusive=none, guarantee=none, combinations=none, importance=none, cost=none, small_weights=none, whole=none, household_columns=none) -%}
    {{ sdc.sdc__only('suppress_combinations', kwargs, ['tbl', 'keys', 'threshold', 'id', 'weight', 'dimension', 'levels', 'inclusive', 'guarantee', 'combinations', 'importance', 'cost', 'small_weights', 'whole', 'household_columns']) }}
    {{ return(sdc.sdc__mask('sdc_suppress_combinations', id, [tbl, keys, threshold, id], {'weight': weight, 'dimension': dimension, 'levels': levels, 'inclusive': inclusive, 'guarantee': guarantee, 'combinations': combinations, 'importance': importance, 'cost': cost, 'small_weights': small_weights, 'whole': whole, 'household_columns': household_columns})) }}
{%- endmacro -%}
