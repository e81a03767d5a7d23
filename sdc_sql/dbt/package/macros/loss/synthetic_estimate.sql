{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro synthetic_estimate(tbl, estimate, variance, synthesis, quantity=none, ratio=none, confidence=none) -%}
    {{ sdc.sdc__only('synthetic_estimate', kwargs, ['tbl', 'estimate', 'variance', 'synthesis', 'quantity', 'ratio', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_synthetic_estimate', [tbl, estimate, variance, synthesis], {'quantity': quantity, 'ratio': ratio, 'confidence': confidence})) }}
{%- endmacro -%}
