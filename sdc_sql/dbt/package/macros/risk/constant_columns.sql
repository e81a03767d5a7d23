{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro constant_columns(tbl, household, columns=none) -%}
    {{ sdc.sdc__only('constant_columns', kwargs, ['tbl', 'household', 'columns']) }}
    {{ return(sdc.sdc__measure('sdc_constant_columns', [tbl, household], {'columns': columns})) }}
{%- endmacro -%}
