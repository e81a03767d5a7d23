{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro l_diversity_cells(tbl, keys, sensitive, c=none, others=none) -%}
    {{ sdc.sdc__only('l_diversity_cells', kwargs, ['tbl', 'keys', 'sensitive', 'c', 'others']) }}
    {{ return(sdc.sdc__measure('sdc_l_diversity_cells', [tbl, keys, sensitive], {'c': c, 'others': others})) }}
{%- endmacro -%}

{%- macro l_diversity_records(tbl, keys, sensitive, c=none, others=none) -%}
    {{ sdc.sdc__only('l_diversity_records', kwargs, ['tbl', 'keys', 'sensitive', 'c', 'others']) }}
    {{ return(sdc.sdc__measure('sdc_l_diversity_records', [tbl, keys, sensitive], {'c': c, 'others': others})) }}
{%- endmacro -%}

{%- macro l_diversity(tbl, keys, sensitive, c=none, others=none) -%}
    {{ sdc.sdc__only('l_diversity', kwargs, ['tbl', 'keys', 'sensitive', 'c', 'others']) }}
    {{ return(sdc.sdc__measure('sdc_l_diversity', [tbl, keys, sensitive], {'c': c, 'others': others})) }}
{%- endmacro -%}
