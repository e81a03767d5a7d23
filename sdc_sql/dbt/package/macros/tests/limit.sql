{#- Fails where a limit does not hold of the tested model, in the words of a release file; a row a figure that breaks it.

    Whatever the measure takes besides is given by its own names: keys, weight, population, ... A figure that is NULL or NaN
    fails, and so does a measure without the row that is named.

    Parameters:
    require   text   what must hold: a figure by its name, compared with a number, as in k_anonymity.3.records <= 0
    original  table  of measures that compare: the table before masking
-#}
{% test sdc_limit(model, require, original=none) %}
    {%- set said = modules.re.match('^ *([a-z]\w*)(?:[.]([^.<>=]+))?[.]([a-z]\w*) *(<=|>=|<>|<|>|=) *(-?[0-9][0-9.]*(?:[eE][+-]?[0-9]+)?) *$', require | string) -%}
    {%- if said is none -%}
        {{ sdc.sdc__refuse('require is ' ~ require ~ ': it must compare a figure with a number, as in k_anonymity.3.records <= 0; give several tests for several limits.') }}
    {%- else -%}
        {%- set name, row, figure, op, number = said.groups() -%}
        {%- set measure = sdc.sdc__measure_named(name, figure) -%}
        {{ sdc.sdc__bounds(require, name, figure, op, number, measure['figures'].get(figure, ['', true, none])) }}
        {%- if row is not none and measure['by'] | length != 1 -%}
            {{ sdc.sdc__refuse('require is ' ~ require ~ ': ' ~ name ~ ' has no rows that one column tells apart: leave ' ~ row ~ ' out.') }}
        {%- endif -%}
        {%- set given, named, known = [], {}, measure['required'] + measure['optional'] -%}
        {%- for other in kwargs if other not in known -%}
            {{ sdc.sdc__refuse('sdc_' ~ name ~ ' has no argument ' ~ other ~ ': it has ' ~ known | join(', ') ~ '.') }}
        {%- endfor -%}
        {%- for argument in measure['required'] -%}
            {%- if argument == measure['tested'] -%}{%- do given.append('sdc__tested') -%}
            {%- elif argument == 'original' and original is not none -%}{%- do given.append(original) -%}
            {%- elif argument in kwargs -%}{%- do given.append(kwargs[argument]) -%}
            {%- else -%}{{ sdc.sdc__refuse('require is ' ~ require ~ ': sdc_' ~ name ~ ' needs ' ~ argument ~ ' too.') }}
            {%- endif -%}
        {%- endfor -%}
        {%- for argument in measure['optional'] if argument in kwargs -%}{%- do named.update({argument: kwargs[argument]}) -%}{%- endfor -%}
        {%- if measure['by'] == ['k'] and row is not none and 'k' not in kwargs -%}{%- do named.update({'k': row | int}) -%}{%- endif -%}
    with {{ sdc.sdc__tested(model, name, figure) }},
    sdc__found as (
        select * from ({{ sdc.sdc__call('sdc_' ~ name, given, named) }})
        {%- if row is not none %} where lower(coalesce(trim({{ adapter.quote(measure['by'][0]) }}::varchar, '[]'), 'all')) = lower({{ sdc.sdc__text(row) }}){% endif %}
    )
    select {{ adapter.quote(figure) }}::double as figure, {{ sdc.sdc__text(require ~ ' does not hold: it is ') }} || coalesce({{ adapter.quote(figure) }}::varchar, 'NULL') as explanation
    from sdc__found where ({{ adapter.quote(figure) }} {{ op }} {{ number }} and not coalesce(isnan({{ adapter.quote(figure) }}::double), false)) is not true
    union all
    select null, {{ sdc.sdc__text(require ~ ' does not hold: there is no such row') }} where not exists (from sdc__found)
    {%- endif -%}
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- A measure by its name; an error names those there are. -#}
{%- macro sdc__measure_named(name, figure) -%}
    {%- set measure = sdc.sdc__figures().get(name) -%}
    {%- if measure is none -%}
        {{ sdc.sdc__refuse('there is no measure ' ~ name ~ ' with figures: there are ' ~ sdc.sdc__figures() | join(', ') ~ '.') }}
    {%- elif figure not in measure['figures'] -%}
        {{ sdc.sdc__refuse(name ~ ' has no figure ' ~ figure ~ ': it has ' ~ measure['figures'] | join(', ') ~ '.') }}
    {%- endif -%}
    {{ return(measure if measure is not none else {'figures': {}, 'by': [], 'required': [], 'optional': [], 'tested': ''}) }}
{%- endmacro -%}

{#- A limit on the good side could never fail for the right reason. column: what it bears, whether more is worse, the best value. -#}
{%- macro sdc__bounds(require, name, figure, op, number, column) -%}
    {%- set bears, more, best = column -%}
    {%- set good = ['<', '<='] if more else ['>', '>='] -%}
    {%- if bears and op not in good and not (op == '=' and best is not none and number | float == best) -%}
        {%- set contrary = {'>': '<=', '>=': '<', '<': '>=', '<=': '>', '=': good[1], '<>': good[1]}[op] -%}
        {{ sdc.sdc__refuse('require is ' ~ require ~ ', which bounds the wrong side: ' ~ ('a high' if more else 'a low') ~ ' value of ' ~ name ~ '.' ~ figure
            ~ ' is ' ~ bears ~ '. Write ' ~ require.replace(op, contrary, 1) ~ '.') }}
    {%- endif -%}
{%- endmacro -%}
