{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro generalise(tbl, keys, hierarchies, id, k=none, suppression=none, loss=none, sensitive=none, l=none, diversity=none, c=none, t=none, distance=none, population=none, population_k=none, weight=none, threshold=none) -%}
    {{ sdc.sdc__only('generalise', kwargs, ['tbl', 'keys', 'hierarchies', 'id', 'k', 'suppression', 'loss', 'sensitive', 'l', 'diversity', 'c', 't', 'distance', 'population', 'population_k', 'weight', 'threshold']) }}
    {{ return(sdc.sdc__mask('sdc_generalise', id, [tbl, keys, hierarchies, id], {'k': k, 'suppression': suppression, 'loss': loss, 'sensitive': sensitive, 'l': l, 'diversity': diversity, 'c': c, 't': t, 'distance': distance, 'population': population, 'population_k': population_k, 'weight': weight, 'threshold': threshold})) }}
{%- endmacro -%}

{%- macro generalisations(tbl, keys, hierarchies, k=none, suppression=none, loss=none, sensitive=none, l=none, diversity=none, c=none, t=none, distance=none, population=none, population_k=none, weight=none, threshold=none) -%}
    {{ sdc.sdc__only('generalisations', kwargs, ['tbl', 'keys', 'hierarchies', 'k', 'suppression', 'loss', 'sensitive', 'l', 'diversity', 'c', 't', 'distance', 'population', 'population_k', 'weight', 'threshold']) }}
    {{ return(sdc.sdc__measure('sdc_generalisations', [tbl, keys, hierarchies], {'k': k, 'suppression': suppression, 'loss': loss, 'sensitive': sensitive, 'l': l, 'diversity': diversity, 'c': c, 't': t, 'distance': distance, 'population': population, 'population_k': population_k, 'weight': weight, 'threshold': threshold})) }}
{%- endmacro -%}
