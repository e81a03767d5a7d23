{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro compatible_records(tbl, released, keys, k) -%}
    {{ sdc.sdc__only('compatible_records', kwargs, ['tbl', 'released', 'keys', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_compatible_records', [tbl, released, keys, k], {})) }}
{%- endmacro -%}

{%- macro suppression_report(tbl, released, keys, k) -%}
    {{ sdc.sdc__only('suppression_report', kwargs, ['tbl', 'released', 'keys', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_suppression_report', [tbl, released, keys, k], {})) }}
{%- endmacro -%}
