{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro rank_swap(tbl, column_name, p, id, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('rank_swap', kwargs, ['tbl', 'column_name', 'p', 'id', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_rank_swap', id, [tbl, column_name, p, id], {'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}

{%- macro rank_swap_correlated(tbl, column_name, correlation, id, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('rank_swap_correlated', kwargs, ['tbl', 'column_name', 'correlation', 'id', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_rank_swap_correlated', id, [tbl, column_name, correlation, id], {'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
