{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro distribution_distance(original, released, columns, weight=none, recoded=none, id=none) -%}
    {{ sdc.sdc__only('distribution_distance', kwargs, ['original', 'released', 'columns', 'weight', 'recoded', 'id']) }}
    {{ return(sdc.sdc__measure('sdc_distribution_distance', [original, released, columns], {'weight': weight, 'recoded': recoded, 'id': id})) }}
{%- endmacro -%}
