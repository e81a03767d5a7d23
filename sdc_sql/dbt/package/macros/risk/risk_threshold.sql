{%- macro risk_threshold(tbl, keys, weight, max_rate, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_risk_threshold', [tbl, keys, weight, max_rate], {'nulls': nulls})) }}
{%- endmacro -%}
