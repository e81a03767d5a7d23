-- How well a classification tree tells released records from original ones, beside what one tells by chance.
--
--   the files under one another, c the share of the released records; p_i the share of them in the leaf of record i
--   pMSE = sum w_i (p_i - c)^2 / sum w_i     0 (they cannot be told apart) to c (1 - c);  w_i = 1 without a weight
--   null_mean, null_deviation   those of pMSE where the labels, original or released, are permuted and the tree is grown again
--   ratio = pMSE / null_mean;  z = (pMSE - null_mean) / null_deviation;  share = pMSE / (c (1 - c))
-- A tree finds the connections of several variables that a logistic regression is not told of. It is cut in two where Gini's index falls
-- most, for as long as both parts have `size` records (not weights), and no more than twelve times one below another; where it falls
-- nowhere, into the most even parts, since of swapped values no single cut tells anything, and two do. A number is cut between up to 255
-- intervals, a missing one below all; categories into two sets (NULL one of them; beyond 254 the rarest are one). Such a tree fits chance
-- too, so that pMSE alone says little: that of a fresh sample of the same population is a draw from the null, its ratio near 1. A masked
-- file repeats the original records, and its ratio may well be below 1. Permuted records keep their weights.
-- The permutations are drawn by numpy from a fixed public number and the sizes of the files, so that the figure is the same each time. They
-- protect nothing.
-- Source: Snoke, Raab, Nowok, Dibben & Slavkovic (2018), General and specific utility measures for synthetic data, JRSS A 181(3), 663-688,
--   CART and the null by permutation; the trees: Breiman, Friedman, Olshen & Stone (1984), Classification and regression trees; leaves of
--   five records are those of synthpop.
--
--   original: sex   released: sex   FROM sdc_tree_propensity('original', 'released', ['sex'], size := 3):
--             f               f     records leaves pmse   share
--             f               m     8       2      0.0167 0.0667  p = 1/3 for f, 3/5 for m
--             m               m
--             m               m
--
-- Scope: table.
-- Not compiled: its trees are grown by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original      table                     the table before masking, or from which a synthetic one was made
--   released      table                     the table after it
--   columns       columns                   the variables; those that are not continuous are categories
--   continuous    columns                   those of them that are numbers
--   weight        column                    of both tables; NULL: the records are counted
--   size          whole number in [1, ...)  the fewest records of a leaf
--   permutations  whole number in [2, ...)  how often the labels are permuted

-- columns: of each variable its numbers, or the numbers of its categories; categories: how many have these, the first ones.
CREATE OR REPLACE MACRO sdc__kernel_tree_propensity(columns, categories, weights, before, after, size, permutations) AS
    sdc__needs_python('The propensity score by trees')::DOUBLE[];

-- The kinds of records, those of one weight, in one row: a list for each variable, the weights, and the records of either file.
CREATE OR REPLACE MACRO sdc__kinds_by_weight(original, released, columns, categories, numbers, weight) AS TABLE
    WITH sdc__files AS (
        FROM sdc__weighed_columns(original, columns, categories, numbers, weight, true)
        UNION ALL BY NAME
        FROM sdc__weighed_columns(released, columns, categories, numbers, weight, false)
    ),
    sdc__crossed AS (
        SELECT COLUMNS(lambda c: starts_with(c, 'sdc__t_')), COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__w::DOUBLE AS sdc__u,
               (count(*) FILTER (WHERE sdc__first))::DOUBLE AS sdc__b,
               (count(*) FILTER (WHERE NOT sdc__first))::DOUBLE AS sdc__a
        FROM sdc__files GROUP BY ALL
    ),
    sdc__coded AS (
        SELECT sdc__category_number(COLUMNS(lambda c: starts_with(c, 'sdc__t_'))) AS "\0",
               COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__u, sdc__b, sdc__a
        FROM sdc__crossed
    ),
    sdc__lists AS (
        SELECT list(COLUMNS(lambda c: starts_with(c, 'sdc__t_'))) AS "\0",
               list(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0", list(sdc__u) AS sdc__weights,
               list(sdc__b) AS sdc__before, list(sdc__a) AS sdc__after
        FROM sdc__coded
    )
    SELECT CASE WHEN len(categories) > 0 THEN [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] ELSE [] END AS sdc__categories,
           CASE WHEN len(numbers) > 0 THEN [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] ELSE [] END AS sdc__numbers,
           sdc__weights, sdc__before, sdc__after
    FROM sdc__lists;

-- ratio, z NULL: no permutation gave a tree, or all the same one.
-- sdc_tree_propensity: how well a classification tree tells released records from original ones, beside what one tells by chance.
-- Gives: records BIGINT, leaves BIGINT, pmse DOUBLE (more loss), null_mean DOUBLE, null_deviation DOUBLE,
--   ratio DOUBLE or NULL (more loss), z DOUBLE or NULL (more loss), share DOUBLE (more loss).
-- Rows: one.
-- Result: TreePropensity. pMSE by a classification tree, what it is where labels are permuted, and the ratio of the two. `leaves` are
--   those of the tree, `z` is by how many standard deviations pMSE is above the mean of the permutations, `share` is of the most that
--   pMSE can be.
-- Notes: A fresh sample of the same population has a ratio near 1. ``ratio`` and ``z`` are None where the null is 0 or constant. The
--   permutations are the same each time.
-- Told: share.
-- Example: FROM sdc_tree_propensity('persons', 'released', ['sex', 'income'], continuous := ['income'], size := 20);
CREATE OR REPLACE MACRO sdc_tree_propensity(original, released, columns, continuous := NULL, weight := NULL, size := 5,
    permutations := 20) AS TABLE
    WITH sdc__found AS (
        SELECT sdc__kernel_tree_propensity(list_concat(sdc__categories, sdc__numbers), len(sdc__categories)::DOUBLE, sdc__weights,
                                           sdc__before, sdc__after, sdc__checked_whole(size, 'size', 1)::DOUBLE,
                                           sdc__checked_whole(permutations, 'permutations', 2)::DOUBLE) AS sdc__k
        FROM sdc__kinds_by_weight(original, released, columns, sdc__names_not_among(columns, continuous),
                                  sdc__names_among(columns, continuous), weight)
        WHERE len(sdc__some_of(continuous, columns, 'continuous')) >= 0
    )
    SELECT sdc__k[1]::BIGINT AS records, sdc__k[2]::BIGINT AS leaves, sdc__k[3] AS pmse, sdc__k[4] AS null_mean,
           sdc__k[5] AS null_deviation, CASE WHEN sdc__k[4] > 0 THEN sdc__k[3] / sdc__k[4] END AS ratio,
           CASE WHEN sdc__k[5] > 0 THEN (sdc__k[3] - sdc__k[4]) / sdc__k[5] END AS z,
           sdc__k[3] / (sdc__k[6] * (1 - sdc__k[6])) AS share
    FROM sdc__found;
