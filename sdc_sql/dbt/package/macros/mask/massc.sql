{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro massc_design(tbl, keys, bias, variance, id, weight=none, strata=none, most_substituted=none) -%}
    {{ return(sdc.sdc__measure('sdc_massc_design', [tbl, keys, bias, variance, id], {'weight': weight, 'strata': strata, 'most_substituted': most_substituted})) }}
{%- endmacro -%}

{%- macro massc(tbl, keys, bias, variance, id, weight=none, strata=none, most_substituted=none, margins=none, stream=none, release=none) -%}
    {{ return(sdc.sdc__replace('sdc_massc', keys, [tbl, keys, bias, variance, id], {'weight': weight, 'strata': strata, 'most_substituted': most_substituted, 'margins': margins, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
