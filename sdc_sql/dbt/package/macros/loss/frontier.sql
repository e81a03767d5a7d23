{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro frontier(candidates, risk, loss, max_risk=none, utility=none) -%}
    {{ sdc.sdc__only('frontier', kwargs, ['candidates', 'risk', 'loss', 'max_risk', 'utility']) }}
    {{ return(sdc.sdc__measure('sdc_frontier', [candidates, risk, loss], {'max_risk': max_risk, 'utility': utility})) }}
{%- endmacro -%}
