{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro k_map(tbl, population, keys, k=none) -%}
    {{ sdc.sdc__only('k_map', kwargs, ['tbl', 'population', 'keys', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_k_map', [tbl, population, keys], {'k': k})) }}
{%- endmacro -%}
