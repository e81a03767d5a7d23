{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro rank_linkage_records(original, released, columns, id, p=none, stratum=none, weights=none) -%}
    {{ return(sdc.sdc__measure('sdc_rank_linkage_records', [original, released, columns, id], {'p': p, 'stratum': stratum, 'weights': weights})) }}
{%- endmacro -%}

{%- macro rank_linkage(original, released, columns, id, p=none, stratum=none, weights=none) -%}
    {{ return(sdc.sdc__measure('sdc_rank_linkage', [original, released, columns, id], {'p': p, 'stratum': stratum, 'weights': weights})) }}
{%- endmacro -%}
