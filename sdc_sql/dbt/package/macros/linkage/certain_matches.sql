{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro certain_matches(original, released, keys, k=none) -%}
    {{ sdc.sdc__only('certain_matches', kwargs, ['original', 'released', 'keys', 'k']) }}
    {{ return(sdc.sdc__measure('sdc_certain_matches', [original, released, keys], {'k': k})) }}
{%- endmacro -%}
