{#- Written from the headers of sql/ by python -m sdc_sql.write. -#}

{%- macro data_intrusion_simulation(tbl, keys, sampling_fraction, repetitions=none, stream=none) -%}
    {{ sdc.sdc__only('data_intrusion_simulation', kwargs, ['tbl', 'keys', 'sampling_fraction', 'repetitions', 'stream']) }}
    {{ return(sdc.sdc__measure('sdc_data_intrusion_simulation', [tbl, keys, sampling_fraction], {'repetitions': repetitions, 'stream': stream})) }}
{%- endmacro -%}

{%- macro data_intrusion_misclassified(tbl, keys, sampling_fraction, columns, matrices, repetitions=none, stream=none) -%}
    {{ sdc.sdc__only('data_intrusion_misclassified', kwargs, ['tbl', 'keys', 'sampling_fraction', 'columns', 'matrices', 'repetitions', 'stream']) }}
    {{ return(sdc.sdc__measure('sdc_data_intrusion_misclassified', [tbl, keys, sampling_fraction, columns, matrices], {'repetitions': repetitions, 'stream': stream})) }}
{%- endmacro -%}
