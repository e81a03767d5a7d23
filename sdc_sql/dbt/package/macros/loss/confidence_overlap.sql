{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro confidence_overlap(original, released, response, predictors, confidence=none) -%}
    {{ return(sdc.sdc__measure('sdc_confidence_overlap', [original, released, response, predictors], {'confidence': confidence})) }}
{%- endmacro -%}
