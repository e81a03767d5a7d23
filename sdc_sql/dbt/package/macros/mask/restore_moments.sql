{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro restore_moments(tbl, columns, original, id) -%}
    {{ sdc.sdc__only('restore_moments', kwargs, ['tbl', 'columns', 'original', 'id']) }}
    {{ return(sdc.sdc__mask('sdc_restore_moments', id, [tbl, columns, original, id], {})) }}
{%- endmacro -%}
