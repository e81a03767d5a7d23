{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro theta_misclassified(tbl, keys, sampling_fraction, columns, matrices) -%}
    {{ sdc.sdc__only('theta_misclassified', kwargs, ['tbl', 'keys', 'sampling_fraction', 'columns', 'matrices']) }}
    {{ return(sdc.sdc__measure('sdc_theta_misclassified', [tbl, keys, sampling_fraction, columns, matrices], {})) }}
{%- endmacro -%}

{%- macro theta_misclassified_crossing(tbl, keys, sampling_fraction, columns, matrix) -%}
    {{ sdc.sdc__only('theta_misclassified_crossing', kwargs, ['tbl', 'keys', 'sampling_fraction', 'columns', 'matrix']) }}
    {{ return(sdc.sdc__measure('sdc_theta_misclassified_crossing', [tbl, keys, sampling_fraction, columns, matrix], {})) }}
{%- endmacro -%}
