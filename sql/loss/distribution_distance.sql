-- How far the distribution of the released file is from that of the original: of each variable, and of their crossing.
--
--   p, q: the shares of the original's and the released file's records in the cells
--   hellinger        sqrt(1/2 sum (sqrt p - sqrt q)^2)        0 (nothing lost) to 1 (no cell in common)
--   total_variation  1/2 sum |p - q|                          0 to 1
--   entropy          - sum p ln p, and its change: that of the released file less that of the original
-- Entropies are in nats (/ ln 2: bits). NULL is a category of its own; categories are compared by their texts.
-- Source: Karr & Sanil, The risk-utility approach to statistical disclosure limitation, (2): data distortion as a distance of the
--   distributions: "Hellinger distance, total variation distance and entropy change".
--
--   original: sex   released: sex   FROM sdc_distribution_distance('original', 'released', ['sex']):
--             f               f     columns  hellinger total_variation entropy_before entropy_after entropy_change
--             f               m     [sex]    0.1846    0.25            0.6931         0.5623        -0.1308
--             m               m
--             m               m
--
-- Scope: cells.
-- Not compiled: it crosses lists of variables, which other engines have no words for.
-- Parameters:
--   original  table    the table before masking or recoding
--   released  table    the table after it
--   columns   columns  the categorical variables

-- The first row is the crossing of all, the others a variable each.
-- sdc_distribution_distance: Hellinger and total variation distance of the distributions, and the change of entropy.
-- Gives: columns VARCHAR[], hellinger DOUBLE (more loss), total_variation DOUBLE (more loss), entropy_before DOUBLE,
--   entropy_after DOUBLE, entropy_change DOUBLE.
-- Rows: each columns.
-- Told: hellinger, total_variation.
-- Example: FROM sdc_distribution_distance('persons', 'released', ['region', 'sex']);
-- Limit: hellinger. The Hellinger distance of the released distribution from the original one.
CREATE OR REPLACE MACRO sdc_distribution_distance(original, released, columns) AS TABLE
    WITH sdc__cells AS MATERIALIZED (
        FROM sdc__set_cells(original, released, columns, list_concat([sdc__names(columns)], CASE WHEN len(sdc__names(columns)) > 1 THEN sdc__sets_up_to(columns, 1) ELSE [] END), NULL)
    ),
    sdc__sizes AS (SELECT sdc__set AS sdc__of, sdc__exact_sum(sdc__before) AS sdc__n, sdc__exact_sum(sdc__after) AS sdc__m FROM sdc__cells GROUP BY sdc__set),
    sdc__shares AS (SELECT sdc__set, sdc__columns, sdc__before / sdc__n AS sdc__p, sdc__after / sdc__m AS sdc__q FROM sdc__cells JOIN sdc__sizes ON sdc__of = sdc__set),
    sdc__sums AS (
        SELECT sdc__set, any_value(sdc__columns) AS sdc__columns, sdc__exact_sum((sqrt(sdc__p) - sqrt(sdc__q)) ** 2, 90) AS sdc__h, sdc__exact_sum(abs(sdc__p - sdc__q), 90) AS sdc__tv,
               sdc__exact_sum(CASE WHEN sdc__p > 0 THEN -sdc__p * ln(sdc__p) ELSE 0 END, 90) AS sdc__e, sdc__exact_sum(CASE WHEN sdc__q > 0 THEN -sdc__q * ln(sdc__q) ELSE 0 END, 90) AS sdc__f
        FROM sdc__shares GROUP BY sdc__set
    )
    SELECT sdc__columns AS columns, least(1, sqrt(sdc__h / 2)) AS hellinger, least(1, sdc__tv / 2) AS total_variation, sdc__e AS entropy_before, sdc__f AS entropy_after,
           sdc__f - sdc__e AS entropy_change
    FROM sdc__sums ORDER BY sdc__set ASC;
