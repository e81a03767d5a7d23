{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro global_risk(tbl, keys, weight, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('global_risk', kwargs, ['tbl', 'keys', 'weight', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_global_risk', [tbl, keys, weight], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}
