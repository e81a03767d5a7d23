{#- A call of a table macro, in parentheses: it is a whole query, and it stands after FROM as well.

    {{ sdc.theta(ref('persons'), ['age', 'sex'], 0.02) }}
    (select * from sdc_theta('"db"."main"."persons"', ['age', 'sex'], 0.02e0))
-#}

{#- given: the arguments in their order. named: those that have a default; none leaves it as it is. -#}
{%- macro sdc__call(function, given, named) -%}
    {{ sdc.sdc__only_on_duckdb(function) }}
    {%- set parts = [] -%}
    {%- if given and given[0] is none -%}{{ sdc.sdc__refuse(function ~ ' is given no table: give ref(...) of one.') }}{%- endif -%}
    {%- for value in given -%}{%- do parts.append(sdc.sdc__literal(value)) -%}{%- endfor -%}
    {%- for name, value in named.items() if value is not none -%}
        {%- do parts.append(name ~ ' := ' ~ sdc.sdc__literal(value)) -%}
    {%- endfor -%}
    {{ return('select * from ' ~ function ~ '(' ~ parts | join(', ') ~ ')') }}
{%- endmacro -%}

{#- Another engine would read `['age', 'sex']` as an error in its own words, or has no such function. -#}
{%- macro sdc__only_on_duckdb(function) -%}
    {%- if execute and target.type != 'duckdb' -%}
        {{ sdc.sdc__refuse(function ~ ' runs in DuckDB (dbt-duckdb with the plugin sdc_sql.dbt), and the target ' ~ target.name ~ ' is ' ~ target.type
            ~ '. On PostgreSQL and Spark a measure is a query of their own: `sdc-sql compile` writes it, to be put in a model;'
            ~ ' Spark tables are masked in Python, by sdc_sql.spark, and other tables in DuckDB, which reads PostgreSQL.') }}
    {%- endif -%}
{%- endmacro -%}

{#- A misspelt argument is told of with those that there are. others: `kwargs`, which Jinja fills with what a macro does not name. -#}
{%- macro sdc__only(function, others, known) -%}
    {{ sdc.sdc__only_on_duckdb(function) }}
    {%- for name in others -%}{{ sdc.sdc__refuse(function ~ ' has no argument ' ~ name ~ ': it has ' ~ known | join(', ') ~ '.') }}{%- endfor -%}
{%- endmacro -%}

{#- dbt --empty: the columns of the result and no rows. -#}
{%- macro sdc__limited(sql, given) -%}
    {%- for value in given if sdc.sdc__is_relation(value) and value.limit is not none -%}
        {{ return('(' ~ sql ~ ' limit ' ~ value.limit ~ ')') }}
    {%- endfor -%}
    {{ return('(' ~ sql ~ ')') }}
{%- endmacro -%}

{#- A view or an ephemeral model would be read by a connection that knows neither the macros nor the key. -#}
{%- macro sdc__stored(function) -%}
    {%- if model is defined and model.resource_type == 'model' and config.get('materialized') in ['view', 'ephemeral', 'materialized_view'] -%}
        {{ sdc.sdc__refuse('the model ' ~ model.name ~ ' is materialized as ' ~ config.get('materialized') ~ ' and calls ' ~ function
            ~ ': whatever reads it outside dbt has neither the macros nor the secret key. Set materialized to table'
            ~ (' or incremental.' if sdc.sdc__is_record_wise(function) else '.')) }}
    {%- endif -%}
{%- endmacro -%}

{%- macro sdc__measure(function, given, named) -%}
    {%- if not execute -%}{{ return('') }}{%- endif -%}
    {{ sdc.sdc__stored(function) }}
    {{ return(sdc.sdc__limited(sdc.sdc__call(function, given, named), given)) }}
{%- endmacro -%}

{#- dbt build --empty: a test reads no rows, and there is nothing to measure. It is checked that it could be; as dbt's own tests do, it passes. -#}
{%- macro sdc__dry_run() -%}
    {%- if flags.EMPTY -%}limit 0{%- endif -%}
{%- endmacro -%}
