{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro disclosive_attributes(original, released, keys, targets, nulls=none) -%}
    {{ sdc.sdc__only('disclosive_attributes', kwargs, ['original', 'released', 'keys', 'targets', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_disclosive_attributes', [original, released, keys, targets], {'nulls': nulls})) }}
{%- endmacro -%}
