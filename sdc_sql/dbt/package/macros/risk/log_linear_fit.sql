{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro log_linear_fit(tbl, keys, weight, model=none, small_weights=none) -%}
    {{ sdc.sdc__only('log_linear_fit', kwargs, ['tbl', 'keys', 'weight', 'model', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_log_linear_fit', [tbl, keys, weight], {'model': model, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro log_linear_search(tbl, keys, weight, enough=none, max_keys=none, small_weights=none) -%}
    {{ sdc.sdc__only('log_linear_search', kwargs, ['tbl', 'keys', 'weight', 'enough', 'max_keys', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_log_linear_search', [tbl, keys, weight], {'enough': enough, 'max_keys': max_keys, 'small_weights': small_weights})) }}
{%- endmacro -%}
