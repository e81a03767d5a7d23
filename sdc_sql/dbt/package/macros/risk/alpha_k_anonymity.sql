{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro alpha_k_anonymity(tbl, keys, sensitive, alpha, k, chosen=none) -%}
    {{ sdc.sdc__only('alpha_k_anonymity', kwargs, ['tbl', 'keys', 'sensitive', 'alpha', 'k', 'chosen']) }}
    {{ return(sdc.sdc__measure('sdc_alpha_k_anonymity', [tbl, keys, sensitive, alpha, k], {'chosen': chosen})) }}
{%- endmacro -%}
