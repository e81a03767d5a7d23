{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro theta(tbl, keys, sampling_fraction, confidence=none) -%}
    {{ return(sdc.sdc__measure('sdc_theta', [tbl, keys, sampling_fraction], {'confidence': confidence})) }}
{%- endmacro -%}
