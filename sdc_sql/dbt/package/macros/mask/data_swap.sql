{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro data_swap(tbl, columns, rate, id, equal=none, different=none, shortfall=none, stream=none, release=none) -%}
    {{ return(sdc.sdc__mask('sdc_data_swap', id, [tbl, columns, rate, id], {'equal': equal, 'different': different, 'shortfall': shortfall, 'stream': stream, 'release': release})) }}
{%- endmacro -%}

{%- macro data_swap_partners(tbl, columns, rate, id, equal=none, different=none, stream=none, release=none) -%}
    {{ return(sdc.sdc__measure('sdc_data_swap_partners', [tbl, columns, rate, id], {'equal': equal, 'different': different, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
