{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro derived_values(original, released, id, columns, givers, household=none) -%}
    {{ sdc.sdc__only('derived_values', kwargs, ['original', 'released', 'id', 'columns', 'givers', 'household']) }}
    {{ return(sdc.sdc__measure('sdc_derived_values', [original, released, id, columns, givers], {'household': household})) }}
{%- endmacro -%}

{%- macro derived_values_summary(original, released, id, columns, givers, household=none) -%}
    {{ sdc.sdc__only('derived_values_summary', kwargs, ['original', 'released', 'id', 'columns', 'givers', 'household']) }}
    {{ return(sdc.sdc__measure('sdc_derived_values_summary', [original, released, id, columns, givers], {'household': household})) }}
{%- endmacro -%}
