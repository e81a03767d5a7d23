{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro interval_disclosure_records(original, released, columns, id, intervals=none, width=none) -%}
    {{ sdc.sdc__only('interval_disclosure_records', kwargs, ['original', 'released', 'columns', 'id', 'intervals', 'width']) }}
    {{ return(sdc.sdc__measure('sdc_interval_disclosure_records', [original, released, columns, id], {'intervals': intervals, 'width': width})) }}
{%- endmacro -%}

{%- macro interval_disclosure(original, released, columns, id, intervals=none, width=none) -%}
    {{ sdc.sdc__only('interval_disclosure', kwargs, ['original', 'released', 'columns', 'id', 'intervals', 'width']) }}
    {{ return(sdc.sdc__measure('sdc_interval_disclosure', [original, released, columns, id], {'intervals': intervals, 'width': width})) }}
{%- endmacro -%}
