{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro threshold_rule(tbl, keys, threshold, weight=none, dimension=none, levels=none, inclusive=none, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('threshold_rule', kwargs, ['tbl', 'keys', 'threshold', 'weight', 'dimension', 'levels', 'inclusive', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_threshold_rule', [tbl, keys, threshold], {'weight': weight, 'dimension': dimension, 'levels': levels, 'inclusive': inclusive, 'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro threshold_rule_summary(tbl, keys, threshold, weight=none, dimension=none, levels=none, inclusive=none, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('threshold_rule_summary', kwargs, ['tbl', 'keys', 'threshold', 'weight', 'dimension', 'levels', 'inclusive', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_threshold_rule_summary', [tbl, keys, threshold], {'weight': weight, 'dimension': dimension, 'levels': levels, 'inclusive': inclusive, 'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro threshold_rule_records(tbl, keys, threshold, weight=none, dimension=none, levels=none, inclusive=none, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('threshold_rule_records', kwargs, ['tbl', 'keys', 'threshold', 'weight', 'dimension', 'levels', 'inclusive', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_threshold_rule_records', [tbl, keys, threshold], {'weight': weight, 'dimension': dimension, 'levels': levels, 'inclusive': inclusive, 'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}
