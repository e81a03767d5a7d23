{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro series_newcomers(original, released, columns, id, earlier_originals, earlier_releases) -%}
    {{ sdc.sdc__only('series_newcomers', kwargs, ['original', 'released', 'columns', 'id', 'earlier_originals', 'earlier_releases']) }}
    {{ return(sdc.sdc__measure('sdc_series_newcomers', [original, released, columns, id, earlier_originals, earlier_releases], {})) }}
{%- endmacro -%}
