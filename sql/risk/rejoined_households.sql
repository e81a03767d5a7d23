-- Members of a household who stand together again without its number, by what they have in common.
--
--   Records that agree in every column of the household (region, income of the household, weight) and are of one household alone, two or
--   more of them: whoever sees such columns side by side has the household again, although its number is not released.
--   records, households: those that are joined again; share: of the records of households of two and more.
--   NULL is a value of its own. A household number that is NULL is nobody's: its records join nobody, and part nobody.
-- Columns in which the members of some households differ part these; leave such columns out, and ask again, to see what the others join.
-- Source: SDC handbook, section 3.3.5 (files with a hierarchy).
--
--   survey: household region income    sdc_rejoined_households('survey', 'household', ['region', 'income']):
--           26        north  31,200    persons rejoined_households records share
--           26        north  31,200    4       1                   2       0.5
--           27        south  18,000
--           27        south  18,000
--           28        south  18,000
--
-- Scope: cells.
-- Parameters:
--   tbl        table    the released table with the numbers of the households that are to be dropped
--   household  column   the household numbers
--   columns    columns  the columns that are the same for all members of a household

-- persons: the records of households of two and more.
-- sdc_rejoined_households: how many members of households are joined again by the columns of the household, without its number.
-- Gives: persons BIGINT, rejoined_households BIGINT (more risk), records BIGINT (more risk), share DOUBLE (more risk).
-- Rows: one.
-- Words: rejoined_households: households whose members can be joined again; records: members who can be joined to their household again;
--   share: share of the members who can be joined to their household again.
-- Example: FROM sdc_rejoined_households('persons', 'household', ['age', 'sex']);
-- Limit: records. The records that are joined with others of their household, although its number is not released.
CREATE OR REPLACE MACRO sdc_rejoined_households(tbl, household, columns) AS TABLE
    WITH sdc__placed AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__house,
               sdc__exact(COLUMNS(sdc__columns((*), columns))) AS "\0"
        FROM sdc__rows(tbl, codes := list_append(sdc__names(columns), household))
    ),
    sdc__together AS (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), min(sdc__house) AS sdc__of, count(sdc__house) AS sdc__records
        FROM sdc__placed GROUP BY ALL HAVING min(sdc__house) = max(sdc__house) AND count(sdc__house) > 1
    ),
    sdc__sizes AS (SELECT count(*) AS sdc__size FROM sdc__placed WHERE sdc__house IS NOT NULL GROUP BY sdc__house),
    sdc__all AS (SELECT coalesce(sum(sdc__size) FILTER (sdc__size > 1), 0)::BIGINT AS sdc__persons FROM sdc__sizes)
    SELECT any_value(sdc__persons) AS persons, count(DISTINCT sdc__of) AS rejoined_households,
           coalesce(sum(sdc__records), 0)::BIGINT AS records,
           coalesce(sum(sdc__records) / nullif(any_value(sdc__persons), 0), 0) AS share
    FROM sdc__all LEFT JOIN sdc__together ON true;
