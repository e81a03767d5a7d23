-- Matrices for PRAM of one variable: made, or made invariant (the expected frequencies are then those of the table).
--
--   two_stage    R = P Q, Q the probabilities of the original category given the released one (Bayes)
--   iterative    the flows T_k p_kl scaled in turn until rows and columns sum to T; zeros stay zeros
--   pd, alpha    sdcMicro's parameters: R = alpha Rs + (1 - alpha) I, Rs the two-stage matrix of P with diagonal pd and equal rest;
--                pd is kept as the least of the diagonal
-- Source: SDC handbook, section 3.4.6; Gouweleeuw et al. (1998), section 4; Templ, Kowarik & Meindl (2015), section 4.
--
-- Result: "from", "to", probability: a table that sdc_pram takes. NULL is no category here.
--
-- Scope: cells.
-- Parameters:
--   tbl            table                       the table, view, common table expression or file
--   column_name    column                      the variable
--   matrix         table                       the probabilities: from, to, probability
--   method         'two_stage' or 'iterative'  how the matrix is made invariant
--   pd             number in [0, 1]            the least probability on the diagonal
--   alpha          number in [0, 1]            the share of the invariant matrix; the rest is the identity
--   retention      number in [0, 1]            the probability to stay
--   row_name       column                      the variable of the rows
--   row_matrix     table                       its matrix
--   column_matrix  table                       the matrix of the variable of the columns

CREATE OR REPLACE MACRO sdc__pram_counts(tbl, column_name) AS TABLE
    SELECT sdc__x, count(*) AS sdc__t
    FROM (SELECT COLUMNS(sdc__columns((*), [column_name])) AS sdc__x FROM sdc__exact_rows(tbl, codes := [column_name]))
    GROUP BY sdc__x HAVING count(sdc__x) > 0;  -- a filter on sdc__x itself would take the complaint of an empty table away

-- The matrix as one list, row by row, with the categories in order and their frequencies in the table.
CREATE OR REPLACE MACRO sdc__pram_dense(tbl, column_name, matrix) AS TABLE
    WITH sdc__counts AS MATERIALIZED (FROM sdc__pram_counts(tbl, column_name)),
    sdc__typed AS MATERIALIZED (
        SELECT sdc__category_of(sdc__m."from", sdc__t.sdc__x) AS sdc__from, sdc__category_of(sdc__m."to", sdc__t.sdc__x) AS sdc__to,
               sdc__checked_probability(TRY_CAST(sdc__m.probability AS DOUBLE)) AS sdc__p
        FROM (SELECT sdc__by_bytes(COLUMNS(sdc__columns((*), ['from', 'to', 'probability']))) AS "\0" FROM sdc__rows(matrix)) AS sdc__m
        LEFT JOIN (FROM sdc__counts LIMIT 0) AS sdc__t ON true
    ),
    sdc__categories AS MATERIALIZED (
        SELECT sdc__from AS sdc__c FROM sdc__typed UNION SELECT sdc__to FROM sdc__typed UNION SELECT sdc__x FROM sdc__counts
    ),
    sdc__square AS (
        SELECT a.sdc__c AS sdc__a, b.sdc__c AS sdc__b, coalesce(sum(sdc__p), 0) AS sdc__p,
               CASE WHEN count(sdc__p) > 1 THEN error('ParameterError: The PRAM matrix lists a change (a'
                                                      || ' from and a to) twice.') END AS sdc__twice
        FROM sdc__categories AS a CROSS JOIN sdc__categories AS b
        LEFT JOIN sdc__typed ON sdc__from = a.sdc__c AND sdc__to = b.sdc__c
        WHERE CASE WHEN a.sdc__c IS NULL THEN error('ParameterError: NULL cannot be a category of a matrix that is to be'
                                                    || ' inverted or made invariant.')
                   ELSE true END
        GROUP BY a.sdc__c, b.sdc__c
    )
    SELECT (SELECT list(sdc__c ORDER BY sdc__c ASC) FROM sdc__categories) AS sdc__names,
           (SELECT list(sdc__p ORDER BY sdc__a ASC, sdc__b ASC) FROM sdc__square WHERE sdc__twice IS NULL) AS sdc__p,
           (SELECT list(coalesce(sdc__t, 0)::DOUBLE ORDER BY sdc__c ASC)
            FROM sdc__categories
            LEFT JOIN sdc__counts ON sdc__c = sdc__x) AS sdc__t;

-- One row a pair of names, row by row.
CREATE OR REPLACE MACRO sdc__pram_long(dense) AS TABLE
    SELECT sdc__names[1 + sdc__i // len(sdc__names)] AS "from", sdc__names[1 + sdc__i % len(sdc__names)] AS "to",
           sdc__flat[1 + sdc__i] AS probability
    FROM (SELECT sdc__names, sdc__flat, unnest(range(len(sdc__flat))) AS sdc__i FROM query_table(dense));

-- Verb: pram_matrix
-- sdc_pram_invariant: a matrix made invariant: the expected frequencies are then those of the table.
-- Gives: from VARCHAR, to VARCHAR, probability DOUBLE.
-- Rows: pairs of categories.
-- Example: FROM sdc_pram_invariant('persons', 'sex', 'sexes');
CREATE OR REPLACE MACRO sdc_pram_invariant(tbl, column_name, matrix, method := 'two_stage') AS TABLE
    WITH sdc__dense AS (FROM sdc__pram_dense(tbl, column_name, matrix)),
    sdc__made AS (
        SELECT sdc__names,
               sdc__kernel_invariant(sdc__p, sdc__t, sdc__checked_choice(method, 'method', ['two_stage', 'iterative']),
                                     NULL, NULL) AS sdc__flat
        FROM sdc__dense
    )
    FROM sdc__pram_long('sdc__made');

-- Verb: pram_matrix
-- sdc_pram_pd_alpha: an invariant matrix by sdcMicro's parameters pd and alpha.
-- Gives: from VARCHAR, to VARCHAR, probability DOUBLE.
-- Rows: pairs of categories.
-- Example: FROM sdc_pram_pd_alpha('persons', 'sex', 0.8, 0.5);
CREATE OR REPLACE MACRO sdc_pram_pd_alpha(tbl, column_name, pd, alpha) AS TABLE
    WITH sdc__made AS (
        SELECT list(sdc__x ORDER BY sdc__x ASC) AS sdc__names,
               sdc__kernel_invariant(NULL, list(sdc__t::DOUBLE ORDER BY sdc__x ASC), 'pd_alpha',
                                     sdc__checked_number(pd, 'pd'), sdc__checked_number(alpha, 'alpha')) AS sdc__flat
        FROM sdc__pram_counts(tbl, column_name)
    )
    FROM sdc__pram_long('sdc__made');

-- Verb: pram_matrix
-- sdc_pram_retention_matrix: a matrix that retains each category with one probability and moves to the others alike.
-- Gives: from VARCHAR, to VARCHAR, probability DOUBLE.
-- Rows: pairs of categories.
-- Example: FROM sdc_pram_retention_matrix('persons', 'sex', 0.9);
CREATE OR REPLACE MACRO sdc_pram_retention_matrix(tbl, column_name, retention) AS TABLE
    WITH sdc__counts AS MATERIALIZED (FROM sdc__pram_counts(tbl, column_name))
    SELECT a.sdc__x AS "from", b.sdc__x AS "to",
           CASE WHEN NOT coalesce(TRY_CAST(retention AS DOUBLE) BETWEEN 0 AND 1, false)
                    THEN error('ParameterError: The retention is ' || coalesce(retention::VARCHAR, 'NULL')
                               || ': it must be a probability, from 0 to 1.')
                WHEN (SELECT count(*) FROM sdc__counts) = 1
                    THEN error('ParameterError: The column has one category only: PRAM needs another to move to.')
                WHEN a.sdc__x = b.sdc__x THEN TRY_CAST(retention AS DOUBLE)
                ELSE (1 - TRY_CAST(retention AS DOUBLE)) / ((SELECT count(*) FROM sdc__counts) - 1) END AS probability
    FROM sdc__counts AS a CROSS JOIN sdc__counts AS b;

-- For the user of a released file: the unbiased estimate of the original frequencies, T-hat = (P^-1)^t T_X, its standard error
-- under PRAM, and by how much PRAM inflates the variance of the frequency in a simple random sample.
CREATE OR REPLACE MACRO sdc__pram_estimated(tbl, column_name, matrix) AS TABLE
    SELECT sdc__names, sdc__t, sdc__kernel_estimate(sdc__p, sdc__t) AS sdc__found FROM sdc__pram_dense(tbl, column_name, matrix);

-- sdc_pram_estimate: the original frequencies of a released column, estimated without bias, and how sure.
-- Gives: category VARCHAR, released DOUBLE, estimate DOUBLE, standard_error DOUBLE, variance_inflation DOUBLE.
-- Rows: categories.
-- Example: FROM sdc_pram_estimate('persons', 'sex', 'sexes');
CREATE OR REPLACE MACRO sdc_pram_estimate(tbl, column_name, matrix) AS TABLE
    SELECT unnest(sdc__names) AS category, unnest(sdc__t) AS released, unnest(sdc__found[1]) AS estimate,
           unnest(sdc__found[2]) AS standard_error, unnest(sdc__found[3]) AS variance_inflation
    FROM sdc__pram_estimated(tbl, column_name, matrix);
-- The covariance matrix of the estimates.
-- sdc_pram_covariance: the covariance matrix of the estimated frequencies.
-- Gives: category VARCHAR, other VARCHAR, covariance DOUBLE.
-- Rows: pairs of categories.
-- Example: FROM sdc_pram_covariance('persons', 'sex', 'sexes');
CREATE OR REPLACE MACRO sdc_pram_covariance(tbl, column_name, matrix) AS TABLE
    WITH sdc__flat AS (SELECT sdc__names, sdc__found[4] AS sdc__flat FROM sdc__pram_estimated(tbl, column_name, matrix))
    SELECT "from" AS category, "to" AS other, probability AS covariance FROM sdc__pram_long('sdc__flat');

-- Two variables, changed independently of one another: T-hat = (Px^-1)^t T_XY Py^-1.
-- sdc_pram_estimate_two_way: the original two-way table of two columns changed independently, estimated.
-- Gives: row VARCHAR, column VARCHAR, released DOUBLE, estimate DOUBLE, standard_error DOUBLE.
-- Rows: pairs of categories.
-- Example: FROM sdc_pram_estimate_two_way('persons', 'sex', 'region', 'sexes', 'regions');
CREATE OR REPLACE MACRO sdc_pram_estimate_two_way(tbl, row_name, column_name, row_matrix, column_matrix) AS TABLE
    WITH sdc__r AS MATERIALIZED (SELECT sdc__names AS sdc__rows, sdc__p AS sdc__px FROM sdc__pram_dense(tbl, row_name, row_matrix)),
    sdc__c AS MATERIALIZED (SELECT sdc__names AS sdc__columns, sdc__p AS sdc__py FROM sdc__pram_dense(tbl, column_name, column_matrix)),
    sdc__cells AS MATERIALIZED (
        SELECT sdc__a, sdc__b, count(*) AS sdc__t
        FROM (SELECT COLUMNS(sdc__columns((*), [row_name])) AS sdc__a, COLUMNS(sdc__columns((*), [column_name])) AS sdc__b
              FROM sdc__exact_rows(tbl, codes := [row_name, column_name]))
        WHERE sdc__a IS NOT NULL AND sdc__b IS NOT NULL GROUP BY sdc__a, sdc__b
    ),
    sdc__square AS (
        SELECT sdc__i, sdc__j, coalesce(sdc__t, 0)::DOUBLE AS sdc__t
        FROM (SELECT unnest(sdc__rows) AS sdc__i FROM sdc__r) CROSS JOIN (SELECT unnest(sdc__columns) AS sdc__j FROM sdc__c)
        LEFT JOIN sdc__cells ON sdc__a = sdc__i AND sdc__b = sdc__j
    ),
    sdc__found AS (
        SELECT sdc__rows, sdc__columns, sdc__released, sdc__kernel_estimate_two_way(sdc__px, sdc__py, sdc__released) AS sdc__found
        FROM sdc__r CROSS JOIN sdc__c CROSS JOIN (SELECT list(sdc__t ORDER BY sdc__i ASC, sdc__j ASC) AS sdc__released FROM sdc__square)
    )
    SELECT sdc__rows[1 + sdc__n // len(sdc__columns)] AS "row", sdc__columns[1 + sdc__n % len(sdc__columns)] AS "column",
           sdc__released[1 + sdc__n] AS released, sdc__found[1][1 + sdc__n] AS estimate, sdc__found[2][1 + sdc__n] AS standard_error
    FROM (SELECT *, unnest(range(len(sdc__released))) AS sdc__n FROM sdc__found);
