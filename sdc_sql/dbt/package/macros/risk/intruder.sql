{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro intruder_links(external, released, columns, id, spread, density=none, stands_for=none, method=none, least=none) -%}
    {{ return(sdc.sdc__measure('sdc_intruder_links', [external, released, columns, id, spread], {'density': density, 'stands_for': stands_for, 'method': method, 'least': least})) }}
{%- endmacro -%}

{%- macro perceived_risk_records(external, released, columns, id, spread, density=none, stands_for=none, method=none) -%}
    {{ return(sdc.sdc__measure('sdc_perceived_risk_records', [external, released, columns, id, spread], {'density': density, 'stands_for': stands_for, 'method': method})) }}
{%- endmacro -%}

{%- macro perceived_risk(external, released, columns, id, spread, density=none, stands_for=none, method=none, tau=none) -%}
    {{ return(sdc.sdc__measure('sdc_perceived_risk', [external, released, columns, id, spread], {'density': density, 'stands_for': stands_for, 'method': method, 'tau': tau})) }}
{%- endmacro -%}
