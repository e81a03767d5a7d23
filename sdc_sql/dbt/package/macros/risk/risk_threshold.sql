{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro risk_threshold(tbl, keys, weight, max_rate, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('risk_threshold', kwargs, ['tbl', 'keys', 'weight', 'max_rate', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_risk_threshold', [tbl, keys, weight, max_rate], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}
