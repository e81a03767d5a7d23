{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro k_anonymity(tbl, keys, k=none, nulls=none) -%}
    {{ sdc.sdc__only('k_anonymity', kwargs, ['tbl', 'keys', 'k', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_k_anonymity', [tbl, keys], {'k': k, 'nulls': nulls})) }}
{%- endmacro -%}
