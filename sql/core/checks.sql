-- Checks of values, raised while the query runs. A message begins with the class that Python raises (sdc_sql/errors.py). It names
-- columns, counts and kinds, and shows no value of a record and no cell: it may stand in a log that everybody reads.

-- Whether a sampling weight is positive and finite, of a size whose sums are exact (sums.sql); NULL is not, nor NaN, which
-- sorts above infinity in DuckDB.
CREATE OR REPLACE MACRO sdc__is_weight(weight) AS coalesce(weight >= 1e-9 AND weight <= 1e15, false);

CREATE OR REPLACE MACRO sdc__checked_weight(weight) AS
    CASE WHEN sdc__is_weight(weight) THEN weight
         ELSE error('WeightError: A sampling weight is NULL, NaN, no number, infinite, zero or negative: weights must be'
                    || ' positive and finite numbers from 1e-9 to 1e15'
                    || ' (how many persons of the population the record stands for).')
    END;

-- Whether a sum of weights reaches a bound: a sum that differs from the bound in the last digits only is equal to it.
CREATE OR REPLACE MACRO sdc__at_least(total, bound) AS total >= bound * (1 - 1e-12);
CREATE OR REPLACE MACRO sdc__at_most(total, bound) AS total <= bound * (1 + 1e-12);

-- The sum of the weights of a cell, which estimates its population frequency. Below the sample
-- frequency it is no estimate at all: the weights were normalised, or a few are a little below 1 (calibration).
CREATE OR REPLACE MACRO sdc__checked_population(population_frequency, sample_frequency, small_weights := 'error') AS
    CASE WHEN NOT coalesce(small_weights IN ('error', 'at_least_one'), false)
             THEN error('ParameterError: small_weights is ' || coalesce(small_weights::VARCHAR, 'NULL')
                        || ': it must be ''error'' or ''at_least_one'' (a cell stands for at least its own records).')
         WHEN population_frequency IS NULL
             THEN error('WeightError: A weight is needed: the name of the column of expansion weights, or a number that'
                        || ' every record weighs.')
         WHEN population_frequency >= sample_frequency THEN population_frequency
         WHEN small_weights = 'at_least_one' OR sdc__at_least(population_frequency, sample_frequency) THEN sample_frequency::DOUBLE
         ELSE error('WeightError: The weights of a cell sum to less than its records: expansion weights are needed'
                    || ' (each at least about 1, summing to the population), not normalised ones. sdc_frequencies shows'
                    || ' which. Where a few weights'
                    || ' are a little below 1, say small_weights := ''at_least_one'': a cell then stands for at least its own records.')
    END;

-- The same sum, never raised to the number of records: the sums of several cells are added up before they are compared with their records.
CREATE OR REPLACE MACRO sdc__checked_weights(population_frequency, sample_frequency, small_weights := 'error') AS
    least(sdc__checked_population(population_frequency, sample_frequency, small_weights := small_weights), population_frequency);

-- The number, which must lie strictly between 0 and 1. given: the caller's argument, which may name the column of the number.
CREATE OR REPLACE MACRO sdc__checked_fraction_of(fraction, name, given, whose := '') AS
    CASE WHEN TRY_CAST(fraction AS DOUBLE) > 0 AND TRY_CAST(fraction AS DOUBLE) < 1 THEN TRY_CAST(fraction AS DOUBLE)
         ELSE error('ParameterError: The ' || name || ' is ' || coalesce(given::VARCHAR, 'NULL')
                    || ': it must lie strictly between 0 and 1' || whose || '.')
    END;
CREATE OR REPLACE MACRO sdc__checked_fraction(fraction, name) AS sdc__checked_fraction_of(fraction, name, fraction);

-- Of a column of inclusion probabilities some may be 1: strata that are taken whole.
CREATE OR REPLACE MACRO sdc__checked_inclusion(named, pi) AS
    CASE WHEN typeof(named) = 'VARCHAR' AND pi = 1 THEN 1e0
         ELSE sdc__checked_fraction_of(
             pi, 'sampling fraction', named,
             whose := CASE WHEN typeof(named) = 'VARCHAR' THEN ' on every record' ELSE '' END) END;

-- The number, which may be NULL; a text is read as the number that it spells. Macros that have a range for it check the range themselves.
CREATE OR REPLACE MACRO sdc__checked_number(value, name) AS
    CASE WHEN value IS NULL OR TRY_CAST(value AS DOUBLE) IS NOT NULL THEN TRY_CAST(value AS DOUBLE)
         ELSE error('ParameterError: ' || name || ' is ' || value::VARCHAR || ': it must be a number.') END;

-- One of a few words. The macro checks it, since only a kernel would read it.
CREATE OR REPLACE MACRO sdc__checked_choice(value, name, choices) AS
    CASE WHEN coalesce(list_contains(choices, value::VARCHAR), false) THEN value::VARCHAR
         ELSE error('ParameterError: ' || name || ' is ' || coalesce(chr(39) || value::VARCHAR || chr(39), 'NULL')
                    || ': it must be one of ' || array_to_string(choices, ', ') || '.') END;

-- The whole number, which must lie in a range; a text is read as the number that it spells.
CREATE OR REPLACE MACRO sdc__checked_whole(value, name, least, most := NULL) AS
    CASE WHEN TRY_CAST(value AS BIGINT) = TRY_CAST(value AS DOUBLE) AND TRY_CAST(value AS BIGINT) >= least
              AND (most IS NULL OR TRY_CAST(value AS BIGINT) <= most) THEN TRY_CAST(value AS BIGINT)
         ELSE error('ParameterError: ' || name || ' is ' || coalesce(value::VARCHAR, 'NULL')
                    || ': it must be a whole number of at least ' || least
                    || coalesce(' (and at most ' || format('{:,}', most::BIGINT) || ')', '') || '.')
    END;

-- How NULL in a key is treated: true for a category of its own, false for a wildcard.
CREATE OR REPLACE MACRO sdc__is_category(nulls) AS
    CASE nulls WHEN 'category' THEN true WHEN 'wildcard' THEN false
               ELSE error('ParameterError: nulls is ' || coalesce(nulls::VARCHAR, 'NULL')
                          || ': it must be ''category'' (NULL is a value of its own) or ''wildcard'' (NULL agrees with every value).')
    END;
