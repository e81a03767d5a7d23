{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro correct_attribution(original, released, keys, targets, tau=none, nulls=none) -%}
    {{ sdc.sdc__only('correct_attribution', kwargs, ['original', 'released', 'keys', 'targets', 'tau', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_correct_attribution', [original, released, keys, targets], {'tau': tau, 'nulls': nulls})) }}
{%- endmacro -%}

{%- macro correct_attribution_records(original, released, keys, target, nulls=none) -%}
    {{ sdc.sdc__only('correct_attribution_records', kwargs, ['original', 'released', 'keys', 'target', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_correct_attribution_records', [original, released, keys, target], {'nulls': nulls})) }}
{%- endmacro -%}

{%- macro targeted_attribution_records(original, released, keys, target, nulls=none) -%}
    {{ sdc.sdc__only('targeted_attribution_records', kwargs, ['original', 'released', 'keys', 'target', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_targeted_attribution_records', [original, released, keys, target], {'nulls': nulls})) }}
{%- endmacro -%}
