-- What an intruder thinks of a two-way table after swapping, who knows how it was swapped: the posterior after n swaps.
--
--   p_n(a | a') = p(a) P_n(a' | a) / sum_b p(b) P_n(a' | b),  P_n = P^n,  a the first cell of the true table, a' of the released one
--   P(a -> a - 1) = 2 a (a - a_0) / N^2,   P(a -> a + 1) = 2 (r_1 - a) (c_1 - a) / N^2,   a_0 = r_1 + c_1 - N;   otherwise it stays
-- A swap takes two of the N records at random with replacement and exchanges their categories of the columns: the totals stay, and the
-- table changes where the two differ in both. The totals r of the rows and c of the columns are known to the intruder.
-- The chain is reversible: with the equilibrium (the hypergeometric distribution of a) as prior, the posterior is P_n(a | a').
-- Source: J. Lynch's slides on Lambert (1993), the addendum on swapped tables (slide 40), for rows of 10 and 5, columns of 9 and 6.
--
--   FROM sdc_swap_posterior([10, 5], [9, 6], 8, 32):   a prior  likelihood posterior
--                                                      4 0.1667 0.0428     0.1569     a = 4, the table (4, 6 | 5, 0), to 9, (9, 1 | 0, 5)
--                                                      ...
--                                                      8 0.1667 0.0471     0.1726     p_32(8 | 8) = 1.0356 / 6
--
-- After few swaps the released table tells much of the true one; after many the posterior is the prior.
--
-- Scope: table.
-- Not compiled: it reads no table, and repeats a step as often as there were swaps; ask it in DuckDB.
-- Parameters:
--   row_totals     numbers                   the totals of the two rows
--   column_totals  numbers                   the totals of the two columns, with the same sum
--   released       whole number in [0, ...)  the first cell of the released table: first row, first column
--   swaps          whole number in [0, 50000000]  how many swaps there were
--   prior          value                     'uniform' over the possible tables, 'equilibrium', or a list of their probabilities, from
--                                            the least first cell up

-- Two whole totals, or the error.
CREATE OR REPLACE MACRO sdc__totals(given, other, name) AS CASE
    WHEN len(TRY_CAST(given AS DOUBLE[])) = 2 AND list_count(TRY_CAST(given AS DOUBLE[])) = 2
         AND list_min(TRY_CAST(given AS DOUBLE[])) >= 0
         AND list_sum(TRY_CAST(given AS DOUBLE[])) BETWEEN 1 AND 1e6 AND list_sum(
             list_transform(TRY_CAST(given AS DOUBLE[]), lambda v: v - floor(v))) = 0
         AND list_sum(TRY_CAST(given AS DOUBLE[])) = list_sum(TRY_CAST(other AS DOUBLE[])) THEN TRY_CAST(given AS DOUBLE[])
    ELSE error('ParameterError: ' || name
               || ' must be two whole numbers of at least 0, and both totals of a table have the same sum (at most'
               || ' 1,000,000), as in [10, 5], [9, 6].') END;

-- The prior of k tables, or the error; weights: those of the equilibrium, as logarithms.
CREATE OR REPLACE MACRO sdc__table_prior(prior, weights) AS CASE
    WHEN prior::VARCHAR = 'uniform' THEN list_transform(weights, lambda w: 1e0 / len(weights))
    WHEN prior::VARCHAR = 'equilibrium' THEN list_transform(
        weights,
        lambda w: exp(w - list_max(weights)) / list_sum(list_transform(weights, lambda v: exp(v - list_max(weights)))))
    WHEN len(TRY_CAST(prior AS DOUBLE[])) = len(weights) AND list_count(TRY_CAST(prior AS DOUBLE[])) = len(weights)
         AND list_min(TRY_CAST(prior AS DOUBLE[])) >= 0 AND abs(list_sum(TRY_CAST(prior AS DOUBLE[])) - 1) <= 1e-6
        THEN TRY_CAST(prior AS DOUBLE[])
    ELSE error('ParameterError: prior must be ''uniform'', ''equilibrium'' or a list of ' || len(weights)
               || ' probabilities of at least 0 that sum to 1, one for each possible table.') END;

-- a: the first cell of the true table; likelihood: P_n(released | a), the probability that swapping made the released table of it.
-- sdc_swap_posterior: what an intruder thinks of a two-way table after n swaps.
-- Gives: a BIGINT, prior DOUBLE, likelihood DOUBLE, posterior DOUBLE.
-- Rows: values of a.
-- Example: FROM sdc_swap_posterior([10, 5], [9, 6], 8, 32);
CREATE OR REPLACE MACRO sdc_swap_posterior(row_totals, column_totals, released, swaps, prior := 'uniform') AS TABLE
    WITH RECURSIVE sdc__table AS (
        SELECT *, sdc__r[1] + sdc__r[2] AS sdc__n, greatest(0, sdc__c[1] - sdc__r[2])::BIGINT AS sdc__low,
               least(sdc__r[1], sdc__c[1])::BIGINT AS sdc__high
        FROM (SELECT sdc__totals(row_totals, column_totals, 'row_totals') AS sdc__r,
                     sdc__totals(column_totals, row_totals, 'column_totals') AS sdc__c)
    ),
    sdc__chain AS (
        SELECT sdc__n, sdc__low, sdc__checked_whole(released, 'released', sdc__low, sdc__high) AS sdc__seen,
               CASE WHEN (sdc__high - sdc__low + 1) * sdc__checked_whole(swaps, 'swaps', 0, most := 50000000) <= 50000000
                        THEN sdc__checked_whole(swaps, 'swaps', 0, most := 50000000)
                    ELSE error('ParameterError: ' || swaps || ' swaps of ' || (sdc__high - sdc__low + 1)
                               || ' possible tables are too many steps (50,000,000 is the most): by'
                               || ' then the posterior is the prior.') END AS sdc__swaps,
               list_transform(range(sdc__low, sdc__high + 1),
                              lambda a: 2e0 * a * (a - (sdc__r[1] + sdc__c[1] - sdc__n)) / (sdc__n * sdc__n)) AS sdc__down,
               list_transform(range(sdc__low, sdc__high + 1),
                              lambda a: 2e0 * (sdc__r[1] - a) * (sdc__c[1] - a) / (sdc__n * sdc__n)) AS sdc__up,
               -- ln(1 / (a! (r_1 - a)! (c_1 - a)! (a - a_0)!))
               sdc__table_prior(
                   prior,
                   list_transform(range(sdc__low, sdc__high + 1),
                                  lambda a: -lgamma(a + 1e0) - lgamma(sdc__r[1] - a + 1) - lgamma(sdc__c[1] - a + 1)
                                            - lgamma(a - (sdc__r[1] + sdc__c[1] - sdc__n) + 1))) AS sdc__prior
        FROM sdc__table
    ),
    -- of each true table the probability that k more swaps lead to the released one
    sdc__back AS (
        SELECT 0 AS sdc__k,
               list_transform(sdc__down,
                              lambda d, i: CASE WHEN sdc__low + i - 1 = sdc__seen THEN 1e0 ELSE 0e0 END) AS sdc__u
        FROM sdc__chain
        UNION ALL
        SELECT sdc__k + 1,
               list_transform(sdc__u,
                              lambda u, i: sdc__down[i] * coalesce(sdc__u[i - 1], 0) + (1 - sdc__down[i] - sdc__up[i]) * u
                                           + sdc__up[i] * coalesce(sdc__u[i + 1], 0))
        FROM sdc__back, sdc__chain WHERE sdc__k < sdc__swaps
    ),
    sdc__all AS (
        SELECT sdc__low, sdc__prior, sdc__u, list_sum(list_transform(sdc__u, lambda u, i: u * sdc__prior[i])) AS sdc__sum
        FROM sdc__back
        JOIN sdc__chain ON sdc__k = sdc__swaps
    )
    SELECT sdc__low + sdc__i - 1 AS a, sdc__prior[sdc__i] AS prior, sdc__u[sdc__i] AS likelihood,
           CASE WHEN sdc__sum > 0 THEN sdc__prior[sdc__i] * sdc__u[sdc__i] / sdc__sum
                ELSE error('ParameterError: No table of the prior can become the released one by these'
                           || ' swaps: give the tables it may come of a probability.') END AS posterior
    FROM (SELECT *, unnest(range(1, len(sdc__u) + 1)) AS sdc__i FROM sdc__all)
    ORDER BY sdc__i ASC;
