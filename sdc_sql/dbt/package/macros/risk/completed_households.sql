{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro completed_households(tbl, household, columns) -%}
    {{ sdc.sdc__only('completed_households', kwargs, ['tbl', 'household', 'columns']) }}
    {{ return(sdc.sdc__measure('sdc_completed_households', [tbl, household, columns], {})) }}
{%- endmacro -%}
