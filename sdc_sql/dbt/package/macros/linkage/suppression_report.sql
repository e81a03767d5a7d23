{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro compatible_records(original, released, keys, k) -%}
    {{ sdc.sdc__only('compatible_records', kwargs, ['original', 'released', 'keys', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_compatible_records', [original, released, keys, k], {})) }}
{%- endmacro -%}

{%- macro suppression_report(original, released, keys, k) -%}
    {{ sdc.sdc__only('suppression_report', kwargs, ['original', 'released', 'keys', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_suppression_report', [original, released, keys, k], {})) }}
{%- endmacro -%}
