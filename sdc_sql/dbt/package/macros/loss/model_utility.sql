{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro model_utility(original, released, columns, criterion=none) -%}
    {{ sdc.sdc__only('model_utility', kwargs, ['original', 'released', 'columns', 'criterion']) }}
    {{ return(sdc.sdc__measure('sdc_model_utility', [original, released, columns], {'criterion': criterion})) }}
{%- endmacro -%}
