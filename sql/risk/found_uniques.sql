-- Minimal sample uniques that have been found: their records and their scores.
-- Source: Elliot, Manning, Mayes, Gurd & Bane (2005), SUDA; SDC handbook, section 3.3.7. The formulas are in suda.sql.
--
-- cells, found: the numbered cells and the minimal sample uniques of them, by the names of their relations: those of
-- minimal_sample_uniques.sql, or tables that hold the same (Python's own search: sdc_sql/risk/suda_search.py).

-- sdc__key (as in sdc__cells), sdc__mask and sdc__size.
CREATE OR REPLACE MACRO sdc__sized_msus(cells, found) AS TABLE
    SELECT struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key, sdc__mask, bit_count(sdc__mask)::BIGINT AS sdc__size
    FROM query_table(cells) JOIN query_table(found) USING (sdc__id);

-- The keys of a set (a number whose bit i - 1 says whether key i is in it), as they were named.
CREATE OR REPLACE MACRO sdc__named_set(keys, mask) AS
    list_filter(sdc__names(keys), lambda n, i: (mask >> (i - 1)) & 1 = 1);

CREATE OR REPLACE MACRO sdc__minimal_sample_uniques(tbl, keys, cells, found) AS TABLE
    SELECT COLUMNS(sdc__without((*), ['size', 'columns'])), sdc__size AS size, sdc__set AS columns
    FROM (SELECT r.* EXCLUDE (sdc__key), u.sdc__size, sdc__named_set(keys, u.sdc__mask) AS sdc__set
          FROM sdc__keyed(tbl, keys) AS r
          JOIN sdc__sized_msus(cells, found) AS u ON r.sdc__key = u.sdc__key);

-- The weights of the sizes k = 1 .. m of m keys; and that of one size.
CREATE OR REPLACE MACRO sdc__msu_weights(m, scoring) AS CASE scoring
    WHEN 'factorial' THEN list_transform(range(1, m + 1), lambda k: gamma(m - k + 1e0))
    WHEN 'superset' THEN list_transform(
        range(1, m + 1), lambda k: (power(2e0, m - k) - 1) * gamma(k + 1e0) * gamma(m - k + 1e0) / gamma(m + 1e0))
    ELSE error('ParameterError: scoring is ' || coalesce(scoring::VARCHAR, 'NULL') || ': it must be ''factorial'' or ''superset''.')
END;
CREATE OR REPLACE MACRO sdc__msu_weight(m, k, scoring) AS (sdc__msu_weights(m, scoring))[k];
-- For the sum of 2^35 weights, of which that of a single column is the greatest (sums.sql).
CREATE OR REPLACE MACRO sdc__score_bits(m, scoring) AS 91 - ceil(log2(greatest(sdc__msu_weight(m, 1, scoring), 1)));

-- The cells that have a score: sdc__key, sdc__msus (how many), sdc__score.
CREATE OR REPLACE MACRO sdc__suda_cells(keys, cells, found, scoring) AS TABLE
    SELECT sdc__key, count(*) AS sdc__msus,
           sdc__exact_sum(sdc__msu_weight(len(sdc__names(keys)), sdc__size, scoring),
                          sdc__score_bits(len(sdc__names(keys)), scoring)) AS sdc__score
    FROM sdc__sized_msus(cells, found)
    GROUP BY sdc__key;

-- What all records share: sdc__pairs (P), sdc__q (Q), sdc__sum (of s^-Q) and sdc__fraction (f).
CREATE OR REPLACE MACRO sdc__dis(keys, cells, dis_fraction) AS TABLE
    SELECT coalesce(sum(sdc__records) FILTER (sdc__f = 2), 0)::DOUBLE AS sdc__pairs,
           sdc__checked_fraction(dis_fraction, 'DIS fraction') AS sdc__fraction,
           1 + (8 - len(sdc__names(keys))) / 20e0 AS sdc__q
    FROM query_table(cells);

CREATE OR REPLACE MACRO sdc__scored_cells(keys, cells, found, dis_fraction, scoring) AS TABLE
    SELECT c.*, CASE WHEN sdc__score > 0 THEN
               1 / (1 + sdc__pairs * (1 - sdc__fraction) / sdc__fraction / (
                        power(sdc__score / sdc__lowest, sdc__q) * sdc__unfixed(
                            sum(sdc__fixed(CASE WHEN sdc__score > 0 THEN power(sdc__lowest / sdc__score, sdc__q) END,
                                           90)) OVER (),
                            90)))
               ELSE 0e0 END AS sdc__dis
    FROM (SELECT *, min(CASE WHEN sdc__score > 0 THEN sdc__score END) OVER () AS sdc__lowest
          FROM sdc__suda_cells(keys, cells, found, scoring)) AS c,
         sdc__dis(keys, cells, dis_fraction) AS d;

CREATE OR REPLACE MACRO sdc__suda(tbl, keys, cells, found, dis_fraction, scoring) AS TABLE
    SELECT COLUMNS(sdc__without((*), ['msu_count', 'suda_score', 'dis_suda'])),
           coalesce(sdc__msus, 0) AS msu_count, coalesce(sdc__score, 0e0) AS suda_score, coalesce(sdc__dis_suda, 0e0) AS dis_suda
    FROM (SELECT r.* EXCLUDE (sdc__key), c.sdc__msus, c.sdc__score,
                 CASE WHEN sdc__checked_fraction(dis_fraction, 'DIS fraction') > 0 AND sdc__msu_weight(1, 1, scoring) >= 0
                          THEN c.sdc__dis END AS sdc__dis_suda
          FROM sdc__keyed(tbl, keys) AS r
          LEFT JOIN sdc__scored_cells(keys, cells, found, dis_fraction, scoring) AS c ON r.sdc__key = c.sdc__key);

CREATE OR REPLACE MACRO sdc__suda_summary(keys, cells, found, dis_fraction, scoring) AS TABLE
    SELECT sdc__n AS records, count(sdc__msus) AS records_with_msu, coalesce(sum(sdc__msus), 0)::BIGINT AS msus,
           coalesce(sdc__exact_sum(sdc__score, sdc__score_bits(len(sdc__names(keys)), scoring)), 0e0) AS total_score,
           coalesce(max(sdc__score), 0e0) AS max_score,
           coalesce(max(sdc__dis), 0e0) AS max_dis_suda, coalesce(sdc__exact_sum(sdc__dis, 90), 0e0) / sdc__n AS mean_dis_suda
    FROM (SELECT sum(sdc__records)::BIGINT AS sdc__n FROM query_table(cells))
    LEFT JOIN sdc__scored_cells(keys, cells, found, dis_fraction, scoring) ON true
    GROUP BY sdc__n;

-- The bit of each key in the number of a set of keys: 1, 2, 4, ...
CREATE OR REPLACE MACRO sdc__key_bits(keys) AS list_transform(range(len(sdc__names(keys))), lambda i: 1::BIGINT << i);

CREATE OR REPLACE MACRO sdc__suda_contributions(keys, cells, found, scoring) AS TABLE
    WITH sdc__weighed AS MATERIALIZED (
        SELECT sdc__mask, count(*) AS sdc__msus,
               sdc__exact_sum(sdc__msu_weight(len(sdc__names(keys)), sdc__size, scoring),
                              sdc__score_bits(len(sdc__names(keys)), scoring)) AS sdc__score
        FROM sdc__sized_msus(cells, found) GROUP BY sdc__mask
    ),
    sdc__variables AS (
        SELECT unnest(sdc__key_bits(keys)) AS sdc__bit, unnest(sdc__names(keys)) AS variable
    )
    SELECT variable, coalesce(sum(sdc__msus), 0)::BIGINT AS msus,
           coalesce(100 * sdc__exact_sum(sdc__score, sdc__score_bits(len(sdc__names(keys)), scoring))
                    / nullif((SELECT sdc__exact_sum(sdc__score, sdc__score_bits(len(sdc__names(keys)), scoring))
                              FROM sdc__weighed),
                             0),
                    0e0) AS contribution
    FROM sdc__variables LEFT JOIN sdc__weighed ON sdc__mask & sdc__bit = sdc__bit
    GROUP BY sdc__bit, variable
    ORDER BY sdc__bit ASC;

CREATE OR REPLACE MACRO sdc__suda_value_contributions(keys, cells, found, scoring) AS TABLE
    WITH sdc__scores AS MATERIALIZED (
        SELECT sdc__key, sdc__mask, sdc__msu_weight(len(sdc__names(keys)), sdc__size, scoring) AS sdc__weight
        FROM sdc__sized_msus(cells, found)
    ),
    sdc__listed AS (
        SELECT sdc__mask, sdc__weight, unnest(sdc__key) FROM sdc__scores
        UNION ALL BY NAME
        SELECT 0::BIGINT AS sdc__mask, 0e0 AS sdc__weight, * EXCLUDE (sdc__id, sdc__records, sdc__f, sdc__w) FROM query_table(cells)
    ),
    sdc__valued AS (
        SELECT sdc__mask, sdc__weight, unnest(sdc__key_bits(keys)) AS sdc__bit, unnest(sdc__names(keys)) AS variable,
               unnest(sdc__values) AS value
        FROM query(
            'SELECT sdc__mask, sdc__weight, ['
            || array_to_string(list_transform(sdc__names_if_any(keys), lambda k: sdc__identifier(k) || '::VARCHAR'), ', ')
            || CASE WHEN len(sdc__names(keys)) > 0 THEN ']' ELSE ']::VARCHAR[]' END || ' AS sdc__values FROM sdc__listed')
    ),
    sdc__summed AS (
        SELECT sdc__bit, variable, value,
               sum(CASE WHEN sdc__mask & sdc__bit = sdc__bit THEN 1 ELSE 0 END)::BIGINT AS msus,
               sdc__exact_sum(CASE WHEN sdc__mask & sdc__bit = sdc__bit THEN sdc__weight ELSE 0e0 END,
                              sdc__score_bits(len(sdc__names(keys)), scoring)) AS sdc__score
        FROM sdc__valued GROUP BY ALL
    )
    SELECT variable, value, msus,
           coalesce(100 * sdc__score / nullif(
                        sdc__unfixed(
                            sum(sdc__fixed(sdc__score,
                                           sdc__score_bits(len(sdc__names(keys)), scoring))) OVER (PARTITION BY sdc__bit),
                            sdc__score_bits(len(sdc__names(keys)), scoring)),
                        0),
                    0e0) AS contribution
    FROM sdc__summed
    ORDER BY sdc__bit ASC, value ASC NULLS LAST;
