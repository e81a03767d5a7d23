-- What other members of a household show of a value that is missing: the file as whoever holds it can complete it.
--
--   A column of the household (region, dwelling, size) that is NULL for one member and shown by another is not missing. A value is filled
--   in where all members that show one show the same; where two are shown nothing is, and nobody is joined by a household number that is
--   NULL. What is counted of a file that leaves with its household numbers is counted on this.
-- Source: SDC handbook, section 3.3.5 (files with a hierarchy); what an intruder can do without any further file.
--
--   survey: household region age     sdc_completed_households('survey', 'household', ['region']):
--           26        north  young   household region age
--           26        north  young   26        north  young
--           26        NULL   old     26        north  young
--           27        south  old     26        north  old
--           27        north  old     27        south  old
--           27        NULL   young   27        north  old
--           NULL      NULL   old     27        NULL   young  two values are shown
--                                    NULL      NULL   old
--
-- Only households that show a NULL are joined: the others pass as they are. A measure may read this: WITH whole AS (FROM
-- sdc_completed_households(...)) FROM sdc_k_anonymity('whole', ...), or a view of it. (So it calls no table macro that measures call:
-- DuckDB refuses one within itself.)
--
-- Scope: table.
-- Not compiled: an engine without COLUMNS in conditions would need another query for each set of columns.
-- Parameters:
--   tbl        table    the table, view, common table expression or file
--   household  column   the household numbers
--   columns    columns  the columns of the household, which are the same for all its members

-- The columns of the household among those at hand; its number is none of them.
CREATE OR REPLACE MACRO sdc__of_the_household(have, household, columns) AS CASE
    WHEN sdc__is_among(household, sdc__names_if_any(columns))
        THEN [household || '" is the household number, and no column to be completed by it; so "' || household]
    ELSE sdc__columns(have, columns) END;

-- What all that show a value agree on; and what stands in the place of NULL, of the row that tells of the household.
CREATE OR REPLACE MACRO sdc__agreed(v) AS CASE WHEN min(v) = max(v) THEN max(v) END;
CREATE OR REPLACE MACRO sdc__filled_in(v, shown, household) AS coalesce(v, max(CASE WHEN shown THEN v END) OVER (PARTITION BY household));

-- The records that lack a value, completed.
CREATE OR REPLACE MACRO sdc__completed_records(tbl, household, columns) AS TABLE
    WITH sdc__base AS NOT MATERIALIZED (
        SELECT *, sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__of,
               sdc__exact(COLUMNS(sdc__of_the_household((*), household, columns))) AS "sdc__v_\0"
        FROM query_table(sdc__one_name(tbl))
    ),
    sdc__marked AS NOT MATERIALIZED (SELECT *, COLUMNS(lambda c: starts_with(c, 'sdc__v_')) IS NULL AS "sdc__n_\0" FROM sdc__base),
    sdc__lacking AS MATERIALIZED (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__n_')), false AS sdc__shown
        FROM sdc__marked
        WHERE greatest(*COLUMNS(lambda c: starts_with(c, 'sdc__n_')))
    ),
    sdc__told AS (
        SELECT sdc__of, sdc__agreed(COLUMNS(lambda c: starts_with(c, 'sdc__v_'))) AS "\0", true AS sdc__shown
        FROM sdc__base SEMI JOIN (SELECT sdc__of FROM sdc__lacking) USING (sdc__of) GROUP BY sdc__of
    ),
    sdc__beside AS (FROM sdc__lacking UNION ALL BY NAME FROM sdc__told),
    sdc__filled AS (
        SELECT sdc__shown AS sdc__of_household,
               COLUMNS(lambda c: NOT starts_with(c, 'sdc__') AND NOT sdc__is_among(c, columns)),
               sdc__filled_in(COLUMNS('^sdc__v_(.*)$'), sdc__shown, sdc__of) AS "\1"
        FROM sdc__beside
    )
    SELECT * EXCLUDE (sdc__of_household) FROM sdc__filled WHERE NOT sdc__of_household;

-- sdc_completed_households: every record, with what other members show in the place of NULL.
-- Gives: every column.
-- Rows: records.
-- Example: FROM sdc_completed_households('persons', 'household', ['region']);
CREATE OR REPLACE MACRO sdc_completed_households(tbl, household, columns) AS TABLE
    SELECT COLUMNS(sdc__unreserved((*), 'sdc__'))
    FROM query_table(sdc__one_name(tbl))
    WHERE COLUMNS(sdc__of_the_household((*), household, columns)) IS NOT NULL
    UNION ALL BY NAME
    FROM sdc__completed_records(tbl, household, columns)
    UNION ALL BY NAME
    -- (Without LIMIT: DuckDB 2.0 waits for ever where one of several readers of a large common table expression stops early.)
    SELECT sdc__none.*
    FROM (SELECT count(*) AS sdc__n FROM query_table(sdc__one_name(tbl))) AS sdc__count
    LEFT JOIN (FROM query_table(sdc__one_name(tbl)) WHERE false) AS sdc__none ON true
    WHERE CASE WHEN sdc__n > 0 THEN false ELSE error('TableError: The table ' || tbl || ' has no rows: there is nothing to complete.') END;
