{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro minimal_sample_uniques(tbl, keys, max_msu=none, nulls=none) -%}
    {{ sdc.sdc__only('minimal_sample_uniques', kwargs, ['tbl', 'keys', 'max_msu', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_minimal_sample_uniques', [tbl, keys], {'max_msu': max_msu, 'nulls': nulls})) }}
{%- endmacro -%}
