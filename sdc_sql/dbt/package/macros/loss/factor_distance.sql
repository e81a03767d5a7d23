{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro factor_distance(original, released, columns, most=none) -%}
    {{ return(sdc.sdc__measure('sdc_factor_distance', [original, released, columns], {'most': most})) }}
{%- endmacro -%}

{%- macro eigenvalue_distance(original, released, columns) -%}
    {{ return(sdc.sdc__measure('sdc_eigenvalue_distance', [original, released, columns], {})) }}
{%- endmacro -%}

{%- macro gamma_loss(original, released, columns) -%}
    {{ return(sdc.sdc__measure('sdc_gamma_loss', [original, released, columns], {})) }}
{%- endmacro -%}
