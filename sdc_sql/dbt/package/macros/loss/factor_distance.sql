{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro factor_distance(original, released, columns, max_variation=none) -%}
    {{ sdc.sdc__only('factor_distance', kwargs, ['original', 'released', 'columns', 'max_variation']) }}
    {{ return(sdc.sdc__measure('sdc_factor_distance', [original, released, columns], {'max_variation': max_variation})) }}
{%- endmacro -%}

{%- macro eigenvalue_distance(original, released, columns) -%}
    {{ sdc.sdc__only('eigenvalue_distance', kwargs, ['original', 'released', 'columns']) }}
    {{ return(sdc.sdc__measure('sdc_eigenvalue_distance', [original, released, columns], {})) }}
{%- endmacro -%}

{%- macro gamma_loss(original, released, columns) -%}
    {{ sdc.sdc__only('gamma_loss', kwargs, ['original', 'released', 'columns']) }}
    {{ return(sdc.sdc__measure('sdc_gamma_loss', [original, released, columns], {})) }}
{%- endmacro -%}
