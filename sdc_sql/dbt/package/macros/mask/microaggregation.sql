{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro microaggregate(tbl, columns, k, id, method=none, centroid=none, blocks=none, gamma=none, stratum=none) -%}
    {{ return(sdc.sdc__mask('sdc_microaggregate', id, [tbl, columns, k, id], {'method': method, 'centroid': centroid, 'blocks': blocks, 'gamma': gamma, 'stratum': stratum})) }}
{%- endmacro -%}

{%- macro microaggregate_categorical(tbl, columns, k, id, scale=none, stratum=none) -%}
    {{ return(sdc.sdc__mask('sdc_microaggregate_categorical', id, [tbl, columns, k, id], {'scale': scale, 'stratum': stratum})) }}
{%- endmacro -%}
