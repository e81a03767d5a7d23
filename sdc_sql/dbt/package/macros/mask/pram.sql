{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro pram(tbl, column_name, matrix, id, stratum=none, stream=none, release=none, unit=none, household=none) -%}
    {{ sdc.sdc__only('pram', kwargs, ['tbl', 'column_name', 'matrix', 'id', 'stratum', 'stream', 'release', 'unit', 'household']) }}
    {{ return(sdc.sdc__mask('sdc_pram', id, [tbl, column_name, matrix, id], {'stratum': stratum, 'stream': stream, 'release': release, 'unit': unit, 'household': household})) }}
{%- endmacro -%}

{%- macro pram_crossing(tbl, columns, matrix, id, stratum=none, stream=none, release=none, unit=none, household=none) -%}
    {{ sdc.sdc__only('pram_crossing', kwargs, ['tbl', 'columns', 'matrix', 'id', 'stratum', 'stream', 'release', 'unit', 'household']) }}
    {{ return(sdc.sdc__mask('sdc_pram_crossing', id, [tbl, columns, matrix, id], {'stratum': stratum, 'stream': stream, 'release': release, 'unit': unit, 'household': household})) }}
{%- endmacro -%}
