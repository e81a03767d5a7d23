{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro rejoined_households(tbl, household, columns) -%}
    {{ sdc.sdc__only('rejoined_households', kwargs, ['tbl', 'household', 'columns']) }}
    {{ return(sdc.sdc__measure('sdc_rejoined_households', [tbl, household, columns], {})) }}
{%- endmacro -%}
