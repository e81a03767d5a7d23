{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro noise(tbl, columns, alpha, id, method=none, threshold=none, lower=none, upper=none, rounded=none, discrete=none, stratum=none, stream=none, release=none, unit=none, household=none) -%}
    {{ sdc.sdc__only('noise', kwargs, ['tbl', 'columns', 'alpha', 'id', 'method', 'threshold', 'lower', 'upper', 'rounded', 'discrete', 'stratum', 'stream', 'release', 'unit', 'household']) }}
    {{ return(sdc.sdc__mask('sdc_noise', id, [tbl, columns, alpha, id], {'method': method, 'threshold': threshold, 'lower': lower, 'upper': upper, 'rounded': rounded, 'discrete': discrete, 'stratum': stratum, 'stream': stream, 'release': release, 'unit': unit, 'household': household})) }}
{%- endmacro -%}

{%- macro noise_absolute(tbl, columns, standard_deviation, id, lower=none, upper=none, rounded=none, stream=none, release=none, unit=none, household=none) -%}
    {{ sdc.sdc__only('noise_absolute', kwargs, ['tbl', 'columns', 'standard_deviation', 'id', 'lower', 'upper', 'rounded', 'stream', 'release', 'unit', 'household']) }}
    {{ return(sdc.sdc__mask('sdc_noise_absolute', id, [tbl, columns, standard_deviation, id], {'lower': lower, 'upper': upper, 'rounded': rounded, 'stream': stream, 'release': release, 'unit': unit, 'household': household})) }}
{%- endmacro -%}
