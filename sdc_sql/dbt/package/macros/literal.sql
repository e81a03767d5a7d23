{#- Values of dbt as literals of DuckDB: what a caller gives never becomes SQL by itself.

    'we''ird'  <- we'ird      0.02e0 <- 0.02      ['age', 'sex'] <- [age, sex]      '"db"."main"."persons"' <- ref('persons')
-#}

{#- Not while dbt parses: then the one model fails, and not the whole project. -#}
{%- macro sdc__refuse(message) -%}
    {%- if execute -%}{{ exceptions.raise_compiler_error('sdc: ' ~ message) }}{%- endif -%}
{%- endmacro -%}

{%- macro sdc__text(value) -%}
    {{ return("'" ~ (value | string | replace("'", "''")) ~ "'") }}
{%- endmacro -%}

{#- The name of a relation, as query_table takes it. -#}
{%- macro sdc__name(relation) -%}
    {%- if relation.event_time_filter -%}
        {{ sdc.sdc__refuse(relation.identifier ~ ' is read through a filter (--sample, or a microbatch): what is measured or masked must be the whole table.') }}
    {%- endif -%}
    {#- --empty renders a subquery; its limit is put round the call, see sdc__limited -#}
    {%- set name = (relation.replace(limit=none) if relation.limit is not none else relation).render() -%}
    {%- if name.startswith("'") and name.endswith("'") -%}
        {%- set name = name[1:-1] | replace("''", "'") -%}
    {%- elif '(' in name and not name.startswith('"') -%}
        {{ sdc.sdc__refuse('the relation ' ~ name ~ ' is a call, not a table or file: make a model of it first, and give that.') }}
    {%- endif -%}
    {{ return(name) }}
{%- endmacro -%}

{%- macro sdc__is_relation(value) -%}
    {{ return(value is not string and value.identifier is defined) }}
{%- endmacro -%}

{%- macro sdc__literal(value) -%}
    {%- if value is none -%}{{ return('NULL') }}
    {%- elif value is undefined -%}{{ sdc.sdc__refuse('an argument is missing or undefined.') }}
    {%- elif value is boolean -%}{{ return('true' if value else 'false') }}
    {%- elif value is string -%}{{ return(sdc.sdc__text(value)) }}
    {%- elif value is integer -%}{{ return(value | string) }}
    {%- elif value is number -%}
        {%- set text = value | string -%}
        {%- if 'n' in text -%}{{ sdc.sdc__refuse('a number is ' ~ text ~ ': it must be finite.') }}{%- endif -%}
        {#- with an exponent it is a DOUBLE and not a DECIMAL -#}
        {{ return(text if 'e' in text else text ~ 'e0') }}
    {%- elif sdc.sdc__is_relation(value) -%}{{ return(sdc.sdc__text(sdc.sdc__name(value))) }}
    {%- elif value is mapping -%}
        {%- set items = [] -%}
        {%- for name, item in value.items() -%}{%- do items.append(sdc.sdc__text(name) ~ ': ' ~ sdc.sdc__literal(item)) -%}{%- endfor -%}
        {{ return('{' ~ items | join(', ') ~ '}') }}
    {%- elif value is iterable -%}
        {%- set items = [] -%}
        {%- for item in value -%}{%- do items.append(sdc.sdc__literal(item)) -%}{%- endfor -%}
        {{ return('[' ~ items | join(', ') ~ ']') }}
    {%- else -%}{{ sdc.sdc__refuse('an argument is ' ~ value ~ ': give a text, a number, a list, a mapping or a relation.') }}
    {%- endif -%}
{%- endmacro -%}
