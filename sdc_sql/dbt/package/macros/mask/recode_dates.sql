{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro recode_date(tbl, column_name, period, id) -%}
    {{ sdc.sdc__only('recode_date', kwargs, ['tbl', 'column_name', 'period', 'id']) }}
    {{ return(sdc.sdc__mask('sdc_recode_date', id, [tbl, column_name, period, id], {})) }}
{%- endmacro -%}
