{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro local_suppression(tbl, keys, k, id, guarantee=none, importance=none, cost=none, max_share=none, stratum=none, subset=none, ghosts=none, household=none, household_columns=none, unit=none) -%}
    {{ sdc.sdc__only('local_suppression', kwargs, ['tbl', 'keys', 'k', 'id', 'guarantee', 'importance', 'cost', 'max_share', 'stratum', 'subset', 'ghosts', 'household', 'household_columns', 'unit']) }}
    {{ return(sdc.sdc__mask('sdc_local_suppression', id, [tbl, keys, k, id], {'guarantee': guarantee, 'importance': importance, 'cost': cost, 'max_share': max_share, 'stratum': stratum, 'subset': subset, 'ghosts': ghosts, 'household': household, 'household_columns': household_columns, 'unit': unit})) }}
{%- endmacro -%}
