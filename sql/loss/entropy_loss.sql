-- What is uncertain of the original values once the released ones are known.
--
--   H(V | V' = j) = - sum_i P(V = i | V' = j) ln P(V = i | V' = j)                      (3.8)
--   EBIL          = sum over the released records of H(V | V' = j_r)
-- The probabilities are taken from the two files themselves, record by record: for recodings this is the non-uniform entropy,
-- - sum ln(f(x) / f(x')), f the frequencies of a value and of the category it became.
--   share: EBIL / (n H(V)), of the uncertainty of one who knows only how V is distributed: 0 (nothing lost) to 1
-- With a weight w frequencies are sums of weights, EBIL is sum w H, and n the sum of all: whole weights are as many records each.
-- Losses are in nats (/ ln 2: bits). NULL is a category of its own, also where it is a suppressed value.
-- Source: SDC handbook, section 3.5.2.3, (3.8); Willenborg & De Waal (2001), Elements of Statistical Disclosure Control;
--   non-uniform entropy: Gionis & Tassa (2009), k-anonymization with minimal loss of information, IEEE TKDE 21(2).
--
--   original: id age  released: id age    FROM sdc_entropy_loss('original', 'released', ['age'], 'id'):
--             1  30             1  30-39  variable records loss   mean_loss share
--             2  34             2  30-39  NULL     4       1.3863 0.3466    0.25     30-39: 2 ln 2; 41 and 52 are known
--             3  41             3  41     age      4       1.3863 0.3466    0.25
--             4  52             4  52
--
-- Scope: cells.
-- Parameters:
--   original     table    the table before masking or recoding
--   released     table    the table after it
--   columns      columns  the categorical variables
--   id           column   identifies each record
--   weight       column   a column of the original, what each record counts for (whole weights: as many records each);
--       without it the records are counted

-- -n ln(n / m), summed exactly: of the records with one value in a group of m.
CREATE OR REPLACE MACRO sdc__uncertain(n, m) AS -n * ln(n / m);

-- variable NULL: all of them, the sum of theirs (the share: of the sum of what could be lost).
-- sdc_entropy_loss: what is uncertain of the original values once the released ones are known.
-- Gives: variable VARCHAR or NULL, records BIGINT, loss DOUBLE (more loss), mean_loss DOUBLE (more loss), share DOUBLE (more loss).
-- Rows: each variable (all of them together first).
-- Words: share: share of the information that was lost (entropy); loss: information that was lost (entropy).
-- Result: EntropyLoss. The uncertainty in nats (variable NULL: of all variables), its mean over records, and the share of the most.
-- Told: share.
-- Example: FROM sdc_entropy_loss('persons', 'released', ['region'], 'id');
-- Limit: share. The share of the information on this variable that was lost.
CREATE OR REPLACE MACRO sdc_entropy_loss(original, released, columns, id, weight := NULL) AS TABLE
    WITH sdc__moves AS (FROM sdc__transitions(original, released, columns, id, weight)),
    sdc__given AS (
        SELECT sdc__place, sdc__variable, sum(sdc__n) AS sdc__r, sdc__exact_sum(sdc__w) AS sdc__m,
               sdc__exact_sum(sdc__w * ln(sdc__w), 72) AS sdc__e
        FROM sdc__moves
        GROUP BY sdc__place, sdc__variable, sdc__y
    ),
    sdc__alone AS (SELECT sdc__place AS sdc__of, sdc__x, sdc__exact_sum(sdc__w) AS sdc__f FROM sdc__moves GROUP BY sdc__place, sdc__x),
    -- no less than 0, but for the rounding of logarithms
    sdc__lost AS (
        SELECT sdc__place, sdc__variable, sum(sdc__r)::BIGINT AS sdc__records, sdc__exact_sum(sdc__m) AS sdc__total,
               greatest(0, sdc__exact_sum(sdc__m * ln(sdc__m) - sdc__e, 72)) AS sdc__loss
        FROM sdc__given GROUP BY sdc__place, sdc__variable
    ),
    sdc__most AS (
        SELECT sdc__of,
               sdc__exact_sum(sdc__f) * ln(sdc__exact_sum(sdc__f)) - sdc__exact_sum(sdc__f * ln(sdc__f), 72) AS sdc__all
        FROM sdc__alone
        GROUP BY sdc__of
    ),
    sdc__shares AS MATERIALIZED (FROM sdc__lost JOIN sdc__most ON sdc__of = sdc__place)
    SELECT sdc__variable AS variable, sdc__records AS records, sdc__loss AS loss, sdc__loss / sdc__total AS mean_loss,
           CASE WHEN sdc__loss > 0 THEN least(1, sdc__loss / sdc__all) ELSE 0 END AS share
    FROM (SELECT sdc__place, sdc__variable, sdc__records, sdc__total, sdc__loss, sdc__all
          FROM sdc__shares
          UNION ALL
          SELECT 0, nullif(max(sdc__variable), max(sdc__variable)), max(sdc__records), max(sdc__total),
                 sdc__exact_sum(sdc__loss), sdc__exact_sum(sdc__all)
          FROM sdc__shares)
    ORDER BY sdc__place ASC;
