{#- A release file as a model: the whole model, materialized as a table.

    {{ config(materialized='table') }}
    {{ sdc.release('release.toml', ref('arrived')) }}

    It compiles to a call, which a hook before the table is made has the plugin run: nothing runs where dbt only compiles. A
    second hook, after the commit, puts reports and certificates into target/sdc/<target>/<model>.
-#}
{%- macro release(file, source=none) -%}
    {{ config(pre_hook={'sql': '{{ sdc.sdc__run_release() }}', 'transaction': false}, post_hook={'sql': '{{ sdc.sdc__finish_release() }}', 'transaction': false}) }}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {{ sdc.sdc__only_on_duckdb('release') }}
    {%- if model.resource_type == 'unit_test' -%}
        {{ sdc.sdc__refuse('the unit test ' ~ model.name ~ ' is of a model that is a release: what is released is measured on the stored table, and not on the rows of a unit test. Test the models that it is made of.') }}
    {%- endif -%}
    {%- if model.resource_type != 'model' or config.get('materialized') != 'table' -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' is a release and materialized as ' ~ config.get('materialized') ~ ': a release is measured and written as a whole. Set materialized to table.') }}
    {%- endif -%}
    {%- if file is not string -%}{{ sdc.sdc__refuse('the release file of the model ' ~ model.name ~ ' must be a path, a text.') }}{%- endif -%}
    {%- if source is not none and (not sdc.sdc__is_relation(source) or source.is_cte) -%}
        {{ sdc.sdc__refuse('the source of the release ' ~ model.name ~ ' is ' ~ source ~ ': give ref(...) of a table or view, or source(...). An ephemeral model is neither: materialize it as a view.') }}
    {%- endif -%}
    {%- set asked = {'file': file, 'source': none, 'name': none, 'empty': false} -%}
    {%- if source is not none -%}
        {%- do asked.update({'source': sdc.sdc__name(source), 'name': source.identifier, 'empty': source.limit is not none}) -%}
    {%- endif -%}
    {{ return('-- sdc.release ' ~ tojson(asked) ~ '\nselect * from "' ~ sdc.sdc__release_database() | replace('"', '""') ~ '".main.released') }}
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
