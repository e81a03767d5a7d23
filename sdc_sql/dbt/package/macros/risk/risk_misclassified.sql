{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro true_probability(tbl, keys, columns, matrices) -%}
    {{ sdc.sdc__only('true_probability', kwargs, ['tbl', 'keys', 'columns', 'matrices']) }}
    {{ return(sdc.sdc__measure('sdc_true_probability', [tbl, keys, columns, matrices], {})) }}
{%- endmacro -%}

{%- macro true_probability_crossing(tbl, keys, columns, matrix) -%}
    {{ sdc.sdc__only('true_probability_crossing', kwargs, ['tbl', 'keys', 'columns', 'matrix']) }}
    {{ return(sdc.sdc__measure('sdc_true_probability_crossing', [tbl, keys, columns, matrix], {})) }}
{%- endmacro -%}

{%- macro cell_risk_misclassified(tbl, keys, weight, truth, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('cell_risk_misclassified', kwargs, ['tbl', 'keys', 'weight', 'truth', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_cell_risk_misclassified', [tbl, keys, weight, truth], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro individual_risk_misclassified(tbl, keys, weight, truth, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('individual_risk_misclassified', kwargs, ['tbl', 'keys', 'weight', 'truth', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_individual_risk_misclassified', [tbl, keys, weight, truth], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro global_risk_misclassified(tbl, keys, weight, truth, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('global_risk_misclassified', kwargs, ['tbl', 'keys', 'weight', 'truth', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_global_risk_misclassified', [tbl, keys, weight, truth], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro household_risk_misclassified(tbl, keys, weight, household, truth, household_threshold=none, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('household_risk_misclassified', kwargs, ['tbl', 'keys', 'weight', 'household', 'truth', 'household_threshold', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_household_risk_misclassified', [tbl, keys, weight, household, truth], {'household_threshold': household_threshold, 'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro household_global_risk_misclassified(tbl, keys, weight, household, truth, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('household_global_risk_misclassified', kwargs, ['tbl', 'keys', 'weight', 'household', 'truth', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_household_global_risk_misclassified', [tbl, keys, weight, household, truth], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}
