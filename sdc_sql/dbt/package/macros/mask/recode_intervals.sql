{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro recode_intervals(tbl, column_name, breaks, id, ends=none, labels=none) -%}
    {{ sdc.sdc__only('recode_intervals', kwargs, ['tbl', 'column_name', 'breaks', 'id', 'ends', 'labels']) }}
    {{ return(sdc.sdc__mask('sdc_recode_intervals', id, [tbl, column_name, breaks, id], {'ends': ends, 'labels': labels})) }}
{%- endmacro -%}
