{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro swapping_risk(original, released, columns, id, swapped=none, threshold=none) -%}
    {{ sdc.sdc__only('swapping_risk', kwargs, ['original', 'released', 'columns', 'id', 'swapped', 'threshold']) }}
    {{ return(sdc.sdc__measure('sdc_swapping_risk', [original, released, columns, id], {'swapped': swapped, 'threshold': threshold})) }}
{%- endmacro -%}
