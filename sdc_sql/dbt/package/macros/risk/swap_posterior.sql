{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro swap_posterior(row_totals, column_totals, released, swaps, prior=none) -%}
    {{ sdc.sdc__only('swap_posterior', kwargs, ['row_totals', 'column_totals', 'released', 'swaps', 'prior']) }}
    {{ return(sdc.sdc__measure('sdc_swap_posterior', [row_totals, column_totals, released, swaps], {'prior': prior})) }}
{%- endmacro -%}
