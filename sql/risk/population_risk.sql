-- The true risk of a sample whose population is at hand (a census, a
-- register, a simulation).
--
--   f_j, F_j: the counts of cell j in the sample and in the population
--   pr_pu          = N_1 / N                                                 Pr(PU)
--   pr_pu_given_su = sum_j I(f_j = 1, F_j = 1) / sum_j I(f_j = 1)            Pr(PU | SU)
--   theta          = sum_j I(f_j = 1) / sum_j F_j I(f_j = 1)                 (2)
--   p              = sum_j I(f_j = 1) / F_j / sum_j I(f_j = 1)               (3)
--   tau1           = sum_j I(f_j > 0) / F_j ,  tau2 = sum_j I(f_j = 1) / F_j (handbook, 3.3.3)
--   expected_correct_matches = sum_j f_j / F_j   (tau1 over records rather than over cells)
-- Source: Skinner & Elliot (2002), sections 2.1-2.3; SDC handbook, section 3.3.3.
--
-- Others call tau1 what is here sample_and_population_uniques.
-- Edges: without sample uniques the ratios over them are 0 (no unique match can be made).
--
--   sample: age sex   population: age sex times   sdc_population_risk('sample', 'population', ['age', 'sex']):
--           30  f                 30  f   1       pr_pu  pr_pu_given_su theta  p      tau1 tau2 expected_correct_matches
--           41  m                 41  m   2       0.1429 0.3333         0.4286 0.5833 1.75 1.75 1.75
--           52  f                 52  f   4         1 / 7, 1 / 3, 3 / 7; tau1 = 1 + 1 / 2 + 1 / 4, p a third of it
--
-- Scope: cells.
-- Parameters:
--   sample      table    the file, drawn from the population
--   population  table    the table of the population, with the same keys
--   keys        columns  the key variables

-- Every sample cell must be in the population at least as often, else the sample was not drawn from it and an error names the cell.
-- sdc_population_risk: the true risk of a sample whose population is at hand.
-- Gives: pr_pu DOUBLE (more risk), pr_pu_given_su DOUBLE (more risk), theta DOUBLE (more risk), p DOUBLE (more risk),
--   tau1 DOUBLE (more risk), tau2 DOUBLE (more risk), expected_correct_matches DOUBLE (more risk), sample_records BIGINT,
--   population_records BIGINT, sample_cells BIGINT, population_cells BIGINT, sample_uniques BIGINT (more risk),
--   population_uniques BIGINT (more risk), sample_and_population_uniques BIGINT (more risk), unique_matches BIGINT.
-- Rows: one.
-- Result: PopulationRisk. Pr(PU), Pr(PU | SU), theta (2), P (3), tau_1 and tau_2 (handbook, 3.3.3), and the counts they come from.
-- Raises: TableError where a cell has more records in the sample than in the population.
-- Example: FROM sdc_population_risk('persons', 'population', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_population_risk(sample, population, keys) AS TABLE
    WITH sdc__joined AS (
        SELECT coalesce(s.sdc__f, 0) AS sdc__f, p.sdc__f AS sdc__population
        FROM sdc__cells(sample, keys, NULL, 'category') AS s
        FULL JOIN sdc__cells(population, keys, NULL, 'category') AS p ON s.sdc__key = p.sdc__key
        -- a filter, so that it is asked whichever columns are selected
        WHERE CASE WHEN coalesce(s.sdc__f, 0) <= coalesce(p.sdc__f, 0) THEN true
                   ELSE error('TableError: A cell has more records in the sample than in the population: the sample'
                              || ' must be a part of the population, coded alike.') END
    ),
    sdc__sums AS (
        SELECT sum(sdc__f)::BIGINT AS sample_records,
               sum(sdc__population)::BIGINT AS population_records,
               count(*) FILTER (sdc__f > 0) AS sample_cells,
               count(*) AS population_cells,
               count(*) FILTER (sdc__f = 1) AS sample_uniques,
               count(*) FILTER (sdc__population = 1) AS population_uniques,
               count(*) FILTER (sdc__f = 1 AND sdc__population = 1) AS sample_and_population_uniques,
               coalesce(sum(sdc__population) FILTER (sdc__f = 1), 0)::BIGINT AS unique_matches,
               coalesce(sdc__exact_sum(CASE WHEN sdc__f > 0 THEN 1e0 / sdc__population END, 90), 0) AS tau1,
               coalesce(sdc__exact_sum(CASE WHEN sdc__f = 1 THEN 1e0 / sdc__population END, 90), 0) AS tau2,
               coalesce(sdc__exact_sum(1e0 * sdc__f / sdc__population, 90), 0) AS expected_correct_matches
        FROM sdc__joined
    )
    SELECT 1e0 * population_uniques / population_records AS pr_pu,
           CASE WHEN sample_uniques = 0 THEN 0 ELSE 1e0 * sample_and_population_uniques / sample_uniques END::DOUBLE AS pr_pu_given_su,
           CASE WHEN sample_uniques = 0 THEN 0 ELSE 1e0 * sample_uniques / unique_matches END::DOUBLE AS theta,
           CASE WHEN sample_uniques = 0 THEN 0 ELSE tau2 / sample_uniques END::DOUBLE AS p,
           tau1, tau2, expected_correct_matches,
           sample_records, population_records, sample_cells, population_cells,
           sample_uniques, population_uniques, sample_and_population_uniques, unique_matches
    FROM sdc__sums;
