{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro microhybrid(tbl, columns, k, id, generator=none, given=none, alpha=none, smoothing=none, blocks=none, stratum=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('microhybrid', kwargs, ['tbl', 'columns', 'k', 'id', 'generator', 'given', 'alpha', 'smoothing', 'blocks', 'stratum', 'stream', 'release']) }}
    {{ return(sdc.sdc__mask('sdc_microhybrid', id, [tbl, columns, k, id], {'generator': generator, 'given': given, 'alpha': alpha, 'smoothing': smoothing, 'blocks': blocks, 'stratum': stratum, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
