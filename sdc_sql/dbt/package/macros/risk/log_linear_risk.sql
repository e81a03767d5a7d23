{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro log_linear_risk(tbl, keys, weight, model=none, smoothing=none, small_weights=none, margins=none) -%}
    {{ sdc.sdc__only('log_linear_risk', kwargs, ['tbl', 'keys', 'weight', 'model', 'smoothing', 'small_weights', 'margins']) }}
    {{ return(sdc.sdc__measure('sdc_log_linear_risk', [tbl, keys, weight], {'model': model, 'smoothing': smoothing, 'small_weights': small_weights, 'margins': margins})) }}
{%- endmacro -%}

{%- macro log_linear_risk_records(tbl, keys, weight, model=none, smoothing=none, small_weights=none, margins=none) -%}
    {{ sdc.sdc__only('log_linear_risk_records', kwargs, ['tbl', 'keys', 'weight', 'model', 'smoothing', 'small_weights', 'margins']) }}
    {{ return(sdc.sdc__measure('sdc_log_linear_risk_records', [tbl, keys, weight], {'model': model, 'smoothing': smoothing, 'small_weights': small_weights, 'margins': margins})) }}
{%- endmacro -%}
