-- How many persons of the population are unique on the keys, as estimated from the sample alone: from how many of its cells have
-- one record, two, three, ... (a model of the whole population; sdc_theta needs none, sdc_individual_risk has weights).
--
--   s_j, S_j: the cells with j records of the sample (n records, u cells), with j persons of the population (N persons); pi = n / N
--   pitman: E S_1 = Gamma(theta + 1) / Gamma(theta + alpha) N^alpha, where theta and 0 < alpha < 1 make greatest
--           sum_{i=1}^{u-1} log(theta + i alpha) - sum_{i=1}^{n-1} log(theta + i) + sum_j s_j sum_{i=1}^{j-1} log(i - alpha)
--   zayatz: E S_1 = s_1 Pr(PU | SU) N / n,  Pr(PU | SU) = s_1 h_1 / sum_j s_j h_j,  h_j = j C(N - j, n - 1) / C(N, n)
--   snb:    E S_1 = K beta^alpha: F - 1 of the K cells is negative binomial; of E s_1 and E s_2, with q = (1 - pi)(1 - beta):
--           s_1 = K pi (beta / (1 - q))^alpha (1 + alpha q / (1 - q)),
--           s_2 = K alpha beta^alpha pi^2 (1 - beta) (2 - (1 - alpha) q) / (2 (1 - q)^(alpha + 2)),
--           K = u + s_1 (sum_j j pi^2 (1 - pi^2)^(j-1) s_j / sum_j (1 - pi)^j ((1 + pi)^j - 1) s_j)
--                   (sum_j (1 - pi)^j s_j / sum_j j pi (1 - pi)^(j-1) s_j)^2
--   dankar: pi <= 0.1: pitman, or zayatz where that has no solution; else the lesser of zayatz and snb, or zayatz where snb has none
--   sample_and_population_uniques = pi E S_1 (each of them is sampled with probability pi), at most s_1; pr_pu_given_su is their share of s_1
-- Source: Dankar, El Emam, Neisa & Roffey (2012), Estimating the re-identification risk of clinical data sets, BMC Medical Informatics
--   and Decision Making 12:66 and appendix A (the rule); Hoshino (2001), Applying Pitman's sampling formula to microdata disclosure risk
--   assessment, Journal of Official Statistics 17, 499-520; Zayatz (1991), Estimation of the number of unique population elements using a
--   sample; Chen & Keller-McNulty (1998), Estimation of identification disclosure risk in microdata, Journal of Official Statistics
--   14, 79-95; Haas & Stokes (1998), Estimating the number of classes in a finite population, JASA 93, 1475-1487 (K, after Shlosser).
--
--   s_1 = 3, s_2 = 2, s_3 = 1, N = 100 (n = 10), zayatz:   population_uniques 9.8758, pr_pu 0.0988, pr_pu_given_su 0.3292
--
-- The models err, and by much: zayatz is far too high for small sampling fractions (tenfold at 0.02), the others either way; the README of
-- this folder shows by how much on samples of a known population. A model without a solution is an error, never a small number: pitman where
-- alpha would be 0 or less (its cells would be as good as equal; others go on there, with a quarter of the true number in some samples),
-- or where every record is unique, snb without cells of two records. All assume a simple random sample: with households sampled whole
-- they are too low, as theta is. Without sample uniques the estimates are 0; where N = n they are counts.
--
-- Scope: cells.
-- Not compiled: its likelihoods and equations are solved by numpy; sdc_theta, which needs no model of the population, is compiled.
-- Parameters:
--   tbl              table                     the table, view, common table expression or file
--   keys             columns                   the key variables; NULL in one is a value of its own
--   population_size  whole number in [1, ...)  N, the persons of the population, no fewer than the records
--   method           'dankar', 'pitman', 'zayatz' or 'snb'  which model, or the rule that chooses

CREATE OR REPLACE MACRO sdc__kernel_population_uniques(sizes, cells, population, method) AS sdc__needs_python('A model of the population')::DOUBLE[];

-- model: the one that gave the estimate.
-- sdc_population_uniqueness: the expected number of persons who are unique in the population, by a model of it.
-- Gives: model, records, cells, sample_uniques, population_size, population_uniques, pr_pu, sample_and_population_uniques, pr_pu_given_su.
-- Limit: pr_pu_given_su. The estimated probability that a sample unique is unique in the population.
-- Example: FROM sdc_population_uniqueness('persons', ['age', 'sex'], 1000000);
CREATE OR REPLACE MACRO sdc_population_uniqueness(tbl, keys, population_size, method := 'dankar') AS TABLE
    WITH sdc__frequencies AS (
        SELECT sdc__f AS sdc__size, count(*) AS sdc__number FROM sdc__category_cells(tbl, keys, NULL) GROUP BY ALL
    ),
    sdc__listed AS (
        SELECT sum(sdc__size * sdc__number)::BIGINT AS sdc__n, sum(sdc__number)::BIGINT AS sdc__u, coalesce(sum(sdc__number) FILTER (sdc__size = 1), 0)::BIGINT AS sdc__ones,
               list(sdc__size::DOUBLE ORDER BY sdc__size ASC) AS sdc__sizes, list(sdc__number::DOUBLE ORDER BY sdc__size ASC) AS sdc__cells
        FROM sdc__frequencies
    ),
    sdc__sized AS (SELECT *, sdc__checked_whole(population_size, 'population_size', sdc__n) AS sdc__population FROM sdc__listed),
    sdc__estimated AS (
        SELECT *, sdc__kernel_population_uniques(sdc__sizes, sdc__cells, sdc__population::DOUBLE, sdc__checked_choice(method, 'method', ['dankar', 'pitman', 'zayatz', 'snb'])) AS sdc__k FROM sdc__sized
    )
    SELECT ['pitman', 'zayatz', 'snb'][sdc__k[2]::INTEGER] AS model, sdc__n AS records, sdc__u AS cells, sdc__ones AS sample_uniques,
           sdc__population AS population_size, sdc__k[1] AS population_uniques, sdc__k[1] / sdc__population AS pr_pu,
           least(sdc__k[1] * sdc__n / sdc__population, sdc__ones) AS sample_and_population_uniques,
           CASE WHEN sdc__ones = 0 THEN 0 ELSE least(sdc__k[1] * sdc__n / sdc__population / sdc__ones, 1) END::DOUBLE AS pr_pu_given_su
    FROM sdc__estimated;
