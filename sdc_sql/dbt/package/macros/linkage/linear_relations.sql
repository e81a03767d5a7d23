{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro linear_relations(original, released, id, columns) -%}
    {{ sdc.sdc__only('linear_relations', kwargs, ['original', 'released', 'id', 'columns']) }}
    {{ return(sdc.sdc__measure('sdc_linear_relations', [original, released, id, columns], {})) }}
{%- endmacro -%}
