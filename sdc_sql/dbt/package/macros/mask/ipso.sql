{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro ipso(tbl, columns, confidential, id, method=none, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('ipso', kwargs, ['tbl', 'columns', 'confidential', 'id', 'method', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_ipso', id, [tbl, columns, confidential, id], {'method': method, 'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
