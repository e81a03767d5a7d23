{#- Masking in a model, and in an incremental one.

    In an incremental run the records that are new are masked, and those that are released are left alone. That is right for
    methods that mask a record by itself: its draw is a function of the key, its id and its value, so a new record gets what
    it would have got had it been there from the start. Methods that look at the whole table (its ranks, groups, moments,
    cells) would mask the new records by other parameters than the old: they refuse, from the first run, and the model must be a table.
-#}

{%- macro sdc__is_record_wise(function, named=none) -%}
    {%- set wanted = sdc.sdc__masks().get(function[4:]) -%}
    {%- for name, values in (wanted or {}).items() if (named or {}).get(name) not in values -%}{{ return(false) }}{%- endfor -%}
    {{ return(wanted is not none) }}
{%- endmacro -%}

{#- Whether records are being added to a release; in a unit test, where it overrides is_incremental and gives the rows of `this`. -#}
{%- macro sdc__is_adding() -%}
    {%- if model is not defined or model.resource_type not in ['model', 'unit_test'] or not this -%}{{ return(false) }}{%- endif -%}
    {{ return(is_incremental()) }}
{%- endmacro -%}

{#- A query that begins with WITH, as one that begins with SELECT: dbt puts a WITH of its own before what reads an ephemeral model,
    or the rows of a unit test, and of two in a row DuckDB forgets the second. -#}
{%- macro sdc__apart(sql) -%}
    {{ return('select * from (' ~ sql ~ ')') }}
{%- endmacro -%}

{#- Whether a model is one to which records will be added: its first run, too, would release what a later one cannot add to. -#}
{%- macro sdc__adds() -%}
    {{ return(model is defined and model.resource_type == 'model' and config.get('materialized') == 'incremental' and not should_full_refresh()) }}
{%- endmacro -%}

{#- A second pass over a column must be named: by the draws of the first, PRAM would change the records that it changed already,
    and no others. So a model keeps in its meta which columns it draws for, and the models that it is made of are asked. -#}
{%- macro sdc__is_drawing(function, named) -%}
    {{ return(function[4:] in sdc.sdc__drawing() and (named or {}).get('stream') is none) }}
{%- endmacro -%}

{%- macro sdc__drawn(columns) -%}
    {%- set marks = {} -%}
    {%- set several = columns if columns is sequence and columns is not string else [columns] -%}
    {%- for name in several if name is string -%}{%- do marks.update({'sdc_draws ' ~ name | lower: true}) -%}{%- endfor -%}
    {{ return(marks) }}
{%- endmacro -%}

{#- Beside them, for sdc_columns_decided, which columns any step masks. -#}
{%- macro sdc__remember(function, columns) -%}
    {%- if model is defined and model.resource_type == 'model' and columns -%}
        {%- set marks = sdc.sdc__drawn(columns) -%}
        {%- set meta = dict(marks) if function[4:] in sdc.sdc__drawing() else {} -%}
        {%- for mark in marks -%}{%- do meta.update({'sdc_masks ' ~ mark[10:]: true}) -%}{%- endfor -%}
        {{ config(meta=meta) }}
    {%- endif -%}
{%- endmacro -%}

{%- macro sdc__second_pass(tbl, function, columns, named) -%}
    {%- if not (model is defined and model.resource_type == 'model' and sdc.sdc__is_drawing(function, named)) -%}{{ return('') }}{%- endif -%}
    {%- set marks = sdc.sdc__drawn(columns) -%}
    {%- set ancestors = model.depends_on.nodes | list -%}
    {%- for node in ancestors if node in graph.nodes -%}  {#- grows while it is read: the ancestors of ancestors -#}
        {%- for mark in marks if (graph.nodes[node].config.meta or {}).get(mark) -%}
            {{ sdc.sdc__refuse_second_pass(function, mark[10:], 'the model ' ~ graph.nodes[node].name) }}
        {%- endfor -%}
        {%- for before in graph.nodes[node].depends_on.nodes if before not in ancestors -%}{%- do ancestors.append(before) -%}{%- endfor -%}
    {%- endfor -%}
    {%- for stored in sdc.sdc__stored_behind(tbl) if (named or {}).get('release') is none -%}
        {%- set steps = load_relation(api.Relation.create(database=stored.database, schema=stored.schema, identifier='sdc_steps')) -%}
        {%- if steps is not none -%}  {#- a table that was masked outside dbt, by any version -#}
            {%- set drawn = run_query('select lower(unnest(columns)) from ' ~ steps ~ ' where lower(target) = lower(' ~ sdc.sdc__literal(stored.identifier) ~ ')') -%}
            {%- for row in drawn.rows if 'sdc_draws ' ~ row[0] in marks -%}
                {{ sdc.sdc__refuse_second_pass(function, row[0], 'a step in sdc_steps') }}
            {%- endfor -%}
        {%- endif -%}
    {%- endfor -%}
{%- endmacro -%}

{#- The table itself; of an ephemeral model, which is none, the tables that the model being built reads through such models. -#}
{%- macro sdc__stored_behind(tbl) -%}
    {%- if not sdc.sdc__is_relation(tbl) -%}{{ return([]) }}{%- endif -%}
    {%- if not tbl.is_cte -%}{{ return([tbl]) }}{%- endif -%}
    {%- set found, nodes = [], model.depends_on.nodes | list -%}
    {%- for name in nodes -%}  {#- grows while it is read -#}
        {%- set node = graph.nodes.get(name) or graph.sources.get(name) -%}
        {%- if node and node.config.materialized == 'ephemeral' -%}
            {%- for before in node.depends_on.nodes if before not in nodes -%}{%- do nodes.append(before) -%}{%- endfor -%}
        {%- elif node -%}
            {%- do found.append(api.Relation.create(database=node.database, schema=node.schema, identifier=node.alias or node.identifier or node.name)) -%}
        {%- endif -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro -%}

{%- macro sdc__refuse_second_pass(function, column, before) -%}
    {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' masks ' ~ column ~ ' by ' ~ function ~ ', which ' ~ before ~ ' has masked already:'
        ~ " a second pass must have a name of its own, or its draws are those of the first. Give it, as in stream='2'.") }}
{%- endmacro -%}

{#- Whether a table that has changed is released once by a method: together two releases would tell more than either. -#}
{%- macro sdc__is_once(function, named=none) -%}
    {%- set again = sdc.sdc__once().get(function[4:]) -%}
    {%- if again is none or not again -%}{{ return(again is not none) }}{%- endif -%}
    {%- for name, values in again.items() if (named or {}).get(name) not in values -%}{{ return(true) }}{%- endfor -%}
    {{ return(false) }}
{%- endmacro -%}

{#- A table that is there already, and is masked anew. It is a line of the log, not a warning that could fail a run: whether anything
    has changed meanwhile is not known before it has run. -#}
{%- macro sdc__tell_of_another_release(function, named) -%}
    {%- if model is defined and model.resource_type == 'model' and this and sdc.sdc__is_once(function, named) and load_relation(this) is not none -%}
        {{ log('sdc: ' ~ this ~ ' is masked anew by ' ~ function ~ ', which is for one release (sdc_help() says why): where records have changed since'
            ~ ' it was released, both releases together tell more than one. Release one of them only, or make it a series (sdc.series).', info=true) }}
    {%- endif -%}
{%- endmacro -%}

{%- macro sdc__checked_step(tbl, function, columns, named) -%}
    {{ sdc.sdc__stored(function) }}
    {{ sdc.sdc__tell_of_another_release(function, named) }}
    {{ sdc.sdc__second_pass(tbl, function, columns, named) }}
    {%- if sdc.sdc__adds() and not sdc.sdc__is_record_wise(function, named) -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' calls ' ~ function ~ (" with method '" ~ named.method ~ "'" if named.method else '')
            ~ ' and is incremental. That masks a record by what the whole table holds, so that records which arrive later would be masked'
            ~ ' by other parameters than those released: set materialized to table, or run with --full-refresh (all records are masked anew).') }}
    {%- endif -%}
{%- endmacro -%}

{#- Whether a stored table has no rows: nothing has arrived, as on a day without records. -#}
{%- macro sdc__has_no_rows(tbl) -%}
    {%- if not sdc.sdc__is_relation(tbl) or tbl.is_cte or load_relation(tbl) is none -%}{{ return(false) }}{%- endif -%}
    {{ return(run_query('select 1 from query_table(' ~ sdc.sdc__literal(tbl) ~ ') limit 1').rows | length == 0) }}
{%- endmacro -%}

{%- macro sdc__refuse_no_rows(tbl) -%}
    {%- if sdc.sdc__is_relation(tbl) and tbl.limit is none and sdc.sdc__has_no_rows(tbl) -%}
        {{ sdc.sdc__refuse(tbl.identifier ~ ' has no rows: there is nothing to mask.'
            ~ (' The first run of an incremental model needs records; later ones need none.' if config.get('materialized') == 'incremental'
               else ' An incremental model adds none on such a day, and keeps what is released.')) }}
    {%- endif -%}
{%- endmacro -%}

{#- Where records are added: `masked`, a query over sdc__arrived, for the new ones of `tbl`. One record more is masked with them
    and left out again, so that there is one where nothing is new (an empty table is an error: nothing to mask). -#}
{%- macro sdc__added(tbl, id, masked) -%}
    {%- if sdc.sdc__has_no_rows(tbl) -%}{{ return('(select * from ' ~ this ~ ' limit 0)') }}{%- endif -%}
    {%- set name = adapter.quote(id | replace('"', '""')) -%}
    {%- set new = '(' ~ name ~ ' in (select ' ~ name ~ ' from ' ~ this ~ ')) is not true' -%}
    {%- set whole = 'query_table(' ~ sdc.sdc__literal(tbl) ~ ')' -%}
    {%- set none_there = 'ParameterError: ' ~ (tbl.identifier | replace('__dbt__cte__', '') if sdc.sdc__is_relation(tbl) else tbl) ~ ' has no records, and is no stored table: dbt cannot see so before the query runs.'
        ~ ' Materialize it as a table or view, and a run without new records adds none.' -%}
    {%- set least = 'case when count(*) = 0 then error(' ~ sdc.sdc__text(none_there) ~ ') else min(' ~ name ~ ') end' -%}
    {{ return(sdc.sdc__limited(sdc.sdc__apart('with sdc__arrived as materialized (select * from ' ~ whole ~ ' where ' ~ new ~ ' or ' ~ name ~ ' = (select ' ~ least ~ ' from '
        ~ whole ~ ')) select * from ' ~ masked ~ ' where ' ~ new), [tbl])) }}
{%- endmacro -%}

{%- macro sdc__mask(function, id, given, named) -%}
    {{ sdc.sdc__remember(function, given[1]) }}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {{ sdc.sdc__only_on_duckdb(function) }}
    {{ sdc.sdc__checked_step(given[0], function, given[1], named) }}
    {%- if sdc.sdc__is_adding() -%}
        {{ return(sdc.sdc__added(given[0], id, '(' ~ sdc.sdc__call(function, ['sdc__arrived'] + given[1:], named) ~ ')')) }}
    {%- endif -%}
    {{ sdc.sdc__refuse_no_rows(given[0]) }}
    {{ return(sdc.sdc__limited(sdc.sdc__call(function, given, named), given)) }}
{%- endmacro -%}

{#- A method by which records leave the table, or all stand in another order: which of them do depends on all. -#}
{%- macro sdc__replace(function, columns, given, named) -%}
    {{ sdc.sdc__remember(function, columns) }}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {{ sdc.sdc__only_on_duckdb(function) }}
    {{ sdc.sdc__checked_step(given[0], function, columns, named) }}
    {{ sdc.sdc__refuse_no_rows(given[0]) }}
    {{ return(sdc.sdc__limited(sdc.sdc__call(function, given, named), given)) }}
{%- endmacro -%}

{#- What a step is given for its columns: a name alone where the method takes one column, else a list. -#}
{%- macro sdc__columns(method, columns) -%}
    {{ return([columns] if columns is string and method not in sdc.sdc__of_one_column() else columns) }}
{%- endmacro -%}

{#- What is given for steps, as a list: a step alone, or a text, is told as the wrong step that it is. A method without a parameter has none in
    the place of it: ['synthesise', ['age', 'income'], {options}]. -#}
{%- macro sdc__steps(steps) -%}
    {%- set found = [] -%}
    {%- for step in (steps or [] if steps is sequence and steps is not string and steps is not mapping else [steps]) -%}
        {%- set parameterless = step is sequence and step is not string and step is not mapping and step and step[0] in sdc.sdc__without_parameter() -%}
        {%- do found.append(step[:2] + [none] + step[2:] if parameterless and (step | length < 3 or step[2] is mapping) else step) -%}
    {%- endfor -%}
    {{ return(found) }}
{%- endmacro -%}

{%- macro sdc__is_step(step) -%}
    {%- if step is not sequence or step is string or step is mapping or step | length not in [3, 4] or step[0] is not string -%}{{ return(false) }}{%- endif -%}
    {%- set columns = [step[1]] if step[1] is string else step[1] -%}
    {%- if columns is not sequence or columns is mapping or not columns -%}{{ return(false) }}{%- endif -%}
    {%- for name in columns if name is not string -%}{{ return(false) }}{%- endfor -%}
    {{ return(step | length == 3 or step[3] is mapping) }}
{%- endmacro -%}

{#- The options of a step: names that the method has. -#}
{%- macro sdc__checked_options(method, named) -%}
    {%- if named -%}
        {%- set known = run_query('select unnest(parameters) from duckdb_functions() where function_name = ' ~ sdc.sdc__literal('sdc_' ~ method)).columns[0].values() -%}
        {%- for name in named if name not in known -%}
            {{ sdc.sdc__refuse(method ~ ' has no option ' ~ name ~ ': it has ' ~ known | join(', ') ~ '.') }}
        {%- endfor -%}
    {%- endif -%}
{%- endmacro -%}

{#- Several steps, one after the other; each is [method, columns, parameter] or [method, columns, parameter, {options}]:

    {{ sdc.mask(ref('arrived'), 'id', [['pram', 'sex', ref('matrix')], ['round', ['income'], 50]]) }}
-#}
{%- macro mask(tbl, id, steps) -%}
    {%- for step in sdc.sdc__steps(steps) if sdc.sdc__is_step(step) -%}{{ sdc.sdc__remember('sdc_' ~ step[0], step[1]) }}{%- endfor -%}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {{ sdc.sdc__only_on_duckdb('mask') }}
    {%- set methods = sdc.sdc__masks() | list -%}
    {%- if not steps -%}{{ sdc.sdc__refuse('mask has no steps: give at least one, as in [[\'round\', [\'income\'], 50]].') }}{%- endif -%}
    {%- set parts, passes = [], {} -%}
    {%- for step in sdc.sdc__steps(steps) -%}
        {%- if not sdc.sdc__is_step(step) or step[0] not in methods -%}
            {{ sdc.sdc__refuse('a step of mask is ' ~ step ~ ': it must be [method, columns, parameter] or [method, columns, parameter, {options}], '
                ~ 'where method is one of ' ~ methods | join(', ') ~ '.') }}
        {%- endif -%}
        {%- set named = dict(step[3] if step | length == 4 else {}) -%}
        {{ sdc.sdc__checked_options(step[0], named) }}
        {{ sdc.sdc__checked_step(tbl, 'sdc_' ~ step[0], step[1], named) }}
        {%- if step[0] in sdc.sdc__drawing() -%}  {#- a second step on a column is the next pass -#}
            {%- set marks, number = sdc.sdc__drawn(step[1]), [1] -%}
            {%- for mark in marks if mark in passes -%}{%- do number.append(passes[mark] + 1) -%}{%- endfor -%}
            {%- for mark in marks -%}{%- do passes.update({mark: number | max}) -%}{%- endfor -%}
            {%- if named.get('stream') is none and number | max > 1 -%}{%- do named.update({'stream': number | max | string}) -%}{%- endif -%}
        {%- endif -%}
        {%- set source = 'sdc__step_' ~ (loop.index - 1) -%}
        {%- do parts.append('sdc__step_' ~ loop.index ~ ' as materialized (' ~ sdc.sdc__call('sdc_' ~ step[0], [source, sdc.sdc__columns(step[0], step[1])]
            + ([] if step[0] in sdc.sdc__without_parameter() else [step[2]]) + [id], named) ~ ')') -%}
    {%- endfor -%}
    {%- set first = 'sdc__arrived' if sdc.sdc__is_adding() else 'query_table(' ~ sdc.sdc__literal(tbl) ~ ')' -%}
    {%- set whole = sdc.sdc__apart('with sdc__step_0 as materialized (select * from ' ~ first ~ '), ' ~ parts | join(', ') ~ ' select * from sdc__step_' ~ steps | length) -%}
    {%- if sdc.sdc__is_adding() -%}
        {{ return(sdc.sdc__added(tbl, id, '(' ~ whole ~ ')')) }}
    {%- endif -%}
    {{ sdc.sdc__refuse_no_rows(tbl) }}
    {{ return(sdc.sdc__limited(whole, [tbl])) }}
{%- endmacro -%}
