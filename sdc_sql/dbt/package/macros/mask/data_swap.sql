{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro data_swap(tbl, columns, rate, id, equal=none, different=none, shortfall=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('data_swap', kwargs, ['tbl', 'columns', 'rate', 'id', 'equal', 'different', 'shortfall', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_data_swap', id, [tbl, columns, rate, id], {'equal': equal, 'different': different, 'shortfall': shortfall, 'stream': stream, 'release': release})) }}
{%- endmacro -%}

{%- macro data_swap_partners(tbl, columns, rate, id, equal=none, different=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('data_swap_partners', kwargs, ['tbl', 'columns', 'rate', 'id', 'equal', 'different', 'stream', 'release']) }}
    {{ return(sdc.sdc__measure('sdc_data_swap_partners', [tbl, columns, rate, id], {'equal': equal, 'different': different, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
