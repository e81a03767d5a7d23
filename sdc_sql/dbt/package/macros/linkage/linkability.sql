{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro linkability(original, released, holdout, columns, others, continuous=none, max_guesses=none, confidence=none) -%}
    {{ sdc.sdc__only('linkability', kwargs, ['original', 'released', 'holdout', 'columns', 'others', 'continuous', 'max_guesses', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_linkability', [original, released, holdout, columns, others], {'continuous': continuous, 'max_guesses': max_guesses, 'confidence': confidence})) }}
{%- endmacro -%}
