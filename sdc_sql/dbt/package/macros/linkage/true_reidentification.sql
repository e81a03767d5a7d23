{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro true_reidentification_records(original, released, keys, id, nulls=none, recoded=none) -%}
    {{ sdc.sdc__only('true_reidentification_records', kwargs, ['original', 'released', 'keys', 'id', 'nulls', 'recoded']) }}
    {{ return(sdc.sdc__measure('sdc_true_reidentification_records', [original, released, keys, id], {'nulls': nulls, 'recoded': recoded})) }}
{%- endmacro -%}

{%- macro true_reidentification(original, released, keys, id, k=none, nulls=none, recoded=none) -%}
    {{ sdc.sdc__only('true_reidentification', kwargs, ['original', 'released', 'keys', 'id', 'k', 'nulls', 'recoded']) }}
    {{ return(sdc.sdc__measure('sdc_true_reidentification', [original, released, keys, id], {'k': k, 'nulls': nulls, 'recoded': recoded})) }}
{%- endmacro -%}
