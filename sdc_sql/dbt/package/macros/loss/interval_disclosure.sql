{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro interval_disclosure_records(original, released, columns, id, intervals=none, width=none) -%}
    {{ return(sdc.sdc__measure('sdc_interval_disclosure_records', [original, released, columns, id], {'intervals': intervals, 'width': width})) }}
{%- endmacro -%}

{%- macro interval_disclosure(original, released, columns, id, intervals=none, width=none) -%}
    {{ return(sdc.sdc__measure('sdc_interval_disclosure', [original, released, columns, id], {'intervals': intervals, 'width': width})) }}
{%- endmacro -%}
