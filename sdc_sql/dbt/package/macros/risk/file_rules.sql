{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro research_file_rules(tbl, keys, weight, levels, inhabitants=none, direct_identifiers=none, panel=none, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('research_file_rules', kwargs, ['tbl', 'keys', 'weight', 'levels', 'inhabitants', 'direct_identifiers', 'panel', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_research_file_rules', [tbl, keys, weight, levels], {'inhabitants': inhabitants, 'direct_identifiers': direct_identifiers, 'panel': panel, 'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}

{%- macro public_use_file_rules(tbl, keys, weight, household=none, household_variables=none, indirect_regions=none, province=none, municipality=none, withheld=none, sensitive=none, reference_date=none, release_date=none, nulls=none, small_weights=none) -%}
    {{ sdc.sdc__only('public_use_file_rules', kwargs, ['tbl', 'keys', 'weight', 'household', 'household_variables', 'indirect_regions', 'province', 'municipality', 'withheld', 'sensitive', 'reference_date', 'release_date', 'nulls', 'small_weights']) }}
    {{ return(sdc.sdc__measure('sdc_public_use_file_rules', [tbl, keys, weight], {'household': household, 'household_variables': household_variables, 'indirect_regions': indirect_regions, 'province': province, 'municipality': municipality, 'withheld': withheld, 'sensitive': sensitive, 'reference_date': reference_date, 'release_date': release_date, 'nulls': nulls, 'small_weights': small_weights})) }}
{%- endmacro -%}
