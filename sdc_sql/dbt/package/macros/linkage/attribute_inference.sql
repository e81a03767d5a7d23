{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro attribute_inference(original, released, holdout, columns, target, continuous=none, tolerance=none, max_guesses=none, confidence=none) -%}
    {{ sdc.sdc__only('attribute_inference', kwargs, ['original', 'released', 'holdout', 'columns', 'target', 'continuous', 'tolerance', 'max_guesses', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_attribute_inference', [original, released, holdout, columns, target], {'continuous': continuous, 'tolerance': tolerance, 'max_guesses': max_guesses, 'confidence': confidence})) }}
{%- endmacro -%}
