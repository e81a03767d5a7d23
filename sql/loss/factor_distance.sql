-- How far the principal components of the released numbers, and their correlations, are from the original ones.
--
--   RF  the correlations of the variables with the components      F  the loadings: z_i = sum_j f_ij PC_j
--   C   the communalities: the share of a variable's variance that the first component explains, rf_i1^2
--   mean_square_error of RF and F = sum_j w_j sum_i (z_ij - z'_ij)^2 / p^2, of C = sum_i (c_i - c'_i)^2 / p; absolute error and variation
--   likewise                                                                                                          (Table 3.7)
--   eigenvalue distance  the mean of |l_j - l'_j| / l_j over the components
--   gamma = 1 / sqrt 2 * | d / |d| - d' / |d'| |, d the diagonal of the inverse of the correlation matrix: 0 to 1                (3.9)
-- The handbook leaves open what the components are of and what w_j is: here of the correlation matrix (of standardised variables, so that
-- units do not matter), the greatest eigenvalue first, w_j = l_j / sum l, the share of the variance in the original. A component of the
-- released file has the sign that agrees with the original's. Components with one eigenvalue are not determined, and so are their
-- distances. Correlations are over the records of each file that miss no value; one with a constant is 0. gamma needs invertible
-- matrices, and three variables: of two it is 0 whatever happens to them, since both elements of the diagonal are the same.
-- Source: SDC handbook, section 3.5.3, Table 3.7 and (3.9); Domingo-Ferrer, Mateo-Sanz & Torra (2001); Mlodak, Pietrzak &
--   Jozefowski (2022). sdcMicro's "eigen" is the sum of what is the mean here, its IL_correl is gamma.
--
--   original: x y times   released: x y times   FROM sdc_eigenvalue_distance('original', 'released', ['x', 'y']):
--             0 0 3                 0 0 2       component before after variation
--             0 1 1                 0 1 2       NULL      NULL   NULL  0.6667      correlations 0.5 before, 0 after:
--             1 0 1                 1 0 2       1         1.5    1     0.3333        (3 x 3 - 1 x 1) / 16 and 0
--             1 1 3                 1 1 2       2         0.5    1     1
--
--   before: x y z   after: x y z   FROM sdc_gamma_loss('before', 'after', ['x', 'y', 'z']):
--           0 0 0          0 0 0   gamma
--           0 1 1          0 1 1   0.1943     d = (1, 1, 1) before; after, x and z correlate by 1 / sqrt 2: d' = (2, 1, 2)
--           1 0 1          1 0 2
--           1 1 0          1 1 1
--
-- Scope: moments.
-- Not compiled: its eigenvalues are computed by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original       table               the table before masking
--   released       table               the table after it
--   columns        columns             the numeric variables
--   max_variation  number in (0, ...)  the most that the variation of a cell counts; without it there is no bound

CREATE OR REPLACE MACRO sdc__kernel_factors(before, after) AS sdc__needs_python('Principal components')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_gamma(before, after) AS sdc__needs_python('gamma')::DOUBLE[];

CREATE OR REPLACE MACRO sdc__checked_matrix(r) AS
    CASE WHEN r IS NULL
             THEN error('TableError: Fewer than two records have values in all the columns: there are no correlations.')
         ELSE r END;

-- Both correlation matrices, in one row.
CREATE OR REPLACE MACRO sdc__both_correlations(original, released, columns) AS TABLE
    WITH sdc__old AS (FROM sdc__one_side(original, released, columns, true)),
    sdc__new AS (FROM sdc__one_side(original, released, columns, false))
    SELECT sdc__checked_matrix(any_value(sdc__r) FILTER (WHERE sdc__side = 1)) AS sdc__before,
           sdc__checked_matrix(any_value(sdc__r) FILTER (WHERE sdc__side = 2)) AS sdc__after
    FROM (SELECT 1 AS sdc__side, sdc__r FROM sdc__shape('sdc__old') UNION ALL SELECT 2, sdc__r FROM sdc__shape('sdc__new'));

-- Gives: matrix VARCHAR, cells BIGINT, mean_square_error DOUBLE (more loss), mean_absolute_error DOUBLE (more loss),
--   mean_variation DOUBLE or NULL (more loss).
-- Rows: each matrix.
-- Result: FactorDistance. The discrepancies of a matrix of the principal components; `mean_variation` is NULL where it has no bound.
-- sdc_factor_distance: how far the principal components' correlations, communalities and loadings are from the original ones.
-- Example: FROM sdc_factor_distance('persons', 'released', ['income', 'w']);
CREATE OR REPLACE MACRO sdc_factor_distance(original, released, columns, max_variation := NULL) AS TABLE
    WITH sdc__found AS MATERIALIZED (SELECT sdc__kernel_factors(sdc__before, sdc__after) AS sdc__k
                                     FROM sdc__both_correlations(original, released, columns)),
    sdc__flat AS MATERIALIZED (
        SELECT sdc__i, sdc__j, sdc__k[3][sdc__j] AS sdc__w, sqrt(sdc__k[1][sdc__j]) AS sdc__root, sqrt(sdc__k[2][sdc__j]) AS sdc__root2,
               sdc__k[4][(sdc__j - 1) * len(sdc__k[1]) + sdc__i] AS sdc__f, sdc__k[5][(sdc__j - 1) * len(sdc__k[1]) + sdc__i] AS sdc__g
        FROM (SELECT sdc__k, sdc__j, unnest(range(1, len(sdc__k[1]) + 1)) AS sdc__i
              FROM (SELECT sdc__k, unnest(range(1, len(sdc__k[1]) + 1)) AS sdc__j FROM sdc__found))
    ),
    sdc__cells AS MATERIALIZED (
        SELECT 1 AS sdc__matrix, sdc__f * sdc__root AS sdc__x, sdc__g * sdc__root2 AS sdc__y, sdc__w FROM sdc__flat
        UNION ALL SELECT 2, (sdc__f * sdc__root) ** 2, (sdc__g * sdc__root2) ** 2, 1e0 FROM sdc__flat WHERE sdc__j = 1
        UNION ALL SELECT 3, sdc__f, sdc__g, sdc__w FROM sdc__flat
    )
    SELECT ['RF', 'C', 'F'][sdc__matrix] AS matrix, sdc__cells AS cells, sdc__mse AS mean_square_error,
           sdc__mae AS mean_absolute_error, sdc__mv AS mean_variation
    FROM sdc__discrepancies('sdc__cells', max_variation) ORDER BY sdc__matrix ASC;

-- component NULL: the mean of all. An eigenvalue that is 0 and has not stayed so varies without bound: NULL.
-- sdc_eigenvalue_distance: the eigenvalues of the correlation matrix, before and after.
-- Gives: component BIGINT or NULL, before DOUBLE or NULL, after DOUBLE or NULL, variation DOUBLE or NULL (more loss).
-- Rows: each component (the mean of all first, then the greatest eigenvalue).
-- Result: EigenvalueDistance. An eigenvalue of the correlation matrix before and after; component NULL: the mean variation of all.
-- Example: FROM sdc_eigenvalue_distance('persons', 'released', ['income', 'w']);
CREATE OR REPLACE MACRO sdc_eigenvalue_distance(original, released, columns) AS TABLE
    WITH sdc__found AS (
        SELECT sdc__kernel_factors(sdc__before, sdc__after) AS sdc__k
        FROM sdc__both_correlations(original, released, columns)
    ),
    sdc__each AS MATERIALIZED (
        SELECT sdc__i, sdc__l, sdc__m, sdc__variation(sdc__l, sdc__m, NULL::DOUBLE) AS sdc__v
        FROM (SELECT unnest(sdc__k[1]) AS sdc__l, unnest(sdc__k[2]) AS sdc__m,
                     unnest(range(1, len(sdc__k[1]) + 1)) AS sdc__i
              FROM sdc__found)
    )
    SELECT nullif(sdc__i, 0) AS component, sdc__l AS before, sdc__m AS after, sdc__v AS variation
    FROM (FROM sdc__each
          UNION ALL
          SELECT 0, NULL, NULL,
                 CASE WHEN count(sdc__v) = count(*) THEN list_sum(list(sdc__v ORDER BY sdc__i ASC)) / count(*) END
          FROM sdc__each)
    ORDER BY sdc__i ASC;

CREATE OR REPLACE MACRO sdc__three_or_more(columns) AS
    CASE WHEN len(sdc__names(columns)) >= 3 THEN true
         ELSE error('ParameterError: gamma needs three columns or more: of two it is 0 whatever happens to them,'
                    || ' since both elements of the diagonal of the inverse are the same. Take the correlation'
                    || ' itself: R of sdc_matrix_distance.') END;

-- sdc_gamma_loss: gamma, the share of the information on connections between the variables that is lost.
-- Gives: gamma DOUBLE (more loss).
-- Rows: one.
-- Result: GammaLoss. The share of the information on connections between the variables that is lost, 0 to 1.
-- Raises: ParameterError where there are fewer than three columns, or a correlation matrix is singular.
-- Notes: Of two columns gamma is 0 whatever happens to them.
-- Example: FROM sdc_gamma_loss('persons', 'released', ['age', 'income', 'w']);
-- Limit: gamma. The share of the information on the connections between the variables that was lost.
CREATE OR REPLACE MACRO sdc_gamma_loss(original, released, columns) AS TABLE
    SELECT sdc__kernel_gamma(sdc__before, sdc__after)[1] AS gamma
    FROM sdc__both_correlations(original, released, columns)
    WHERE sdc__three_or_more(columns);
