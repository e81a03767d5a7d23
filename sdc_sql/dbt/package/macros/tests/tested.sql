{#- The tested model under a name of its own, since it may be narrowed by `where`.

    meta: {sdc_household: household, sdc_household_columns: [region]}   (of the model, the snapshot or the seed)
    sdc__collected as (select * from "db"."main"."persons"),
    sdc__tested as (select * from sdc_completed_households('sdc__collected', 'household', ['region']))

    What one member of a household shows of its columns, the others have: a test of risk counts on the completed file, as
    whoever holds the file can complete it. A loss, and what columns give back, is asked of the file as it stands.
-#}
{%- macro sdc__tested(relation, measure='', figure='') -%}
    {%- set meta = {} -%}
    {%- set as_it_stands = measure.startswith('derived_values') or sdc.sdc__figures().get(measure, {}).get('figures', {}).get(figure, [''])[0] == 'loss' -%}
    {%- if execute and not as_it_stands and model.attached_node in graph.nodes -%}{%- do meta.update(graph.nodes[model.attached_node].config.meta or {}) -%}{%- endif -%}
    {%- set household, columns = meta.get('sdc_household'), meta.get('sdc_household_columns') -%}
    {%- for name in meta if name is string and name.startswith('sdc_') and ' ' not in name and name not in ['sdc_household', 'sdc_household_columns'] -%}
        {{ sdc.sdc__refuse('meta has ' ~ name ~ ': a household is told by sdc_household and sdc_household_columns.') }}
    {%- endfor -%}
    {%- if household is none and columns is none -%}
        {{ return('sdc__tested as (select * from ' ~ relation ~ ')') }}
    {%- elif household is not string or columns is string or columns is not sequence -%}
        {{ sdc.sdc__refuse('meta tells of a household by two: sdc_household, the column of its numbers, and sdc_household_columns, a list of the columns that'
            ~ ' are the same for all its members ([] where there are none).') }}
        {{ return('sdc__tested as (select * from ' ~ relation ~ ')') }}
    {%- elif config.get('where') -%}
        {{ sdc.sdc__refuse('a test with `where` sees only some members of a household (sdc_household), and the others show what these lack:'
            ~ ' test the whole model, or make a model of ' ~ '{{ sdc.completed_households(...) }}' ~ ' and test a part of that.') }}
        {{ return('sdc__tested as (select * from ' ~ relation ~ ')') }}
    {%- elif not columns -%}
        {{ return('sdc__tested as (select * from ' ~ relation ~ ')') }}
    {%- endif -%}
    {{ return('sdc__collected as (select * from ' ~ relation ~ '), sdc__tested as ('
        ~ sdc.sdc__call('sdc_completed_households', ['sdc__collected', household, columns], {}) ~ ')') }}
{%- endmacro -%}
