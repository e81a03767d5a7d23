-- What is uncertain of the original values to one who knows the matrix of PRAM and the released ones.
--
--   P(V = i | V' = j) = P(V = i) p_ij / sum_h P(V = h) p_hj   p_ij: the probability that i becomes j
--                                                                  P(V = i): its share of the original file
--   H(V | V' = j)     = - sum_i P(V = i | V' = j) ln P(V = i | V' = j)                  (3.8)
--   EBIL              = sum over the released records of H(V | V' = j_r)
--   share: EBIL / (n H(V)), of the uncertainty of one who knows only how V is distributed
-- Losses are in nats (/ ln 2: bits). NULL is a category of its own.
-- Source: SDC handbook, section 3.5.2.3, (3.8).
--
--   original: id sex   released: id sex   matrix: from to probability
--             1  f               1  f             f    f  0.8
--             2  m               2  m             f    m  0.2
--                                                 m    f  0.2
--                                                 m    m  0.8
--   FROM sdc_pram_entropy_loss('original', 'released', 'sex', 'matrix'):
--   records mean_loss
--   2       0.5004     -0.8 ln 0.8 - 0.2 ln 0.2: both sexes are as many
--
-- Scope: cells.
-- Not compiled: the matrix is a table beside that of PRAM's steps, which are DuckDB's; measure it there.
-- Parameters:
--   original     table   the table before PRAM
--   released     table   the table after it
--   column_name  column  the variable that PRAM changed
--   matrix       table   the table of its probabilities: from, to, probability

CREATE OR REPLACE MACRO sdc__label_counts(tbl, column_name) AS TABLE
    SELECT sdc__x, count(*) AS sdc__t
    FROM (SELECT COLUMNS(sdc__columns((*), [column_name]))::VARCHAR AS sdc__x
          FROM sdc__exact_rows(tbl, codes := [column_name]))
    GROUP BY sdc__x;

-- share may exceed 1 where the released file holds more of the ambiguous categories than the matrix leads to expect.
-- sdc_pram_entropy_loss: what is uncertain of the original values to one who knows the matrix of PRAM and the released ones.
-- Gives: records BIGINT, loss DOUBLE (more loss), mean_loss DOUBLE (more loss), share DOUBLE (more loss).
-- Rows: one.
-- Result: PramEntropyLoss. The uncertainty that PRAM leaves, in nats, its mean over the released records, and the share of the most.
-- Example: FROM sdc_pram_entropy_loss('persons', 'released', 'sex', 'sexes');
CREATE OR REPLACE MACRO sdc_pram_entropy_loss(original, released, column_name, matrix) AS TABLE
    WITH sdc__counts AS MATERIALIZED (FROM sdc__label_counts(original, column_name)),
    sdc__typed AS MATERIALIZED (
        SELECT "from"::VARCHAR AS sdc__from, "to"::VARCHAR AS sdc__to, sdc__checked_probability(TRY_CAST(probability AS DOUBLE)) AS sdc__p
        FROM (SELECT sdc__by_bytes(COLUMNS(sdc__columns((*), ['from', 'to', 'probability']))) AS "\0" FROM sdc__rows(matrix))
    ),
    sdc__sums AS (
        SELECT sdc__t, coalesce(sdc__exact_sum(sdc__p, 90), 0) AS sdc__row
        FROM sdc__counts
        LEFT JOIN sdc__typed ON sdc__from IS NOT DISTINCT FROM sdc__x
        GROUP BY sdc__x, sdc__t
    ),
    sdc__joint AS (
        SELECT sdc__to, sdc__t * sdc__p AS sdc__w
        FROM sdc__counts
        JOIN sdc__typed ON sdc__from IS NOT DISTINCT FROM sdc__x
        WHERE sdc__p > 0
    ),
    sdc__totals AS (SELECT sdc__to AS sdc__y, sdc__exact_sum(sdc__w) AS sdc__all FROM sdc__joint GROUP BY sdc__to),
    sdc__unsure AS (
        SELECT sdc__y, sdc__exact_sum(sdc__uncertain(sdc__w / sdc__all, 1e0), 90) AS sdc__h
        FROM sdc__joint JOIN sdc__totals ON sdc__y IS NOT DISTINCT FROM sdc__to GROUP BY sdc__y
    ),
    sdc__lost AS (
        SELECT sum(sdc__t)::BIGINT AS sdc__n,
               sdc__exact_sum(sdc__t
                              * CASE WHEN sdc__h IS NULL THEN error(
                                         'ParameterError: The released column has categories that the PRAM matrix does not'
                                         || ' lead to from the original ones: give the matrix that it was masked by.')
                                     ELSE sdc__h END) AS sdc__loss
        FROM sdc__label_counts(released, column_name) LEFT JOIN sdc__unsure ON sdc__y IS NOT DISTINCT FROM sdc__x
    ),
    sdc__prior AS (
        SELECT (ln(sum(sdc__t)) - sdc__exact_sum(sdc__t * ln(sdc__t), 72) / sum(sdc__t)) AS sdc__entropy,
               max(abs(sdc__row - 1)) AS sdc__off
        FROM sdc__sums
    )
    SELECT CASE WHEN sdc__off > 1e-9 THEN error('ParameterError: The probabilities of the PRAM matrix do not sum to 1 for'
                                                || ' each original category: give every category''s row.')
                ELSE sdc__n END AS records,
           sdc__loss AS loss, sdc__loss / sdc__n AS mean_loss,
           CASE WHEN sdc__loss > 0 THEN sdc__loss / sdc__n / sdc__entropy ELSE 0 END AS share
    FROM sdc__lost, sdc__prior;
