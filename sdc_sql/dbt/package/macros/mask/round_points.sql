{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro round_points(tbl, columns, points, id) -%}
    {{ sdc.sdc__only('round_points', kwargs, ['tbl', 'columns', 'points', 'id']) }}
    {{ return(sdc.sdc__mask('sdc_round_points', id, [tbl, columns, points, id], {})) }}
{%- endmacro -%}
