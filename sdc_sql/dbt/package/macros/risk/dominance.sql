{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro dominance(tbl, keys, value, n=none, share=none, p=none, weight=none) -%}
    {{ sdc.sdc__only('dominance', kwargs, ['tbl', 'keys', 'value', 'n', 'share', 'p', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_dominance', [tbl, keys, value], {'n': n, 'share': share, 'p': p, 'weight': weight})) }}
{%- endmacro -%}

{%- macro dominance_cells(tbl, keys, value, n=none, share=none, p=none, weight=none) -%}
    {{ sdc.sdc__only('dominance_cells', kwargs, ['tbl', 'keys', 'value', 'n', 'share', 'p', 'weight']) }}
    {{ return(sdc.sdc__measure('sdc_dominance_cells', [tbl, keys, value], {'n': n, 'share': share, 'p': p, 'weight': weight})) }}
{%- endmacro -%}
