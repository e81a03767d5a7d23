{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro record_swap(tbl, columns, rate, id, household=none, risk_keys=none, k=none, profiles=none, carry_along=none, risk=none, max_risk=none, shortfall=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('record_swap', kwargs, ['tbl', 'columns', 'rate', 'id', 'household', 'risk_keys', 'k', 'profiles', 'carry_along', 'risk', 'max_risk', 'shortfall', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_record_swap', id, [tbl, columns, rate, id], {'household': household, 'risk_keys': risk_keys, 'k': k, 'profiles': profiles, 'carry_along': carry_along, 'risk': risk, 'max_risk': max_risk, 'shortfall': shortfall, 'stream': stream, 'release': release})) }}
{%- endmacro -%}

{%- macro record_swap_partners(tbl, columns, rate, id, household=none, risk_keys=none, k=none, profiles=none, carry_along=none, risk=none, max_risk=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('record_swap_partners', kwargs, ['tbl', 'columns', 'rate', 'id', 'household', 'risk_keys', 'k', 'profiles', 'carry_along', 'risk', 'max_risk', 'stream', 'release']) }}
    {{ return(sdc.sdc__measure('sdc_record_swap_partners', [tbl, columns, rate, id], {'household': household, 'risk_keys': risk_keys, 'k': k, 'profiles': profiles, 'carry_along': carry_along, 'risk': risk, 'max_risk': max_risk, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
