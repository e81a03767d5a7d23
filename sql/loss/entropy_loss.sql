-- What is uncertain of the original values once the released ones are known.
--
--   H(V | V' = j) = - sum_i P(V = i | V' = j) ln P(V = i | V' = j)                      (3.8)
--   EBIL          = sum over the released records of H(V | V' = j_r)
-- sdc_pram_entropy_loss takes the probabilities from the matrix of PRAM by Bayes' formula, P(V = i) being the shares of the original file.
-- sdc_entropy_loss takes them from the two files themselves, record by record: for recodings this is the non-uniform entropy,
-- - sum ln(f(x) / f(x')), f the frequencies of a value and of the category it became.
--   share: EBIL / (n H(V)), of the uncertainty of one who knows only how V is distributed: 0 (nothing lost) to 1 (by sdc_entropy_loss)
-- Losses are in nats (/ ln 2: bits). NULL is a category of its own, also where it is a suppressed value.
-- Source: SDC handbook, section 3.5.2.3, (3.8); Willenborg & De Waal (2001), Elements of Statistical Disclosure Control; non-uniform entropy:
--   Gionis & Tassa (2009), k-anonymization with minimal loss of information, IEEE TKDE 21(2).
--
--   original: age  released: age    FROM sdc_entropy_loss('original', 'released', ['age'], 'id'):
--             30             30-39  variable records loss   mean_loss share
--             34             30-39  NULL     4       1.3863 0.3466    0.3333      30-39: 2 ln 2; 41 and 52 are known
--             41             41     age      4       1.3863 0.3466    0.25
--             52             52
--
-- Scope: cells.
-- Parameters:
--   original     table    the table before masking or recoding
--   released     table    the table after it
--   columns      columns  the categorical variables
--   id           column   identifies each record
--   column_name  column   the variable that PRAM changed
--   matrix       table    its probabilities: from, to, probability

-- -n ln(n / m), summed exactly: of the records with one value in a group of m.
CREATE OR REPLACE MACRO sdc__uncertain(n, m) AS -n * ln(n / m);

-- variable NULL: all of them, the sum of theirs (the share: of the sum of what could be lost).
-- sdc_entropy_loss: what is uncertain of the original values once the released ones are known.
-- Gives: variable, records, loss, mean_loss, share.
-- Example: FROM sdc_entropy_loss('persons', 'released', ['region'], 'id');
-- Limit: share. The share of the information on this variable that was lost.
CREATE OR REPLACE MACRO sdc_entropy_loss(original, released, columns, id) AS TABLE
    WITH sdc__moves AS (FROM sdc__transitions(original, released, columns, id)),
    sdc__given AS (
        SELECT sdc__place, sdc__variable, sum(sdc__n) AS sdc__m, sdc__exact_sum(sdc__n * ln(sdc__n), 72) AS sdc__e FROM sdc__moves GROUP BY sdc__place, sdc__variable, sdc__y
    ),
    sdc__alone AS (SELECT sdc__place AS sdc__of, sdc__x, sum(sdc__n) AS sdc__f FROM sdc__moves GROUP BY sdc__place, sdc__x),
    -- no less than 0, but for the rounding of logarithms
    sdc__lost AS (
        SELECT sdc__place, sdc__variable, sum(sdc__m)::BIGINT AS sdc__records, greatest(0, sdc__exact_sum(sdc__m * ln(sdc__m) - sdc__e, 72)) AS sdc__loss
        FROM sdc__given GROUP BY sdc__place, sdc__variable
    ),
    sdc__most AS (SELECT sdc__of, sum(sdc__f) * ln(sum(sdc__f)) - sdc__exact_sum(sdc__f * ln(sdc__f), 72) AS sdc__all FROM sdc__alone GROUP BY sdc__of),
    sdc__shares AS MATERIALIZED (FROM sdc__lost JOIN sdc__most ON sdc__of = sdc__place)
    SELECT sdc__variable AS variable, sdc__records AS records, sdc__loss AS loss, sdc__loss / sdc__records AS mean_loss,
           CASE WHEN sdc__loss > 0 THEN least(1, sdc__loss / sdc__all) ELSE 0 END AS share
    FROM (SELECT sdc__place, sdc__variable, sdc__records, sdc__loss, sdc__all FROM sdc__shares
          UNION ALL SELECT 0, nullif(max(sdc__variable), max(sdc__variable)), max(sdc__records), sdc__exact_sum(sdc__loss), sdc__exact_sum(sdc__all) FROM sdc__shares)
    ORDER BY sdc__place ASC;

CREATE OR REPLACE MACRO sdc__label_counts(tbl, column_name) AS TABLE
    SELECT sdc__x, count(*) AS sdc__t FROM (SELECT COLUMNS(sdc__columns((*), [column_name]))::VARCHAR AS sdc__x FROM sdc__exact_rows(tbl, codes := [column_name])) GROUP BY sdc__x;

-- share may exceed 1 where the released file holds more of the ambiguous categories than the matrix leads to expect.
-- sdc_pram_entropy_loss: what is uncertain of the original values to one who knows the matrix of PRAM and the released ones.
-- Gives: records, loss, mean_loss, share.
-- Example: FROM sdc_pram_entropy_loss('persons', 'released', 'sex', 'sexes');
CREATE OR REPLACE MACRO sdc_pram_entropy_loss(original, released, column_name, matrix) AS TABLE
    WITH sdc__counts AS MATERIALIZED (FROM sdc__label_counts(original, column_name)),
    sdc__typed AS MATERIALIZED (
        SELECT "from"::VARCHAR AS sdc__from, "to"::VARCHAR AS sdc__to, sdc__checked_probability(TRY_CAST(probability AS DOUBLE)) AS sdc__p
        FROM (SELECT sdc__by_bytes(COLUMNS(sdc__columns((*), ['from', 'to', 'probability']))) AS "\0" FROM sdc__rows(matrix))
    ),
    sdc__sums AS (
        SELECT sdc__t, coalesce(sdc__exact_sum(sdc__p, 90), 0) AS sdc__row FROM sdc__counts LEFT JOIN sdc__typed ON sdc__from IS NOT DISTINCT FROM sdc__x GROUP BY sdc__x, sdc__t
    ),
    sdc__joint AS (SELECT sdc__to, sdc__t * sdc__p AS sdc__w FROM sdc__counts JOIN sdc__typed ON sdc__from IS NOT DISTINCT FROM sdc__x WHERE sdc__p > 0),
    sdc__totals AS (SELECT sdc__to AS sdc__y, sdc__exact_sum(sdc__w) AS sdc__all FROM sdc__joint GROUP BY sdc__to),
    sdc__unsure AS (
        SELECT sdc__y, sdc__exact_sum(sdc__uncertain(sdc__w / sdc__all, 1e0), 90) AS sdc__h
        FROM sdc__joint JOIN sdc__totals ON sdc__y IS NOT DISTINCT FROM sdc__to GROUP BY sdc__y
    ),
    sdc__lost AS (
        SELECT sum(sdc__t)::BIGINT AS sdc__n,
               sdc__exact_sum(sdc__t * CASE WHEN sdc__h IS NULL THEN error('ParameterError: The released column has categories that the PRAM matrix does not lead to from the original ones: give the matrix that it was masked by.') ELSE sdc__h END) AS sdc__loss
        FROM sdc__label_counts(released, column_name) LEFT JOIN sdc__unsure ON sdc__y IS NOT DISTINCT FROM sdc__x
    ),
    sdc__prior AS (SELECT (ln(sum(sdc__t)) - sdc__exact_sum(sdc__t * ln(sdc__t), 72) / sum(sdc__t)) AS sdc__entropy, max(abs(sdc__row - 1)) AS sdc__off FROM sdc__sums)
    SELECT CASE WHEN sdc__off > 1e-9 THEN error('ParameterError: The probabilities of the PRAM matrix do not sum to 1 for each original category: give every category''s row.') ELSE sdc__n END AS records,
           sdc__loss AS loss, sdc__loss / sdc__n AS mean_loss, CASE WHEN sdc__loss > 0 THEN sdc__loss / sdc__n / sdc__entropy ELSE 0 END AS share
    FROM sdc__lost, sdc__prior;
