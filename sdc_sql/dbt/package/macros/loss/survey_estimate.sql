{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro survey_estimate(tbl, statistic, variable, domains=none, predictors=none, quantile=none, weight=none, strata=none, cluster=none, confidence=none) -%}
    {{ sdc.sdc__only('survey_estimate', kwargs, ['tbl', 'statistic', 'variable', 'domains', 'predictors', 'quantile', 'weight', 'strata', 'cluster', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_survey_estimate', [tbl, statistic, variable], {'domains': domains, 'predictors': predictors, 'quantile': quantile, 'weight': weight, 'strata': strata, 'cluster': cluster, 'confidence': confidence})) }}
{%- endmacro -%}
