{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro robust_distance_records(tbl, columns, id) -%}
    {{ sdc.sdc__only('robust_distance_records', kwargs, ['tbl', 'columns', 'id']) }}
    {{ return(sdc.sdc__measure('sdc_robust_distance_records', [tbl, columns, id], {})) }}
{%- endmacro -%}
