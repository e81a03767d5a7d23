-- How far the released numbers are from the original ones, in standard deviations.
--
--   IL1 = 1 / (np) sum over variables and records of |x - x'| / (sqrt(2) S_j)
-- S_j: the standard deviation of the variable in the original file (all its values, n - 1). bounded: each term counts to at most
-- `max_term`, so that the measure is at most that. A suppressed value (NULL, where the original has one; all values of a record that is
-- not released) has no term in IL1, and `max_term` in the bounded form; where the original is NULL there is nothing to lose. A variable
-- that was suppressed as a whole has no IL1, and that of all is of the others. Of a constant that was changed IL1 is NULL and the bounded
-- term `max_term`. With a weight w the mean of the terms is sum w term / sum w, and S_j^2 = sum w (x - mean)^2 / (sum w - 1): whole
-- weights are as many records each.
-- Source: SDC handbook, section 3.5.3 (IL1: Yancey, Winkler & Creecy 2002; the bound: Trottini 2003). IL1s of sdcMicro is the sum of the
--   terms: records times variables times this.
--
--   original: id x    released: id x     FROM sdc_il1('original', 'released', ['x'], 'id'):
--             1  1              1  1     variable values suppressed il1    bounded
--             2  2              2  3     NULL     2      1          0.3536 0.5690
--             3  3              3  NULL  x        2      1          0.3536 0.5690
--                                          S = 1: (0 + 1 / sqrt 2) / 2, and (0 + 1 / sqrt 2 + 1) / 3
--
-- Scope: moments.
-- Not compiled: its standard deviations are lists, which other engines have no words for.
-- Parameters:
--   original  table               the table before masking
--   released  table               the table after it
--   columns   columns             the numeric variables
--   id        column              identifies each record
--   max_term  number in (0, ...)  the most that a term counts in the bounded form
--   weight    column              a column of the original, what each record counts for (whole weights: as many records each);
--       without it the records are counted

CREATE OR REPLACE MACRO sdc__checked_term(max_term) AS
    CASE WHEN TRY_CAST(max_term AS DOUBLE) > 0 AND TRY_CAST(max_term AS DOUBLE) < 'infinity'::DOUBLE THEN TRY_CAST(max_term AS DOUBLE)
         ELSE error('ParameterError: max_term is ' || coalesce(max_term::VARCHAR, 'NULL')
                    || ': it must be a positive and finite number.') END;

-- The standard deviations of weighted numbers, of the pairs of original and released ones; no rows without a weight.
CREATE OR REPLACE MACRO sdc__weighted_spreads(pairs, weight) AS TABLE
    WITH sdc__there AS (SELECT sdc__place, sdc__x, sdc__weight FROM query_table(pairs) WHERE weight IS NOT NULL AND sdc__x IS NOT NULL),
    sdc__ranges AS (
        SELECT sdc__place AS sdc__of, min(sdc__x) AS sdc__low, max(sdc__x) AS sdc__high,
               sdc__exact_sum(sdc__weight) AS sdc__w, sdc__shift(sdc__finite_size(max(abs(sdc__x)))) AS sdc__e,
               sdc__shift(max(sdc__x) - min(sdc__x)) AS sdc__f
        FROM sdc__there GROUP BY sdc__place
    ),
    sdc__centred AS (
        SELECT sdc__place AS sdc__at,
               least(any_value(sdc__high),
                     greatest(any_value(sdc__low),
                              sdc__exact_sum(sdc__weight * sdc__x * sdc__e) / any_value(sdc__w)
                              / any_value(sdc__e))) AS sdc__mean
        FROM sdc__there JOIN sdc__ranges ON sdc__of = sdc__place GROUP BY sdc__place
    ),
    sdc__sums AS (
        SELECT sdc__place, any_value(sdc__w) AS sdc__w, any_value(sdc__f) AS sdc__f,
               sdc__exact_sum(sdc__weight * (sdc__x - sdc__mean) * sdc__f) AS sdc__d,
               sdc__exact_sum(sdc__weight * ((sdc__x - sdc__mean) * sdc__f) ** 2) AS sdc__dd
        FROM sdc__there JOIN sdc__ranges ON sdc__of = sdc__place JOIN sdc__centred ON sdc__at = sdc__place GROUP BY sdc__place
    )
    SELECT sdc__place,
           CASE WHEN sdc__w < 1 THEN error('WeightError: The weights of the records with a value sum to ' || sdc__w
                                           || ': they must say how many persons a record stands for, 1 or more in all.')
                            WHEN sdc__w > 1 THEN sqrt(greatest(sdc__dd - sdc__d * sdc__d / sdc__w, 0) / (sdc__w - 1))
                                                 / sdc__f END AS sdc__sd
    FROM sdc__sums;

-- sdc_il1: IL1 and its bounded form.
-- Gives: variable VARCHAR or NULL, values BIGINT, suppressed BIGINT (more loss), il1 DOUBLE or NULL (more loss),
--   bounded DOUBLE or NULL (more loss).
-- Rows: each variable (all of them together first).
-- Words: il1: mean change of a number, in units of 1.41 standard deviations (IL1); bounded: mean change of a number, bounded (IL1);
--   suppressed: numbers that were suppressed.
-- Result: Il1. The values compared and those suppressed, IL1 and its bounded form; variable NULL: all of them.
-- Publicly: the mean distance of released numbers from the original ones, in units of sqrt(2) standard deviations.
-- Told: il1.
-- Example: FROM sdc_il1('persons', 'released', ['income'], 'id');
-- Limit: bounded. The bounded IL1.
CREATE OR REPLACE MACRO sdc_il1(original, released, columns, id, max_term := 1, weight := NULL) AS TABLE
    WITH sdc__old AS (FROM sdc__one_side(original, released, columns, true)),
    sdc__counted AS (
        SELECT unnest(sdc__names) AS sdc__variable, unnest(sdc__sds) AS sdc__sd,
               unnest(range(1, len(sdc__names) + 1)) AS sdc__of
        FROM sdc__moments('sdc__old', NULL)
    ),
    sdc__pairs AS MATERIALIZED (FROM sdc__number_pairs(original, released, columns, id, weight)),
    sdc__spreads AS (
        SELECT sdc__variable, sdc__of, CASE WHEN weight IS NULL THEN sdc__c.sdc__sd ELSE sdc__h.sdc__sd END AS sdc__sd
        FROM sdc__counted AS sdc__c LEFT JOIN sdc__weighted_spreads('sdc__pairs', weight) AS sdc__h ON sdc__of = sdc__place
    ),
    sdc__sizes AS (
        SELECT sdc__place AS sdc__at, sdc__shift(sdc__finite_size(max(abs(sdc__x - sdc__y)))) AS sdc__e
        FROM sdc__pairs
        GROUP BY sdc__place
    ),
    sdc__sums AS (
        SELECT sdc__of, sdc__variable, count(sdc__x - sdc__y) AS sdc__values, count(sdc__x) FILTER (WHERE sdc__y IS NULL) AS sdc__gone,
               sdc__exact_sum(CASE WHEN sdc__x - sdc__y IS NOT NULL THEN sdc__weight END) AS sdc__w,
               sdc__exact_sum(CASE WHEN sdc__x IS NOT NULL THEN sdc__weight END) AS sdc__whole,
               sdc__exact_sum(sdc__weight * abs(sdc__x - sdc__y) * sdc__e, CASE WHEN weight IS NULL THEN 88 ELSE 72 END)
               / any_value(sdc__e) AS sdc__moved,
               any_value(sdc__sd) AS sdc__s,
               sdc__exact_sum(
                   sdc__weight
                   * CASE WHEN sdc__x IS NULL THEN NULL
                          WHEN sdc__y IS NULL THEN sdc__checked_term(max_term)
                          WHEN sdc__x = sdc__y THEN 0
                          WHEN sdc__sd > 0 THEN least(abs(sdc__x - sdc__y) / (sqrt(2) * sdc__sd), sdc__checked_term(max_term))
                          ELSE sdc__checked_term(max_term) END,
                   72) AS sdc__bounded
        FROM sdc__pairs JOIN sdc__spreads ON sdc__of = sdc__place JOIN sdc__sizes ON sdc__at = sdc__place GROUP BY sdc__of, sdc__variable
    ),
    sdc__terms AS MATERIALIZED (
        SELECT sdc__of, sdc__variable, sdc__values, sdc__gone, sdc__w, sdc__whole,
               CASE WHEN sdc__values = 0 OR sdc__moved = 0 THEN 0
                    WHEN sdc__s > 0 THEN sdc__moved / (sqrt(2) * sdc__s) END AS sdc__il1,
               coalesce(sdc__bounded, 0) AS sdc__bounded
        FROM sdc__sums
    )
    SELECT sdc__variable AS variable, sdc__values AS "values", sdc__gone AS suppressed, sdc__il1 / nullif(sdc__w, 0) AS il1,
           sdc__bounded / nullif(sdc__whole, 0) AS bounded
    FROM (FROM sdc__terms
          UNION ALL
          SELECT 0, NULL, sum(sdc__values)::BIGINT, sum(sdc__gone)::BIGINT, list_sum(list(sdc__w ORDER BY sdc__of ASC)),
                 list_sum(list(sdc__whole ORDER BY sdc__of ASC)),
                 CASE WHEN count(*) = count(sdc__il1) OR max(sdc__values) = 0
                          THEN list_sum(list(sdc__il1 ORDER BY sdc__of ASC)) END,
                 list_sum(list(sdc__bounded ORDER BY sdc__of ASC))
          FROM sdc__terms)
    ORDER BY sdc__of ASC;
