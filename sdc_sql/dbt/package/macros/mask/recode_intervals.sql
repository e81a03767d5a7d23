{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro recode_intervals(tbl, column_name, breaks, id, ends=none, labels=none) -%}
    {{ return(sdc.sdc__mask('sdc_recode_intervals', id, [tbl, column_name, breaks, id], {'ends': ends, 'labels': labels})) }}
{%- endmacro -%}
