{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro intruder_links(external, released, columns, id, spread, density=none, stands_for=none, method=none, least=none) -%}
    {{ sdc.sdc__only('intruder_links', kwargs, ['external', 'released', 'columns', 'id', 'spread', 'density', 'stands_for', 'method', 'least']) }}
    {{ return(sdc.sdc__measure('sdc_intruder_links', [external, released, columns, id, spread], {'density': density, 'stands_for': stands_for, 'method': method, 'least': least})) }}
{%- endmacro -%}

{%- macro perceived_risk_records(external, released, columns, id, spread, density=none, stands_for=none, method=none) -%}
    {{ sdc.sdc__only('perceived_risk_records', kwargs, ['external', 'released', 'columns', 'id', 'spread', 'density', 'stands_for', 'method']) }}
    {{ return(sdc.sdc__measure('sdc_perceived_risk_records', [external, released, columns, id, spread], {'density': density, 'stands_for': stands_for, 'method': method})) }}
{%- endmacro -%}

{%- macro perceived_risk(external, released, columns, id, spread, density=none, stands_for=none, method=none, tau=none) -%}
    {{ sdc.sdc__only('perceived_risk', kwargs, ['external', 'released', 'columns', 'id', 'spread', 'density', 'stands_for', 'method', 'tau']) }}
    {{ return(sdc.sdc__measure('sdc_perceived_risk', [external, released, columns, id, spread], {'density': density, 'stands_for': stands_for, 'method': method, 'tau': tau})) }}
{%- endmacro -%}
