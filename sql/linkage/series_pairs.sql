-- The releases of a series beside their originals, by the id: what the measures of a series read.

-- The list of tables, or the error.
CREATE OR REPLACE MACRO sdc__series_tables(earlier_originals, earlier_releases) AS
    CASE WHEN len(TRY_CAST(earlier_originals AS VARCHAR[])) >= 1
              AND len(TRY_CAST(earlier_originals AS VARCHAR[])) = len(TRY_CAST(earlier_releases AS VARCHAR[]))
              AND list_count(TRY_CAST(earlier_originals AS VARCHAR[])) + list_count(TRY_CAST(earlier_releases AS VARCHAR[]))
                  = 2 * len(TRY_CAST(earlier_releases AS VARCHAR[]))
             THEN TRY_CAST(earlier_releases AS VARCHAR[])
         ELSE error('ParameterError: earlier_originals and earlier_releases are to be lists of as many tables, one or more, as in'
                    || ' [''january'', ''february''], [''january_released'', ''february_released''].') END;

-- The values of a file, a row a person and a column: as a number, where it is one, and as a text.
CREATE OR REPLACE MACRO sdc__plain_number(v) AS
    CASE WHEN sdc__is_whole(typeof(v)) OR typeof(v) IN ('FLOAT', 'DOUBLE') OR starts_with(typeof(v), 'DECIMAL')
             THEN TRY_CAST(v AS DOUBLE) END;
CREATE OR REPLACE MACRO sdc__series_file(tbl, columns, id) AS TABLE
    SELECT sdc__person, sdc__folded(unnest(sdc__names)) AS sdc__name, unnest(sdc__numbers) AS sdc__n, unnest(sdc__texts) AS sdc__v
    FROM (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))] AS sdc__numbers,
                 [*COLUMNS(lambda c: starts_with(c, 'sdc__v_'))] AS sdc__texts
          FROM (SELECT sdc__canonical(COLUMNS(sdc__columns((*), [id]))) AS sdc__person,
                       sdc__plain_number(COLUMNS(sdc__columns((*), columns))) AS "sdc__n_\0",
                       sdc__canonical(COLUMNS(sdc__columns((*), columns))) AS "sdc__v_\0"
                FROM sdc__exact_rows(tbl, codes := [id])))
    LEFT JOIN sdc__names_of(tbl, columns) ON true;
CREATE OR REPLACE MACRO sdc__series_files(tables, columns, id) AS
    array_to_string(list_transform(tables, lambda t, i: 'SELECT ' || i || ' AS sdc__t, * FROM sdc__series_file(' || sdc__text(t) || ', '
                                                        || sdc__texts(columns) || ', ' || sdc__text(id) || ')'),
                    ' UNION ALL ');

-- False, or the error. most: the most records of one id in a file; nobody: ids that are NULL; strange: released ids that no original of
-- that release has; common: the persons of the release that has the fewest in common with others.
CREATE OR REPLACE MACRO sdc__no_series(id, most, nobody, strange, common) AS CASE
    WHEN nobody > 0
        THEN error('ColumnError: The id (' || id || ') is NULL on records of an original or a release: every record needs one of its own.')
    WHEN most > 1
        THEN error('ColumnError: The id (' || id || ') is the same on ' || most
                   || ' records of an original or a release: it must be unique.')
    WHEN strange > 0
        THEN error('TableError: ' || strange || ' records of a release have an id (' || id
                   || ') that no record of its original has: give the tables that the releases were made from, in their order.')
    WHEN common = 0
        THEN error('ColumnError: No id (' || id || ') of a release occurs in another one: nothing would be joined, and the'
                   || ' series would look like single releases. Give the ids one type and form, or those of before where'
                   || ' they were numbered anew.')
    ELSE false END;

-- A row a release, a person and a variable whose original is known: x and y as numbers, before and after, and as texts.
CREATE OR REPLACE MACRO sdc__series_pairs(original, released, columns, id, earlier_originals, earlier_releases) AS TABLE
    FROM query(
        'WITH sdc__o AS MATERIALIZED ('
        || sdc__series_files(list_append(TRY_CAST(earlier_originals AS VARCHAR[]), original), columns, id)
        || '), sdc__r AS MATERIALIZED ('
        || sdc__series_files(list_append(sdc__series_tables(earlier_originals, earlier_releases), released), columns, id)
        || '), sdc__one AS MATERIALIZED (SELECT sdc__t, sdc__person, true AS sdc__first FROM sdc__o WHERE sdc__name = '
        || sdc__text(sdc__folded(sdc__names(columns)[1]))
        || ' UNION ALL SELECT sdc__t, sdc__person, false FROM sdc__r WHERE sdc__name = ' || sdc__text(sdc__folded(sdc__names(columns)[1]))
        || '), sdc__counted AS (SELECT sdc__t, sdc__person, count(*) FILTER (sdc__first) AS sdc__b,'
        || ' count(*) FILTER (NOT sdc__first) AS sdc__a FROM sdc__one GROUP BY ALL), sdc__shared AS (SELECT sdc__t,'
        || ' count(*) FILTER (sdc__times > 1) AS sdc__common FROM (SELECT sdc__t,'
        || ' count(*) OVER (PARTITION BY sdc__person) AS sdc__times FROM sdc__counted WHERE sdc__a > 0) GROUP BY sdc__t),'
        || ' sdc__refused AS (SELECT 1 AS sdc__none FROM (SELECT max(greatest(sdc__b, sdc__a)) AS sdc__most,'
        || ' count(*) FILTER (sdc__person IS NULL) AS sdc__nobody, count(*) FILTER (sdc__b = 0) AS sdc__strange FROM sdc__counted),'
        || ' (SELECT min(sdc__common) AS sdc__common FROM sdc__shared) WHERE sdc__no_series(' || sdc__text(id)
        || ', sdc__most, sdc__nobody, sdc__strange, sdc__common))'
        || ' SELECT sdc__o.sdc__t, sdc__o.sdc__person, sdc__o.sdc__name, sdc__o.sdc__n AS sdc__x, sdc__o.sdc__v AS sdc__xv,'
        || ' sdc__r.sdc__n AS sdc__y, sdc__r.sdc__v AS sdc__yv FROM sdc__o JOIN sdc__r ON sdc__o.sdc__t = sdc__r.sdc__t'
        || ' AND sdc__o.sdc__person = sdc__r.sdc__person AND sdc__o.sdc__name = sdc__r.sdc__name'
        || ' LEFT JOIN sdc__refused ON true WHERE sdc__o.sdc__v IS NOT NULL');

-- What a variable is: numbers released as numbers, numbers as labels of classes, or categories; the least and the greatest original of
-- each label, or the one value that it stands for (a label that is an original value stands for itself).
CREATE OR REPLACE MACRO sdc__series_kinds(pairs) AS TABLE
    SELECT sdc__name,
           CASE WHEN NOT bool_and(sdc__x IS NOT NULL AND sdc__finite_size(abs(sdc__x)) >= 0) THEN 'categories'
                WHEN coalesce(bool_and(sdc__y IS NOT NULL AND sdc__finite_size(abs(sdc__y)) >= 0) FILTER (sdc__yv IS NOT NULL), true)
                    THEN 'numbers'
                ELSE 'labels' END AS sdc__kind
    FROM query_table(pairs) GROUP BY sdc__name;
CREATE OR REPLACE MACRO sdc__series_labels(pairs) AS TABLE
    SELECT sdc__name, sdc__yv,
           CASE WHEN bool_or(sdc__own) THEN any_value(sdc__yv)
                WHEN min(sdc__xv) = max(sdc__xv) THEN min(sdc__xv) END AS sdc__only,
           CASE WHEN bool_or(sdc__own) THEN coalesce(any_value(TRY_CAST(sdc__yv AS DOUBLE)), min(sdc__x)) ELSE min(sdc__x) END AS sdc__low,
           CASE WHEN bool_or(sdc__own) THEN coalesce(any_value(TRY_CAST(sdc__yv AS DOUBLE)), max(sdc__x)) ELSE max(sdc__x) END AS sdc__high
    FROM (SELECT sdc__p.sdc__name, sdc__yv, sdc__xv, sdc__x, sdc__is IS NOT NULL AS sdc__own
          FROM (SELECT DISTINCT sdc__name, sdc__yv, sdc__xv, sdc__x FROM query_table(pairs) WHERE sdc__yv IS NOT NULL) AS sdc__p
          LEFT JOIN (SELECT DISTINCT sdc__name AS sdc__of, sdc__xv AS sdc__is FROM query_table(pairs)) AS sdc__q
            ON sdc__of = sdc__p.sdc__name AND sdc__is = sdc__yv)
    GROUP BY ALL;

-- The pairs with what a released value says by itself: as a number (sdc__g), or as a category (sdc__c); and the number of the value.
CREATE OR REPLACE MACRO sdc__series_said(pairs) AS TABLE
    SELECT sdc__p.*, sdc__kind, sdc__low, sdc__high,
           CASE sdc__kind WHEN 'numbers' THEN sdc__y WHEN 'labels' THEN (sdc__low + sdc__high) / 2 END AS sdc__g,
           CASE WHEN sdc__kind = 'categories' THEN sdc__only END AS sdc__c,
           dense_rank() OVER (PARTITION BY sdc__p.sdc__name ORDER BY sdc__p.sdc__person ASC, sdc__p.sdc__xv ASC) - 1 AS sdc__state
    FROM query_table(pairs) AS sdc__p
    JOIN sdc__series_kinds(pairs) AS sdc__k USING (sdc__name)
    LEFT JOIN sdc__series_labels(pairs) AS sdc__l ON sdc__l.sdc__name = sdc__p.sdc__name AND sdc__l.sdc__yv = sdc__p.sdc__yv;
CREATE OR REPLACE MACRO sdc__series_within(said, width) AS TABLE
    SELECT sdc__name, sdc__checked_positive(width, 'width')
                      * coalesce(median(abs(sdc__g - sdc__x)) FILTER (sdc__g <> sdc__x), 0) AS sdc__within
    FROM query_table(said) GROUP BY sdc__name;
