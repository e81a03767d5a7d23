{#- Masking in a model, and in an incremental one.

    In an incremental run the records that are new are masked and the released ones are left alone. That is right for methods
    that mask a record by itself: its draw is a function of the key and its id, so the new records get what they
    would have got in the first run. Methods that look at the whole table (ranks, groups, moments, the cells that there
    are) would mask the new records by other parameters than the old: they refuse, and the model must be a table.
-#}

{%- macro sdc__is_record_wise(function) -%}
    {{ return(function in ['sdc_pram', 'sdc_pram_crossing', 'sdc_multiplicative_noise', 'sdc_round', 'sdc_random_round']) }}
{%- endmacro -%}

{%- macro sdc__mask(function, id, given, named) -%}
    {{ sdc.sdc__stored(function) }}
    {%- if not (execute and model is defined and model.resource_type == 'model' and is_incremental()) -%}
        {{ return(sdc.sdc__limited(sdc.sdc__call(function, given, named), given)) }}
    {%- endif -%}
    {%- if not sdc.sdc__is_record_wise(function) or named.get('method', 'plain') not in [none, 'plain'] -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' calls ' ~ function ~ (' with method ' ~ named.method if named.method else '')
            ~ ' in an incremental run. It masks a record by what the whole table holds, so records that arrive later would be masked by other'
            ~ ' parameters than those released: set materialized to table, or run with --full-refresh (all records are then masked anew).') }}
    {%- endif -%}
    {#- One record more than the new ones, masked and left out again: where nothing is new the rest is not empty. -#}
    {%- set new = '(' ~ adapter.quote(id | replace('"', '""')) ~ ' in (select ' ~ adapter.quote(id | replace('"', '""')) ~ ' from ' ~ this ~ ')) is not true' -%}
    {%- set whole = sdc.sdc__name(given[0]) if sdc.sdc__is_relation(given[0]) else given[0] -%}
    {%- set quoted = adapter.quote(id | replace('"', '""')) -%}
    {%- set whole = 'query_table(' ~ sdc.sdc__text(whole) ~ ')' -%}
    {{ return('(with sdc__arrived as materialized (select * from ' ~ whole ~ ' where ' ~ new
        ~ ' or ' ~ quoted ~ ' = (select min(' ~ quoted ~ ') from ' ~ whole ~ ')) select * from ('
        ~ sdc.sdc__call(function, ['sdc__arrived'] + given[1:], named) ~ ') where ' ~ new ~ ')') }}
{%- endmacro -%}
