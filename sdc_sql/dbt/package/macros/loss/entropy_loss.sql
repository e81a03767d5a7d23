{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro entropy_loss(original, released, columns, id, weight=none) -%}
    {{ sdc.sdc__only('entropy_loss', kwargs, ['original', 'released', 'columns', 'id', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_entropy_loss', [original, released, columns, id], {'weight': weight})) }}
{%- endmacro -%}
