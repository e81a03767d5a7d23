{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro minimal_sample_uniques(tbl, keys, max_msu=none, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_minimal_sample_uniques', [tbl, keys], {'max_msu': max_msu, 'nulls': nulls})) }}
{%- endmacro -%}
