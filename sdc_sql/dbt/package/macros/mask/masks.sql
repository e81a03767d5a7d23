{#- Written from the headers of sql/ by python -m sdc_sql.write.

    Each mask, with the values of arguments by which it masks a record by itself; none where it never does.
-#}
{%- macro sdc__masks() -%}
    {{ return({
        'bootstrap': none,
        'calibrate': none,
        'data_distortion': none,
        'data_shuffling': none,
        'data_swap': none,
        'distort_sensitive': none,
        'generalise': none,
        'hybrid': none,
        'hybrid_masking': none,
        'ipso': none,
        'latin_hypercube': none,
        'local_suppression': none,
        'microaggregate': none,
        'microaggregate_categorical': none,
        'microhybrid': none,
        'mondrian': none,
        'multiplicative_noise': {'method': [none, 'plain']},
        'noise': none,
        'noise_absolute': {},
        'pram': {},
        'pram_crossing': {},
        'pram_retention': none,
        'pram_guaranteed': none,
        'rank_swap': none,
        'rank_swap_correlated': none,
        'recode': {},
        'recode_classes': none,
        'recode_keep_first': {},
        'recode_drop_last': {},
        'recode_date': {},
        'recode_intervals': {},
        'recode_level': {},
        'recode_relative': {},
        'record_swap': none,
        'resample': none,
        'restore_moments': none,
        'round_points': {},
        'round': {},
        'round_at_random': {},
        'suppress_combinations': none,
        'suppress_risky': none,
        'synthesise': none,
        'top_bottom_code': none,
    }) }}
{%- endmacro -%}

{#- The methods for one release of a table that changes, but with these values of arguments. -#}
{%- macro sdc__once() -%}
    {{ return({
        'bootstrap': {},
        'calibrate': {},
        'data_distortion': {},
        'data_shuffling': {},
        'data_swap': {},
        'distort_sensitive': {},
        'generalise': {},
        'hybrid': {},
        'hybrid_masking': {},
        'ipso': {},
        'latin_hypercube': {},
        'local_suppression': {},
        'massc': {},
        'microaggregate': {},
        'microaggregate_categorical': {},
        'microhybrid': {},
        'mondrian': {},
        'multiplicative_noise': {'method': [none, 'plain']},
        'noise': {},
        'pram_retention': {},
        'pram_guaranteed': {},
        'rank_swap': {},
        'rank_swap_correlated': {},
        'recode_classes': {},
        'record_swap': {},
        'resample': {},
        'restore_moments': {},
        'sample': {'method': [none, 'simple', 'bernoulli']},
        'suppress_combinations': {},
        'suppress_risky': {},
        'synthesise': {},
        'top_bottom_code': {},
    }) }}
{%- endmacro -%}

{#- The methods that draw at random. -#}
{%- macro sdc__drawing() -%}
    {{ return([
        'bootstrap',
        'data_distortion',
        'data_shuffling',
        'data_swap',
        'distort_sensitive',
        'hybrid',
        'hybrid_masking',
        'ipso',
        'latin_hypercube',
        'massc',
        'microhybrid',
        'multiplicative_noise',
        'noise',
        'noise_absolute',
        'pram',
        'pram_crossing',
        'pram_retention',
        'pram_guaranteed',
        'rank_swap',
        'rank_swap_correlated',
        'record_swap',
        'renumber',
        'resample',
        'round_at_random',
        'sample',
        'synthesise',
    ]) }}
{%- endmacro -%}

{#- The masks of one column, which is a name; the others take a list. -#}
{%- macro sdc__of_one_column() -%}
    {{ return([
        'calibrate',
        'distort_sensitive',
        'pram',
        'rank_swap',
        'rank_swap_correlated',
        'recode',
        'recode_classes',
        'recode_keep_first',
        'recode_drop_last',
        'recode_date',
        'recode_intervals',
        'recode_level',
        'recode_relative',
        'resample',
        'top_bottom_code',
    ]) }}
{%- endmacro -%}

{#- The masks of columns without a parameter. -#}
{%- macro sdc__without_parameter() -%}
    {{ return([
        'synthesise',
    ]) }}
{%- endmacro -%}
