{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro household_k_anonymity(tbl, keys, household, k=none) -%}
    {{ sdc.sdc__only('household_k_anonymity', kwargs, ['tbl', 'keys', 'household', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_household_k_anonymity', [tbl, keys, household], {'k': k})) }}
{%- endmacro -%}
