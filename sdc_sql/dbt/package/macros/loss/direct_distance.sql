{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro direct_distance(original, released, columns, id, ordinal=none) -%}
    {{ return(sdc.sdc__measure('sdc_direct_distance', [original, released, columns, id], {'ordinal': ordinal})) }}
{%- endmacro -%}
