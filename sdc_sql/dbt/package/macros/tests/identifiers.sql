{#- Fails on columns that name persons, by their own names or by their values; a row a column. A column fails by its name (a
    word of it is name, email, ssn, ...), or where values are e-mail addresses, or where it is text of which (nearly) every
    value is another.

    Parameters:
    forbidden  names  columns that must not be there
    allowed    names  columns that are known to be harmless
-#}
{% test sdc_no_direct_identifiers(model, forbidden=[], allowed=[]) %}
    {{ sdc.sdc__only('sdc_no_direct_identifiers', kwargs, ['forbidden', 'allowed']) }}
    {%- set words = '(^|[^a-z])(name|names|firstname|lastname|surname|forename|fullname|maidenname|address|street|email|mail|phone|telephone|mobile|fax|ssn|nino|passport|licence|license|iban|username|login|ip|latitude|longitude|dob|birthdate|birthday|social.?security.*|national.?id.*|tax.?id.*|date.?of.?birth)([^a-z]|$)' -%}
    with sdc__tested as (select * from {{ model }}),
    sdc__columns as (
        select column_name, column_type, lower(column_name) in {{ sdc.sdc__names_of(allowed, 'allowed') }} as sdc__allowed
        from (describe select * from sdc__tested)
    ),
    sdc__filled as (
        unpivot (select count(columns(*)) as "\0" from sdc__tested) on columns(*) into name column_name value filled
    ),
    sdc__distinct as (
        unpivot (select count(distinct columns(*)) as "\0" from sdc__tested) on columns(*) into name column_name value distinct_values
    ),
    sdc__addresses as (
        unpivot (select count(nullif(regexp_matches(columns(*)::varchar, '^[^@\s]+@[^@\s]+\.[^@\s]+$'), false)) as "\0" from sdc__tested) on columns(*) into name column_name value addresses
    ),
    sdc__judged as (
        select *, case
            when lower(column_name) in {{ sdc.sdc__names_of(forbidden, 'forbidden') }} then 'it is forbidden here'
            when regexp_matches(lower(regexp_replace(column_name, '([a-z])([A-Z])', '\1_\2', 'g')), {{ sdc.sdc__text(words) }}) then 'its name is that of a direct identifier'
            when addresses > 0 then addresses::varchar || ' of its values are e-mail addresses'
            when column_type = 'VARCHAR' and filled >= 20 and distinct_values >= 0.9 * filled then
                distinct_values::varchar || ' of its ' || filled::varchar || ' values differ: such text tells one person from another'
        end as sdc__reason
        from sdc__columns left join sdc__filled using (column_name) left join sdc__distinct using (column_name)
             left join sdc__addresses using (column_name)
    )
    select column_name, column_type, filled, distinct_values,
           'The column ' || column_name || ' may identify persons directly: ' || sdc__reason || '. Drop it, or list it under allowed.' as explanation
    from sdc__judged where sdc__reason is not null and not sdc__allowed
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- A list of names of columns, in small letters: DuckDB knows a column by either. -#}
{%- macro sdc__names_of(given, argument) -%}
    {%- if given is string or given is mapping or given is not iterable or given | reject('string') | list -%}
        {{ sdc.sdc__refuse(argument ~ ' is ' ~ given ~ ": it must be a list of names of columns, as in ['name', 'phone'].") }}
    {%- endif -%}
    {{ return(sdc.sdc__literal(given | map('lower') | list if given is iterable else []) ~ '::varchar[]') }}
{%- endmacro -%}

{#- Fails on columns that nobody has decided about: masked by no step, of this model or of those it is made of; in no other sdc test of the
    model as a key, weight, household or sensitive variable; and named in no list here. A row a column.

    Parameters:
    released_as_collected  names  columns that may leave as they were collected
    roles                  names  columns that are decided about otherwise: ids, weights, keys of scenarios that no test here measures
-#}
{% test sdc_columns_decided(model, released_as_collected=[], roles=[]) %}
    {{ sdc.sdc__only('sdc_columns_decided', kwargs, ['released_as_collected', 'roles']) }}
    {%- set collected, others = sdc.sdc__names_of(released_as_collected, 'released_as_collected'), sdc.sdc__names_of(roles, 'roles') -%}
    with sdc__tested as (select * from {{ model }}),
    sdc__there as (select column_name, column_type from (describe select * from sdc__tested))
    select column_name, column_type, 'The column ' || column_name || ' is in no role: no step masks it, and no test of this model has it as a key, weight, household or'
               || ' sensitive variable. Mask it, leave it out, or list it under released_as_collected.' as explanation
    from sdc__there
    where lower(column_name) not in {{ collected }} and lower(column_name) not in {{ others }} and lower(column_name) not in {{ sdc.sdc__literal(sdc.sdc__decided()) }}::varchar[]
    union all
    select sdc__name, null, sdc__name || ' is listed under released_as_collected or roles, and is no column of this model. Take it out, or spell it as the model does.'
    from (select unnest({{ collected }} || {{ others }}) as sdc__name) where sdc__name not in (select lower(column_name) from sdc__there)
    union all
    select sdc__name, null, sdc__name || ' is listed under released_as_collected, and a step masks it. Take it out of the list.'
    from (select unnest({{ collected }}) as sdc__name) where sdc__name in {{ sdc.sdc__literal(sdc.sdc__masked_columns()) }}::varchar[]
    {{ sdc.sdc__dry_run() }}
{% endtest %}

{#- The columns, in small letters, that steps mask: of the tested model and of those that it is made of. -#}
{%- macro sdc__masked_columns() -%}
    {%- if not execute -%}{{ return([]) }}{%- endif -%}
    {%- set found, nodes = [], [model.attached_node] if model.attached_node else [] -%}
    {%- for name in nodes if name in graph.nodes -%}  {#- grows while it is read -#}
        {%- for mark in graph.nodes[name].config.meta or {} if mark is string and mark.startswith('sdc_masks ') -%}{%- do found.append(mark[10:]) -%}{%- endfor -%}
        {%- for before in graph.nodes[name].depends_on.nodes if before not in nodes -%}{%- do nodes.append(before) -%}{%- endfor -%}
    {%- endfor -%}
    {{ return(found | unique | list) }}
{%- endmacro -%}

{#- And those that the other tests of the model name in a role. -#}
{%- macro sdc__decided() -%}
    {%- if not execute -%}{{ return([]) }}{%- endif -%}
    {%- set found = sdc.sdc__masked_columns() -%}
    {%- for node in graph.nodes.values() if node.resource_type == 'test' and model.attached_node and node.attached_node == model.attached_node and (node.test_metadata or {}).namespace == 'sdc' -%}
        {%- for role in ['keys', 'weight', 'household', 'sensitive', 'stratum'] -%}
            {%- set given = node.test_metadata.kwargs.get(role) -%}
            {%- for name in ([given] if given is string else given or [] if given is sequence else []) if name is string -%}{%- do found.append(name | lower) -%}{%- endfor -%}
        {%- endfor -%}
    {%- endfor -%}
    {{ return(found | unique | list) }}
{%- endmacro -%}
