{%- macro theta(tbl, keys, sampling_fraction, confidence=none) -%}
    {{ return(sdc.sdc__measure('sdc_theta', [tbl, keys, sampling_fraction], {'confidence': confidence})) }}
{%- endmacro -%}
