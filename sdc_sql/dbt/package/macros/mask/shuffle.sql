{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro shuffle(tbl, id, release, stream=none) -%}
    {{ sdc.sdc__only('shuffle', kwargs, ['tbl', 'id', 'release', 'stream']) }}
    {{ return(sdc.sdc__replace('sdc_shuffle', [], [tbl, id, release], {'stream': stream})) }}
{%- endmacro -%}
