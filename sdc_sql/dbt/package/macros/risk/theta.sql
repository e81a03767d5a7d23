{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro theta(tbl, keys, sampling_fraction, confidence=none) -%}
    {{ sdc.sdc__only('theta', kwargs, ['tbl', 'keys', 'sampling_fraction', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_theta', [tbl, keys, sampling_fraction], {'confidence': confidence})) }}
{%- endmacro -%}
