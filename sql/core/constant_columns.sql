-- Which columns are of the household: the same for all its members.
--
--   Of each column, the households of which two members or more show a value, and the share of them whose members all show the same one.
--   1 is a column of the household; from 0.95 on (and half of the way from what chance would give to 1) it is one with errors in it, and
--   one miscoded member must not switch its protection off. NULL is left aside.
--   by_chance: how often two households show the same value: the first of one (as values are ordered) and the last of the next, in an
--   order that has nothing to do with them.
-- Source: SDC handbook, section 3.3.5 (files with a hierarchy).
--
--   survey: household region sex   sdc_constant_columns('survey', 'household'):
--           1         north  f     variable households constant share
--           1         north  m     region   2          2        1.0
--           1         NULL   f     sex      2          1        0.5
--           2         south  f
--           2         south  f
--           3         south  m
--
-- Scope: table.
-- Not compiled: its order of households is that of a digest of DuckDB's.
-- Parameters:
--   tbl        table    the table, view, common table expression or file
--   household  column   the household numbers
--   columns    columns  which columns are looked at; NULL: all others

CREATE OR REPLACE MACRO sdc__looked_at(have, household, columns) AS CASE
    WHEN columns IS NULL THEN list_filter(have, lambda h: NOT sdc__is_among(h, [household]))
    ELSE sdc__of_the_household(have, household, columns) END;

-- Of two members or more that show a value, whether it is the same; and whether another household shows the same.
CREATE OR REPLACE MACRO sdc__all_alike(v) AS CASE WHEN count(v) > 1 THEN min(v) = max(v) END;
CREATE OR REPLACE MACRO sdc__range(v) AS struct_pack(low := min(v), high := max(v));
CREATE OR REPLACE MACRO sdc__as_the_next(v, household) AS
    struct_extract(v, 'low') = lead(struct_extract(v, 'high')) OVER (ORDER BY md5(household::VARCHAR) ASC, household ASC);

-- sdc_constant_columns: in how many households the members all have the same value, of each column.
-- Gives: variable VARCHAR, households BIGINT, constant BIGINT, share DOUBLE or NULL, by_chance DOUBLE or NULL.
-- Rows: each variable.
-- Result: ConstantColumn. Of a column, the households of which two members or more show a value, and those whose members all show one.
--   `by_chance` is how often two households show the same value; NULL where no two were compared.
-- Example: FROM sdc_constant_columns('persons', 'household');
CREATE OR REPLACE MACRO sdc_constant_columns(tbl, household, columns := NULL) AS TABLE
    WITH sdc__members AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__of,
               sdc__exact(COLUMNS(sdc__looked_at((*), household, columns))) AS "v_\0"
        FROM sdc__rows(tbl, codes := [household])
    ),
    sdc__households AS MATERIALIZED (
        SELECT sdc__of, sdc__all_alike(COLUMNS(lambda c: starts_with(c, 'v_'))) AS "c\0",
               sdc__range(COLUMNS(lambda c: starts_with(c, 'v_'))) AS "\0"
        FROM sdc__members WHERE sdc__of IS NOT NULL GROUP BY sdc__of
    ),
    sdc__beside AS (
        SELECT COLUMNS(lambda c: starts_with(c, 'cv_')),
               sdc__as_the_next(COLUMNS(lambda c: starts_with(c, 'v_')), sdc__of) AS "b\0"
        FROM sdc__households
    ),
    sdc__summed AS (
        SELECT count(COLUMNS(lambda c: starts_with(c, 'cv_'))) AS "n\0",
               coalesce(sum(COLUMNS(lambda c: starts_with(c, 'cv_'))::INTEGER), 0)::BIGINT AS "s\0",
               avg(COLUMNS(lambda c: starts_with(c, 'bv_'))::INTEGER) AS "m\0"
        FROM sdc__beside
    ),
    sdc__listed AS (
        SELECT struct_keys(any_value(struct_pack(*COLUMNS(lambda c: starts_with(c, 'ncv_'))))) AS sdc__names,
               any_value([*COLUMNS(lambda c: starts_with(c, 'ncv_'))]) AS sdc__n,
               any_value([*COLUMNS(lambda c: starts_with(c, 'scv_'))]) AS sdc__s,
               any_value([*COLUMNS(lambda c: starts_with(c, 'mbv_'))]) AS sdc__m
        FROM sdc__summed
    )
    SELECT substr(unnest(sdc__names), 5) AS variable, unnest(sdc__n) AS households, unnest(sdc__s) AS constant,
           constant / nullif(households, 0) AS share, unnest(sdc__m) AS by_chance
    FROM sdc__listed;
