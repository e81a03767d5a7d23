{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro cell_risk(tbl, keys, weight, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('cell_risk', kwargs, ['tbl', 'keys', 'weight', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_cell_risk', [tbl, keys, weight], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro individual_risk(tbl, keys, weight, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('individual_risk', kwargs, ['tbl', 'keys', 'weight', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_individual_risk', [tbl, keys, weight], {'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}
