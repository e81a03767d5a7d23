{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro flip_regression(tbl, column_name, columns, q) -%}
    {{ sdc.sdc__only('flip_regression', kwargs, ['tbl', 'column_name', 'columns', 'q']) }}
    {{ return(sdc.sdc__measure('sdc_flip_regression', [tbl, column_name, columns, q], {})) }}
{%- endmacro -%}

{%- macro flip_posterior_records(tbl, column_name, columns, id, q) -%}
    {{ sdc.sdc__only('flip_posterior_records', kwargs, ['tbl', 'column_name', 'columns', 'id', 'q']) }}
    {{ return(sdc.sdc__measure('sdc_flip_posterior_records', [tbl, column_name, columns, id, q], {})) }}
{%- endmacro -%}
