-- How many persons of the population are unique on the keys, as estimated from the sample alone.
-- It is told from how many of its cells have one record, two, three, ... (a model of the whole population; sdc_theta needs none,
-- sdc_individual_risk has weights).
--
--   persons: job times   sdc_population_uniqueness('persons', ['job'], 100, method := 'zayatz'):
--            a   1       records cells sample_uniques population_uniques pr_pu  pr_pu_given_su
--            b   1       10      6     3              9.8758             0.0988 0.3292          s_1 = 3, s_2 = 2, s_3 = 1, N = 100
--            c   1
--            d   2
--            e   2
--            f   3
-- Source: Dankar, El Emam, Neisa & Roffey (2012), Estimating the re-identification risk of clinical data sets, BMC Medical Informatics
--   and Decision Making 12:66 and appendix A (the rule); Hoshino (2001), Applying Pitman's sampling formula to microdata disclosure risk
--   assessment, Journal of Official Statistics 17, 499-520; Zayatz (1991), Estimation of the number of unique population elements using a
--   sample; Chen & Keller-McNulty (1998), Estimation of identification disclosure risk in microdata, Journal of Official Statistics
--   14, 79-95; Haas & Stokes (1998), Estimating the number of classes in a finite population, JASA 93, 1475-1487 (K, after Shlosser).
--
--   s_1 = 3, s_2 = 2, s_3 = 1, N = 100 (n = 10), zayatz:   population_uniques 9.8758, pr_pu 0.0988, pr_pu_given_su 0.3292
--
-- The models err, and by much: zayatz is far too high for small sampling fractions (tenfold at 0.02), the others either way; the README of
-- this folder shows by how much on samples of a known population. A model without a solution is an error, never a small number: pitman
-- where alpha would be 0 or less (its cells would be as good as equal; ewens_uniques shows alpha = 0, with a quarter of the true number
-- in some samples), or where every record is unique, snb without cells of two records. All assume a simple random sample: with households
-- sampled whole they are too low, as theta is. Without sample uniques the estimates are 0; where N = n they are counts.
--
-- Scope: cells.
-- Not compiled: its likelihoods and equations are solved by numpy; sdc_theta, which needs no model of the population, is compiled.
-- Parameters:
--   tbl              table                     the table, view, common table expression or file
--   keys             columns                   the key variables; NULL in one is a value of its own
--   population_size  whole number in [1, ...)  N, the persons of the population, no fewer than the records,
--       which are taken as a simple random sample of them
--   method           'dankar', 'pitman', 'zayatz' or 'snb'  the model, of Pitman, of Zayatz or the slide negative binomial one (snb), or
--       the rule that chooses between them by the sampling fraction

CREATE OR REPLACE MACRO sdc__kernel_population_uniques(sizes, cells, population, method) AS
    sdc__needs_python('A model of the population')::DOUBLE[];

-- model: the one that gave the estimate. ewens_uniques: where Pitman's alpha is 0, the population uniques by Ewens' formula, which is then
-- Pitman's, N theta / (N + theta - 1), theta where sum_{i<n} theta / (theta + i) is the number of cells; NULL elsewhere. Where it is higher
-- than the model's it is the estimate too, and model is 'ewens': so that a limit judges the higher one.
-- sdc_population_uniqueness: the expected number of persons who are unique in the population, by a model of it.
-- Gives: model VARCHAR, records BIGINT, cells BIGINT, sample_uniques BIGINT (more risk), population_size BIGINT,
--   population_uniques DOUBLE (more risk), pr_pu DOUBLE (more risk), sample_and_population_uniques DOUBLE (more risk),
--   pr_pu_given_su DOUBLE (more risk), ewens_uniques DOUBLE or NULL (more risk).
-- Rows: one.
-- Words: population_uniques: expected number of persons who are unique in the population; pr_pu: expected share of the population that is
--   unique; pr_pu_given_su: probability that a record alone in the sample is alone in the population.
-- Result: PopulationUniqueness. The expected number of population uniques, their share, and that among the sample uniques. `model` is the
--   one that gave them. `ewens_uniques` is the number by Ewens' formula where Pitman's alpha is 0 (NULL elsewhere): where it is the higher
--   one, it is the expected number, and the model.
-- Wildcards: refused.
-- Raises: ParameterError where the model has no solution, or the population is smaller than the file.
-- Notes: NULL in a key is a category of its own. Each model may err by much (sql/risk/README.md). Where the population is at hand:
--   `population_risk`.
-- Limit: pr_pu_given_su. The estimated probability that a sample unique is unique in the population.
-- Example: FROM sdc_population_uniqueness('persons', ['age', 'sex'], 1000000);
CREATE OR REPLACE MACRO sdc_population_uniqueness(tbl, keys, population_size, method := 'dankar') AS TABLE
    WITH sdc__frequencies AS (
        SELECT sdc__f AS sdc__size, count(*) AS sdc__number FROM sdc__category_cells(tbl, keys, NULL) GROUP BY ALL
    ),
    sdc__listed AS (
        SELECT sum(sdc__size * sdc__number)::BIGINT AS sdc__n, sum(sdc__number)::BIGINT AS sdc__u,
               coalesce(sum(sdc__number) FILTER (sdc__size = 1), 0)::BIGINT AS sdc__ones,
               list(sdc__size::DOUBLE ORDER BY sdc__size ASC) AS sdc__sizes, list(sdc__number::DOUBLE ORDER BY sdc__size ASC) AS sdc__cells
        FROM sdc__frequencies
    ),
    sdc__sized AS (SELECT *, sdc__checked_whole(population_size, 'population_size', sdc__n) AS sdc__population FROM sdc__listed),
    sdc__estimated AS (
        SELECT *,
               sdc__kernel_population_uniques(
                   sdc__sizes, sdc__cells, sdc__population::DOUBLE,
                   sdc__checked_choice(method, 'method', ['dankar', 'pitman', 'zayatz', 'snb'])) AS sdc__k
        FROM sdc__sized
    )
    SELECT ['pitman', 'zayatz', 'snb', 'ewens'][sdc__k[2]::INTEGER] AS model, sdc__n AS records, sdc__u AS cells,
           sdc__ones AS sample_uniques,
           sdc__population AS population_size, sdc__k[1] AS population_uniques, sdc__k[1] / sdc__population AS pr_pu,
           least(sdc__k[1] * sdc__n / sdc__population, sdc__ones) AS sample_and_population_uniques,
           CASE WHEN sdc__ones = 0 THEN 0 ELSE least(sdc__k[1] * sdc__n / sdc__population / sdc__ones, 1) END::DOUBLE AS pr_pu_given_su,
           CASE WHEN NOT isnan(sdc__k[3]) THEN sdc__k[3] END AS ewens_uniques
    FROM sdc__estimated;
