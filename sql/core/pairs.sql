-- An original and a released table side by side, by the id: what the measures of records compare.
--
-- An original whose record is not released (a sample, a record left out) has lost all its values: it counts as if they had been
-- suppressed. A file of which half the records were deleted is no file that lost nothing. A released record
-- without an original, an id that is NULL and one that is repeated are errors.
-- Categories are compared by their texts, so that a recoded column may be of another type ('30-39' for 34); NULL is a category of its
-- own. Numbers of both tables may be of different types.
-- Each table is read several times, and no side is kept: a view that draws its rows anew is to be made a table first.

-- sdc__person and columns "sdc__x_<name>", as texts.
CREATE OR REPLACE MACRO sdc__labels(tbl, columns, id) AS TABLE
    SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__person, COLUMNS(sdc__columns((*), columns))::VARCHAR AS "sdc__x_\0"
    FROM sdc__exact_rows(tbl, codes := list_append(sdc__names(columns), id), compared := [id]);

-- sdc__first: whether a row is of the original. (The union gives ids one type, and the columns one order.)
CREATE OR REPLACE MACRO sdc__both_labels(original, released, columns, id) AS TABLE
    SELECT true AS sdc__first, * FROM sdc__labels(original, columns, id)
    UNION ALL BY NAME
    SELECT false AS sdc__first, * FROM sdc__labels(released, columns, id);

-- False, or the error. originals, copies: the most records of one id in either table; nobody: ids that are NULL; strange: released ids
-- that no original has.
CREATE OR REPLACE MACRO sdc__not_paired(id, originals, copies, nobody, strange) AS CASE
    WHEN nobody > 0
        THEN error('ColumnError: The id (' || id
                   || ') is NULL on records of the original or the released table: every record needs one of its own.')
    WHEN originals > 1 OR copies > 1
        THEN error('ColumnError: The id (' || id || ') is the same on ' || greatest(originals, copies) || ' records of the '
                   || CASE WHEN originals > 1 THEN 'original' ELSE 'released' END || ' table: it must be unique.')
    WHEN strange > 0
        THEN error('TableError: ' || strange || ' records of the released table have an id (' || id
                   || ') that no record of the original has: give the table that they were made from.')
    ELSE false END;

-- One row: the most records of one id in either table, ids that are NULL, released ones that no original has, and those of both tables.
-- sides: the name of a relation with sdc__first and sdc__person.
CREATE OR REPLACE MACRO sdc__counted_each(sides) AS TABLE
    SELECT max(sdc__before) AS sdc__originals, max(sdc__after) AS sdc__copies,
           count(*) FILTER (WHERE sdc__person IS NULL) AS sdc__nobody,
           count(*) FILTER (WHERE sdc__before = 0) AS sdc__strange,
           count(*) FILTER (WHERE sdc__before > 0 AND sdc__after > 0) AS sdc__shared
    FROM (SELECT sdc__person, count(*) FILTER (WHERE sdc__first) AS sdc__before,
                 count(*) FILTER (WHERE NOT sdc__first) AS sdc__after
          FROM query_table(sides)
          GROUP BY sdc__person);

-- The same, where most records need not be counted (the most of one id is then NULL in the place of 1; compiled, all are counted). Most
-- files stand in one line, by ascending ids: in whatever order rows come, where each id is above the one before it, no two are alike.
-- Beside a few released records only their own originals are counted, where all originals are known to be unique. (The line is read from
-- the sides themselves: what is kept of a join comes in pieces.)
CREATE OR REPLACE MACRO sdc__counted_ids(sides) AS TABLE
    WITH sdc__ids AS MATERIALIZED (SELECT sdc__first, sdc__person FROM query_table(sides)),
    sdc__in_line AS (
        SELECT count(*) AS sdc__rows,
               count(*) FILTER (WHERE sdc__person = sdc__same) = count(*)
               AND count(*) FILTER (WHERE sdc__above) = count(*) - 1 AS sdc__alike,
               count(sdc__person) = count(sdc__here) AND count(*) FILTER (WHERE sdc__above) = count(sdc__here) - 1
               AND 4 * count(sdc__same) < count(sdc__here) AS sdc__few
        FROM (SELECT sdc__person, 1 AS sdc__here, sdc__person > lag(sdc__person) OVER () AS sdc__above
              FROM query_table(sides)
              WHERE sdc__first)
        POSITIONAL JOIN (SELECT sdc__person AS sdc__same FROM query_table(sides) WHERE NOT sdc__first)
    ),
    sdc__asked AS NOT MATERIALIZED (
        SELECT sdc__first, sdc__person
        FROM sdc__ids
        WHERE NOT (SELECT sdc__alike FROM sdc__in_line) AND NOT (sdc__first AND (SELECT sdc__few FROM sdc__in_line))
        UNION ALL
        SELECT sdc__first, sdc__person
        FROM sdc__ids
        WHERE sdc__first AND (SELECT sdc__few FROM sdc__in_line)
              AND sdc__person IN (SELECT sdc__person FROM sdc__ids WHERE NOT sdc__first AND (SELECT sdc__few FROM sdc__in_line))
    )
    SELECT * REPLACE (sdc__shared + coalesce((SELECT sdc__rows FROM sdc__in_line WHERE sdc__alike), 0) AS sdc__shared)
    FROM sdc__counted_each('sdc__asked');

-- No rows, or the error.
CREATE OR REPLACE MACRO sdc__refused_pairs(sides, id) AS TABLE
    SELECT sdc__nobody
    FROM sdc__counted_ids(sides)
    WHERE sdc__not_paired(id, sdc__originals, sdc__copies, sdc__nobody, sdc__strange);

-- What a record counts for: its weight in the original, or 1 where no column is named. (What it weighs in the released table, the
-- intruder's or the user's, does not decide what was lost.)
CREATE OR REPLACE MACRO sdc__weight_of(weight, value) AS
    CASE WHEN weight IS NULL THEN 1e0 ELSE sdc__checked_weight(sdc__value(weight, value)) END;
CREATE OR REPLACE MACRO sdc__weighed_labels(original, released, columns, id, weight) AS TABLE
    SELECT true AS sdc__first, COLUMNS(sdc__columns((*), [id])) AS sdc__person, COLUMNS(sdc__columns((*), columns))::VARCHAR AS "sdc__x_\0",
           sdc__weight_of(weight, COLUMNS(sdc__column((*), weight))) AS sdc__weight
    FROM sdc__exact_rows(original, codes := list_append(sdc__names(columns), id), compared := [id])
    UNION ALL BY NAME
    SELECT false AS sdc__first, *, NULL AS sdc__weight FROM sdc__labels(released, columns, id);

-- By variable, the place of it among the columns first: how many records have category x before and y after, and the sum of their
-- weights. every: those that are not released too (y NULL).
CREATE OR REPLACE MACRO sdc__transitions_among(original, released, columns, id, every, weight := NULL) AS TABLE
    WITH sdc__both AS NOT MATERIALIZED (FROM sdc__weighed_labels(original, released, columns, id, weight)),
    sdc__named AS (
        SELECT unnest(range(len(sdc__names))) AS sdc__of, unnest(sdc__names) AS sdc__variable
        FROM (SELECT list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                    lambda n: substr(n, 8)) AS sdc__names
              FROM sdc__both
              LIMIT 1)
    ),
    sdc__paired AS (
        SELECT unnest(range(len(sdc__before))) AS sdc__column, unnest(sdc__before) AS sdc__x, unnest(sdc__after) AS sdc__y, sdc__weight
        FROM (SELECT sdc__person, sdc__weight, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__before
              FROM sdc__both
              WHERE sdc__first) AS sdc__o
        LEFT JOIN (SELECT sdc__person AS sdc__same, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__after
                   FROM sdc__both
                   WHERE NOT sdc__first) AS sdc__r
          ON sdc__o.sdc__person = sdc__r.sdc__same
        WHERE every OR sdc__same IS NOT NULL
    )
    SELECT sdc__column + 1 AS sdc__place, sdc__variable, sdc__x, sdc__y, sdc__n, sdc__w
    FROM (SELECT sdc__column, sdc__x, sdc__y, count(*) AS sdc__n,
                 CASE WHEN weight IS NULL THEN count(*)::DOUBLE ELSE sdc__exact_sum(sdc__weight) END AS sdc__w
          FROM sdc__paired
          GROUP BY sdc__column, sdc__x, sdc__y)
    JOIN sdc__named ON sdc__of = sdc__column
    UNION ALL
    SELECT sdc__nobody, sdc__nobody::VARCHAR, sdc__nobody::VARCHAR, sdc__nobody::VARCHAR, sdc__nobody, NULL
    FROM sdc__refused_pairs('sdc__both', id);

CREATE OR REPLACE MACRO sdc__transitions(original, released, columns, id, weight) AS TABLE
    FROM sdc__transitions_among(original, released, columns, id, true, weight);

-- The categories of the original in order, NULL the lowest: numbers by size, an ENUM by its own order, texts by their bytes.
CREATE OR REPLACE MACRO sdc__category_places(original, columns) AS TABLE
    WITH sdc__found AS (
        SELECT list_transform(list_sort(list(DISTINCT COLUMNS(sdc__columns((*), columns))), 'ASC', 'NULLS FIRST'),
                              lambda v: v::VARCHAR) AS "\0"
        FROM sdc__exact_rows(original, codes := columns, compared := [])
    )
    SELECT sdc__folded(sdc__name) AS sdc__of, unnest(sdc__listed) AS sdc__category,
           unnest(range(1, len(sdc__listed) + 1)) AS sdc__rank, len(sdc__listed) AS sdc__categories
    FROM (SELECT unnest(struct_keys(struct_pack(*COLUMNS(*)))) AS sdc__name, unnest([*COLUMNS(*)]) AS sdc__listed FROM sdc__found);
