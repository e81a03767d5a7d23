{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro household_risk(tbl, keys, weight, household, household_threshold=none, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('household_risk', kwargs, ['tbl', 'keys', 'weight', 'household', 'household_threshold', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_household_risk', [tbl, keys, weight, household], {'household_threshold': household_threshold, 'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro household_global_risk(tbl, keys, weight, household, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('household_global_risk', kwargs, ['tbl', 'keys', 'weight', 'household', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_household_global_risk', [tbl, keys, weight, household], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}
