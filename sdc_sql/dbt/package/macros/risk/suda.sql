{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro suda(tbl, keys, max_msu=none, dis_fraction=none, scoring=none, nulls=none) -%}
    {{ sdc.sdc__only('suda', kwargs, ['tbl', 'keys', 'max_msu', 'dis_fraction', 'scoring', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_suda', [tbl, keys], {'max_msu': max_msu, 'dis_fraction': dis_fraction, 'scoring': scoring, 'nulls': nulls})) }}
{%- endmacro -%}

{%- macro suda_summary(tbl, keys, max_msu=none, dis_fraction=none, scoring=none, nulls=none) -%}
    {{ sdc.sdc__only('suda_summary', kwargs, ['tbl', 'keys', 'max_msu', 'dis_fraction', 'scoring', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_suda_summary', [tbl, keys], {'max_msu': max_msu, 'dis_fraction': dis_fraction, 'scoring': scoring, 'nulls': nulls})) }}
{%- endmacro -%}

{%- macro suda_contributions(tbl, keys, max_msu=none, scoring=none, nulls=none) -%}
    {{ sdc.sdc__only('suda_contributions', kwargs, ['tbl', 'keys', 'max_msu', 'scoring', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_suda_contributions', [tbl, keys], {'max_msu': max_msu, 'scoring': scoring, 'nulls': nulls})) }}
{%- endmacro -%}

{%- macro suda_value_contributions(tbl, keys, max_msu=none, scoring=none, nulls=none) -%}
    {{ sdc.sdc__only('suda_value_contributions', kwargs, ['tbl', 'keys', 'max_msu', 'scoring', 'nulls']) }}
    {{ return(sdc.sdc__measure('sdc_suda_value_contributions', [tbl, keys], {'max_msu': max_msu, 'scoring': scoring, 'nulls': nulls})) }}
{%- endmacro -%}
