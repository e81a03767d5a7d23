{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro k_anonymity(tbl, keys, k, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_k_anonymity', [tbl, keys, k], {'nulls': nulls})) }}
{%- endmacro -%}
