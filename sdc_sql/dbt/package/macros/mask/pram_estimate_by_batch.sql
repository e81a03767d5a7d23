{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro pram_estimate_by_batch(tbl, column_name, batch, matrix) -%}
    {{ sdc.sdc__only('pram_estimate_by_batch', kwargs, ['tbl', 'column_name', 'batch', 'matrix']) }}
    {{ return(sdc.sdc__measure('sdc_pram_estimate_by_batch', [tbl, column_name, batch, matrix], {})) }}
{%- endmacro -%}
