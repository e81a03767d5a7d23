-- What a released category tells that nobody showed before: of who comes later it is his own.
--
--   certainty = the newcomers whose released category is new, and true / all newcomers whose released category is new
--   usual = the same of the newcomers who show a category that an earlier release has;    gain = max(certainty - usual, 0)
-- A mask that exchanges the categories of a file, or moves to those that there are (PRAM with a retention, swapping), has no new one to
-- give unless somebody brings it: it is nearly always that of who shows it. Categories that are declared beforehand do not tell so.
-- Source: SDC handbook, section 3.4.6 (the categories of a PRAM matrix are those of the file); counted as defined above.
--
--   first: id x    first_masked: id x    original: id x    released: id x
--          1  a                  1  b              1  a              1  b
--          2  b                  2  a              2  b              2  a
--                                                  3  c              3  c
--                                                  4  a              4  b
--   FROM sdc_series_newcomers('original', 'released', ['x'], 'id', ['first'], ['first_masked']):
--   variable newcomers categories records right certainty usual gain
--   x        2         1          1       1     1.0       0.0   1.0
--
-- Scope: table.
-- Not compiled: its values are unnested from lists, for which other engines have no words.
-- Parameters:
--   original           table    the table as it is now, before masking
--   released           table    the present release
--   columns            columns  the variables
--   id                 column   identifies each person, in all of them
--   earlier_originals  tables   the table as it was at each earlier release, before masking
--   earlier_releases   tables   the earlier releases, in the same order

-- newcomers: persons that no earlier release has, in the release they came in; categories: released ones that no earlier release has, and
-- a newcomer shows; records: the newcomers that show one; right: those of them whose own it is.
-- sdc_series_newcomers: what a released category tells that only newcomers have.
-- Gives: variable VARCHAR, newcomers BIGINT, categories BIGINT, records BIGINT, right BIGINT (more risk),
--   certainty DOUBLE or NULL (more risk), usual DOUBLE or NULL, gain DOUBLE (more risk).
-- Rows: each variable.
-- Result: SeriesNewcomers. What a released category tells that only newcomers have. `certainty`: the share of those who show one whose own
--   it is (NULL where nobody does); `usual`: the same of the other newcomers; `gain`: by how much the first is more.
-- Example: FROM sdc_series_newcomers('persons', 'released', ['region'], 'id', ['persons'], ['persons']);
-- Limit: gain. By how much likelier a released category that nobody showed before is the newcomer's own.
CREATE OR REPLACE MACRO sdc_series_newcomers(original, released, columns, id, earlier_originals, earlier_releases) AS TABLE
    WITH sdc__pairs AS MATERIALIZED (FROM sdc__series_pairs(original, released, columns, id, earlier_originals, earlier_releases)),
    sdc__came AS (
        SELECT sdc__name, sdc__person, min(sdc__t) AS sdc__at FROM sdc__pairs GROUP BY sdc__name, sdc__person
    ),
    sdc__known AS (
        SELECT sdc__name, sdc__yv, min(sdc__t) AS sdc__since FROM sdc__pairs WHERE sdc__yv IS NOT NULL GROUP BY sdc__name, sdc__yv
    ),
    sdc__counted AS (
        SELECT sdc__p.sdc__name, count(*) AS sdc__n,
               count(DISTINCT sdc__p.sdc__yv) FILTER (sdc__since = sdc__at) AS sdc__new,
               count(*) FILTER (sdc__since = sdc__at) AS sdc__show,
               count(*) FILTER (sdc__since = sdc__at AND sdc__p.sdc__yv = sdc__xv) AS sdc__true,
               avg((sdc__p.sdc__yv = sdc__xv)::INTEGER) FILTER (sdc__since < sdc__at) AS sdc__usual
        FROM sdc__pairs AS sdc__p
        JOIN sdc__came AS sdc__c ON sdc__c.sdc__name = sdc__p.sdc__name AND sdc__c.sdc__person = sdc__p.sdc__person
             AND sdc__at = sdc__p.sdc__t
        LEFT JOIN sdc__known AS sdc__k ON sdc__k.sdc__name = sdc__p.sdc__name AND sdc__k.sdc__yv = sdc__p.sdc__yv
        WHERE sdc__at > (SELECT min(sdc__t) FROM sdc__pairs)
        GROUP BY sdc__p.sdc__name
    )
    SELECT sdc__variable AS variable, coalesce(sdc__n, 0) AS newcomers, coalesce(sdc__new, 0) AS categories,
           coalesce(sdc__show, 0) AS records, coalesce(sdc__true, 0) AS "right", sdc__true::DOUBLE / nullif(sdc__show, 0) AS certainty,
           sdc__usual AS usual,
           CASE WHEN sdc__show > 0 THEN greatest(sdc__true::DOUBLE / sdc__show - coalesce(sdc__usual, 0), 0e0) ELSE 0e0 END AS gain
    FROM (SELECT unnest(sdc__names) AS sdc__variable, unnest(range(len(sdc__names))) AS sdc__place
          FROM sdc__names_of(original, columns)) AS sdc__v
    LEFT JOIN sdc__counted AS sdc__a ON sdc__a.sdc__name = sdc__folded(sdc__variable)
    ORDER BY sdc__place ASC;
