{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro singling_out(original, released, holdout, columns, continuous=none, width=none, max_guesses=none, confidence=none) -%}
    {{ sdc.sdc__only('singling_out', kwargs, ['original', 'released', 'holdout', 'columns', 'continuous', 'width', 'max_guesses', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_singling_out', [original, released, holdout, columns], {'continuous': continuous, 'width': width, 'max_guesses': max_guesses, 'confidence': confidence})) }}
{%- endmacro -%}
