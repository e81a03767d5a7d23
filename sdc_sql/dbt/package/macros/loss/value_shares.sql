{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro value_shares(original, released, columns, continuous=none, weight=none, classes=none) -%}
    {{ sdc.sdc__only('value_shares', kwargs, ['original', 'released', 'columns', 'continuous', 'weight', 'classes']) }}
    {{ return(sdc.sdc__measure('sdc_value_shares', [original, released, columns], {'continuous': continuous, 'weight': weight, 'classes': classes})) }}
{%- endmacro -%}
