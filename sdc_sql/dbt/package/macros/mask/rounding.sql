{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro round(tbl, columns, base, id, x_max=none) -%}
    {{ sdc.sdc__only('round', kwargs, ['tbl', 'columns', 'base', 'id', 'x_max']) }}
    {{ return(sdc.sdc__mask('sdc_round', id, [tbl, columns, base, id], {'x_max': x_max})) }}
{%- endmacro -%}

{%- macro round_at_random(tbl, columns, base, id, stream=none, release=none, unit=none, household=none) -%}
    {{ sdc.sdc__only('round_at_random', kwargs, ['tbl', 'columns', 'base', 'id', 'stream', 'release', 'unit', 'household']) }}
    {{ return(sdc.sdc__mask('sdc_round_at_random', id, [tbl, columns, base, id], {'stream': stream, 'release': release, 'unit': unit, 'household': household})) }}
{%- endmacro -%}

{%- macro random_round() -%}
    {%- set ignored = [varargs, kwargs] -%}
    {{ sdc.sdc__refuse('random_round is the name of versions before 0.2.0: write round_at_random.') }}
{%- endmacro -%}
