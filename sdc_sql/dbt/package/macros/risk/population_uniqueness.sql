{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro population_uniqueness(tbl, keys, population_size, method=none) -%}
    {{ sdc.sdc__only('population_uniqueness', kwargs, ['tbl', 'keys', 'population_size', 'method']) }}
    {{ return(sdc.sdc__measure('sdc_population_uniqueness', [tbl, keys, population_size], {'method': method})) }}
{%- endmacro -%}
