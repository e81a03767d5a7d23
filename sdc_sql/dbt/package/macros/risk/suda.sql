{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro suda(tbl, keys, max_msu=none, dis_fraction=none, scoring=none, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_suda', [tbl, keys], {'max_msu': max_msu, 'dis_fraction': dis_fraction, 'scoring': scoring, 'nulls': nulls})) }}
{%- endmacro -%}

{%- macro suda_summary(tbl, keys, max_msu=none, dis_fraction=none, scoring=none, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_suda_summary', [tbl, keys], {'max_msu': max_msu, 'dis_fraction': dis_fraction, 'scoring': scoring, 'nulls': nulls})) }}
{%- endmacro -%}

{%- macro suda_contributions(tbl, keys, max_msu=none, scoring=none, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_suda_contributions', [tbl, keys], {'max_msu': max_msu, 'scoring': scoring, 'nulls': nulls})) }}
{%- endmacro -%}

{%- macro suda_value_contributions(tbl, keys, max_msu=none, scoring=none, nulls=none) -%}
    {{ return(sdc.sdc__measure('sdc_suda_value_contributions', [tbl, keys], {'max_msu': max_msu, 'scoring': scoring, 'nulls': nulls})) }}
{%- endmacro -%}
