{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro preview_recodings(tbl, keys, hierarchies, candidates=none, weight=none, sampling_fraction=none, k=none, confidence=none, small_weights=none) -%}
    {{ sdc.sdc__only('preview_recodings', kwargs, ['tbl', 'keys', 'hierarchies', 'candidates', 'weight', 'sampling_fraction', 'k', 'confidence', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_preview_recodings', [tbl, keys, hierarchies], {'candidates': candidates, 'weight': weight, 'sampling_fraction': sampling_fraction, 'k': k, 'confidence': confidence, 'small_weights': small_weights})) }}
{%- endmacro -%}
