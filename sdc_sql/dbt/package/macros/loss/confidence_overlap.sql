{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro confidence_overlap(original, released, response, predictors, confidence=none, weight=none) -%}
    {{ sdc.sdc__only('confidence_overlap', kwargs, ['original', 'released', 'response', 'predictors', 'confidence', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_confidence_overlap', [original, released, response, predictors], {'confidence': confidence, 'weight': weight})) }}
{%- endmacro -%}
