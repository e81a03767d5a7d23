-- How far the released numbers, their means, covariances and correlations are from the original ones.
--
--   mean_square_error     sum of (z - z')^2   / number of cells
--   mean_absolute_error   sum of |z - z'|     / number of cells          over the cells z of a matrix (Table 3.7)
--   mean_variation        sum of |z - z'|/|z| / number of cells
--   X       the values, record by record (np cells)         X mean  the means (p)
--   V       the covariances (p(p+1)/2)                      S       the variances (p)
--   R       the correlations, without the diagonal (p(p-1)/2)
-- A cell that is 0 and has not stayed so varies without bound: the mean variation is then NULL, unless `max_variation` bounds the
-- variation of a cell (Trottini 2003), to which it counts. A value that is NULL in either file has no cell in X; means are of the values
-- there are, V and R of the records that miss none. A correlation with a constant is 0. The principal components' matrices RF, C, F:
-- sdc_factor_distance.
-- Source: SDC handbook, section 3.5.3, Table 3.7; Domingo-Ferrer, Mateo-Sanz & Torra (2001).
--
--   original: id x    released: id x    FROM sdc_matrix_distance('original', 'released', ['x'], 'id'):
--             1  1              1  1    matrix cells mean_square_error mean_absolute_error mean_variation
--             2  2              2  3    X      3     0.3333            0.3333              0.1667
--             3  3              3  3    X mean 1     0.1111            0.3333              0.1667
--                                       V      1     0.1111            0.3333              0.3333          1 -> 4/3
--                                       S      1     0.1111            0.3333              0.3333
--                                       R      0     NULL              NULL                NULL
--
-- Scope: moments.
-- Not compiled: its matrices are lists of lists, which other engines have no words for.
-- Parameters:
--   original       table               the table before masking
--   released       table               the table after it
--   columns        columns             the numeric variables
--   id             column              identifies each record
--   max_variation  number in (0, ...)  the most that the variation of a cell counts; without it there is no bound

-- The variation of a cell; NULL where it has no bound.
CREATE OR REPLACE MACRO sdc__variation(x, y, max_variation) AS CASE
    WHEN max_variation <= 0 OR isnan(max_variation)
        THEN error('ParameterError: max_variation is ' || max_variation::VARCHAR || ': it must be a number above 0.')
    WHEN x IS NULL OR y IS NULL THEN NULL
    WHEN x = y THEN 0
    WHEN x = 0 THEN max_variation
    ELSE least(abs(x - y) / abs(x), coalesce(max_variation, 'infinity'::DOUBLE)) END;

-- cells: the name of a relation with sdc__matrix (a number), sdc__x, sdc__y and sdc__w, the weight of a cell. The sums are exact, and
-- divided by the number of cells.
CREATE OR REPLACE MACRO sdc__discrepancies(cells, max_variation) AS TABLE
    WITH sdc__sizes AS (
        SELECT sdc__matrix AS sdc__of, sdc__shift(sdc__finite_size(max(abs(sdc__x - sdc__y)))) AS sdc__e,
               sdc__shift(max(sdc__variation(sdc__x, sdc__y, sdc__checked_number(max_variation, 'max_variation')))) AS sdc__u
        FROM query_table(cells) GROUP BY sdc__matrix
    )
    SELECT sdc__matrix, count(sdc__x - sdc__y) AS sdc__cells,
           sdc__exact_sum(sdc__w * ((sdc__x - sdc__y) * sdc__e) ** 2, 88) / any_value(sdc__e) / any_value(sdc__e)
           / nullif(count(sdc__x - sdc__y), 0) AS sdc__mse,
           sdc__exact_sum(sdc__w * abs(sdc__x - sdc__y) * sdc__e, 88) / any_value(sdc__e) / nullif(count(sdc__x - sdc__y), 0) AS sdc__mae,
           CASE WHEN count(sdc__x - sdc__y) = count(sdc__variation(sdc__x, sdc__y, sdc__checked_number(max_variation, 'max_variation')))
                THEN sdc__exact_sum(
                         sdc__w * sdc__variation(sdc__x, sdc__y, sdc__checked_number(max_variation, 'max_variation')) * sdc__u, 88)
                     / any_value(sdc__u) / nullif(count(sdc__x - sdc__y), 0) END AS sdc__mv
    FROM query_table(cells) JOIN sdc__sizes ON sdc__of = sdc__matrix GROUP BY sdc__matrix;

-- The cells of two matrices, lists of rows, from the first column to the diagonal, or without it.
CREATE OR REPLACE MACRO sdc__lower(m, diagonal) AS flatten(list_transform(m, lambda r, i: r[1:(CASE WHEN diagonal THEN i ELSE i - 1 END)]));

-- sdc_matrix_distance: how far the values, means, covariances and correlations are from the original ones.
-- Gives: matrix VARCHAR, cells BIGINT, mean_square_error DOUBLE or NULL (more loss), mean_absolute_error DOUBLE or NULL (more loss),
--   mean_variation DOUBLE or NULL (more loss).
-- Rows: each matrix (the values X, their means, the covariances V, the variances S and the correlations R).
-- Result: MatrixDistance. The discrepancies of a matrix in three forms; `mean_variation` is NULL where it has no bound.
-- Example: FROM sdc_matrix_distance('persons', 'released', ['income', 'w'], 'id');
CREATE OR REPLACE MACRO sdc_matrix_distance(original, released, columns, id, max_variation := NULL) AS TABLE
    WITH sdc__old AS (FROM sdc__one_side(original, released, columns, true)),
    sdc__new AS (FROM sdc__one_side(original, released, columns, false)),
    sdc__shapes AS MATERIALIZED (
        SELECT sdc__o.sdc__means AS sdc__m, sdc__o.sdc__v, sdc__o.sdc__r, sdc__n.sdc__means AS sdc__m2,
               sdc__n.sdc__v AS sdc__v2, sdc__n.sdc__r AS sdc__r2
        FROM sdc__shape('sdc__old') AS sdc__o, sdc__shape('sdc__new') AS sdc__n
    ),
    sdc__cells AS MATERIALIZED (
        SELECT 1 AS sdc__matrix, sdc__x, sdc__y, 1e0 AS sdc__w FROM sdc__number_pairs(original, released, columns, id, NULL)
        UNION ALL SELECT 2, unnest(sdc__m), unnest(sdc__m2), 1e0 FROM sdc__shapes
        UNION ALL SELECT 3, unnest(sdc__lower(sdc__v, true)), unnest(sdc__lower(sdc__v2, true)), 1e0 FROM sdc__shapes
        UNION ALL
        SELECT 4, unnest(list_transform(sdc__v, lambda r, i: r[i])), unnest(list_transform(sdc__v2, lambda r, i: r[i])), 1e0
        FROM sdc__shapes
        UNION ALL SELECT 5, unnest(sdc__lower(sdc__r, false)), unnest(sdc__lower(sdc__r2, false)), 1e0 FROM sdc__shapes
    )
    SELECT ['X', 'X mean', 'V', 'S', 'R'][sdc__row] AS matrix, coalesce(sdc__cells, 0) AS cells,
           sdc__mse AS mean_square_error, sdc__mae AS mean_absolute_error, sdc__mv AS mean_variation
    FROM (SELECT unnest(range(1, 6)) AS sdc__row)
    LEFT JOIN sdc__discrepancies('sdc__cells', max_variation) ON sdc__matrix = sdc__row
    ORDER BY sdc__row ASC;
