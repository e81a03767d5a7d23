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
{% endtest %}

{#- A list of names of columns, in small letters: DuckDB knows a column by either. -#}
{%- macro sdc__names_of(given, argument) -%}
    {%- if given is string or given is mapping or given is not iterable or given | reject('string') | list -%}
        {{ sdc.sdc__refuse(argument ~ ' is ' ~ given ~ ": it must be a list of names of columns, as in ['name', 'phone'].") }}
    {%- endif -%}
    {{ return(sdc.sdc__literal(given | map('lower') | list if given is iterable else []) ~ '::varchar[]') }}
{%- endmacro -%}
