{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro latin_hypercube(tbl, columns, tolerance, id, size=none, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('latin_hypercube', kwargs, ['tbl', 'columns', 'tolerance', 'id', 'size', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_latin_hypercube', id, [tbl, columns, tolerance, id], {'size': size, 'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
