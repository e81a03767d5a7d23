-- By how much the confidence intervals of a regression's coefficients overlap, before and after masking.
--
--   y = b_0 + sum_j b_j x_j + e by least squares on each file; the interval of b_j is b_j -+ z s_j, z the normal quantile
--   overlap J = 1/2 ( (min(u, u') - max(l, l')) / (u - l) + (min(u, u') - max(l, l')) / (u' - l') )
-- 1 where the intervals are the same, 0 where they touch, and less the further they are apart. Records that miss a value are left out.
-- The normal quantile stands for Student's, whose degrees of freedom are many in a file of microdata.
-- With weights: sum w e^2 is the least, and s_j^2 that of linearisation, of the records as units:
-- n / (n - 1) (X'WX)^-1 (sum (w e)^2 x x') (X'WX)^-1. Weights are of either file its own.
-- Source: Karr, Kohnen, Oganian, Reiter & Sanil (2006), A framework for evaluating the utility of data altered to protect confidentiality,
--   The American Statistician 60(3), section 3.1; the regression: any textbook; with weights Binder (1983), On the variances of
--   asymptotically normal estimators from complex surveys, International Statistical Review 51, 279-292.
--
--   original: x y     released: x y     FROM sdc_confidence_overlap('original', 'released', 'y', ['x']):
--             0 0               0 1     coefficient before error_before after error_after overlap
--             1 1               1 1     NULL        NULL   NULL         NULL  NULL        0.6348     the mean
--             2 3               2 3     (intercept) -0.1   0.2646       0.6   0.4950      0.5835
--             3 4               3 4     x           1.4    0.1414       1.1   0.2646      0.6861
--
-- Scope: moments.
-- Not compiled: its regressions are solved by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original    table             the table before masking
--   released    table             the table after it
--   response    column            the numeric variable that is explained
--   predictors  columns           the numeric variables that explain it
--   confidence  number in (0, 1)  the probability of each interval
--   weight      column            of both tables; NULL: records count alike

CREATE OR REPLACE MACRO sdc__kernel_regression(records, means, covariances, response) AS sdc__needs_python('A regression')::DOUBLE[][];

-- The coefficients of one file, the intercept first, and their standard errors.
CREATE OR REPLACE MACRO sdc__regression(side, response) AS TABLE
    WITH sdc__whole AS (
        SELECT NULL AS sdc__stratum, COLUMNS(lambda c: starts_with(c, 'sdc__x_'))
        FROM (SELECT * FROM sdc__present(side) WHERE COLUMNS(lambda c: starts_with(c, 'sdc__x_')) IS NOT NULL)
    )
    SELECT any_value(sdc__names) AS sdc__names,
           sdc__kernel_regression(CASE WHEN count(*) = 0 THEN error('TableError: Fewer than two records have values in all'
                                                                    || ' the columns: there is no regression.')
                                       ELSE any_value(sdc__records)::DOUBLE END,
                                  any_value(sdc__means), any_value(sdc__covariances),
                                  list_position(list_transform(any_value(sdc__names), lambda n: sdc__folded(n)),
                                                sdc__folded(response))::DOUBLE) AS sdc__k
    FROM (SELECT sdc__records, sdc__names, sdc__means FROM sdc__moments('sdc__whole', NULL)),
         (SELECT sdc__covariances FROM sdc__covariances('sdc__whole', NULL));

-- The same by weights, from the records themselves. (They stand in an order of their own, so that sums do not hang on that of the table.)
CREATE OR REPLACE MACRO sdc__kernel_weighted_regression(columns, weights, response) AS
    sdc__needs_python('A regression')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__weighed_numbers(tbl, columns, weight) AS TABLE
    SELECT sdc__not_nan(sdc__number(COLUMNS(sdc__columns((*), columns)))) AS "sdc__x_\0",
           sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) AS sdc__w
    FROM sdc__rows(tbl);
CREATE OR REPLACE MACRO sdc__weighted_regression(original, tbl, columns, response, weight) AS TABLE
    WITH sdc__known AS (  -- the columns in the order of the original ones
        SELECT * FROM sdc__weighed_numbers(original, columns, weight) WHERE false
        UNION ALL BY NAME
        SELECT * FROM sdc__weighed_numbers(tbl, columns, weight)
    ),
    sdc__complete AS (
        SELECT *, struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS sdc__all
        FROM (SELECT * FROM sdc__known WHERE COLUMNS(lambda c: starts_with(c, 'sdc__x_')) IS NOT NULL)
    ),
    sdc__lists AS (
        SELECT list_transform(struct_keys(any_value(sdc__all)), lambda n: substr(n, 8)) AS sdc__names,
               list(sdc__w ORDER BY sdc__all ASC, sdc__w ASC) AS sdc__ws,
               list(COLUMNS(lambda c: starts_with(c, 'sdc__x_')) ORDER BY sdc__all ASC, sdc__w ASC)
        FROM sdc__complete
    ),
    sdc__stacked AS (SELECT sdc__names, sdc__ws, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__xs FROM sdc__lists)
    SELECT sdc__names,
           sdc__kernel_weighted_regression(CASE WHEN sdc__ws IS NULL
                                                    THEN error('TableError: No record has values in all the columns: there is no'
                                                               || ' regression.')
                                                ELSE sdc__xs END,
                                           sdc__ws,
                                           list_position(list_transform(sdc__names, lambda n: sdc__folded(n)),
                                                         sdc__folded(response))::DOUBLE) AS sdc__k
    FROM sdc__stacked;

CREATE OR REPLACE MACRO sdc__interval_overlap(l, u, l2, u2) AS
    CASE WHEN l = l2 AND u = u2 THEN 1
         WHEN u > l AND u2 > l2
             THEN ((least(u, u2) - greatest(l, l2)) / (u - l) + (least(u, u2) - greatest(l, l2)) / (u2 - l2)) / 2 END;

-- coefficient NULL: the mean overlap of all. NULL overlap: one of the intervals has no width (a perfect fit), and they are not the same.
-- sdc_confidence_overlap: the overlap of the confidence intervals of a regression's coefficients.
-- Gives: coefficient VARCHAR or NULL, before DOUBLE or NULL, error_before DOUBLE or NULL, after DOUBLE or NULL, error_after DOUBLE or NULL,
--   overlap DOUBLE or NULL (less loss, best 1).
-- Rows: each coefficient (the mean of all first, then the intercept).
-- Result: ConfidenceOverlap. A coefficient and its standard error in either file, and the overlap; coefficient NULL: the mean overlap.
-- Notes: The overlap is 1 where the intervals are the same, 0 where they touch, and less the further they are apart.
-- Example: FROM sdc_confidence_overlap('persons', 'released', 'income', ['w']);
CREATE OR REPLACE MACRO sdc_confidence_overlap(original, released, response, predictors, confidence := 0.95, weight := NULL) AS TABLE
    WITH sdc__old AS (FROM sdc__one_side(original, released, list_prepend(response, sdc__names(predictors)), true)),
    sdc__new AS (FROM sdc__one_side(original, released, list_prepend(response, sdc__names(predictors)), false)),
    sdc__alike AS (
        SELECT sdc__b.sdc__names, sdc__b.sdc__k AS sdc__before, sdc__a.sdc__k AS sdc__after
        FROM sdc__regression('sdc__old', response) AS sdc__b, sdc__regression('sdc__new', response) AS sdc__a
    ),
    sdc__weighed AS (
        SELECT sdc__b.sdc__names, sdc__b.sdc__k AS sdc__before, sdc__a.sdc__k AS sdc__after
        FROM sdc__weighted_regression(original, original, list_prepend(response, sdc__names(predictors)), response, weight) AS sdc__b,
             sdc__weighted_regression(original, released, list_prepend(response, sdc__names(predictors)), response, weight) AS sdc__a
    ),
    sdc__fits AS (FROM query_table(CASE WHEN weight IS NULL THEN 'sdc__alike' ELSE 'sdc__weighed' END)),
    sdc__listed AS (
        SELECT unnest(range(1, len(sdc__before[1]) + 1)) AS sdc__row,
               unnest(list_prepend('(intercept)',
                                   list_filter(sdc__names,
                                               lambda n: sdc__folded(n) <> sdc__folded(response)))) AS sdc__coefficient,
               unnest(sdc__before[1]) AS sdc__b, unnest(sdc__before[2]) AS sdc__s, unnest(sdc__after[1]) AS sdc__c,
               unnest(sdc__after[2]) AS sdc__t
        FROM sdc__fits
    ),
    sdc__each AS MATERIALIZED (
        SELECT *,
               sdc__interval_overlap(sdc__b - sdc__z * sdc__s, sdc__b + sdc__z * sdc__s, sdc__c - sdc__z * sdc__t,
                                     sdc__c + sdc__z * sdc__t) AS sdc__j
        FROM (SELECT *, sdc__interval_quantile(confidence) AS sdc__z FROM sdc__listed)
    )
    SELECT sdc__coefficient AS coefficient, sdc__b AS before, sdc__s AS error_before, sdc__c AS after,
           sdc__t AS error_after, sdc__j AS overlap
    FROM (SELECT sdc__row, sdc__coefficient, sdc__b, sdc__s, sdc__c, sdc__t, sdc__j
          FROM sdc__each
          UNION ALL
          SELECT 0, NULL, NULL, NULL, NULL, NULL,
                 CASE WHEN count(sdc__j) = count(*) THEN list_sum(list(sdc__j ORDER BY sdc__row ASC)) / count(*) END
          FROM sdc__each)
    ORDER BY sdc__row ASC;
