-- Risk where a record's cell may not be its true one: keys that went through PRAM, or hold errors.
--
--   A record of cell j is found only if j is the true cell too: its risk is r_j M_jj, M_jj = P(true cell = j | cell of the file = j).
--   Households: 1 - prod_{i in g} (1 - r_i M_ii). Expected re-identifications: sum_j f_j r_j M_jj.
-- Source: SDC handbook, sections 3.3.5 and 3.4.6 (Bayes' theorem); M of Skinner & Elliot (2002), (11).
-- r_j is what the file says as it stands, as if nothing had happened, and stands beside: it is never the smaller one.
--
--   persons: age sex w    truth: age sex true_probability   sdc_cell_risk_misclassified('persons', ['age', 'sex'], 'w', 'truth'):
--            30  f   10          30  f   0.9                age sex individual_risk true_probability individual_risk_misclassified
--            30  f   15          41  m   0.8                30  f   0.067858        0.9              0.061073
--            41  m   20                                     41  m   0.157670        0.8              0.126136
--
--   FROM sdc_global_risk_misclassified('persons', ['age', 'sex'], 'w', 'truth'):
--   records expected_reidentifications expected_reidentifications_misclassified
--   3       0.293387                   0.248281                                    2 x 0.061073 + 0.126136
--
--   FROM sdc_individual_risk_misclassified('persons', ['age', 'sex'], 'w', 'truth'):
--   age sex w  individual_risk true_probability individual_risk_misclassified
--   30  f   10 0.067858        0.9              0.061073
--   30  f   15 0.067858        0.9              0.061073
--   41  m   20 0.157670        0.8              0.126136
--   reversed: from to probability   sdc_true_probability('persons', ['age', 'sex'], ['sex'], ['reversed']):
--             f    f  0.9           age sex true_probability
--             f    m  0.1           30  f   0.9
--             m    f  0.2           41  m   0.8
--             m    m  0.8
--
-- M_jj is the product over the changed keys. It is exact where a matrix is of all keys together, or where the keys are independent in the
-- original file (misclassification.sql, which also makes the matrices). Else it may be too low or too high for a cell; summed over the file
-- it is as a rule too high, since records that moved to another category make the rare cells.
-- These probabilities come of the original file and of the matrix: they are as confidential as those.
--
-- Scope: cells.
-- Not compiled: a matrix is cast to the types of its table's columns, which are not known when the query is compiled.
-- Parameters:
--   tbl                  table                      the table, view, common table expression or file
--   keys                 columns                    the key variables
--   columns              columns                    the keys that are misclassified; the others are taken to agree
--   matrices             tables                     the matrix of each of the columns, in their order: from (the file's category), to
--                                                   (the true one), probability
--   matrix               table                      the matrix of their crossing; from and to are structs
--   weight               column or number           the expansion weights, or what every record weighs
--   truth                table                      what sdc_true_probability gives: the keys and true_probability, a row for each cell
--   household            column                     the household numbers
--   household_threshold  number in (0, 1)           r^h*; NULL: individual_threshold is NULL
--   nulls                'category' or 'wildcard'   NULL in a key is a value of its own, or agrees with every value
--   small_weights        'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or taken to stand for these

-- matrix: a relation of sdc__from, sdc__to and sdc__p. M_jj of each category; 0 where it is never the true one.
CREATE OR REPLACE MACRO sdc__diagonal(matrix) AS TABLE
    SELECT sdc__from, coalesce(max(CASE WHEN row(sdc__from) = row(sdc__to) THEN sdc__p END), 0)::DOUBLE AS sdc__p
    FROM query_table(matrix)
    GROUP BY sdc__from;

-- The cells of sdc__crossed with sdc__true. expressions: the changing parts of the key, as text; diagonals: the text of a relation for each
-- (sdc__from, sdc__p). A category without a row leaves it NULL.
CREATE OR REPLACE MACRO sdc__true_cells(expressions, diagonals) AS
    'WITH sdc__u AS (SELECT *, ' || array_to_string(list_transform(expressions, lambda e, i: e || ' AS sdc__x' || i), ', ')
    || ' FROM sdc__crossed)'
    || array_to_string(list_transform(diagonals, lambda d, i: ', sdc__d' || i || ' AS MATERIALIZED (' || d || ')'), '')
    || ' SELECT sdc__u.*, ' || array_to_string(list_transform(diagonals, lambda d, i: 'sdc__d' || i || '.sdc__p'), ' * ')
       || ' AS sdc__true FROM sdc__u'
    || array_to_string(list_transform(diagonals,
                                      lambda d, i: ' LEFT JOIN sdc__d' || i || ' ON row(sdc__u.sdc__x' || i
                                                   || ') = row(sdc__d' || i || '.sdc__from)'),
                       '');

-- sdc_true_probability: the probability that a cell of the file is the true one, where keys are misclassified each by a matrix of its own.
-- Gives: the key columns, true_probability DOUBLE (more risk).
-- Rows: cells.
-- Example: FROM sdc_true_probability('persons', ['age', 'sex'], ['sex'], ['sexes']);
CREATE OR REPLACE MACRO sdc_true_probability(tbl, keys, columns, matrices) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__category_cells(tbl, keys, NULL)),
    sdc__cells AS (
        FROM query(CASE WHEN sdc__check_changed(keys, columns, matrices) THEN sdc__true_cells(
                            list_transform(sdc__names(columns), lambda k: sdc__identifier(k)),
                            list_transform(sdc__names(columns),
                                           lambda k, i: 'WITH sdc__m AS (FROM sdc__misclassification(''sdc__crossed'', '
                                                        || sdc__text(k) || ', ' || sdc__text(matrices[i])
                                                        || ')) FROM sdc__diagonal(''sdc__m'')')) END)
    )
    SELECT COLUMNS(sdc__without((*), ['true_probability'])), sdc__true AS true_probability FROM sdc__cells;

-- sdc_true_probability_crossing: the same where the keys are misclassified together, by one matrix.
-- Gives: the key columns, true_probability DOUBLE (more risk).
-- Rows: cells.
-- Example: FROM sdc_true_probability_crossing('persons', ['age', 'sex', 'region'], ['sex', 'region'], 'crossings');
CREATE OR REPLACE MACRO sdc_true_probability_crossing(tbl, keys, columns, matrix) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__category_cells(tbl, keys, NULL)),
    sdc__cells AS (
        FROM query(CASE WHEN sdc__check_changed(keys, columns, list_transform(sdc__names(columns), lambda c: matrix))
                            THEN sdc__true_cells([sdc__as_struct(columns)],
                                                 ['WITH sdc__m AS (FROM sdc__misclassification_crossing(''sdc__crossed'', '
                                                  || sdc__texts(columns) || ', ' || sdc__text(matrix)
                                                  || ')) FROM sdc__diagonal(''sdc__m'')']) END)
    )
    SELECT COLUMNS(sdc__without((*), ['true_probability'])), sdc__true AS true_probability FROM sdc__cells;

-- Cells with their risk, as sdc__cell_risk, and sdc__true.
CREATE OR REPLACE MACRO sdc__cell_risk_true(tbl, keys, weight, nulls, truth, small_weights := 'error') AS TABLE
    WITH sdc__cells AS MATERIALIZED (FROM sdc__cell_risk(tbl, keys, weight, nulls, small_weights := small_weights)),
    sdc__given AS (
        SELECT struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__x,
               sdc__checked_probability(COLUMNS(sdc__columns((*), ['true_probability']))::DOUBLE) AS sdc__true
        FROM sdc__exact_rows(truth, codes := keys)
    ),
    sdc__truths AS (
        SELECT cast_to_type(sdc__g.sdc__x, sdc__t.sdc__key) AS sdc__x,
               CASE WHEN count(*) > 1 THEN error('ParameterError: A cell has two rows in ' || truth
                                                 || ': give one true_probability for each cell of the keys.')
                    ELSE any_value(sdc__g.sdc__true) END AS sdc__true
        FROM sdc__given AS sdc__g LEFT JOIN (SELECT sdc__key FROM sdc__cells LIMIT 0) AS sdc__t ON true
        GROUP BY 1
    )
    SELECT sdc__c.*,
           coalesce(sdc__t.sdc__true,
                    error('ParameterError: A cell of the keys has no row in ' || truth
                          || ': make it of this table, with sdc_true_probability.')) AS sdc__true
    FROM sdc__cells AS sdc__c LEFT JOIN sdc__truths AS sdc__t ON sdc__c.sdc__key = sdc__t.sdc__x;

CREATE OR REPLACE MACRO sdc__record_risk_true(tbl, keys, weight, nulls, truth, codes := NULL, small_weights := 'error') AS TABLE
    SELECT r.* EXCLUDE (sdc__key), c.sdc__f, c.sdc__w, sdc__found(c.sdc__risk) AS sdc__risk, c.sdc__true
    FROM sdc__keyed(tbl, keys, codes := codes) AS r
    LEFT JOIN sdc__cell_risk_true(tbl, keys, weight, nulls, truth, small_weights := small_weights) AS c ON r.sdc__key = c.sdc__key;

-- sdc_cell_risk_misclassified: every cell with the individual risk of its records, and that risk times the probability that the
--   cell is the true one.
-- Gives: the key columns, sample_frequency BIGINT (less risk), population_frequency DOUBLE (less risk),
--   individual_risk DOUBLE (more risk), true_probability DOUBLE (more risk), individual_risk_misclassified DOUBLE (more risk).
-- Rows: cells.
-- Example: FROM sdc_cell_risk_misclassified('persons', ['age', 'sex'], 'w', 'truth');
CREATE OR REPLACE MACRO sdc_cell_risk_misclassified(tbl, keys, weight, truth, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT COLUMNS(sdc__without((*),
                                ['sample_frequency', 'population_frequency', 'individual_risk', 'true_probability',
                                 'individual_risk_misclassified'])),
           sdc__f AS sample_frequency, sdc__w AS population_frequency, sdc__risk AS individual_risk,
           sdc__true AS true_probability, sdc__risk * sdc__true AS individual_risk_misclassified
    FROM (SELECT unnest(sdc__key), sdc__f, sdc__w, sdc__risk, sdc__true
          FROM sdc__cell_risk_true(tbl, keys, weight, nulls, truth, small_weights := small_weights));

-- sdc_individual_risk_misclassified: every record with its individual risk, and that risk times the probability that its cell is
--   the true one.
-- Gives: every column, sample_frequency BIGINT (less risk), population_frequency DOUBLE (less risk), individual_risk DOUBLE (more risk),
--   true_probability DOUBLE (more risk), individual_risk_misclassified DOUBLE (more risk).
-- Rows: records.
-- Example: FROM sdc_individual_risk_misclassified('persons', ['age', 'sex'], 'w', 'truth');
CREATE OR REPLACE MACRO sdc_individual_risk_misclassified(tbl, keys, weight, truth, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT COLUMNS(sdc__without((*),
                                ['sample_frequency', 'population_frequency', 'individual_risk', 'true_probability',
                                 'individual_risk_misclassified'])),
           sdc__f AS sample_frequency, sdc__w AS population_frequency, sdc__risk AS individual_risk,
           sdc__true AS true_probability, sdc__risk * sdc__true AS individual_risk_misclassified
    FROM sdc__record_risk_true(tbl, keys, weight, nulls, truth, small_weights := small_weights);

-- sdc_global_risk_misclassified: how many re-identifications are to be expected, as the file stands and where its cells may not be
--   the true ones.
-- Gives: records BIGINT, expected_reidentifications DOUBLE (more risk), reidentification_rate DOUBLE (more risk),
--   percent DOUBLE (more risk), expected_reidentifications_misclassified DOUBLE (more risk),
--   reidentification_rate_misclassified DOUBLE (more risk).
-- Rows: one.
-- Example: FROM sdc_global_risk_misclassified('persons', ['age', 'sex'], 'w', 'truth');
CREATE OR REPLACE MACRO sdc_global_risk_misclassified(tbl, keys, weight, truth, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT sum(sdc__records)::BIGINT AS records,
           sdc__exact_sum(sdc__records * sdc__risk, 90) AS expected_reidentifications,
           sdc__exact_sum(sdc__records * sdc__risk, 90) / sum(sdc__records) AS reidentification_rate,
           100 * sdc__exact_sum(sdc__records * sdc__risk, 90) / sum(sdc__records) AS percent,
           sdc__exact_sum(sdc__records * sdc__risk * sdc__true, 90) AS expected_reidentifications_misclassified,
           sdc__exact_sum(sdc__records * sdc__risk * sdc__true, 90) / sum(sdc__records) AS reidentification_rate_misclassified
    FROM sdc__cell_risk_true(tbl, keys, weight, nulls, truth, small_weights := small_weights);

-- Each record with both household risks: sdc__naive is that of the file as it stands.
CREATE OR REPLACE MACRO sdc__household_risk_true(tbl, keys, weight, household, nulls, truth, small_weights := 'error') AS TABLE
    WITH sdc__records AS (
        FROM sdc__record_risk_true(tbl, keys, weight, nulls, truth, codes := [household], small_weights := small_weights)
    ),
    sdc__persons AS MATERIALIZED (FROM sdc__of_households('sdc__records', household)),
    sdc__naives AS (
        SELECT * EXCLUDE (sdc__household_risk, sdc__size), sdc__household_risk AS sdc__naive
        FROM sdc__at_least_one('sdc__persons')
    ),
    sdc__trues AS MATERIALIZED (SELECT * EXCLUDE (sdc__risk), sdc__risk AS sdc__of_file, sdc__risk * sdc__true AS sdc__risk
                                FROM sdc__naives)
    FROM sdc__at_least_one('sdc__trues');

-- sdc_household_risk_misclassified: every record with the risk of its household, and that where its members' cells may not be the
--   true ones.
-- Gives: every column, individual_risk DOUBLE (more risk), household_risk DOUBLE (more risk), household_size BIGINT,
--   individual_threshold DOUBLE, true_probability DOUBLE (more risk), individual_risk_misclassified DOUBLE (more risk),
--   household_risk_misclassified DOUBLE (more risk).
-- Rows: records.
-- Example: FROM sdc_household_risk_misclassified('persons', ['age', 'sex'], 'w', 'household', 'truth');
CREATE OR REPLACE MACRO sdc_household_risk_misclassified(tbl, keys, weight, household, truth, household_threshold := NULL,
                                                         nulls := 'category', small_weights := 'error') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['individual_risk', 'household_risk', 'household_size', 'individual_threshold', 'true_probability',
                                      'individual_risk_misclassified', 'household_risk_misclassified'])),
           sdc__of_file AS individual_risk, sdc__naive AS household_risk, sdc__size AS household_size,
           CASE WHEN household_threshold IS NULL THEN NULL
                ELSE sdc__checked_fraction(household_threshold, 'household threshold') / sdc__size END::DOUBLE AS individual_threshold,
           sdc__true AS true_probability, sdc__risk AS individual_risk_misclassified, sdc__household_risk AS household_risk_misclassified
    FROM sdc__household_risk_true(tbl, keys, weight, household, nulls, truth, small_weights := small_weights);

-- sdc_household_global_risk_misclassified: how many persons and households are expected to be re-identified, as the file stands and
--   where its cells may not be the true ones.
-- Gives: records BIGINT, households BIGINT, expected_reidentified_persons DOUBLE (more risk),
--   expected_reidentified_households DOUBLE (more risk), reidentification_rate DOUBLE (more risk), percent DOUBLE (more risk),
--   household_reidentification_rate DOUBLE (more risk), expected_reidentified_persons_misclassified DOUBLE (more risk),
--   expected_reidentified_households_misclassified DOUBLE (more risk), reidentification_rate_misclassified DOUBLE (more risk),
--   household_reidentification_rate_misclassified DOUBLE (more risk).
-- Rows: one.
-- Example: FROM sdc_household_global_risk_misclassified('persons', ['age', 'sex'], 'w', 'household', 'truth');
CREATE OR REPLACE MACRO sdc_household_global_risk_misclassified(
        tbl, keys, weight, household, truth, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT count(*) AS records,
           count(DISTINCT sdc__household) AS households,
           sdc__exact_sum(sdc__naive, 90) AS expected_reidentified_persons,
           sdc__exact_sum(sdc__naive / sdc__size, 90) AS expected_reidentified_households,
           sdc__exact_sum(sdc__naive, 90) / count(*) AS reidentification_rate,
           100 * sdc__exact_sum(sdc__naive, 90) / count(*) AS percent,
           sdc__exact_sum(sdc__naive / sdc__size, 90) / count(DISTINCT sdc__household) AS household_reidentification_rate,
           sdc__exact_sum(sdc__household_risk, 90) AS expected_reidentified_persons_misclassified,
           sdc__exact_sum(sdc__household_risk / sdc__size, 90) AS expected_reidentified_households_misclassified,
           sdc__exact_sum(sdc__household_risk, 90) / count(*) AS reidentification_rate_misclassified,
           sdc__exact_sum(sdc__household_risk / sdc__size, 90)
           / count(DISTINCT sdc__household) AS household_reidentification_rate_misclassified
    FROM sdc__household_risk_true(tbl, keys, weight, household, nulls, truth, small_weights := small_weights);
