{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro series_disclosure(original, released, columns, id, earlier_originals, earlier_releases, width=none) -%}
    {{ sdc.sdc__only('series_disclosure', kwargs, ['original', 'released', 'columns', 'id', 'earlier_originals', 'earlier_releases', 'width']) }}
    {{ return(sdc.sdc__measure('sdc_series_disclosure', [original, released, columns, id, earlier_originals, earlier_releases], {'width': width})) }}
{%- endmacro -%}

{%- macro series_disclosure_records(original, released, columns, id, earlier_originals, earlier_releases, width=none) -%}
    {{ sdc.sdc__only('series_disclosure_records', kwargs, ['original', 'released', 'columns', 'id', 'earlier_originals', 'earlier_releases', 'width']) }}
    {{ return(sdc.sdc__measure('sdc_series_disclosure_records', [original, released, columns, id, earlier_originals, earlier_releases], {'width': width})) }}
{%- endmacro -%}
