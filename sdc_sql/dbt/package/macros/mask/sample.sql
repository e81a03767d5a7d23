{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro sample(tbl, id, fraction=none, size=none, method=none, weight=none, sampling_fraction=none, stratum=none, household=none, order_by=none, neyman=none, least=none, stream=none, release=none) -%}
    {{ sdc.sdc__only('sample', kwargs, ['tbl', 'id', 'fraction', 'size', 'method', 'weight', 'sampling_fraction', 'stratum', 'household', 'order_by', 'neyman', 'least', 'stream', 'release']) }}
    {{ return(sdc.sdc__replace('sdc_sample', [], [tbl, id], {'fraction': fraction, 'size': size, 'method': method, 'weight': weight, 'sampling_fraction': sampling_fraction, 'stratum': stratum, 'household': household, 'order_by': order_by, 'neyman': neyman, 'least': least, 'stream': stream, 'release': release})) }}
{%- endmacro -%}
