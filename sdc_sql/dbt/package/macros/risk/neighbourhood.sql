{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro neighbourhood_records(tbl, continuous, id, keys=none, width=none, scaling=none, weight=none) -%}
    {{ sdc.sdc__only('neighbourhood_records', kwargs, ['tbl', 'continuous', 'id', 'keys', 'width', 'scaling', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_neighbourhood_records', [tbl, continuous, id], {'keys': keys, 'width': width, 'scaling': scaling, 'weight': weight})) }}
{%- endmacro -%}

{%- macro neighbourhood(tbl, continuous, keys=none, width=none, scaling=none, weight=none, k=none) -%}
    {{ sdc.sdc__only('neighbourhood', kwargs, ['tbl', 'continuous', 'keys', 'width', 'scaling', 'weight', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_neighbourhood', [tbl, continuous], {'keys': keys, 'width': width, 'scaling': scaling, 'weight': weight, 'k': k})) }}
{%- endmacro -%}
