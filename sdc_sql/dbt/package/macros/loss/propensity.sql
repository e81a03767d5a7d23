{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro propensity(original, released, columns, continuous=none, pairs=none) -%}
    {{ sdc.sdc__only('propensity', kwargs, ['original', 'released', 'columns', 'continuous', 'pairs']) }}
    {{ return(sdc.sdc__measure('sdc_propensity', [original, released, columns], {'continuous': continuous, 'pairs': pairs})) }}
{%- endmacro -%}
