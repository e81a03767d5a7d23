{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro correct_attribution(original, released, keys, targets, tau=none) -%}
    {{ return(sdc.sdc__measure('sdc_correct_attribution', [original, released, keys, targets], {'tau': tau})) }}
{%- endmacro -%}

{%- macro correct_attribution_records(original, released, keys, target) -%}
    {{ return(sdc.sdc__measure('sdc_correct_attribution_records', [original, released, keys, target], {})) }}
{%- endmacro -%}

{%- macro targeted_attribution_records(original, released, keys, target) -%}
    {{ return(sdc.sdc__measure('sdc_targeted_attribution_records', [original, released, keys, target], {})) }}
{%- endmacro -%}
