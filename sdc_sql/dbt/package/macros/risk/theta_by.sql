{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro theta_by(tbl, keys, stratum, sampling_fraction, confidence=none) -%}
    {{ sdc.sdc__only('theta_by', kwargs, ['tbl', 'keys', 'stratum', 'sampling_fraction', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_theta_by', [tbl, keys, stratum, sampling_fraction], {'confidence': confidence})) }}
{%- endmacro -%}
