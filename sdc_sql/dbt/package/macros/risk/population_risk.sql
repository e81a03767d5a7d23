{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro population_risk(sample, population, keys) -%}
    {{ sdc.sdc__only('population_risk', kwargs, ['sample', 'population', 'keys']) }}
    {{ return(sdc.sdc__measure('sdc_population_risk', [sample, population, keys], {})) }}
{%- endmacro -%}
