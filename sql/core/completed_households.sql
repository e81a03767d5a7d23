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
-- DuckDB refuses one within itself. It is written as a text, since a measure binds it four times, and COLUMNS takes long to bind.)
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

-- What all that show a value agree on.
CREATE OR REPLACE MACRO sdc__agreed(v) AS CASE WHEN min(v) = max(v) THEN max(v) END;

-- All columns, where those that must be there are; or, as a name that no table has, what is wrong.
CREATE OR REPLACE MACRO sdc__completed_columns(have, household, columns) AS list_concat(
    CASE WHEN sdc__is_among(household, sdc__names_if_any(columns))
             THEN [household || '" is the household number, and no column to be completed by it; so "' || household]
         ELSE list_filter(
             sdc__columns(have, CASE WHEN len(sdc__names_if_any(columns)) > 0 THEN list_prepend(household, sdc__names(columns)) END),
             lambda c: NOT list_contains(have, c)) END,
    sdc__unreserved(have, 'sdc__'));

-- Text of the query: $c is one of the columns after the other, and $i its number.
CREATE OR REPLACE MACRO sdc__for_each(names, part, glue) AS list_aggregate(
    list_transform(names, lambda n, i: replace(replace(part, '$i', i::VARCHAR), '$c', sdc__identifier(n))), 'string_agg', glue);

-- Of each household that lacks a value in some column, what its members show.
CREATE OR REPLACE MACRO sdc__told_text(source, household, names) AS
    'SELECT sdc__of, ' || sdc__for_each(names, 'sdc__agreed(sdc__v$i) AS sdc__v$i', ', ')
    || ' FROM (SELECT sdc__exact(' || household || ') AS sdc__of, ' || sdc__for_each(names, 'sdc__exact($c) AS sdc__v$i', ', ')
    || ' FROM ' || source || ') WHERE sdc__of IN (SELECT sdc__by_bytes(' || household || ') FROM ' || source
    || ' WHERE ' || sdc__for_each(names, '$c IS NULL', ' OR ') || ') GROUP BY sdc__of';
CREATE OR REPLACE MACRO sdc__told_by_members(tbl, household, columns) AS TABLE
    FROM query('SELECT sdc__of AS ' || sdc__identifier(household) || ', ' || sdc__for_each(sdc__names(columns), 'sdc__v$i AS $c', ', ')
               || ' FROM (' || sdc__told_text('query_table(' || sdc__text(sdc__one_name(tbl)) || ')', sdc__identifier(household),
                                              sdc__names(columns)) || ')');

-- Every record, with what its household tells.
CREATE OR REPLACE MACRO sdc__completed_text(source, household, columns) AS list_transform([sdc__names(columns)], lambda names:
    'WITH sdc__told AS MATERIALIZED (' || sdc__told_text(source, household, names)
    || ') SELECT sdc__t.* REPLACE (' || sdc__for_each(names, 'coalesce(sdc__t.$c, sdc__told.sdc__v$i) AS $c', ', ')
    || ') FROM ' || source || ' AS sdc__t LEFT JOIN sdc__told ON sdc__by_bytes(sdc__t.' || household || ') = sdc__told.sdc__of')[1];

-- sdc_completed_households: every record, with what other members show in the place of NULL.
-- Gives: every column.
-- Rows: records.
-- Example: FROM sdc_completed_households('persons', 'household', ['region']);
CREATE OR REPLACE MACRO sdc_completed_households(tbl, household, columns) AS TABLE
    SELECT COLUMNS(sdc__completed_columns((*), household, columns)) FROM query_table(sdc__one_name(tbl)) WHERE false
    UNION ALL BY NAME
    FROM query(sdc__completed_text('query_table(' || sdc__text(sdc__one_name(tbl)) || ')', sdc__identifier(household), columns));
