{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro pram_reversed(original, column_name, matrix) -%}
    {{ sdc.sdc__only('pram_reversed', kwargs, ['original', 'column_name', 'matrix']) }}
    {{ return(sdc.sdc__measure('sdc_pram_reversed', [original, column_name, matrix], {})) }}
{%- endmacro -%}

{%- macro pram_reversed_crossing(original, columns, matrix) -%}
    {{ sdc.sdc__only('pram_reversed_crossing', kwargs, ['original', 'columns', 'matrix']) }}
    {{ return(sdc.sdc__measure('sdc_pram_reversed_crossing', [original, columns, matrix], {})) }}
{%- endmacro -%}
