{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro distribution_distance(original, released, columns) -%}
    {{ sdc.sdc__only('distribution_distance', kwargs, ['original', 'released', 'columns']) }}
    {{ return(sdc.sdc__measure('sdc_distribution_distance', [original, released, columns], {})) }}
{%- endmacro -%}
