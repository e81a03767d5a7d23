{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro explained_variance(original, released, columns, domains) -%}
    {{ sdc.sdc__only('explained_variance', kwargs, ['original', 'released', 'columns', 'domains']) }}
    {{ return(sdc.sdc__measure('sdc_explained_variance', [original, released, columns, domains], {})) }}
{%- endmacro -%}
