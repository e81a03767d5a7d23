{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro il1(original, released, columns, id, max_term=none, weight=none) -%}
    {{ sdc.sdc__only('il1', kwargs, ['original', 'released', 'columns', 'id', 'max_term', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_il1', [original, released, columns, id], {'max_term': max_term, 'weight': weight})) }}
{%- endmacro -%}
