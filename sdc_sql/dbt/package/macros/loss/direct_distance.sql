{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro direct_distance(original, released, columns, id, ordinal=none) -%}
    {{ sdc.sdc__only('direct_distance', kwargs, ['original', 'released', 'columns', 'id', 'ordinal']) }}
    {{ return(sdc.sdc__measure('sdc_direct_distance', [original, released, columns, id], {'ordinal': ordinal})) }}
{%- endmacro -%}
