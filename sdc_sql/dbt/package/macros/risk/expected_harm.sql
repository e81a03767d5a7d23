{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro expected_harm_records(tbl, costs, id) -%}
    {{ sdc.sdc__only('expected_harm_records', kwargs, ['tbl', 'costs', 'id']) }}
    {{ return(sdc.sdc__measure('sdc_expected_harm_records', [tbl, costs, id], {})) }}
{%- endmacro -%}

{%- macro expected_harm(tbl, costs, id) -%}
    {{ sdc.sdc__only('expected_harm', kwargs, ['tbl', 'costs', 'id']) }}
    {{ return(sdc.sdc__measure('sdc_expected_harm', [tbl, costs, id], {})) }}
{%- endmacro -%}
