{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro margin_distance(original, released, columns, continuous=none, weight=none) -%}
    {{ sdc.sdc__only('margin_distance', kwargs, ['original', 'released', 'columns', 'continuous', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_margin_distance', [original, released, columns], {'continuous': continuous, 'weight': weight})) }}
{%- endmacro -%}

{%- macro pair_distance(original, released, columns, continuous=none, weight=none, classes=none) -%}
    {{ sdc.sdc__only('pair_distance', kwargs, ['original', 'released', 'columns', 'continuous', 'weight', 'classes']) }}
    {{ return(sdc.sdc__measure('sdc_pair_distance', [original, released, columns], {'continuous': continuous, 'weight': weight, 'classes': classes})) }}
{%- endmacro -%}
