-- SUDA: how special a sample unique is, from its minimal sample uniques (MSUs), and the intruder's
-- confidence in a match against it.
--
--   score    = sum over the record's MSUs of (m - k)! , m keys, k the size of the MSU     ('factorial')
--            = sum of (2^(m - k) - 1) k! (m - k)! / m!                                    ('superset')
--   DIS-SUDA = 1 / (1 + P (1 - f) / f / (s^Q sum s^-Q)) , Q = 1 + (8 - m)/20, 0 where the score s is 0
-- P: the records in pairs (cells of two records); f: the DIS fraction, as a rule the sampling fraction;
-- the sum is over the records whose score is above 0.
-- Source: Elliot, Manning, Mayes, Gurd & Bane (2005), SUDA; Elliot (2005); SDC handbook, section 3.3.7.
-- Both scorings and DIS-SUDA as sdcMicro computes them (`original_scores` TRUE and FALSE).
--
--   persons: age sex   sdc_suda('persons', ['age', 'sex']):   age sex msu_count suda_score dis_suda
--            30  f                                            30  f   0         0          0
--            30  m                                            30  m   1         1          0.01
--            30  f                                            30  f   0         0          0
--            41  f                                            41  f   1         1          0.01
--
-- Edges: an MSU of all keys weighs 0 by 'superset'; without pairs DIS-SUDA is 1 where s > 0. Sizes above
-- max_msu are not looked for, so a small max_msu lowers scores: NULL looks for every size.

-- The weights of the sizes k = 1 .. m of m keys; and that of one size.
CREATE OR REPLACE MACRO sdc__msu_weights(m, scoring) AS CASE scoring
    WHEN 'factorial' THEN list_transform(range(1, m + 1), lambda k: gamma(m - k + 1e0))
    WHEN 'superset' THEN list_transform(range(1, m + 1), lambda k: (power(2e0, m - k) - 1) * gamma(k + 1e0) * gamma(m - k + 1e0) / gamma(m + 1e0))
    ELSE error('scoring is ' || coalesce(scoring::VARCHAR, 'NULL') || ': it must be ''factorial'' or ''superset''.')
END;
CREATE OR REPLACE MACRO sdc__msu_weight(m, k, scoring) AS (sdc__msu_weights(m, scoring))[k];

-- The cells that have a score: sdc__key, sdc__msus (how many), sdc__score.
CREATE OR REPLACE MACRO sdc__suda_cells(tbl, keys, max_msu, scoring, nulls) AS TABLE
    SELECT sdc__key, count(*) AS sdc__msus,
           sum(sdc__msu_weight(len(keys::VARCHAR[]), sdc__size, scoring)) AS sdc__score
    FROM sdc__minimal_sample_uniques(tbl, keys, max_msu, nulls)
    GROUP BY sdc__key;

-- What all records share: sdc__pairs (P), sdc__q (Q), sdc__sum (of s^-Q) and sdc__fraction (f).
CREATE OR REPLACE MACRO sdc__dis(tbl, keys, max_msu, dis_fraction) AS TABLE
    SELECT coalesce(sum(sdc__records) FILTER (sdc__f = 2), 0)::DOUBLE AS sdc__pairs,
           sdc__checked_fraction(dis_fraction, 'DIS fraction') AS sdc__fraction,
           1 + (8 - len(keys::VARCHAR[])) / 20e0 AS sdc__q
    FROM sdc__counted_cells(tbl, keys, max_msu);

CREATE OR REPLACE MACRO sdc__scored_cells(tbl, keys, max_msu, dis_fraction, scoring, nulls) AS TABLE
    SELECT c.*, CASE WHEN sdc__score > 0 THEN
               1 / (1 + sdc__pairs * (1 - sdc__fraction) / sdc__fraction
                    / (power(sdc__score, sdc__q) * sum(CASE WHEN sdc__score > 0 THEN power(sdc__score, -sdc__q) END) OVER ()))
               ELSE 0e0 END AS sdc__dis
    FROM sdc__suda_cells(tbl, keys, max_msu, scoring, nulls) AS c, sdc__dis(tbl, keys, max_msu, dis_fraction) AS d;

-- max_msu: the largest size of a minimal sample unique to look for; NULL: every size.
-- sdc_suda: every column, and of each record msu_count, suda_score and dis_suda, the intruder's confidence in a match.
-- Example: FROM sdc_suda('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_suda(tbl, keys, max_msu := 3, dis_fraction := 0.01, scoring := 'factorial', nulls := 'category') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['msu_count', 'suda_score', 'dis_suda'])),
           coalesce(sdc__msus, 0) AS msu_count, coalesce(sdc__score, 0e0) AS suda_score, coalesce(sdc__dis_suda, 0e0) AS dis_suda
    FROM (SELECT r.* EXCLUDE (sdc__key), c.sdc__msus, c.sdc__score,
                 CASE WHEN sdc__checked_fraction(dis_fraction, 'DIS fraction') > 0 AND sdc__msu_weight(1, 1, scoring) >= 0 THEN c.sdc__dis END AS sdc__dis_suda
          FROM sdc__keyed(tbl, keys) AS r
          LEFT JOIN sdc__scored_cells(tbl, keys, max_msu, dis_fraction, scoring, nulls) AS c ON r.sdc__key = c.sdc__key);

-- records, records_with_msu, msus, total_score, max_score, max_dis_suda, and mean_dis_suda over all records.
-- sdc_suda_summary: SUDA of the file in one row.
-- Example: FROM sdc_suda_summary('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_suda_summary(tbl, keys, max_msu := 3, dis_fraction := 0.01, scoring := 'factorial', nulls := 'category') AS TABLE
    SELECT sdc__n AS records, count(sdc__msus) AS records_with_msu, coalesce(sum(sdc__msus), 0)::BIGINT AS msus,
           coalesce(sum(sdc__score), 0e0) AS total_score, coalesce(max(sdc__score), 0e0) AS max_score,
           coalesce(max(sdc__dis), 0e0) AS max_dis_suda, coalesce(sum(sdc__dis), 0e0) / sdc__n AS mean_dis_suda
    FROM (SELECT sum(sdc__records)::BIGINT AS sdc__n FROM sdc__counted_cells(tbl, keys, max_msu))
    LEFT JOIN sdc__scored_cells(tbl, keys, max_msu, dis_fraction, scoring, nulls) ON true
    GROUP BY sdc__n;

-- The bit of each key in the number of a set of keys: 1, 2, 4, ...
CREATE OR REPLACE MACRO sdc__key_bits(keys) AS list_transform(range(len(keys::VARCHAR[])), lambda i: 1::BIGINT << i);

-- variable, msus, contribution (percent). A MSU counts for each of its keys, so the percentages sum to more than 100.
-- sdc_suda_contributions: how much of the file's total score is due to minimal sample uniques that hold a key.
-- Example: FROM sdc_suda_contributions('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_suda_contributions(tbl, keys, max_msu := 3, scoring := 'factorial', nulls := 'category') AS TABLE
    WITH sdc__weighed AS MATERIALIZED (
        SELECT sdc__mask, count(*) AS sdc__msus, sum(sdc__msu_weight(len(keys::VARCHAR[]), sdc__size, scoring)) AS sdc__score
        FROM sdc__minimal_sample_uniques(tbl, keys, max_msu, nulls) GROUP BY sdc__mask
    ),
    sdc__variables AS (
        SELECT unnest(sdc__key_bits(keys)) AS sdc__bit, unnest(keys::VARCHAR[]) AS variable
    )
    SELECT variable, coalesce(sum(sdc__msus), 0)::BIGINT AS msus,
           coalesce(100 * sum(sdc__score) / nullif((SELECT sum(sdc__score) FROM sdc__weighed), 0), 0e0) AS contribution
    FROM sdc__variables LEFT JOIN sdc__weighed ON sdc__mask & sdc__bit = sdc__bit
    GROUP BY sdc__bit, variable
    ORDER BY sdc__bit ASC;

-- variable, value (as text, NULL for NULL; each that occurs), msus, contribution.
-- sdc_suda_value_contributions: of what is due to a key, the percentage that is due to each of its values.
-- Example: FROM sdc_suda_value_contributions('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_suda_value_contributions(tbl, keys, max_msu := 3, scoring := 'factorial', nulls := 'category') AS TABLE
    WITH sdc__scores AS MATERIALIZED (
        SELECT sdc__key, sdc__mask, sdc__msu_weight(len(keys::VARCHAR[]), sdc__size, scoring) AS sdc__weight
        FROM sdc__minimal_sample_uniques(tbl, keys, max_msu, nulls)
    ),
    sdc__listed AS (
        SELECT sdc__mask, sdc__weight, unnest(sdc__key) FROM sdc__scores
        UNION ALL BY NAME
        SELECT 0::BIGINT AS sdc__mask, 0e0 AS sdc__weight, * EXCLUDE (sdc__records, sdc__f, sdc__w) FROM sdc__category_cells(tbl, keys, NULL)
    ),
    sdc__valued AS (
        SELECT sdc__mask, sdc__weight, unnest(sdc__key_bits(keys)) AS sdc__bit, unnest(keys::VARCHAR[]) AS variable,
               unnest(sdc__values) AS value
        FROM query('SELECT sdc__mask, sdc__weight, [' || array_to_string(list_transform(coalesce(keys::VARCHAR[], []),
                       lambda k: sdc__identifier(k) || '::VARCHAR'), ', ') || CASE WHEN len(keys::VARCHAR[]) > 0 THEN ']' ELSE ']::VARCHAR[]' END || ' AS sdc__values FROM sdc__listed')
    ),
    sdc__summed AS (
        SELECT sdc__bit, variable, value,
               sum(CASE WHEN sdc__mask & sdc__bit = sdc__bit THEN 1 ELSE 0 END)::BIGINT AS msus,
               sum(CASE WHEN sdc__mask & sdc__bit = sdc__bit THEN sdc__weight ELSE 0e0 END) AS sdc__score
        FROM sdc__valued GROUP BY ALL
    )
    SELECT variable, value, msus,
           coalesce(100 * sdc__score / nullif(sum(sdc__score) OVER (PARTITION BY sdc__bit), 0), 0e0) AS contribution
    FROM sdc__summed
    ORDER BY sdc__bit ASC, value ASC NULLS LAST;
