{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro t_closeness_cells(tbl, keys, sensitive, distance=none) -%}
    {{ sdc.sdc__only('t_closeness_cells', kwargs, ['tbl', 'keys', 'sensitive', 'distance']) }}
    {{ return(sdc.sdc__measure('sdc_t_closeness_cells', [tbl, keys, sensitive], {'distance': distance})) }}
{%- endmacro -%}

{%- macro t_closeness(tbl, keys, sensitive, distance=none) -%}
    {{ sdc.sdc__only('t_closeness', kwargs, ['tbl', 'keys', 'sensitive', 'distance']) }}
    {{ return(sdc.sdc__measure('sdc_t_closeness', [tbl, keys, sensitive], {'distance': distance})) }}
{%- endmacro -%}
