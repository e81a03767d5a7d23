{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro holdout(tbl, id, household=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('holdout', kwargs, ['tbl', 'id', 'household', 'stream', 'release']) }}
    {{ return(sdc.sdc__measure('sdc_holdout', [tbl, id], {'household': household, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
