{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro neighbourhood_records(tbl, continuous, id, keys=none, width=none, scaling=none, weight=none) -%}
    {{ return(sdc.sdc__measure('sdc_neighbourhood_records', [tbl, continuous, id], {'keys': keys, 'width': width, 'scaling': scaling, 'weight': weight})) }}
{%- endmacro -%}

{%- macro neighbourhood(tbl, continuous, keys=none, width=none, scaling=none, weight=none, k=none) -%}
    {{ return(sdc.sdc__measure('sdc_neighbourhood', [tbl, continuous], {'keys': keys, 'width': width, 'scaling': scaling, 'weight': weight, 'k': k})) }}
{%- endmacro -%}
