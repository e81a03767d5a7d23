{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro composition_frequencies(tbl, keys, household, weight=none) -%}
    {{ sdc.sdc__only('composition_frequencies', kwargs, ['tbl', 'keys', 'household', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_composition_frequencies', [tbl, keys, household], {'weight': weight})) }}
{%- endmacro -%}

{%- macro composition_summary(tbl, keys, household, k=none) -%}
    {{ sdc.sdc__only('composition_summary', kwargs, ['tbl', 'keys', 'household', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_composition_summary', [tbl, keys, household], {'k': k})) }}
{%- endmacro -%}

{%- macro composition_k_map(tbl, population, keys, household, k=none) -%}
    {{ sdc.sdc__only('composition_k_map', kwargs, ['tbl', 'population', 'keys', 'household', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_composition_k_map', [tbl, population, keys, household], {'k': k})) }}
{%- endmacro -%}

{%- macro composition_theta(tbl, keys, household, sampling_fraction, confidence=none) -%}
    {{ sdc.sdc__only('composition_theta', kwargs, ['tbl', 'keys', 'household', 'sampling_fraction', 'confidence']) }}
    {{ return(sdc.sdc__measure('sdc_composition_theta', [tbl, keys, household, sampling_fraction], {'confidence': confidence})) }}
{%- endmacro -%}

{%- macro composition_risk(tbl, keys, weight, household) -%}
    {{ sdc.sdc__only('composition_risk', kwargs, ['tbl', 'keys', 'weight', 'household']) }}
    {{ return(sdc.sdc__measure('sdc_composition_risk', [tbl, keys, weight, household], {})) }}
{%- endmacro -%}
