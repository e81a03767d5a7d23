{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro rank_linkage_records(original, released, columns, id, p=none, stratum=none, weights=none) -%}
    {{ sdc.sdc__only('rank_linkage_records', kwargs, ['original', 'released', 'columns', 'id', 'p', 'stratum', 'weights']) }}
    {{ return(sdc.sdc__measure('sdc_rank_linkage_records', [original, released, columns, id], {'p': p, 'stratum': stratum, 'weights': weights})) }}
{%- endmacro -%}

{%- macro rank_linkage(original, released, columns, id, p=none, stratum=none, weights=none) -%}
    {{ sdc.sdc__only('rank_linkage', kwargs, ['original', 'released', 'columns', 'id', 'p', 'stratum', 'weights']) }}
    {{ return(sdc.sdc__measure('sdc_rank_linkage', [original, released, columns, id], {'p': p, 'stratum': stratum, 'weights': weights})) }}
{%- endmacro -%}
