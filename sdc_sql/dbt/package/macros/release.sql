{#- A release file as a model: the whole model, materialized as a table.

    {{ config(materialized='table') }}
    {{ sdc.release('release.toml', ref('arrived')) }}

    It compiles to a call, which a hook before the table is made has the plugin run: nothing runs where dbt only compiles. A
    second hook, after the commit, puts reports and certificates into target/sdc/<target>/<model>.
-#}
{%- macro release(file, source=none, release=none) -%}
    {{ sdc.sdc__hook_release() }}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {{ sdc.sdc__only_on_duckdb('release') }}
    {{ sdc.sdc__refuse_unit_test() }}
    {%- if model.resource_type != 'model' or config.get('materialized') != 'table' -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' is a release and materialized as ' ~ config.get('materialized') ~ ': a release is measured and written as a whole. Set materialized to table.') }}
    {%- endif -%}
    {%- if file is not string -%}{{ sdc.sdc__refuse('the release file of the model ' ~ model.name ~ ' must be a path, a text.') }}{%- endif -%}
    {%- if source is not none and (not sdc.sdc__is_relation(source) or source.is_cte) -%}
        {{ sdc.sdc__refuse('the source of the release ' ~ model.name ~ ' is ' ~ source ~ ': give ref(...) of a table or view, or source(...). An ephemeral model is neither: materialize it as a view.') }}
    {%- endif -%}
    {%- set asked = {'file': file, 'source': none, 'name': none, 'empty': false, 'series': none, 'begins': var('sdc_begins', none),
        'release': release} -%}
    {%- if source is not none -%}
        {%- do asked.update({'source': sdc.sdc__name(source), 'name': source.identifier, 'empty': source.limit is not none}) -%}
    {%- endif -%}
    {{ return(sdc.sdc__release_call(asked)) }}
{%- endmacro -%}

{#- A release of a series as a model: the steps of sdc.mask by a ledger, which gives to each value what it was given before.

    {{ config(materialized='incremental', unique_key='couple') }}

    {{ sdc.series(ref('arrived'), 'couple', [['microaggregate', ['husband_income'], 3]], ledger=var('sdc_ledger'), name='couples') }}

    The source is all records as they are now, and not only the new ones: who is not among them has left.
-#}
{%- macro series(tbl, id, steps, ledger, name, release=none, after=none, disk_encrypted=none, returning=none, most_new=none, forget_after=none) -%}
    {{ sdc.sdc__only('series', kwargs, ['tbl', 'id', 'steps', 'ledger', 'name', 'release', 'after', 'disk_encrypted', 'returning', 'most_new', 'forget_after']) }}
    {{ sdc.sdc__hook_release() }}
    {%- for step in sdc.sdc__steps(steps) if sdc.sdc__is_step(step) -%}{{ sdc.sdc__remember('sdc_' ~ step[0], step[1]) }}{%- endfor -%}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {{ sdc.sdc__refuse_unit_test() }}
    {%- if not sdc.sdc__is_relation(tbl) or tbl.is_cte -%}
        {{ sdc.sdc__refuse('the source of the series ' ~ model.name ~ ' is ' ~ tbl ~ ': give ref(...) of a table, view or snapshot, or source(...). An ephemeral model is none: materialize it as a view.') }}
    {%- endif -%}
    {{ sdc.sdc__check_series_model(id) }}
    {%- for given in [ledger, name] if given is not string or not given | trim -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' is a release of a series: it needs ledger, the path of a file outside of the project, and name, the name of the series.') }}
    {%- endfor -%}
    {%- set release = release if release is not none else var('sdc_release', none) -%}
    {%- if release is none -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ " is a release of a series, and this release has no name: dbt build --vars 'sdc_release: NAME', another one each time. By the name of a release that was cut it is completed.") }}
    {%- endif -%}
    {%- if not steps -%}{{ sdc.sdc__refuse('series has no steps: give at least one, as in [[\'round\', [\'income\'], 50]].') }}{%- endif -%}
    {%- set written = [] -%}
    {%- for step in sdc.sdc__steps(steps) -%}
        {%- if not sdc.sdc__is_step(step) -%}
            {{ sdc.sdc__refuse('a step of series is ' ~ step ~ ': it must be [method, columns, parameter] or [method, columns, parameter, {options}].') }}
        {%- endif -%}
        {%- set named = step[3] if step | length == 4 else {} -%}
        {{ sdc.sdc__second_pass(tbl, 'sdc_' ~ step[0], step[1], named) }}
        {%- do written.append([step[0], step[1], sdc.sdc__plain(step[2]), sdc.sdc__plain(named)]) -%}
    {%- endfor -%}
    {%- set given = {'ledger': ledger, 'name': name, 'release': release | string, 'after': after if after is not none else var('sdc_after', none),
        'disk_encrypted': disk_encrypted, 'returning': returning, 'most_new': most_new, 'forget_after': forget_after} -%}
    {{ return(sdc.sdc__release_call({'file': none, 'source': sdc.sdc__name(tbl), 'name': tbl.identifier, 'empty': tbl.limit is not none, 'release': none,
        'series': given, 'begins': var('sdc_begins', none), 'id': id, 'steps': written})) }}
{%- endmacro -%}

{#- Records that changed take the places of what they were: without that both would stand in the table. -#}
{%- macro sdc__check_series_model(id) -%}
    {%- set kind, key, strategy = config.get('materialized'), config.get('unique_key'), config.get('incremental_strategy') -%}
    {%- if model.resource_type != 'model' or kind not in ['table', 'incremental'] -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' is a release of a series and materialized as ' ~ kind ~ ': set materialized to table or incremental. Snapshots and views are made of it.') }}
    {%- endif -%}
    {%- if kind == 'incremental' -%}
        {%- set keys = [key] if key is string else (key or []) -%}
        {%- if keys | map('lower') | list != [id | lower] or strategy not in [none, 'delete+insert', 'merge'] -%}
            {{ sdc.sdc__refuse('the model ' ~ model.name ~ " is a release of a series and incremental: set unique_key to its id, '" ~ id ~ "', and incremental_strategy to delete+insert or merge. So what a record becomes takes the place of what it was.") }}
        {%- endif -%}
    {%- endif -%}
{%- endmacro -%}

{#- A relation as its name, also within lists and options; what else a step is given as it is. -#}
{%- macro sdc__plain(value) -%}
    {%- if value is none or value is string or value is number or value is boolean -%}{{ return(value) }}
    {%- elif sdc.sdc__is_relation(value) -%}{{ return(sdc.sdc__name(value)) }}
    {%- elif value is mapping -%}
        {%- set items = {} -%}
        {%- for name, item in value.items() -%}{%- do items.update({name: sdc.sdc__plain(item)}) -%}{%- endfor -%}
        {{ return(items) }}
    {%- endif -%}
    {%- set items = [] -%}
    {%- for item in value -%}{%- do items.append(sdc.sdc__plain(item)) -%}{%- endfor -%}
    {{ return(items) }}
{%- endmacro -%}

{%- macro sdc__refuse_unit_test() -%}
    {%- if model.resource_type == 'unit_test' -%}
        {{ sdc.sdc__refuse('the unit test ' ~ model.name ~ ' is of a model that is a release: what is released is measured on the stored table, and not on the rows of a unit test. Test the models that it is made of.') }}
    {%- endif -%}
{%- endmacro -%}

{#- Run before the table is made; note beside it, in its transaction, where a series stands; finish after the commit. -#}
{%- macro sdc__hook_release() -%}
    {{ config(pre_hook={'sql': '{{ sdc.sdc__run_release() }}', 'transaction': false},
        post_hook=[{'sql': '{{ sdc.sdc__make_series_table() }}', 'transaction': true}, {'sql': '{{ sdc.sdc__note_release() }}', 'transaction': true},
            {'sql': '{{ sdc.sdc__finish_release() }}', 'transaction': false}]) }}
{%- endmacro -%}

{%- macro sdc__release_call(asked) -%}
    {{ return('-- sdc.release ' ~ tojson(asked) ~ '\nselect * from "' ~ sdc.sdc__release_database() | replace('"', '""') ~ '".main.released') }}
{%- endmacro -%}

{#- The row of this release, which the run has left; none where it is of no series. -#}
{%- macro sdc__told() -%}
    {{ return('"' ~ sdc.sdc__release_database() | replace('"', '""') ~ '".main.sdc_series') }}
{%- endmacro -%}

{%- macro sdc__has_told() -%}
    {{ return(execute and run_query('select 1 from ' ~ sdc.sdc__told()).rows | length > 0) }}
{%- endmacro -%}

{%- macro sdc__series_table() -%}
    {{ return(api.Relation.create(database=this.database, schema=this.schema, identifier='sdc_series')) }}
{%- endmacro -%}

{%- macro sdc__make_series_table() -%}
    {%- if sdc.sdc__has_told() -%}create table if not exists {{ sdc.sdc__series_table() }} as select * from {{ sdc.sdc__told() }} limit 0{%- endif -%}
{%- endmacro -%}

{%- macro sdc__note_release() -%}
    {%- if sdc.sdc__has_told() -%}insert into {{ sdc.sdc__series_table() }} select * from {{ sdc.sdc__told() }} where head not in (select head from {{ sdc.sdc__series_table() }}){%- endif -%}
{%- endmacro -%}

{%- macro sdc__release_database() -%}
    {{ return('sdc ' ~ model.unique_id) }}
{%- endmacro -%}

{#- The name of a model: with its version, where it has several. -#}
{%- macro sdc__release_name() -%}
    {{ return(model.unique_id.split('.')[2:] | join('.')) }}
{%- endmacro -%}

{%- macro sdc__run_release() -%}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {%- set drawn, ancestors = {}, model.depends_on.nodes | list -%}
    {%- for node in ancestors if node in graph.nodes -%}  {#- grows while it is read: the ancestors of ancestors -#}
        {%- for mark in graph.nodes[node].config.meta or {} if mark.startswith('sdc_draws ') -%}{%- do drawn.update({mark[10:]: graph.nodes[node].name}) -%}{%- endfor -%}
        {%- for before in graph.nodes[node].depends_on.nodes if before not in ancestors -%}{%- do ancestors.append(before) -%}{%- endfor -%}
    {%- endfor -%}
    {%- do adapter.store_relation('dbt', this, [], '', '', {'do': 'run', 'database': sdc.sdc__release_database(), 'model': sdc.sdc__release_name(), 'code': model.compiled_code, 'drawn': drawn}) -%}
{%- endmacro -%}

{%- macro sdc__finish_release() -%}
    {%- if execute -%}{%- do adapter.store_relation('dbt', this, [], '', '', {'do': 'finish', 'database': sdc.sdc__release_database(), 'model': sdc.sdc__release_name()}) -%}{%- endif -%}
{%- endmacro -%}
