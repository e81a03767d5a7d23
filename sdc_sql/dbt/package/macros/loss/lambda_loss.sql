{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro lambda_loss(original, released, columns, id, ordinal=none, continuous=none) -%}
    {{ return(sdc.sdc__measure('sdc_lambda_loss', [original, released, columns, id], {'ordinal': ordinal, 'continuous': continuous})) }}
{%- endmacro -%}
