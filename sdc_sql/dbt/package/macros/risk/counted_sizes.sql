{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro counted_sizes(tbl, household, columns) -%}
    {{ sdc.sdc__only('counted_sizes', kwargs, ['tbl', 'household', 'columns']) }}
    {{ return(sdc.sdc__measure('sdc_counted_sizes', [tbl, household, columns], {})) }}
{%- endmacro -%}
