-- MASSC: micro agglomeration, substitution, subsampling and calibration: risky records are changed and left out most, within
-- bounds of bias and variance.
--
-- 1. Micro agglomeration: the records form strata of risk by the frequency f of their cell on the keys, by default f = 1, 2, 3 to 4, and
-- more. 2. Substitution: with probability psi_s a record takes all keys of a record drawn from its stratum (itself among them), so that
--      P = (1 - psi_s) I + psi_s 1 p_s',   p_s the frequencies of the cells in the stratum: p_s' P = p_s',
-- the frequencies are kept in expectation.
-- 3. Subsampling: of the n_s records of a stratum phi_s n_s stay, rounded up, all sets alike; weights are divided by the share that stays.
-- 4. Calibration: the weighted totals of the margins become those of the file before (raking: calibrate.sql).
-- The risk that a match is right is at most r = 1/F of a record (F: the sum of the weights of its cell; the frequency where
-- there are none); afterwards
--   sum_s R_s (1 - psi_s) phi_s,   R_s the sum of r, where a substituted record no more matches itself   (it may: with probability f / n_s)
-- psi makes it least where  sum_s (W_s / W) psi_s <= bias,  psi_s <= most_substituted:  strata by R_s / W_s, the riskiest first;
-- phi where  sum_s a_s (1 / phi_s - 1) <= variance,  a_s ~ W_s^2 / n_s, sum 1:  phi_s = min(1, c sqrt(a_s / (R_s (1 -
-- psi_s)))), c as the bound asks,
--   and never below 1/10: one of 400 records would stand for all of them (what the bound then leaves is given to no other stratum).
--   bias      bounds the expected share of the weighted records whose keys are another's, and with it the bias of any share on the
--             keys, before step 4
--   variance  bounds by how much the variance of a weighted total grows, where values vary alike in the strata: 0.25 as of a sample
--             of 80 in 100
-- Source: Singh, Yu & Dunteman (2003), MASSC: a new data mask for limiting statistical information loss and disclosure, Work
--   session on statistical data confidentiality, Luxembourg; SDC handbook, section 3.4.2.8. Strata by f, substitution within them,
--   and these bounds are choices of this file.
--
--   persons, keys age and sex, bias 0.1, variance 0.25:   FROM sdc_massc_design('persons', ['age', 'sex'], 0.1, 0.25, 'id')
--
-- It counts the risk by the keys alone, and is for files of categorical variables: a continuous outcome that others know (a turnover)
-- names its record whatever the keys say (the handbook's words: suited only when continuous variables are not present). Relations between
-- keys and other variables are weakened in strata that are substituted. Keys are exchanged person by person: of members of a household
-- they need not agree afterwards. Two releases under different names tell more than one. Under one name the draws are the same, and the
-- donors of a file that is changed a little nearly so; of two rates of one file the records that differ were exchanged at the higher:
-- release a file once.
--
-- Scope: table.
-- Not compiled: records leave the table and weights become numbers of another type: mask in DuckDB, and read the released table elsewhere.
-- Python: margins.
-- Users: Estimate by the released weights, which stand for the records that were left out too. Relations come out somewhat too weak.
-- Values: codes.
-- Bits: last digits.
-- Coarsens: no.
-- Records: fewer.
-- Loss: withheld (from it follows the rate, by which an intruder reckons how likely a record is the true one).
-- Told: nothing.
-- Repeated: once (whose values take the place of a record's hangs on the other records).
-- Series: refused (whose values take the place of a record's hangs on the other records).
-- Publicly: values exchanged between records of like risk; records left out, the weights of others raised.
-- Parameters:
--   tbl               table                 the table, view, common table expression or file
--   keys              columns               the key variables, which are substituted
--   bias              number in [0, 1)      the greatest expected share of the weighted records that are substituted
--   variance          number in [0, 1e150)  by how much the variance may grow
--   id                column                identifies each record
--   weight            column                the sampling weights, which become DOUBLE; without it all records weigh 1
--   strata            numbers in (0, ...)   the greatest frequency of each stratum of risk but the last, ascending (by default [1, 2, 4])
--   most_substituted  number in [0, 1]      the greatest rate of substitution
--   margins           columns               variables whose weighted totals are kept exactly; it needs a weight
--   stream            text                  names the pass of draws; give another one to mask a second time
--   release           text                  names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__share_given(value, name, most) AS
    CASE WHEN TRY_CAST(value AS DOUBLE) >= 0 AND TRY_CAST(value AS DOUBLE) <= most THEN TRY_CAST(value AS DOUBLE)
         ELSE error('ParameterError: ' || name || ' is ' || coalesce(value::VARCHAR, 'NULL')
                    || ': it must be a number from 0 to ' || most || '.') END;
CREATE OR REPLACE MACRO sdc__risk_bounds(strata) AS
    CASE WHEN len(strata) > 0 AND list_min(strata::DOUBLE[]) >= 1
              AND list_sort(list_distinct(strata::DOUBLE[]), 'ASC', 'NULLS LAST') = strata::DOUBLE[]
             THEN strata::DOUBLE[]
         ELSE error('ParameterError: strata must be frequencies of at least 1, ascending, as in [1, 2, 4].') END;

-- DuckDB 2.0 fails, and the connection is lost, where a window is partitioned by a struct that holds an ARRAY (INTEGER[2]; a list is none).
CREATE OR REPLACE MACRO sdc__has_no_array(type) AS
    CASE WHEN regexp_matches(regexp_replace(type, '"([^"]|"")*"', '', 'g'), '\[\d+\]')
         THEN error('ColumnError: A key is an ARRAY, of a fixed length: make it a list, as in CAST(key AS INTEGER[]), in a'
                    || ' view of the table.')
     ELSE true END;

-- Draws are made of the texts of the keys.
CREATE OR REPLACE MACRO sdc__has_no_zone(type) AS
    CASE WHEN contains(regexp_replace(type, '"([^"]|"")*"', '', 'g'), 'TIMESTAMP WITH TIME ZONE')
         THEN error('ColumnError: A key is of the type TIMESTAMP WITH TIME ZONE: its text changes with the time zone of'
                    || ' the session, and so would its draws. Cast it to TIMESTAMP first.')
     ELSE true END;

-- The records, with the frequency of their cell, their risk and their stratum.
CREATE OR REPLACE MACRO sdc__massc_records(tbl, keys, id, weight, strata) AS TABLE
    WITH sdc__keyed AS (
        SELECT sdc__id, sdc__weight, struct_pack(*COLUMNS(sdc__to_mask((*), keys, id))) AS sdc__key
        FROM sdc__weighted_rows(tbl, id, weight, keys)
    ),
    sdc__counted AS (
        SELECT *, count(*) OVER sdc__cell AS sdc__f, least(1, 1 / sdc__unfixed(sum(sdc__fixed(sdc__weight)) OVER sdc__cell)) AS sdc__r
        FROM sdc__keyed
        WHERE sdc__has_no_array(typeof(sdc__key)) AND sdc__has_no_zone(typeof(sdc__key))
        WINDOW sdc__cell AS (PARTITION BY row(sdc__key))
    )
    SELECT *, len(list_filter(sdc__risk_bounds(coalesce(strata, [1, 2, 4])), lambda b: b < sdc__f)) + 1 AS sdc__stratum FROM sdc__counted;

-- The rates of each stratum. records: the name of the relation above.
CREATE OR REPLACE MACRO sdc__massc_rates(records, bias, variance, most_substituted) AS TABLE
    WITH sdc__sums AS (
        SELECT sdc__stratum, count(*) AS sdc__n, min(sdc__f) AS sdc__least, max(sdc__f) AS sdc__most,
               sdc__exact_sum(sdc__weight) AS sdc__w, sdc__exact_sum(sdc__r, 90) AS sdc__risk
        FROM query_table(records) GROUP BY sdc__stratum
    ),
    sdc__weighed AS (SELECT *, sdc__w / sdc__unfixed(sum(sdc__fixed(sdc__w)) OVER ()) AS sdc__share FROM sdc__sums),
    sdc__shares AS (
        SELECT *,
               pow(sdc__share, 2) / sdc__n
               / sdc__unfixed(sum(sdc__fixed(pow(sdc__share, 2) / sdc__n, 90)) OVER (), 90) AS sdc__a
        FROM sdc__weighed
    ),
    sdc__substituted AS (
        SELECT *,
               greatest(0,
                        least(sdc__share_given(most_substituted, 'most_substituted', 1),
                              (sdc__share_given(bias, 'bias', 0.999999)
                               - coalesce(sum(sdc__share * sdc__share_given(most_substituted, 'most_substituted', 1)) OVER (
                                              ORDER BY sdc__risk / sdc__w DESC,
                                                       sdc__stratum ASC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                                          0)) / sdc__share)) AS sdc__psi
        FROM sdc__shares
    ),
    -- from here on: risk that is left, and how cheaply records are kept
    sdc__left AS (
        SELECT *, sdc__risk * (1 - sdc__psi) AS sdc__open,
               sqrt(sdc__a / greatest(sdc__risk * (1 - sdc__psi), 1e-300)) AS sdc__t
        FROM sdc__substituted
    ),
    sdc__tails AS (
        SELECT *,
               sum(sqrt(sdc__a * sdc__open)) OVER sdc__rest
               / (sdc__share_given(variance, 'variance', 1e6) + sum(sdc__a) OVER sdc__rest) AS sdc__c,
               row_number() OVER (ORDER BY sdc__t DESC, sdc__stratum ASC) AS sdc__at
        FROM sdc__left WINDOW sdc__rest AS (ORDER BY sdc__t DESC, sdc__stratum ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
    ),
    -- 1 / sqrt(lambda) of the first tail whose members all stay below 1
    sdc__chosen AS (
        SELECT min(sdc__at) AS sdc__first, arg_min(sdc__c, sdc__at) AS sdc__level
        FROM sdc__tails
        WHERE sdc__c * sdc__t < 1 - 1e-12
    )
    SELECT sdc__stratum, sdc__n, sdc__least, sdc__most, sdc__share, sdc__risk, sdc__psi,
           ceil(sdc__n
                * greatest(0.1, CASE WHEN sdc__first IS NULL OR sdc__at < sdc__first THEN 1 ELSE sdc__level * sdc__t END)
                - 1e-9)::BIGINT AS sdc__kept
    FROM sdc__tails, sdc__chosen;

-- substituted: psi. staying: phi, the share that stays. risk: the expected number of right matches.
-- sdc_massc_design: the strata of risk of MASSC, with their rates and the risk before and after.
-- Gives: frequencies VARCHAR, records BIGINT, substituted DOUBLE, staying DOUBLE, risk DOUBLE, risk_after DOUBLE.
-- Rows: strata.
-- Example: FROM sdc_massc_design('persons', ['age', 'sex'], 0.1, 0.25, 'id');
CREATE OR REPLACE MACRO sdc_massc_design(tbl, keys, bias, variance, id, weight := NULL, strata := NULL, most_substituted := 0.5) AS TABLE
    WITH sdc__all AS MATERIALIZED (FROM sdc__massc_records(tbl, keys, id, weight, strata)),
    sdc__rates AS MATERIALIZED (FROM sdc__massc_rates('sdc__all', bias, variance, most_substituted))
    SELECT CASE WHEN sdc__least = sdc__most THEN sdc__least::VARCHAR
                ELSE sdc__least || ' to ' || sdc__most END AS frequencies,
           any_value(sdc__n) AS records,
           any_value(sdc__psi) AS substituted, any_value(sdc__kept * 1e0 / sdc__n) AS staying, any_value(sdc__risk) AS risk,
           sdc__exact_sum(sdc__r * (1 - sdc__psi + sdc__psi * sdc__f / sdc__n) * sdc__kept / sdc__n, 90) AS risk_after
    FROM sdc__all JOIN sdc__rates USING (sdc__stratum) GROUP BY sdc__stratum, sdc__least, sdc__most ORDER BY sdc__stratum;

-- What the log holds of it.
CREATE OR REPLACE MACRO sdc__massc_figures(tbl, keys, bias, variance, id, weight, strata, most_substituted) AS TABLE
    SELECT list(sdc__row) AS design, list_sum(list(sdc__row.risk)) AS risk, list_sum(list(sdc__row.risk_after)) AS risk_after
    FROM sdc_massc_design(tbl, keys, bias, variance, id, weight := weight, strata := strata,
                          most_substituted := most_substituted) AS sdc__row;

-- The records that stay: with the keys they are given, and their weights before step 4.
CREATE OR REPLACE MACRO sdc__massc_kept(tbl, keys, bias, variance, id, weight, strata, most_substituted, stream, release) AS TABLE
    WITH sdc__all AS MATERIALIZED (FROM sdc__massc_records(tbl, keys, id, weight, strata)),
    sdc__rates AS MATERIALIZED (FROM sdc__massc_rates('sdc__all', bias, variance, most_substituted)),
    sdc__subkeyed AS (SELECT sdc__subkey(sdc__secret_key(), release, stream, 'MASSC', '', sdc__columns_part(keys)) AS sdc__k),
    sdc__drawn AS (
        SELECT sdc__of.*, sdc__checked_id(sdc__id) AS sdc__name,
               sdc__uniforms(sdc__k, sdc__checked_id(sdc__id), sdc__part(sdc__key::VARCHAR), 4) AS sdc__u
        FROM sdc__all AS sdc__of, sdc__subkeyed
    ),
    sdc__placed AS MATERIALIZED (
        SELECT *, row_number() OVER (PARTITION BY sdc__stratum ORDER BY sdc__u[3] ASC, sdc__name ASC) AS sdc__turn
        FROM sdc__drawn
    ),
    -- a donor is drawn from the stratum as the next on a circle on which each has a place of its own: one more record takes few donors
    -- from others, and of nightly files the substituted records do not stand out by changing
    sdc__donors AS (
        SELECT sdc__stratum, sdc__key, sdc__u[4] AS sdc__from FROM sdc__placed
        UNION ALL
        SELECT sdc__stratum, arg_max(sdc__key, (sdc__u[4], sdc__name)), -1 FROM sdc__placed GROUP BY sdc__stratum
    )
    SELECT sdc__p.sdc__id,
           CASE WHEN sdc__p.sdc__u[1] < sdc__psi THEN sdc__donor.sdc__key ELSE sdc__p.sdc__key END AS sdc__given,
           sdc__p.sdc__weight * sdc__n / sdc__kept AS sdc__weight
    FROM sdc__placed AS sdc__p JOIN sdc__rates ON sdc__rates.sdc__stratum = sdc__p.sdc__stratum
    ASOF JOIN sdc__donors AS sdc__donor ON sdc__donor.sdc__stratum = sdc__p.sdc__stratum AND sdc__p.sdc__u[2] >= sdc__donor.sdc__from
    WHERE sdc__p.sdc__turn <= sdc__kept;

CREATE OR REPLACE MACRO sdc__massc_weight(v, weight) AS
    CASE WHEN alias(v) = 'sdc__weight' THEN weight WHEN v IS NULL THEN NULL ELSE weight END;
CREATE OR REPLACE MACRO sdc__massc_weights(have, weight, id) AS
    CASE WHEN weight IS NULL THEN ['sdc__weight'] ELSE list_append(sdc__to_mask(have, [weight], id), 'sdc__weight') END;
CREATE OR REPLACE MACRO sdc__is_massc(margins, weight, keys) AS
    CASE WHEN margins IS NOT NULL AND weight IS NULL
             THEN error('ParameterError: margins are kept by weights: name the column of weights too.')
         WHEN weight IS NOT NULL AND sdc__is_among(weight, keys)
             THEN error('ColumnError: The weight is one of the keys: leave it out of them.')
         ELSE true END;

-- sdc_massc: a file masked by MASSC: records substituted and left out by their risk, weights calibrated.
-- Gives: every column.
-- Rows: records.
-- Command: massc
-- Example: FROM sdc_massc('persons', ['age', 'sex'], 0.1, 0.25, 'id', weight := 'w');
CREATE OR REPLACE MACRO sdc_massc(tbl, keys, bias, variance, id, weight := NULL, strata := NULL, most_substituted := 0.5,
                                  margins := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__kept_records AS MATERIALIZED (
        FROM sdc__massc_kept(tbl, keys, bias, variance, id, weight, strata, most_substituted, stream, release)),
    sdc__others AS (SELECT COLUMNS(sdc__own_kept((*), keys)), sdc__id FROM sdc__with_id(tbl, id, codes := list_append(keys, id))),
    sdc__joined AS MATERIALIZED (
        SELECT sdc__others.*, unnest(sdc__given), sdc__weight
        FROM sdc__kept_records
        JOIN sdc__others USING (sdc__id)
        WHERE sdc__is_massc(margins, weight, keys)
    ),
    sdc__before AS MATERIALIZED (FROM sdc_totals(tbl, margins, weight)),
    sdc__new_weights AS (FROM sdc__raked('sdc__joined', margins, 'sdc__before', NULL, NULL, NULL, 'raking')),
    sdc__as_drawn AS (SELECT sdc__id, sdc__weight FROM sdc__joined),
    sdc__final AS (FROM query_table(CASE WHEN margins IS NULL THEN 'sdc__as_drawn' ELSE 'sdc__new_weights' END)),
    sdc__together AS (
        SELECT sdc__joined.* EXCLUDE (sdc__weight), sdc__final.sdc__weight
        FROM sdc__joined
        JOIN sdc__final ON sdc__final.sdc__id = sdc__joined.sdc__id
    )
    (SELECT CASE WHEN COLUMNS(*) IS NULL THEN NULL END AS "\0" FROM sdc__unasked(tbl) LIMIT 0)
    UNION ALL BY NAME
    (SELECT * EXCLUDE (sdc__weight)
     FROM (SELECT COLUMNS(sdc__own_kept((*), list_filter([weight], lambda c: c IS NOT NULL))),
                  sdc__massc_weight(COLUMNS(sdc__massc_weights((*), weight, id)), sdc__weight) AS "\0"
           FROM sdc__together));
