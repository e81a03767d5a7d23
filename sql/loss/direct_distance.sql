-- How far the released categories are from the original ones, record by record.
--
--   nominal   d(c, c') = 0 where c = c', else 1
--   ordinal   d(c, c') = number of categories from the lower one up to, and without, the higher one / number of categories   (3.6)
--   distance  the mean of d over the records, 0 (nothing lost) to 1
-- With a weight w the mean is sum w d / sum w; whole weights are as many records each.
-- Categories in order are those of the original: numbers by size, an ENUM in its own order, texts by their bytes; NULL is the lowest.
-- A category that recoding made has the number of the lowest original one that became it (the handbook's renumbering at 3.11: 2 and 3
-- merged are 2). A suppressed value (NULL that was none) counts as the farthest end of an ordinal variable, as after (3.16), and as
-- another category of a nominal one.
-- Source: SDC handbook, section 3.5.2.1, (3.6); Domingo-Ferrer & Torra (2001).
--
--   original: id region   released: id region   FROM sdc_direct_distance('original', 'released', ['region'], 'id'):
--             1  north              1  north    variable records changed distance
--             2  north              2  south    NULL     4       1       0.25      all variables
--             3  south              3  south    region   4       1       0.25
--             4  south              4  south
--
-- Scope: table.
-- Not compiled: it puts the categories of both tables in the order that DuckDB gives them.
-- Parameters:
--   original  table    the table before masking or recoding
--   released  table    the table after it
--   columns   columns  the categorical variables
--   id        column   identifies each record
--   ordinal   columns  those of them whose categories have an order
--   weight    column   a column of the original, what each record counts for (whole weights: as many records each);
--       without it the records are counted

-- Of each categorical variable: the records, those that changed, and the mean of the steps between categories (of a nominal
-- one: of the changes).
CREATE OR REPLACE MACRO sdc__category_steps(original, released, columns, id, ordinal, weight) AS TABLE
    WITH sdc__moves AS MATERIALIZED (FROM sdc__transitions(original, released, columns, id, weight)),
    sdc__ranks AS MATERIALIZED (FROM sdc__category_places(original, columns)),
    sdc__from AS (
        SELECT sdc__m.*, sdc__rank AS sdc__low, sdc__categories,
               list_contains(sdc__some_of(ordinal, columns, 'ordinal'), sdc__of) AS sdc__ordered,
               min(sdc__rank) OVER (PARTITION BY sdc__place, sdc__y) AS sdc__renumbered
        FROM sdc__moves AS sdc__m JOIN sdc__ranks ON sdc__of = sdc__folded(sdc__variable) AND sdc__category IS NOT DISTINCT FROM sdc__x
    ),
    sdc__steps AS (
        SELECT sdc__f.*, CASE WHEN NOT sdc__ordered THEN (sdc__x IS DISTINCT FROM sdc__y)::BIGINT
                              WHEN sdc__x IS NOT NULL AND sdc__y IS NULL THEN greatest(sdc__low - 1, sdc__f.sdc__categories - sdc__low)
                              ELSE abs(sdc__low - coalesce(sdc__t.sdc__rank, sdc__renumbered)) END AS sdc__step
        FROM sdc__from AS sdc__f
        LEFT JOIN sdc__ranks AS sdc__t ON sdc__of = sdc__folded(sdc__variable) AND sdc__category IS NOT DISTINCT FROM sdc__y
    )
    SELECT sdc__place, sdc__variable, any_value(sdc__ordered) AS sdc__ordered,
           any_value(sdc__categories) AS sdc__categories, sum(sdc__n)::BIGINT AS sdc__records,
           coalesce(sum(sdc__n) FILTER (WHERE sdc__x IS DISTINCT FROM sdc__y), 0)::BIGINT AS sdc__changed,
           CASE WHEN weight IS NULL THEN sum(sdc__n * sdc__step)::DOUBLE ELSE sdc__exact_sum(sdc__w * sdc__step, 60) END
           / CASE WHEN weight IS NULL THEN sum(sdc__n)::DOUBLE ELSE sdc__exact_sum(sdc__w, 60) END AS sdc__mean
    FROM sdc__steps GROUP BY sdc__place, sdc__variable;

-- variable NULL: all of them, the mean of theirs; changed: the records that differ, there over all variables.
-- sdc_direct_distance: how far the released categories are from the original ones.
-- Gives: variable VARCHAR or NULL, records BIGINT, changed BIGINT (more loss), distance DOUBLE (more loss).
-- Rows: each variable (all of them together first).
-- Words: distance: mean distance of the categories from the original ones, 0 to 1; changed: categories that differ from the original.
-- Result: DirectDistance. The records, those whose category changed, and the mean distance, 0 to 1; variable NULL: all of them.
-- Told: distance.
-- Example: FROM sdc_direct_distance('persons', 'released', ['region'], 'id');
-- Limit: distance. The share of the categories that masking changed.
CREATE OR REPLACE MACRO sdc_direct_distance(original, released, columns, id, ordinal := NULL, weight := NULL) AS TABLE
    WITH sdc__steps AS (FROM sdc__category_steps(original, released, columns, id, ordinal, weight)),
    sdc__shares AS MATERIALIZED (
        SELECT sdc__place, sdc__variable, sdc__records, sdc__changed,
               sdc__mean / CASE WHEN sdc__ordered THEN sdc__categories ELSE 1 END AS sdc__distance
        FROM sdc__steps
    )
    SELECT sdc__variable AS variable, sdc__records AS records, sdc__changed AS changed, sdc__distance AS distance
    FROM (FROM sdc__shares
          UNION ALL
          SELECT 0, NULL, max(sdc__records), sum(sdc__changed)::BIGINT, sdc__exact_sum(sdc__distance, 90) / count(*)
          FROM sdc__shares)
    ORDER BY sdc__place ASC;
