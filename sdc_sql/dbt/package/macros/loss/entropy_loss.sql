{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro entropy_loss(original, released, columns, id) -%}
    {{ return(sdc.sdc__measure('sdc_entropy_loss', [original, released, columns, id], {})) }}
{%- endmacro -%}

{%- macro pram_entropy_loss(original, released, column_name, matrix) -%}
    {{ return(sdc.sdc__measure('sdc_pram_entropy_loss', [original, released, column_name, matrix], {})) }}
{%- endmacro -%}
