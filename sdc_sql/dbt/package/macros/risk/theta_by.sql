{%- macro theta_by(tbl, keys, stratum, sampling_fraction, confidence=none) -%}
    {{ return(sdc.sdc__measure('sdc_theta_by', [tbl, keys, stratum, sampling_fraction], {'confidence': confidence})) }}
{%- endmacro -%}
