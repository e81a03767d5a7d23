{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro correct_attribution(original, released, keys, targets, tau=none) -%}
    {{ sdc.sdc__only('correct_attribution', kwargs, ['original', 'released', 'keys', 'targets', 'tau']) }}
    {{ return(sdc.sdc__measure('sdc_correct_attribution', [original, released, keys, targets], {'tau': tau})) }}
{%- endmacro -%}

{%- macro correct_attribution_records(original, released, keys, target) -%}
    {{ sdc.sdc__only('correct_attribution_records', kwargs, ['original', 'released', 'keys', 'target']) }}
    {{ return(sdc.sdc__measure('sdc_correct_attribution_records', [original, released, keys, target], {})) }}
{%- endmacro -%}

{%- macro targeted_attribution_records(original, released, keys, target) -%}
    {{ sdc.sdc__only('targeted_attribution_records', kwargs, ['original', 'released', 'keys', 'target']) }}
    {{ return(sdc.sdc__measure('sdc_targeted_attribution_records', [original, released, keys, target], {})) }}
{%- endmacro -%}
