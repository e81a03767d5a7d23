{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro weight_distance(original, released, weight, id) -%}
    {{ sdc.sdc__only('weight_distance', kwargs, ['original', 'released', 'weight', 'id']) }}
    {{ return(sdc.sdc__measure('sdc_weight_distance', [original, released, weight, id], {})) }}
{%- endmacro -%}
