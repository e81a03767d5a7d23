{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro pram_invariant(tbl, column_name, matrix, method=none) -%}
    {{ sdc.sdc__only('pram_invariant', kwargs, ['tbl', 'column_name', 'matrix', 'method']) }}
    {{ return(sdc.sdc__measure('sdc_pram_invariant', [tbl, column_name, matrix], {'method': method})) }}
{%- endmacro -%}

{%- macro pram_pd_alpha(tbl, column_name, pd, alpha) -%}
    {{ sdc.sdc__only('pram_pd_alpha', kwargs, ['tbl', 'column_name', 'pd', 'alpha']) }}
    {{ return(sdc.sdc__measure('sdc_pram_pd_alpha', [tbl, column_name, pd, alpha], {})) }}
{%- endmacro -%}

{%- macro pram_retention_matrix(tbl, column_name, retention) -%}
    {{ sdc.sdc__only('pram_retention_matrix', kwargs, ['tbl', 'column_name', 'retention']) }}
    {{ return(sdc.sdc__measure('sdc_pram_retention_matrix', [tbl, column_name, retention], {})) }}
{%- endmacro -%}

{%- macro pram_estimate(tbl, column_name, matrix) -%}
    {{ sdc.sdc__only('pram_estimate', kwargs, ['tbl', 'column_name', 'matrix']) }}
    {{ return(sdc.sdc__measure('sdc_pram_estimate', [tbl, column_name, matrix], {})) }}
{%- endmacro -%}

{%- macro pram_covariance(tbl, column_name, matrix) -%}
    {{ sdc.sdc__only('pram_covariance', kwargs, ['tbl', 'column_name', 'matrix']) }}
    {{ return(sdc.sdc__measure('sdc_pram_covariance', [tbl, column_name, matrix], {})) }}
{%- endmacro -%}

{%- macro pram_estimate_two_way(tbl, row_name, column_name, row_matrix, column_matrix) -%}
    {{ sdc.sdc__only('pram_estimate_two_way', kwargs, ['tbl', 'row_name', 'column_name', 'row_matrix', 'column_matrix']) }}
    {{ return(sdc.sdc__measure('sdc_pram_estimate_two_way', [tbl, row_name, column_name, row_matrix, column_matrix], {})) }}
{%- endmacro -%}
