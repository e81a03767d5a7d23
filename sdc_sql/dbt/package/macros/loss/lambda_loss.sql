{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro lambda_loss(original, released, columns, id, ordinal=none, continuous=none, weight=none) -%}
    {{ sdc.sdc__only('lambda_loss', kwargs, ['original', 'released', 'columns', 'id', 'ordinal', 'continuous', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_lambda_loss', [original, released, columns, id], {'ordinal': ordinal, 'continuous': continuous, 'weight': weight})) }}
{%- endmacro -%}
