-- The data intrusion simulation: a Monte Carlo simulation of the intruder's search, with the file itself.
--
--   repeat: 1 remove a record; [determine X~ from its X by M;] 2 copy it back with probability pi; 3 does it (X~) match one
--   record of the file (R_u), and the right one (R_c)?
--   theta^(K) = sum R_c R_u / sum R_u                                                                    (6)
--   its limit: n_1 / (n_1 + sum_{i: f_i = 2} (1 - pi_i) / pi_i), which is theta^ (7) where all pi_i are pi
-- Source: Skinner & Elliot (2002), section 3; with misclassification section 4; with unequal inclusion probabilities section 5.3.
-- (Section 5.3: record i removed with probability pi_i^-1 / sum pi_i^-1, copied back with probability pi_i; "the properties of the
-- resulting estimator require further research".) The limit for unequal pi_i is worked out as in the proof of proposition 1.
--
-- A check of the closed forms, which need no simulation: sdc_theta, sdc_theta_misclassified. Draw k depends on stream and k
-- alone (no secret key: nothing is masked), and the cells stand in the order of their values, so a run can be repeated (an ENUM is
-- ordered as it was declared: its copy as text, as in Parquet, gives other draws).
--
--   persons: job times   sdc_data_intrusion_simulation('persons', ['job'], 0.5, repetitions := 1000):
--            a   1       repetitions closed_form
--            b   1       1000        0.5           as in theta.sql
--            c   2
--
-- Scope: cells.
-- Not compiled: its keyed draws are DuckDB's own; the measure that it checks, sdc_theta, is compiled.
-- Parameters:
--   tbl                table                       the table, view, common table expression or file
--   keys               columns                     the key variables
--   sampling_fraction  column or number in (0, 1)  pi, or the column of the records' inclusion probabilities (1: certainly)
--   columns            columns                     the keys that are misclassified; the others are taken to agree
--   matrices           tables                      the matrix of each of the columns, in their order
--   repetitions        whole number in [1, 100000000]    how often the search is repeated
--   stream             text                        the stream of draws; another one gives another run

-- The records of a cell and an inclusion probability, with their share of the draws: [sdc__low, sdc__high) of the total.
CREATE OR REPLACE MACRO sdc__intrusion_cells(tbl, keys, sampling_fraction) AS TABLE
    WITH sdc__counts AS (
        SELECT struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__key,
               sdc__checked_inclusion(sampling_fraction,
                                      sdc__value(sampling_fraction,
                                                 COLUMNS(sdc__column((*), sampling_fraction)))) AS sdc__pi,
               count(*) AS sdc__n
        FROM sdc__exact_rows(tbl, codes := keys) GROUP BY ALL
    )
    SELECT sdc__key, sdc__pi, sdc__n, sum(sdc__n) OVER (PARTITION BY sdc__key)::BIGINT AS sdc__f,
           sdc__unfixed(sum(sdc__fixed(sdc__n / sdc__pi, 60)) OVER (
                            ORDER BY sdc__key ASC NULLS LAST, sdc__pi ASC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
                        60) AS sdc__high,
           coalesce(sdc__unfixed(sum(sdc__fixed(sdc__n / sdc__pi, 60)) OVER (
                                     ORDER BY sdc__key ASC NULLS LAST,
                                              sdc__pi ASC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING),
                                 60),
                    0) AS sdc__low
    FROM sdc__counts;

CREATE OR REPLACE MACRO sdc__checked_stream(stream) AS
    CASE WHEN stream IS NULL THEN error('ParameterError: stream is NULL: it must be a text.')::VARCHAR ELSE stream::VARCHAR END;

-- A uniform variate of a repetition. Nothing is masked, so nothing is secret: the key is a name. (A draw of no stream would be NULL,
-- and no record copied back: theta would be 0.)
CREATE OR REPLACE MACRO sdc__intrusion_draw(stream, part, k) AS
    sdc__uniform(sdc__subkey('data intrusion simulation', '', sdc__checked_stream(stream), part, '', ''), k::VARCHAR, '');

-- Each repetition with the record it removes and whether it is copied back. The cells stand in a row, and a draw falls on the
-- last one that begins at or below it: one sort of both (an ASOF join of a generated series would go through all pairs).
CREATE OR REPLACE MACRO sdc__intrusions(cells, repetitions, stream) AS TABLE
    WITH sdc__ladder AS MATERIALIZED (SELECT *, row_number() OVER (ORDER BY sdc__low ASC) AS sdc__rung FROM query_table(cells)),
    sdc__draws AS (
        SELECT sdc__k, sdc__intrusion_draw(stream, 'removed', sdc__k) * (SELECT max(sdc__high) FROM sdc__ladder) AS sdc__place
        FROM (SELECT unnest(range(sdc__checked_whole(repetitions, 'repetitions', 1, most := 100000000))) AS sdc__k)
    ),
    sdc__fallen AS (
        SELECT sdc__k,
               max(sdc__rung) OVER (
                   ORDER BY sdc__place ASC,
                            sdc__k ASC NULLS FIRST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS sdc__rung
        FROM (SELECT NULL::BIGINT AS sdc__k, sdc__low AS sdc__place, sdc__rung FROM sdc__ladder
              UNION ALL SELECT sdc__k, sdc__place, NULL FROM sdc__draws)
    )
    SELECT sdc__d.sdc__k, sdc__c.* EXCLUDE (sdc__rung), sdc__intrusion_draw(stream, 'copied', sdc__d.sdc__k) < sdc__c.sdc__pi AS sdc__copied
    FROM sdc__fallen AS sdc__d JOIN sdc__ladder AS sdc__c ON sdc__c.sdc__rung = sdc__d.sdc__rung
    WHERE sdc__d.sdc__k IS NOT NULL;

CREATE OR REPLACE MACRO sdc__intrusion_result(matches, closed_form) AS TABLE
    SELECT count(*) AS repetitions, count(*) FILTER (sdc__unique) AS unique_matches, count(*) FILTER (sdc__correct) AS correct_matches,
           CASE WHEN count(*) FILTER (sdc__unique) > 0
                    THEN count(*) FILTER (sdc__correct) / count(*) FILTER (sdc__unique) END::DOUBLE AS theta,
           sqrt(theta * (1 - theta) / count(*) FILTER (sdc__unique)) AS standard_error,
           any_value(closed_form) AS closed_form
    FROM query_table(matches);

-- standard_error: of the simulation alone, sqrt(theta (1 - theta) / unique_matches). theta is NULL where no match was unique.
-- sdc_data_intrusion_simulation: theta by simulating the intruder's search on the file, beside its closed form.
-- Gives: repetitions BIGINT, unique_matches BIGINT, correct_matches BIGINT, theta DOUBLE (more risk), standard_error DOUBLE,
--   closed_form DOUBLE (more risk).
-- Rows: one.
-- Words: theta: share of the unique matches that are correct, simulated.
-- Example: FROM sdc_data_intrusion_simulation('persons', ['age', 'sex'], 0.1, repetitions := 1000);
CREATE OR REPLACE MACRO sdc_data_intrusion_simulation(tbl, keys, sampling_fraction, repetitions := 10000,
                                                      stream := 'data intrusion') AS TABLE
    WITH sdc__cells_drawn AS MATERIALIZED (FROM sdc__intrusion_cells(tbl, keys, sampling_fraction)),
    sdc__limit AS (
        SELECT CASE WHEN count(*) FILTER (sdc__f = 1) = 0 THEN 0
                    ELSE count(*) FILTER (sdc__f = 1)
                         / (count(*) FILTER (sdc__f = 1)
                            + coalesce(sdc__exact_sum(CASE WHEN sdc__f = 2 THEN sdc__n * (1 - sdc__pi) / sdc__pi END, 60),
                                       0)) END::DOUBLE AS sdc__theta
        FROM sdc__cells_drawn
    ),
    sdc__matches AS (
        SELECT sdc__f - 1 + sdc__copied::INTEGER = 1 AS sdc__unique, sdc__f = 1 AND sdc__copied AS sdc__correct, sdc__theta
        FROM sdc__intrusions('sdc__cells_drawn', repetitions, stream), sdc__limit
    )
    FROM sdc__intrusion_result('sdc__matches', sdc__theta);

-- A matrix as intervals of [0, 1): the intruder sees sdc__to where the draw lies in [sdc__low, sdc__high).
CREATE OR REPLACE MACRO sdc__misclassification_intervals(cells, column_name, matrix) AS TABLE
    SELECT sdc__from, sdc__to,
           CASE WHEN lag(true) OVER sdc__before IS NULL THEN 0
                ELSE sdc__unfixed(sum(sdc__fixed(sdc__p, 90)) OVER sdc__order, 90) - sdc__p END AS sdc__low,
           CASE WHEN lead(true) OVER sdc__before IS NULL THEN 2
                ELSE sdc__unfixed(sum(sdc__fixed(sdc__p, 90)) OVER sdc__order, 90) END AS sdc__high
    FROM sdc__misclassification(cells, column_name, matrix)
    WINDOW sdc__before AS (PARTITION BY sdc__from ORDER BY sdc__to ASC NULLS LAST),
           sdc__order AS (PARTITION BY sdc__from ORDER BY sdc__to ASC NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW);

-- What key the intruder has of a removed record: of the changing columns the matrix's, of the others its own.
CREATE OR REPLACE MACRO sdc__seen_key(name, columns) AS
    CASE WHEN sdc__is_among(name, columns)
         THEN 'sdc__m' || list_position(list_transform(sdc__names(columns), lambda c: sdc__folded(c)), sdc__folded(name)) || '.sdc__to'
         ELSE 'sdc__r.' || sdc__identifier(name) END;

-- With misclassification: columns and matrices as in sdc_theta_misclassified, of which this is the simulation.
-- Verb: data_intrusion_simulation
-- sdc_data_intrusion_misclassified: theta by simulating the intruder's search with misclassified keys, beside its closed form.
-- Gives: repetitions BIGINT, unique_matches BIGINT, correct_matches BIGINT, theta DOUBLE (more risk), standard_error DOUBLE,
--   closed_form DOUBLE (more risk).
-- Rows: one.
-- Example: FROM sdc_data_intrusion_misclassified('persons', ['age', 'sex'], 0.1, ['sex'], ['sexes'], repetitions := 1000);
CREATE OR REPLACE MACRO sdc_data_intrusion_misclassified(tbl, keys, sampling_fraction, columns, matrices,
                                                         repetitions := 10000, stream := 'data intrusion') AS TABLE
    WITH sdc__cells_drawn AS MATERIALIZED (FROM sdc__intrusion_cells(tbl, keys, sampling_fraction)),
    sdc__limit AS (SELECT theta AS sdc__theta FROM sdc_theta_misclassified(tbl, keys, sampling_fraction, columns, matrices)),
    sdc__crossed AS MATERIALIZED (SELECT unnest(sdc__key), sdc__f FROM sdc__cells_drawn),
    sdc__removed AS MATERIALIZED (SELECT sdc__k, unnest(sdc__key), sdc__f AS sdc__own, sdc__copied
                                  FROM sdc__intrusions('sdc__cells_drawn', repetitions, stream)),
    sdc__seen AS (
        FROM query(CASE WHEN sdc__check_changed(keys, columns, matrices) THEN
            'SELECT sdc__r.sdc__own, sdc__r.sdc__copied, sdc__c.sdc__f, '
            || array_to_string(
                list_transform(sdc__names(columns),
                               lambda k, i: 'row(sdc__r.' || sdc__identifier(k) || ') = row(sdc__m' || i || '.sdc__to)'),
                ' AND ')
            || ' AS sdc__same FROM (SELECT *, '
            || array_to_string(list_transform(sdc__names(columns),
                                              lambda k, i: 'sdc__intrusion_draw(' || coalesce(sdc__text(stream), 'NULL')
                                                           || ', ''matrix ' || i || ''', sdc__k) AS sdc__u' || i),
                               ', ')
            || ' FROM sdc__removed) AS sdc__r'
            || array_to_string(list_transform(sdc__names(columns), lambda k, i:
                ' JOIN sdc__misclassification_intervals(''sdc__crossed'', ' || sdc__text(k) || ', '
                || sdc__text(matrices[i]) || ') AS sdc__m' || i
                || ' ON row(sdc__r.' || sdc__identifier(k) || ') = row(sdc__m' || i || '.sdc__from) AND sdc__r.sdc__u' || i
                   || ' >= sdc__m' || i || '.sdc__low'
                || ' AND sdc__r.sdc__u' || i || ' < sdc__m' || i || '.sdc__high'), '')
            || ' LEFT JOIN sdc__crossed AS sdc__c ON '
            || array_to_string(list_transform(sdc__names(keys),
                                              lambda k: 'row(sdc__c.' || sdc__identifier(k) || ') = row('
                                                        || sdc__seen_key(k, columns) || ')'),
                               ' AND ') END)
    ),
    sdc__matches AS (
        SELECT CASE WHEN sdc__same THEN sdc__own - 1 + sdc__copied::INTEGER = 1 ELSE coalesce(sdc__f = 1, false) END AS sdc__unique,
               sdc__same AND sdc__own = 1 AND sdc__copied AS sdc__correct, sdc__theta
        FROM sdc__seen, sdc__limit
    )
    FROM sdc__intrusion_result('sdc__matches', sdc__theta);
