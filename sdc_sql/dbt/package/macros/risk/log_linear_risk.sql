{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro log_linear_risk(tbl, keys, weight, model=none, smoothing=none) -%}
    {{ return(sdc.sdc__measure('sdc_log_linear_risk', [tbl, keys, weight], {'model': model, 'smoothing': smoothing})) }}
{%- endmacro -%}

{%- macro log_linear_risk_records(tbl, keys, weight, model=none, smoothing=none) -%}
    {{ return(sdc.sdc__measure('sdc_log_linear_risk_records', [tbl, keys, weight], {'model': model, 'smoothing': smoothing})) }}
{%- endmacro -%}
