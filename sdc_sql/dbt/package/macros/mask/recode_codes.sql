{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro recode_keep_first(tbl, column_name, keep_first, id, digits=none) -%}
    {{ sdc.sdc__only('recode_keep_first', kwargs, ['tbl', 'column_name', 'keep_first', 'id', 'digits']) }}
    {{ return(sdc.sdc__mask('sdc_recode_keep_first', id, [tbl, column_name, keep_first, id], {'digits': digits})) }}
{%- endmacro -%}

{%- macro recode_drop_last(tbl, column_name, drop_last, id, digits=none) -%}
    {{ sdc.sdc__only('recode_drop_last', kwargs, ['tbl', 'column_name', 'drop_last', 'id', 'digits']) }}
    {{ return(sdc.sdc__mask('sdc_recode_drop_last', id, [tbl, column_name, drop_last, id], {'digits': digits})) }}
{%- endmacro -%}
