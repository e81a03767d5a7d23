{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro distort_sensitive(tbl, column_name, groups, id, l=none, t=none, chosen=none, distance=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('distort_sensitive', kwargs, ['tbl', 'column_name', 'groups', 'id', 'l', 't', 'chosen', 'distance', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_distort_sensitive', id, [tbl, column_name, groups, id], {'l': l, 't': t, 'chosen': chosen, 'distance': distance, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
