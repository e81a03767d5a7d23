{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro subdomain_moments(original, released, columns, domains) -%}
    {{ sdc.sdc__only('subdomain_moments', kwargs, ['original', 'released', 'columns', 'domains']) }}
    {{ return(sdc.sdc__measure('sdc_subdomain_moments', [original, released, columns, domains], {})) }}
{%- endmacro -%}
