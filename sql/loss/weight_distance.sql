-- What became of the records and their weights: deleted records, and weights that no longer stand for the population.
--
--   unreleased_share    the records that are not released / records;   unreleased_weight: the same by the sums of their original weights
--   total_change        | sum w' / sum w - 1 |: the population that the released file stands for, beside that of the original
--   mean_change         mean | w' / w - 1 | over the released records
-- Frequencies and distances of distributions see neither: half the records deleted at random, and all weights tripled, change no share by
-- more than chance, and lower the risk to a third of it. A sample whose weights were adjusted has the total_change 0 and a mean_change
-- above 0.
-- Source: Horvitz & Thompson (1952), A generalization of sampling without replacement from a finite universe, JASA 47, 663-685 (a
--   sum of weights estimates the size of the population).
--
--   original: id w     released: id w
--             1  10              1  30
--             2  10              2  30
--             3  20
--             4  20
--   FROM sdc_weight_distance('original', 'released', 'w', 'id'):
--   records released unreleased_share unreleased_weight changed total_before total_after total_change mean_change
--   4       2        0.5              0.6667            2       60           60          0            2
--
-- Scope: table.
-- Parameters:
--   original  table   the table before masking
--   released  table   the table after it
--   weight    column  of both tables: the expansion weights
--   id        column  identifies each record

CREATE OR REPLACE MACRO sdc__weights_by_id(tbl, weight, id, first) AS TABLE
    SELECT first AS sdc__first, COLUMNS(sdc__columns((*), [id])) AS sdc__person,
           sdc__checked_weight(sdc__value(weight::VARCHAR, COLUMNS(sdc__column((*), weight::VARCHAR)))) AS sdc__w
    FROM sdc__exact_rows(tbl, codes := [id]);

-- changed: the released records whose weight is another one.
-- sdc_weight_distance: the records that are not released, and how far the weights are from the original ones.
-- Gives: records BIGINT, released BIGINT, unreleased_share DOUBLE (more loss), unreleased_weight DOUBLE (more loss), changed BIGINT
--   (more loss), total_before DOUBLE, total_after DOUBLE, total_change DOUBLE (more loss), mean_change DOUBLE (more loss).
-- Rows: one.
-- Example: FROM sdc_weight_distance('persons', 'released', 'w', 'id');
-- Limit: total_change. How far the total of the weights is from the original one.
CREATE OR REPLACE MACRO sdc_weight_distance(original, released, weight, id) AS TABLE
    WITH sdc__sides AS MATERIALIZED (FROM sdc__weights_by_id(original, weight, id, true)
                                     UNION ALL BY NAME
                                     FROM sdc__weights_by_id(released, weight, id, false)),
    sdc__paired AS (
        SELECT sdc__w AS sdc__x, sdc__y FROM (FROM sdc__sides WHERE sdc__first) AS sdc__o
        LEFT JOIN (SELECT sdc__person AS sdc__same, sdc__w AS sdc__y
                   FROM sdc__sides
                   WHERE NOT sdc__first) AS sdc__r ON sdc__o.sdc__person = sdc__r.sdc__same
    ),
    sdc__sums AS (
        SELECT count(*) AS sdc__n, count(sdc__y) AS sdc__m, count(*) FILTER (sdc__x <> sdc__y) AS sdc__moved,
               sdc__exact_sum(sdc__x) AS sdc__before, sdc__exact_sum(sdc__y) AS sdc__after,
               sdc__exact_sum(CASE WHEN sdc__y IS NULL THEN sdc__x END) AS sdc__gone,
               sdc__exact_sum(abs(sdc__y / sdc__x - 1)) AS sdc__change
        FROM sdc__paired
    )
    -- (nullif: other engines divide before they say that a table has no rows.)
    SELECT sdc__n AS records, sdc__m AS released, (sdc__n - sdc__m) / nullif(sdc__n, 0) AS unreleased_share,
           coalesce(sdc__gone, 0) / nullif(sdc__before, 0) AS unreleased_weight, sdc__moved AS changed,
           sdc__before AS total_before, sdc__after AS total_after,
           abs(sdc__after / nullif(sdc__before, 0) - 1) AS total_change, sdc__change / nullif(sdc__m, 0) AS mean_change
    FROM sdc__sums LEFT JOIN sdc__refused_pairs('sdc__sides', id) AS sdc__none ON true;
