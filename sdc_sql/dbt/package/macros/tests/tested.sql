{#- The tested model under a name of its own, since it may be narrowed by `where`.

    meta: {sdc_household: household, sdc_household_columns: [region], sdc_household_sizes: [size]}
        (of the model, the snapshot or the seed; sizes, as they are or recoded, are counted where no member shows them)
    sdc__collected as (select * from "db"."main"."persons"),
    sdc__completed as (select * from sdc_completed_households('sdc__collected', 'household', ['region'])),
    sdc__tested as (select * from sdc_counted_sizes('sdc__completed', 'household', ['size']))

    What one member of a household shows of its columns, the others have: a test of risk counts on the completed file, as
    whoever holds the file can complete it. A loss, and what columns give back, is asked of the file as it stands.
-#}
{%- macro sdc__tested(relation, measure='', figure='') -%}
    {%- set meta = {} -%}
    {%- set declared = sdc.sdc__figures().get(measure, {}) -%}
    {%- set as_it_stands = not declared.get('completed', true) or declared.get('figures', {}).get(figure, [''])[0] == 'loss' -%}
    {%- if execute and not as_it_stands and model.attached_node in graph.nodes -%}{%- do meta.update(graph.nodes[model.attached_node].config.meta or {}) -%}{%- endif -%}
    {%- set household, columns, sizes = meta.get('sdc_household'), meta.get('sdc_household_columns'), meta.get('sdc_household_sizes', []) -%}
    {%- for name in meta if name is string and name.startswith('sdc_') and ' ' not in name and name not in ['sdc_household', 'sdc_household_columns', 'sdc_household_sizes'] -%}
        {{ sdc.sdc__refuse('meta has ' ~ name ~ ': a household is told by sdc_household, sdc_household_columns and sdc_household_sizes.') }}
    {%- endfor -%}
    {%- if household is none and columns is none -%}
        {{ return('sdc__tested as (select * from ' ~ relation ~ ')') }}
    {%- elif household is not string or columns is string or columns is not sequence or sizes is string or sizes is not sequence -%}
        {{ sdc.sdc__refuse('meta tells of a household by two: sdc_household, the column of its numbers, and sdc_household_columns, a list of the columns that'
            ~ ' are the same for all its members ([] where there are none); and by sdc_household_sizes, a list of those that tell their number.') }}
        {{ return('sdc__tested as (select * from ' ~ relation ~ ')') }}
    {%- elif config.get('where') -%}
        {{ sdc.sdc__refuse('a test with `where` sees only some members of a household (sdc_household), and the others show what these lack:'
            ~ ' test the whole model, or make a model of ' ~ '{{ sdc.completed_households(...) }}' ~ ' and test a part of that.') }}
        {{ return('sdc__tested as (select * from ' ~ relation ~ ')') }}
    {%- endif -%}
    {%- set completed = sdc.sdc__call('sdc_completed_households', ['sdc__collected', household, columns], {}) if columns else 'select * from sdc__collected' -%}
    {%- set counted = sdc.sdc__call('sdc_counted_sizes', ['sdc__completed', household, sizes], {}) if sizes else 'select * from sdc__completed' -%}
    {{ return('sdc__collected as (select * from ' ~ relation ~ '), sdc__completed as (' ~ completed ~ '), sdc__tested as (' ~ counted ~ ')') }}
{%- endmacro -%}
