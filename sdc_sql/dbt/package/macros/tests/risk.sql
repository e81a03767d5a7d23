{#- Tests that fail a run on risk. Their rows say what is wrong: a measure of the whole file gives one row, others the cells
    or households at fault. Rows that are stored (store_failures) hold key values: keep that schema as close as the data.

    The tested model is read under a name of its own, completed by household (tested.sql). A figure that is NULL or NaN fails.
-#}

{#- A limit that could never fail would be no limit: a share is never above 1. -#}
{%- macro sdc__checked_maximum(maximum, counts=false) -%}
    {%- if maximum is boolean or maximum is not number or not 0 < maximum or not (counts or maximum < 1) -%}
        {{ sdc.sdc__refuse('maximum is ' ~ maximum ~ ': it must be a number ' ~ ('above 0.' if counts else 'strictly between 0 and 1.')) }}
    {%- endif -%}
{%- endmacro -%}

{#- The rows of a measure of which `figure` is not below `maximum`, each with the limit and a sentence. -#}
{%- macro sdc__not_below(model, function, given, named, figure, maximum, meaning, original=none, counts=false) -%}
    {{ sdc.sdc__checked_maximum(maximum, counts) }}
    with {{ sdc.sdc__tested(model, function[4:], figure) }}
    select *, {{ sdc.sdc__literal(maximum) }} as maximum,
           {{ sdc.sdc__text(meaning ~ ' (' ~ figure ~ ') is ') }} || coalesce({{ figure }}::varchar, 'NULL') || {{ sdc.sdc__text(', not below ' ~ maximum) }} as explanation
    from ({{ sdc.sdc__call(function, ([original] if original is not none else []) + ['sdc__tested'] + given, named) }})
    where ({{ figure }} < {{ sdc.sdc__literal(maximum) }}) is not true
    {{ sdc.sdc__dry_run() }}
{%- endmacro -%}

{#- Fails on cells of fewer than k records; a row a cell. -#}
{% test sdc_k_anonymity(model, keys, k=3, nulls=none) %}
    {{ sdc.sdc__only('sdc_k_anonymity', kwargs, ['keys', 'k', 'nulls']) }}
    with {{ sdc.sdc__tested(model) }}
    select *, {{ sdc.sdc__literal(k) }} as k,
           sample_frequency::varchar || ' record(s) share these values of the keys, fewer than k = ' || {{ sdc.sdc__text(k) }} as explanation
    from ({{ sdc.sdc__call('sdc_cells', ['sdc__tested', keys], {'nulls': nulls}) }})
    where sample_frequency < (select max(k) from ({{ sdc.sdc__call('sdc_k_anonymity', ['sdc__tested', keys, k], {'nulls': nulls}) }}))
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- Fails where the risk of a household is not below the maximum; a row a household. -#}
{% test sdc_household_risk_below(model, keys, weight, household, maximum, nulls=none) %}
    {{ sdc.sdc__only('sdc_household_risk_below', kwargs, ['keys', 'weight', 'household', 'maximum', 'nulls']) }}
    {{ sdc.sdc__checked_maximum(maximum) }}
    with {{ sdc.sdc__tested(model) }}
    select {{ adapter.quote(household | replace('"', '""')) }} as household, household_size, max(household_risk) as household_risk,
           max(individual_risk) as largest_individual_risk, {{ sdc.sdc__literal(maximum) }} as maximum,
           'The probability that a member of this household is re-identified (household_risk) is ' || max(household_risk)::varchar
               || {{ sdc.sdc__text(', not below ' ~ maximum) }} as explanation
    from ({{ sdc.sdc__call('sdc_household_risk', ['sdc__tested', keys, weight, household], {'nulls': nulls}) }})
    where (household_risk < {{ sdc.sdc__literal(maximum) }}) is not true
    group by all
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- Fails on cells with fewer than l sensitive values, or with c on cells that are not recursively (c, l)-diverse; a row a cell.

    Parameters:
    l  whole number  at least 2
-#}
{% test sdc_l_diversity(model, keys, sensitive, l, c=none, others=none) %}
    {{ sdc.sdc__only('sdc_l_diversity', kwargs, ['keys', 'sensitive', 'l', 'c', 'others']) }}
    {%- if l is boolean or l is not integer or l < 2 -%}
        {{ sdc.sdc__refuse('l is ' ~ l ~ ': it must be a whole number of at least 2.') }}
    {%- endif -%}
    {%- set figure = 'distinct_l' if c is none else 'recursive_l' -%}
    with {{ sdc.sdc__tested(model) }}
    select *, {{ sdc.sdc__literal(l) }} as l,
           {{ sdc.sdc__text('The diversity of the sensitive variable in this cell (' ~ figure ~ ') is ') }} || coalesce({{ figure }}::varchar, 'NULL')
               || {{ sdc.sdc__text(', less than ' ~ l) }} as explanation
    from ({{ sdc.sdc__call('sdc_l_diversity_cells', ['sdc__tested', keys, sensitive], {'c': c, 'others': others}) }})
    where ({{ figure }} >= {{ sdc.sdc__literal(l) }}) is not true
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- Fails on the cells where alpha, beta or enhanced beta is above its limit, or delta not below it; a row a cell.

    Parameters:
    alpha          number  the greatest share of a sensitive value in a cell
    beta           number  of basic beta-likeness, positive
    enhanced_beta  number  of enhanced beta-likeness, positive
    delta          number  of delta-disclosure privacy, positive
-#}
{% test sdc_likeness(model, keys, sensitive, alpha=none, beta=none, enhanced_beta=none, delta=none, chosen=none) %}
    {{ sdc.sdc__only('sdc_likeness', kwargs, ['keys', 'sensitive', 'alpha', 'beta', 'enhanced_beta', 'delta', 'chosen']) }}
    {%- set kept = [] -%}
    {%- for figure, limit, compares in [('alpha', alpha, '<='), ('beta', beta, '<='), ('enhanced_beta', enhanced_beta, '<='), ('delta', delta, '<')] if limit is not none -%}
        {%- if limit is boolean or limit is not number or not limit > 0 -%}
            {{ sdc.sdc__refuse(figure ~ ' is ' ~ limit ~ ': it must be a positive number.') }}
        {%- endif -%}
        {%- do kept.append('(' ~ figure ~ ' ' ~ compares ~ ' ' ~ sdc.sdc__literal(limit) ~ ')') -%}
    {%- endfor -%}
    {%- if not kept -%}{{ sdc.sdc__refuse('no limit is given: give one of alpha, beta, enhanced_beta and delta.') }}{%- endif -%}
    with {{ sdc.sdc__tested(model) }}
    select *, {{ sdc.sdc__text('In this cell the sensitive variable does not keep to ' ~ kept | join(' and ')) }} as explanation
    from ({{ sdc.sdc__call('sdc_likeness_cells', ['sdc__tested', keys, sensitive], {'chosen': chosen}) }})
    where ({{ (kept or ['true']) | join(' and ') }}) is not true
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- Fails where records violate (alpha, k)-anonymity. -#}
{% test sdc_alpha_k_anonymity(model, keys, sensitive, alpha, k, chosen=none) %}
    {{ sdc.sdc__only('sdc_alpha_k_anonymity', kwargs, ['keys', 'sensitive', 'alpha', 'k', 'chosen']) }}
    with {{ sdc.sdc__tested(model) }}
    select *, records::varchar || ' record(s) violate (alpha, k)-anonymity' as explanation
    from ({{ sdc.sdc__call('sdc_alpha_k_anonymity', ['sdc__tested', keys, sensitive, alpha, k], {'chosen': chosen}) }})
    where (records = 0) is not true
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- Fails where fewer than k of the population share the keys of a record. -#}
{% test sdc_k_map(model, population, keys, k=3) %}
    {{ sdc.sdc__only('sdc_k_map', kwargs, ['population', 'keys', 'k']) }}
    with {{ sdc.sdc__tested(model) }}
    select *, records::varchar || ' record(s) share their values of the keys with fewer than k of the population' as explanation
    from ({{ sdc.sdc__call('sdc_k_map', ['sdc__tested', population, keys, k], {}) }})
    where (records = 0) is not true
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- Fails on each combination of values of a few keys that too few share; a row a combination. -#}
{% test sdc_threshold_rule(model, keys, threshold, weight=none, dimension=none, levels=none, inclusive=none, nulls=none) %}
    {{ sdc.sdc__only('sdc_threshold_rule', kwargs, ['keys', 'threshold', 'weight', 'dimension', 'levels', 'inclusive', 'nulls']) }}
    with {{ sdc.sdc__tested(model) }}
    select *, frequency::varchar || ' share this combination of ' || array_to_string(columns, ', ') || ', and the threshold is ' || threshold::varchar as explanation
    from ({{ sdc.sdc__call('sdc_threshold_rule', ['sdc__tested', keys, threshold], {'weight': weight, 'dimension': dimension, 'levels': levels, 'inclusive': inclusive, 'nulls': nulls}) }})
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- The rules that are violated, or were not measured and stand in no list of those that a person has looked at. -#}
{%- macro sdc__not_kept(function, given, named, looked_at) -%}
    select *, case when violated then 'Violated: ' else 'Not measured, and not in looked_at: ' end || requirement || ' (' || found || ')' as explanation
    from ({{ sdc.sdc__call(function, ['sdc__tested'] + given, named) }})
    where coalesce(violated, not list_contains({{ sdc.sdc__literal(looked_at) }}::integer[], rule))
{%- endmacro -%}

{#- Fails on each rule of a file for researchers that is violated, or was not measured and that no person has looked at.

    Parameters:
    looked_at  numbers  the numbers of rules that a person has looked at
-#}
{% test sdc_research_file_rules(model, keys, weight, levels, inhabitants=none, direct_identifiers=none, panel=none, nulls=none, looked_at=[]) %}
    {{ sdc.sdc__only('sdc_research_file_rules', kwargs, ['keys', 'weight', 'levels', 'inhabitants', 'direct_identifiers', 'panel', 'nulls', 'looked_at']) }}
    with {{ sdc.sdc__tested(model) }}
    {{ sdc.sdc__not_kept('sdc_research_file_rules', [keys, weight, levels],
        {'inhabitants': inhabitants, 'direct_identifiers': direct_identifiers, 'panel': panel, 'nulls': nulls}, looked_at) }}
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- Fails on each rule of a public use file that is violated, or was not measured and that no person has looked at.

    Parameters:
    looked_at  numbers  the numbers of rules that a person has looked at
-#}
{% test sdc_public_use_file_rules(model, keys, weight, household=none, household_variables=none, indirect_regions=none, province=none, municipality=none, withheld=none, sensitive=none, reference_date=none, release_date=none, nulls=none, looked_at=[]) %}
    {{ sdc.sdc__only('sdc_public_use_file_rules', kwargs, ['keys', 'weight', 'household', 'household_variables', 'indirect_regions', 'province', 'municipality', 'withheld', 'sensitive', 'reference_date', 'release_date', 'nulls', 'looked_at']) }}
    with {{ sdc.sdc__tested(model) }}
    {{ sdc.sdc__not_kept('sdc_public_use_file_rules', [keys, weight],
        {'household': household, 'household_variables': household_variables, 'indirect_regions': indirect_regions, 'province': province,
         'municipality': municipality, 'withheld': withheld, 'sensitive': sensitive, 'reference_date': reference_date,
         'release_date': release_date, 'nulls': nulls}, looked_at) }}
    {{ sdc.sdc__dry_run() }}
{% endtest %}
