{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro hybrid_masking(tbl, columns, alpha, id, method=none, k=none, tolerance=none, size=none, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('hybrid_masking', kwargs, ['tbl', 'columns', 'alpha', 'id', 'method', 'k', 'tolerance', 'size', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_hybrid_masking', id, [tbl, columns, alpha, id], {'method': method, 'k': k, 'tolerance': tolerance, 'size': size, 'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
