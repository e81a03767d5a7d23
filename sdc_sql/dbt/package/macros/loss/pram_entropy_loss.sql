{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro pram_entropy_loss(original, released, column_name, matrix) -%}
    {{ sdc.sdc__only('pram_entropy_loss', kwargs, ['original', 'released', 'column_name', 'matrix']) }}
    {{ return(sdc.sdc__measure('sdc_pram_entropy_loss', [original, released, column_name, matrix], {})) }}
{%- endmacro -%}
