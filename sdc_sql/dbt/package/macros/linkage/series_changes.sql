{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro series_changes(original, released, columns, id, earlier_originals, earlier_releases, width=none) -%}
    {{ sdc.sdc__only('series_changes', kwargs, ['original', 'released', 'columns', 'id', 'earlier_originals', 'earlier_releases', 'width']) }}
    {{ return(sdc.sdc__measure('sdc_series_changes', [original, released, columns, id, earlier_originals, earlier_releases], {'width': width})) }}
{%- endmacro -%}
