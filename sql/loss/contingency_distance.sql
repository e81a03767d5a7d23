-- How far the contingency tables of the released file are from those of the original, and which published tables stay as they are.
--
--   CTBIL(F, G; W, K) = sum over the tables of 1 .. K of the variables W, sum over cells, |x^F - x^G|                     (3.7)
--   normalised        = CTBIL / the number of cells of all these tables (the product of the numbers of categories, NULL one of them)
--   share             = CTBIL / (the records of both files, in each of the tables): 0 (nothing lost) to 1 (no cell in common)
-- Of one variable whose only change is suppression, CTBIL is twice the number of suppressions.
-- Source: SDC handbook, section 3.5.2.2, (3.7); Domingo-Ferrer & Torra (2001). Margins: handbook, section 3.5.1 (Winkler 1998).
--
--   original: region  released: region   FROM sdc_contingency_distance('original', 'released', ['region']):
--             north             north    columns   cells changed distance normalised share
--             north             NULL     NULL      3     2       2        0.67       0.25
--             south             south    [region]  3     2       2        0.67       0.25
--             south             south
--
--   FROM sdc_margins_kept('original', 'released', [['region']]):
--   columns  cells changed greatest share
--   [region] 3     2       1        0.6667
--
-- Cells are counts of records; categories are compared by their texts. A value that recoding made is a category that the original lacks:
-- so compare recoded files by variables, or margins, that were not recoded.
--
-- Scope: cells.
-- Not compiled: it crosses lists of variables, which other engines have no words for.
-- Parameters:
--   original   table                     the table before masking or recoding
--   released   table                     the table after it
--   columns    columns                   the categorical variables
--   dimension  whole number in [1, ...)  the most variables of one table
--   margins    values                    lists of columns, each a table that was published
--   total      column                    the numeric variable whose sums were published; without it, counts

CREATE OR REPLACE MACRO sdc__table_distances(cells) AS TABLE
    SELECT sdc__set, any_value(sdc__columns) AS sdc__columns, any_value(sdc__size) AS sdc__cells,
           -- sums of numbers are equal to nine digits
           count(*) FILTER (WHERE abs(sdc__before - sdc__after) > 1e-9 * greatest(abs(sdc__before), abs(sdc__after))) AS sdc__changed,
           sdc__exact_sum(abs(sdc__before - sdc__after)) AS sdc__distance, max(abs(sdc__before - sdc__after)) AS sdc__greatest,
           sdc__exact_sum(abs(sdc__before) + abs(sdc__after)) AS sdc__all
    FROM query_table(cells) GROUP BY sdc__set;

-- columns NULL: all tables together. distance: CTBIL.
-- sdc_contingency_distance: how far the tables of up to so many variables are from the original ones.
-- Gives: columns VARCHAR[], cells DOUBLE, changed BIGINT (more loss), distance DOUBLE (more loss), normalised DOUBLE (more loss),
--   share DOUBLE (more loss).
-- Rows: each columns.
-- Told: share.
-- Example: FROM sdc_contingency_distance('persons', 'released', ['region', 'sex'], 2);
-- Limit: share. The share of the records of the tables that are in other cells.
CREATE OR REPLACE MACRO sdc_contingency_distance(original, released, columns, dimension := 2) AS TABLE
    WITH sdc__cells AS (FROM sdc__set_cells(original, released, columns, sdc__sets_up_to(columns, dimension), NULL)),
    sdc__tables AS MATERIALIZED (FROM sdc__table_distances('sdc__cells'))
    SELECT sdc__columns AS columns, sdc__cells AS cells, sdc__changed AS changed, sdc__distance AS distance,
           sdc__distance / sdc__cells AS normalised, sdc__distance / sdc__all AS share
    FROM (FROM sdc__tables
          UNION ALL
          SELECT 0, NULL, sum(sdc__cells), sum(sdc__changed)::BIGINT, sdc__exact_sum(sdc__distance), NULL,
                 sdc__exact_sum(sdc__all)
          FROM sdc__tables)
    ORDER BY sdc__set ASC;

CREATE OR REPLACE MACRO sdc__checked_margins(margins) AS
    CASE WHEN typeof(margins) LIKE '%[][]' AND len(margins) > 0 AND len(sdc__lists(margins)) = len(margins) THEN sdc__lists(margins)
         ELSE error('ParameterError: margins is to be a list of lists of columns, as in [[''region''], [''age'', ''sex'']].') END;

-- cells: those that either file has; changed: those whose count (or sum) is another; greatest: the greatest difference of a cell; share: of
-- the cells, those that changed.
-- sdc_margins_kept: which published tables the released file still gives, one row each.
-- Gives: columns VARCHAR[], cells BIGINT, changed BIGINT (more loss), greatest DOUBLE (more loss), share DOUBLE (more loss).
-- Rows: each columns.
-- Example: FROM sdc_margins_kept('persons', 'released', [['region'], ['age', 'sex']]);
-- Limit: share as sdc_margins_kept. The share of the cells of this published table that changed.
CREATE OR REPLACE MACRO sdc_margins_kept(original, released, margins, total := NULL) AS TABLE
    WITH sdc__cells AS (
        FROM sdc__set_cells(original, released,
                            list_distinct(list_transform(flatten(sdc__lists(margins)), lambda n: sdc__folded(n))),
                            sdc__checked_margins(margins), total)
    ),
    sdc__tables AS (
        SELECT sdc__t.*,
               (SELECT count(*) FROM sdc__cells AS sdc__c WHERE sdc__c.sdc__set = sdc__t.sdc__set) AS sdc__occupied
        FROM sdc__table_distances('sdc__cells') AS sdc__t
    )
    SELECT sdc__columns AS columns, sdc__occupied AS cells, sdc__changed AS changed, sdc__greatest AS greatest,
           sdc__changed / sdc__occupied AS share
    FROM sdc__tables ORDER BY sdc__set ASC;
