-- The make-up of a household is a key: who knows the keys of all its members knows a combination that few households share, or one.
--
--   a cell is what a household's members are together: the sorted list of their combinations of the keys (the keys of the household are
--   the same in each of them); f, F = the households of a cell in the sample and in the population, pi = the sampling fraction of
--   households
--   unique households = sum I(f = 1);   below k: f < k
--   k-map: the households with F < k in the population, expected_reidentified_households = sum 1 / F over the households of the file
--   E(sum of 1 / F over a sample) = pi C, C the number of different cells of the population: to expect matches is to estimate a number of
--   species
--     by_weights        sum of E(1/F | f, F-hat), as individual risk; NULL unless n >= 2 C-hat (Pitman's), which is pi times the
--                       mean F of 2 or more
--     chao_lin          pi (u + f_1^2 / (2 f_2 n / (n - 1) + f_1 pi / (1 - pi)))   (Chao & Lin 2012, (3): below the truth)
--     expected_reidentified_households, Pitman's
--                       pi (u + (u + theta / alpha) (prod_{i=n}^{N-1} (i + theta + alpha) / (i + theta) - 1))   (Favaro et al. 2009, (6))
--     cells             u, the cells of the sample: no sum of 1 / F is above it
--   n = the households of the file, N = the sum of their weights, u = its cells, f_j = its cells of j households, pi = n / N
-- Source: Chao & Lin (2012), Nonparametric lower bounds for species richness and shared species richness under sampling without
--   replacement, Biometrics 68, 912-921; Favaro, Lijoi, Mena & Pruenster (2009), Bayesian non-parametric inference for species
--   variety with a two-parameter Poisson-Dirichlet process prior, JRSS B 71, 993-1008; Hoshino (2001), J. Official Statistics 17,
--   499-520 (its fit); SDC handbook, section 3.3.5; Sweeney (2001), k-map.
--
-- Where the population is at hand the k-map is the first choice: it assumes nothing. On samples of whole households of EU-SILC Pitman's
-- was at or above the truth in all of 28 settings, up to 1.85 times, and Chao & Lin's below it: no theorem. On populations simulated with
-- many households of their own kind (`tests/risk/test_composition.py`) Pitman's was 0.95 to 1.1 of it with 800 households sampled, and
-- down to 0.7 with 200. by_weights is within a quarter where it is given, and would be a tenth of the truth where most cells are unique.
-- theta assumes households sampled with equal probability, each by itself. A household's weight is the mean of its members'. To suppress
-- some members' values hardly helps: what is left of the others is still rare. Coarser keys, household numbers left out, swapping
-- households between regions, or a subsample of households do.
--
--   persons: household age sex weight
--            1         30  f   10
--            1         41  m   10
--            2         41  m   20
--            2         30  f   20
--            3         30  f   15
--            3         30  f   15
--   FROM sdc_composition_summary('persons', ['age', 'sex'], 'household', 2):
--   records households k cells unique_households persons_in_unique_households households_below_k persons_below_k
--   6       3          2 2     1                 2                            1                  2
--     1 and 2 are alike, in whatever order their members stand
--   FROM sdc_composition_frequencies('persons', ['age', 'sex'], 'household', 'weight'):
--   household age sex weight household_frequency population_households
--   1         30  f   10     2                   30
--   1         41  m   10     2                   30
--   2         41  m   20     2                   30
--   2         30  f   20     2                   30
--   3         30  f   15     1                   15
--   3         30  f   15     1                   15
--
-- Scope: table.
-- Not compiled: a cell is a sorted list of records, for which the compiler has no words of other engines; measure a copy of the
--   table in DuckDB.
-- Parameters:
--   tbl                table                     the table, view, common table expression or file
--   keys               columns                   the key variables, of persons and of households; NULL in one is a value of its own
--   household          column                    the household numbers; NULL is an error
--   weight             column or number          the expansion weights, or what every record weighs; NULL: population_households is NULL
--   population         table                     the population, with the same keys and household numbers of its own
--   sampling_fraction  number in (0, 1)          the share of the population's households that is in the file
--   confidence         number in (0, 1)          the confidence of the upper bound
--   k                  whole number in [2, ...)  the least number of households that is safe

-- Households with their cells: sdc__household, sdc__cell, sdc__size, sdc__weight.
CREATE OR REPLACE MACRO sdc__compositions(tbl, keys, weight, household) AS TABLE
    WITH sdc__records AS (FROM sdc__keyed(tbl, keys, codes := list_append(sdc__names(keys), household))),
    sdc__persons AS (FROM sdc__of_households('sdc__records', household)),
    sdc__weighed AS (
        SELECT sdc__household, sdc__key,
               CASE WHEN weight IS NULL THEN NULL
                    ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__w
        FROM sdc__persons
    )
    SELECT sdc__household, list_sort(list(sdc__key)) AS sdc__cell, count(*) AS sdc__size, sdc__exact_sum(sdc__w) / count(*) AS sdc__weight
    FROM sdc__weighed GROUP BY sdc__household;

CREATE OR REPLACE MACRO sdc__composition_cells(tbl, keys, weight, household) AS TABLE
    SELECT sdc__cell, count(*) AS sdc__f, sum(sdc__size)::BIGINT AS sdc__persons, sdc__exact_sum(sdc__weight) AS sdc__w
    FROM sdc__compositions(tbl, keys, weight, household) GROUP BY sdc__cell;

-- sdc_composition_frequencies: every record with the households that are made up as its own, in the file and in the population.
-- Gives: every column, household_frequency BIGINT (less risk), population_households DOUBLE (less risk).
-- Rows: records.
-- Example: FROM sdc_composition_frequencies('persons', ['age', 'sex'], 'household', 'w');
CREATE OR REPLACE MACRO sdc_composition_frequencies(tbl, keys, household, weight := NULL) AS TABLE
    WITH sdc__records AS (
        SELECT COLUMNS(sdc__without((*), ['household_frequency', 'population_households']))
        FROM sdc__rows(tbl, codes := list_append(sdc__names(keys), household))
    ),
    sdc__persons AS (FROM sdc__of_households('sdc__records', household)),
    sdc__of AS (FROM sdc__compositions(tbl, keys, weight, household)),
    sdc__counted AS (
        SELECT sdc__of.sdc__household AS sdc__home, sdc__c.sdc__f, sdc__c.sdc__w
        FROM sdc__of
        JOIN (SELECT sdc__cell, count(*) AS sdc__f, sdc__exact_sum(sdc__weight) AS sdc__w
              FROM sdc__of
              GROUP BY sdc__cell) AS sdc__c ON sdc__of.sdc__cell = sdc__c.sdc__cell
    )
    SELECT sdc__p.* EXCLUDE (sdc__household), sdc__found(sdc__f) AS household_frequency, sdc__w AS population_households
    FROM sdc__persons AS sdc__p LEFT JOIN sdc__counted ON sdc__p.sdc__household = sdc__home;

-- sdc_composition_summary: how many households are made up as fewer than k others are.
-- Gives: records BIGINT, households BIGINT, k BIGINT, cells BIGINT, unique_households BIGINT (more risk),
--   persons_in_unique_households BIGINT (more risk), households_below_k BIGINT (more risk), persons_below_k BIGINT (more risk).
-- Rows: one.
-- Words: unique_households: households that no other is made up as; persons_in_unique_households: persons in households that no other is
--   made up as; households_below_k: households that fewer than k are made up as; persons_below_k: persons in households that fewer than k
--   are made up as.
-- Limit: unique_households. The number of households that no other of the file is made up as.
-- Example: FROM sdc_composition_summary('persons', ['age', 'sex'], 'household');
CREATE OR REPLACE MACRO sdc_composition_summary(tbl, keys, household, k := 3) AS TABLE
    SELECT sum(sdc__persons)::BIGINT AS records, sum(sdc__f)::BIGINT AS households, any_value(sdc__k) AS k,
           count(*) AS cells, count(*) FILTER (sdc__f = 1) AS unique_households,
           coalesce(sum(sdc__persons) FILTER (sdc__f = 1), 0)::BIGINT AS persons_in_unique_households,
           coalesce(sum(sdc__f) FILTER (sdc__f < sdc__k), 0)::BIGINT AS households_below_k,
           coalesce(sum(sdc__persons) FILTER (sdc__f < sdc__k), 0)::BIGINT AS persons_below_k
    FROM sdc__composition_cells(tbl, keys, NULL, household), (SELECT sdc__checked_whole(k, 'k', 2) AS sdc__k);

-- A household whose cell the population lacks counts as F = 0 below every k, as one re-identified, and again as absent (coded
-- otherwise, or suppressed).
-- sdc_composition_k_map: the households of a file that are made up as fewer than k of the population's.
-- Gives: k BIGINT, households BIGINT (more risk), persons BIGINT (more risk), cells BIGINT (more risk), absent_households BIGINT,
--   least BIGINT (less risk), population_uniques BIGINT (more risk), expected_reidentified_households DOUBLE (more risk),
--   expected_reidentified_persons DOUBLE (more risk).
-- Rows: one.
-- Example: FROM sdc_composition_k_map('persons', 'population', ['age', 'sex'], 'household');
CREATE OR REPLACE MACRO sdc_composition_k_map(tbl, population, keys, household, k := 3) AS TABLE
    WITH sdc__mapped AS (
        SELECT s.sdc__f AS sdc__n, s.sdc__persons, coalesce(p.sdc__f, 0) AS sdc__f, sdc__checked_whole(k, 'k', 2) AS sdc__k
        FROM sdc__composition_cells(tbl, keys, NULL, household) AS s
        LEFT JOIN sdc__composition_cells(population, keys, NULL, household) AS p ON s.sdc__cell = p.sdc__cell
    )
    SELECT any_value(sdc__k) AS k, coalesce(sum(sdc__n) FILTER (sdc__f < sdc__k), 0)::BIGINT AS households,
           coalesce(sum(sdc__persons) FILTER (sdc__f < sdc__k), 0)::BIGINT AS persons,
           count(*) FILTER (sdc__f < sdc__k) AS cells,
           coalesce(sum(sdc__n) FILTER (sdc__f = 0), 0)::BIGINT AS absent_households, min(sdc__f) AS least,
           coalesce(sum(sdc__n) FILTER (sdc__f = 1), 0)::BIGINT AS population_uniques,
           sdc__exact_sum(1e0 * sdc__n / greatest(sdc__f, 1), 90) AS expected_reidentified_households,
           sdc__exact_sum(1e0 * sdc__persons / greatest(sdc__f, 1), 90) AS expected_reidentified_persons
    FROM sdc__mapped;

-- sdc_composition_theta: theta with households as units: the probability that a unique match of a whole household is correct.
-- Gives: households BIGINT, cells BIGINT, n1 BIGINT (more risk), n2 BIGINT, n3 BIGINT, theta DOUBLE (more risk), standard_error DOUBLE,
--   upper_bound DOUBLE (more risk).
-- Rows: one.
-- Words: theta: probability that a unique match of a household is correct; upper_bound: upper bound of the probability that a unique match
--   of a household is correct.
-- Limit: upper_bound. The upper bound of the probability that a unique match of a household is correct.
-- Example: FROM sdc_composition_theta('persons', ['age', 'sex'], 'household', 0.1);
CREATE OR REPLACE MACRO sdc_composition_theta(tbl, keys, household, sampling_fraction, confidence := 0.99) AS TABLE
    WITH sdc__counts AS (
        SELECT sum(sdc__f)::BIGINT AS households, count(*) AS cells, count_if(sdc__f = 1)::BIGINT AS n1,
               count_if(sdc__f = 2)::BIGINT AS n2, count_if(sdc__f = 3)::BIGINT AS n3,
               sdc__checked_fraction(sampling_fraction, 'sampling fraction') AS sdc__pi
        FROM sdc__composition_cells(tbl, keys, NULL, household)
    )
    SELECT * EXCLUDE (sdc__pi) FROM sdc__theta_estimates('sdc__counts', confidence);

CREATE OR REPLACE MACRO sdc__kernel_population_cells(sizes, cells, population) AS
    sdc__needs_python('A model of the cells of the population')::DOUBLE[];

-- population_cells: Pitman's C. Limits take Pitman's (expected_reidentified_households), unless they name the cells; NULL, as
-- by_weights may be, meets none.
-- sdc_composition_risk: how many households are expected to be re-identified by the keys of all their members.
-- Gives: households BIGINT, population_households DOUBLE, cells BIGINT (more risk), unique_households BIGINT (more risk),
--   population_cells DOUBLE, by_weights DOUBLE (more risk), chao_lin DOUBLE, expected_reidentified_households DOUBLE (more risk),
--   reidentification_rate DOUBLE (more risk).
-- Rows: one.
-- Words: unique_households: households that no other is made up as; expected_reidentified_households: expected number of re-identified
--   households; reidentification_rate: expected share of re-identified households.
-- Limit: reidentification_rate. The share of the households that is expected to be re-identified, by Pitman's model.
-- Example: FROM sdc_composition_risk('persons', ['age', 'sex'], 'w', 'household');
CREATE OR REPLACE MACRO sdc_composition_risk(tbl, keys, weight, household) AS TABLE
    WITH sdc__of_cells AS MATERIALIZED (SELECT *, sdc__checked_population(sdc__w, sdc__f) AS sdc__big
                                        FROM sdc__composition_cells(tbl, keys, weight, household)),
    sdc__sizes AS (SELECT sdc__f, count(*) AS sdc__number FROM sdc__of_cells GROUP BY sdc__f),
    sdc__listed AS (
        SELECT list(sdc__f::DOUBLE ORDER BY sdc__f ASC) AS sdc__fs,
               list(sdc__number::DOUBLE ORDER BY sdc__f ASC) AS sdc__numbers
        FROM sdc__sizes
    ),
    sdc__sums AS (
        SELECT sum(sdc__f)::BIGINT AS sdc__n, sdc__exact_sum(sdc__big) AS sdc__all, count(*) AS sdc__u,
               count(*) FILTER (sdc__f = 1) AS sdc__ones, count(*) FILTER (sdc__f = 2) AS sdc__twos,
               sdc__exact_sum(sdc__f * sdc_posterior_risk(sdc__f, sdc__f / sdc__big), 90) AS sdc__formula
        FROM sdc__of_cells
    ),
    sdc__modelled AS (
        SELECT *, sdc__n / sdc__all AS sdc__pi, sdc__kernel_population_cells(sdc__fs, sdc__numbers, sdc__all)[1] AS sdc__c
        FROM sdc__sums, sdc__listed
    )
    SELECT sdc__n AS households, sdc__all AS population_households, sdc__u AS cells, sdc__ones AS unique_households,
           sdc__c AS population_cells,
           CASE WHEN sdc__n >= 2 * sdc__c THEN sdc__formula END AS by_weights,
           sdc__pi * (sdc__u + CASE WHEN sdc__ones = 0 OR sdc__pi >= 1 THEN 0
                                    ELSE 1e0 * sdc__ones * sdc__ones
                                         / (2e0 * sdc__twos * sdc__n / greatest(sdc__n - 1, 1)
                                            + sdc__ones * sdc__pi / (1 - sdc__pi)) END) AS chao_lin,
           least(sdc__pi * sdc__c, sdc__u) AS expected_reidentified_households,
           least(sdc__pi * sdc__c, sdc__u) / sdc__n AS reidentification_rate
    FROM sdc__modelled;
