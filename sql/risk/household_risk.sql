-- Household risk: the probability that at least one member of the household is re-identified; all
-- members share it.
--
--   r^h_g = 1 - prod_{i in g} (1 - r_i) ,     delta_g = r^h* / |g|
-- A household is safe when each member's individual risk is below delta_g, where r^h* is the
-- threshold for households.
--   xi^h = (1/n) sum_g |g| r^h_g
-- Source: SDC handbook, section 3.3.5, "Releasing hierarchical files".
--
-- It leaves out what the members tell together: the intruder looks for one person at a time, by that person's keys. Who knows the keys of
-- all members knows a combination that is far rarer (region, six age bands and sex of all find three times as many on EU-SILC):
-- sdc_composition_risk, and where the population is at hand sdc_composition_k_map.
--
-- It is made of individual risks, and as those too low where many records are sample uniques (individual_risk.sql).
--
--   persons: age sex w  household   sdc_household_risk('persons', ['age', 'sex'], 'w', 'household', 0.1):
--            30  f   10 1           individual_risk household_risk household_size individual_threshold
--            30  f   15 1           0.067858        0.131112       2              0.05                  1 - (1 - 0.067858)^2
--            41  m   20 2           0.067858        0.131112       2              0.05
--                                   0.157670        0.157670       1              0.1
--
--   FROM sdc_household_global_risk('persons', ['age', 'sex'], 'w', 'household'):
--   records households expected_reidentified_persons expected_reidentified_households reidentification_rate household_reidentification_rate
--   3       2          0.4199                        0.2888                           0.1400                0.1444
--
-- Underestimates: where at least a fifth of the records are sample uniques.
-- Scope: table.
-- Parameters:
--   tbl                  table                      the table, view, common table expression or file
--   keys                 columns                    the key variables
--   weight               column or number           the expansion weights, or what every record weighs
--   household            column                     the household numbers; NULL is an error: it would put all such persons in one household
--   household_threshold  number in (0, 1)           r^h*; NULL: individual_threshold is NULL
--   nulls                'category' or 'wildcard'   NULL in a key is a value of its own, or agrees with every value
--   small_weights        'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or taken to stand for these

-- Records with the number of their household.
CREATE OR REPLACE MACRO sdc__of_households(records, household) AS TABLE
    SELECT *,
           coalesce(sdc__exact(COLUMNS(sdc__one_column((*), household))),
                    error('ColumnError: A household number is NULL: every person must belong to a household (give persons'
                          || ' living alone a number of their own).')
           ) AS sdc__household
    FROM query_table(records);

-- persons: a CTE with sdc__risk and sdc__household. Each with sdc__household_risk and sdc__size besides.
CREATE OR REPLACE MACRO sdc__at_least_one(persons) AS TABLE
    WITH sdc__sums AS (
        SELECT sdc__household AS sdc__of, max(sdc__risk) AS sdc__most,
               sdc__exact_sum(CASE WHEN sdc__risk < 1 THEN sdc__ln1p(-sdc__risk) END, 90) AS sdc__log, count(*) AS sdc__size
        FROM query_table(persons) GROUP BY sdc__household
    ),
    -- 1 - prod(1 - r_i), without losing the digits of small risks: once for a household, not for each of its members
    sdc__risks AS (
        SELECT sdc__of, sdc__size, CASE WHEN sdc__most >= 1 THEN 1 ELSE -sdc__expm1(sdc__log) END::DOUBLE AS sdc__household_risk
        FROM sdc__sums
    )
    SELECT sdc__p.*, sdc__size, sdc__household_risk
    FROM query_table(persons) AS sdc__p JOIN sdc__risks ON sdc__household = sdc__of;

CREATE OR REPLACE MACRO sdc__risk_of_households(tbl, keys, weight, household, nulls, small_weights := 'error') AS TABLE
    WITH sdc__records AS (
        FROM sdc__record_risk(tbl, keys, weight, nulls, list_append(sdc__names(keys), household::VARCHAR), small_weights := small_weights)
    ),
    sdc__persons AS MATERIALIZED (FROM sdc__of_households('sdc__records', household))
    FROM sdc__at_least_one('sdc__persons');

-- household_size counts the members in the file; individual_threshold is delta_g.
-- sdc_household_risk: every record with the risk and the size of its household.
-- Gives: every column, individual_risk DOUBLE (more risk), household_risk DOUBLE (more risk), household_size BIGINT,
--   individual_threshold DOUBLE.
-- Rows: records.
-- Words: individual_risk: greatest risk of a person; household_risk: greatest risk of a household.
-- Example: FROM sdc_household_risk('persons', ['age', 'sex'], 'w', 'household', 0.1);
CREATE OR REPLACE MACRO sdc_household_risk(tbl, keys, weight, household, household_threshold := NULL, nulls := 'category',
                                           small_weights := 'error') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['individual_risk', 'household_risk', 'household_size', 'individual_threshold'])),
           sdc__risk AS individual_risk, sdc__household_risk AS household_risk, sdc__size AS household_size,
           CASE WHEN household_threshold IS NULL THEN NULL
                ELSE sdc__checked_fraction(household_threshold, 'household threshold') / sdc__size END::DOUBLE AS individual_threshold
    FROM sdc__risk_of_households(tbl, keys, weight, household, nulls, small_weights := small_weights);

-- The risk of the whole file with households, both ways: persons in re-identified households
-- (each member counts, sum_g |g| r^h_g), and re-identified households (sum_g r^h_g).
-- reidentification_rate is xi^h, percent 100 xi^h; household_reidentification_rate is the mean of r^h_g over households.
-- sdc_household_global_risk: how many persons and households are expected to be re-identified in the whole file.
-- Gives: records BIGINT, households BIGINT, expected_reidentified_persons DOUBLE (more risk),
--   expected_reidentified_households DOUBLE (more risk), reidentification_rate DOUBLE (more risk), percent DOUBLE (more risk),
--   household_reidentification_rate DOUBLE (more risk).
-- Rows: one.
-- Words: expected_reidentified_persons: expected number of persons in re-identified households; expected_reidentified_households: expected
--   number of re-identified households; reidentification_rate: expected share of persons in re-identified households; percent: expected
--   persons in re-identified households, in per cent; household_reidentification_rate: expected share of re-identified households.
-- Limit: reidentification_rate. The expected share of persons in re-identified households.
-- Example: FROM sdc_household_global_risk('persons', ['age', 'sex'], 'w', 'household');
CREATE OR REPLACE MACRO sdc_household_global_risk(tbl, keys, weight, household, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT count(*) AS records,
           count(DISTINCT sdc__household) AS households,
           sdc__exact_sum(sdc__household_risk, 90) AS expected_reidentified_persons,
           sdc__exact_sum(sdc__household_risk / sdc__size, 90) AS expected_reidentified_households,
           sdc__exact_sum(sdc__household_risk, 90) / count(*) AS reidentification_rate,
           100 * sdc__exact_sum(sdc__household_risk, 90) / count(*) AS percent,
           sdc__exact_sum(sdc__household_risk / sdc__size, 90) / count(DISTINCT sdc__household) AS household_reidentification_rate
    FROM sdc__risk_of_households(tbl, keys, weight, household, nulls, small_weights := small_weights);
