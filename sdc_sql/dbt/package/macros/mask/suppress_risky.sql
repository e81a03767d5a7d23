{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro suppress_risky(tbl, keys, max_risk, id, weight=none, household=none, variable=none, importance=none, cost=none, small_weights=none, whole=none, household_columns=none) -%}
    {{ sdc.sdc__only('suppress_risky', kwargs, ['tbl', 'keys', 'max_risk', 'id', 'weight', 'household', 'variable', 'importance', 'cost', 'small_weights', 'whole', 'household_columns']) }}
    {{ return(sdc.sdc__mask('sdc_suppress_risky', id, [tbl, keys, max_risk, id], {'weight': weight, 'household': household, 'variable': variable, 'importance': importance, 'cost': cost, 'small_weights': small_weights, 'whole': whole, 'household_columns': household_columns})) }}
{%- endmacro -%}
