{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro model_utility(original, released, columns, criterion=none) -%}
    {{ return(sdc.sdc__measure('sdc_model_utility', [original, released, columns], {'criterion': criterion})) }}
{%- endmacro -%}
