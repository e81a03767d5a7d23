{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro renumber(tbl, id, release, stream=none) -%}
    {{ sdc.sdc__only('renumber', kwargs, ['tbl', 'id', 'release', 'stream']) }}
    {{ return(sdc.sdc__replace('sdc_renumber', [], [tbl, id, release], {'stream': stream})) }}
{%- endmacro -%}

{%- macro shuffle() -%}
    {%- set ignored = [varargs, kwargs] -%}
    {{ sdc.sdc__refuse('shuffle is the name of versions before 0.2.0: write renumber.') }}
{%- endmacro -%}
