{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro household_risk(tbl, keys, weight, household, household_threshold=none, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_household_risk', [tbl, keys, weight, household], {'household_threshold': household_threshold, 'nulls': nulls})) }}
{%- endmacro -%}

{%- macro household_global_risk(tbl, keys, weight, household, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_household_global_risk', [tbl, keys, weight, household], {'nulls': nulls})) }}
{%- endmacro -%}
