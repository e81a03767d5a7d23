{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro t_closeness_cells(tbl, keys, sensitive, distance=none) -%}
    {{ return(sdc.sdc__measure('sdc_t_closeness_cells', [tbl, keys, sensitive], {'distance': distance})) }}
{%- endmacro -%}

{%- macro t_closeness(tbl, keys, sensitive, distance=none) -%}
    {{ return(sdc.sdc__measure('sdc_t_closeness', [tbl, keys, sensitive], {'distance': distance})) }}
{%- endmacro -%}
