{#- Masking in a model, and in an incremental one.

    In an incremental run the records that are new are masked, and those that are released are left alone. That is right for
    methods that mask a record by itself: its draw is a function of the key and its id, so a new record gets what it
    would have got had it been there from the start. Methods that look at the whole table (its ranks, groups, moments,
    cells) would mask the new records by other parameters than the old: they refuse, and the model must be a table.
-#}

{%- macro sdc__is_record_wise(function, named=none) -%}
    {%- set wanted = sdc.sdc__masks().get(function[4:]) -%}
    {%- for name, values in (wanted or {}).items() if (named or {}).get(name) not in values -%}{{ return(false) }}{%- endfor -%}
    {{ return(wanted is not none) }}
{%- endmacro -%}

{#- Whether records are being added to a release. -#}
{%- macro sdc__is_adding() -%}
    {{ return(model is defined and model.resource_type == 'model' and is_incremental()) }}
{%- endmacro -%}

{%- macro sdc__checked_step(function, named) -%}
    {{ sdc.sdc__stored(function) }}
    {%- if sdc.sdc__is_adding() and not sdc.sdc__is_record_wise(function, named) -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' calls ' ~ function ~ (" with method '" ~ named.method ~ "'" if named.method else '')
            ~ ' in an incremental run. It masks a record by what the whole table holds, so that records which arrive later would be masked'
            ~ ' by other parameters than those released: set materialized to table, or run with --full-refresh (all records are masked anew).') }}
    {%- endif -%}
{%- endmacro -%}

{#- Where records are added: `masked`, a query over sdc__arrived, for the new ones of `tbl`. One record more is masked with them
    and left out again, so that there is one where nothing is new (an empty table is an error: nothing to mask). -#}
{%- macro sdc__added(tbl, id, masked) -%}
    {%- set name = adapter.quote(id | replace('"', '""')) -%}
    {%- set new = '(' ~ name ~ ' in (select ' ~ name ~ ' from ' ~ this ~ ')) is not true' -%}
    {%- set whole = 'query_table(' ~ sdc.sdc__literal(tbl) ~ ')' -%}
    {{ return('(with sdc__arrived as materialized (select * from ' ~ whole ~ ' where ' ~ new ~ ' or ' ~ name ~ ' = (select min(' ~ name ~ ') from '
        ~ whole ~ ')) select * from ' ~ masked ~ ' where ' ~ new ~ ')') }}
{%- endmacro -%}

{%- macro sdc__mask(function, id, given, named) -%}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {{ sdc.sdc__checked_step(function, named) }}
    {%- if sdc.sdc__is_adding() -%}
        {{ return(sdc.sdc__added(given[0], id, '(' ~ sdc.sdc__call(function, ['sdc__arrived'] + given[1:], named) ~ ')')) }}
    {%- endif -%}
    {{ return(sdc.sdc__limited(sdc.sdc__call(function, given, named), given)) }}
{%- endmacro -%}

{#- Several steps, one after the other; each is [method, columns, parameter] or [method, columns, parameter, {options}]:

    {{ sdc.mask(ref('arrived'), 'id', [['pram', 'sex', ref('matrix')], ['round', ['income'], 50]]) }}
-#}
{%- macro mask(tbl, id, steps) -%}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {%- set methods = sdc.sdc__masks() | list -%}
    {%- if not steps -%}{{ sdc.sdc__refuse('mask has no steps: give at least one, as in [[\'round\', [\'income\'], 50]].') }}{%- endif -%}
    {%- set parts = [] -%}
    {%- for step in steps -%}
        {%- if step is string or step | length not in [3, 4] or step[0] not in methods or (step | length == 4 and step[3] is not mapping) -%}
            {{ sdc.sdc__refuse('a step of mask is ' ~ step ~ ': it must be [method, columns, parameter] or [method, columns, parameter, {options}], '
                ~ 'where method is one of ' ~ methods | join(', ') ~ '.') }}
        {%- endif -%}
        {%- set named = step[3] if step | length == 4 else {} -%}
        {{ sdc.sdc__checked_step('sdc_' ~ step[0], named) }}
        {%- set source = 'sdc__step_' ~ (loop.index - 1) -%}
        {%- do parts.append('sdc__step_' ~ loop.index ~ ' as materialized (' ~ sdc.sdc__call('sdc_' ~ step[0], [source, step[1], step[2], id], named) ~ ')') -%}
    {%- endfor -%}
    {%- set first = 'sdc__arrived' if sdc.sdc__is_adding() else 'query_table(' ~ sdc.sdc__literal(tbl) ~ ')' -%}
    {%- set whole = 'with sdc__step_0 as materialized (select * from ' ~ first ~ '), ' ~ parts | join(', ') ~ ' select * from sdc__step_' ~ steps | length -%}
    {%- if sdc.sdc__is_adding() -%}
        {{ return(sdc.sdc__added(tbl, id, '(' ~ whole ~ ')')) }}
    {%- endif -%}
    {{ return(sdc.sdc__limited(whole, [tbl])) }}
{%- endmacro -%}
