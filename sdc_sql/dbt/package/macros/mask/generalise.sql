{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro generalise(tbl, keys, hierarchies, id, k=none, suppression=none, loss=none) -%}
    {{ return(sdc.sdc__mask('sdc_generalise', id, [tbl, keys, hierarchies, id], {'k': k, 'suppression': suppression, 'loss': loss})) }}
{%- endmacro -%}

{%- macro generalisations(tbl, keys, hierarchies, k=none, suppression=none, loss=none) -%}
    {{ return(sdc.sdc__measure('sdc_generalisations', [tbl, keys, hierarchies], {'k': k, 'suppression': suppression, 'loss': loss})) }}
{%- endmacro -%}
