{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro massc_design(tbl, keys, bias, variance, id, weight=none, strata=none, most_substituted=none) -%}
    {{ sdc.sdc__only('massc_design', kwargs, ['tbl', 'keys', 'bias', 'variance', 'id', 'weight', 'strata', 'most_substituted']) }}
    {{ return(sdc.sdc__measure('sdc_massc_design', [tbl, keys, bias, variance, id], {'weight': weight, 'strata': strata, 'most_substituted': most_substituted})) }}
{%- endmacro -%}

{%- macro massc(tbl, keys, bias, variance, id, weight=none, strata=none, most_substituted=none, margins=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('massc', kwargs, ['tbl', 'keys', 'bias', 'variance', 'id', 'weight', 'strata', 'most_substituted', 'margins', 'stream', 'release']) }}
    {{ return(sdc.sdc__replace('sdc_massc', keys, [tbl, keys, bias, variance, id], {'weight': weight, 'strata': strata, 'most_substituted': most_substituted, 'margins': margins, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
