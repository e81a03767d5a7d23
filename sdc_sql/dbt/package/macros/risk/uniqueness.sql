{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro frequency_counts(tbl, keys, nulls=none) -%}
    {{ sdc.sdc__only('frequency_counts', kwargs, ['tbl', 'keys', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_frequency_counts', [tbl, keys], {'nulls': nulls})) }}
{%- endmacro -%}

{%- macro frequency_summary(tbl, keys, nulls=none) -%}
    {{ sdc.sdc__only('frequency_summary', kwargs, ['tbl', 'keys', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_frequency_summary', [tbl, keys], {'nulls': nulls})) }}
{%- endmacro -%}

{%- macro sample_uniques(tbl, keys, nulls=none) -%}
    {{ sdc.sdc__only('sample_uniques', kwargs, ['tbl', 'keys', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_sample_uniques', [tbl, keys], {'nulls': nulls})) }}
{%- endmacro -%}
