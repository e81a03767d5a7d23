{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro microaggregate(tbl, columns, k, id, method=none, centroid=none, blocks=none, gamma=none, stratum=none) -%}
    {{ sdc.sdc__only('microaggregate', kwargs, ['tbl', 'columns', 'k', 'id', 'method', 'centroid', 'blocks', 'gamma', 'stratum']) }}
    {{ return(sdc.sdc__mask('sdc_microaggregate', id, [tbl, columns, k, id], {'method': method, 'centroid': centroid, 'blocks': blocks, 'gamma': gamma, 'stratum': stratum})) }}
{%- endmacro -%}

{%- macro microaggregate_categorical(tbl, columns, k, id, scale=none, stratum=none) -%}
    {{ sdc.sdc__only('microaggregate_categorical', kwargs, ['tbl', 'columns', 'k', 'id', 'scale', 'stratum']) }}
    {{ return(sdc.sdc__mask('sdc_microaggregate_categorical', id, [tbl, columns, k, id], {'scale': scale, 'stratum': stratum})) }}
{%- endmacro -%}
