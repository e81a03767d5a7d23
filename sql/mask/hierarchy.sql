-- Generalisation hierarchies: what each value of a key becomes at every level above.
--
-- Of one key: a table with a row for each value and a column for each level, named by it; the first one is the value itself (level 0),
-- each further one coarser. Of several keys: one long table.
--
--   sexes: sex anyone     sdc_hierarchy('sexes', 'sex'):   variable  value  level  level_name  label
--          f   *                                           sex       f      0      sex         f
--          m   *                                           sex       f      1      anyone      *
--                                                          sex       m      0      sex         m
--                                                          sex       m      1      anyone      *
--
--   CREATE TABLE hierarchies AS FROM sdc_hierarchy('ages', 'age') UNION ALL FROM sdc_hierarchy('sexes', 'sex');
--
-- Which values are put together shows in equal labels, NULL a label like any other: values with one label at a level must have one label
-- at each level above. A value is found by DuckDB's text of it (30, not 30.0); the missing value is the row of NULL. Names of levels are
-- theirs alone; where they are numbers, the level's own. All of this is checked wherever a hierarchy is read.
-- Source: Samarati (2001), IEEE Trans. Knowledge and Data Engineering 13(6), section 3; SDC handbook, section 3.4.3.1.
--
-- Scope: table.
-- Not compiled: a hierarchy is made once; other engines read the table that it is.
-- Parameters:
--   tbl       table  the hierarchy of one key: a column for each level, the value itself first
--   variable  text   the name of the key

-- Whether something is wrong with the hierarchy of one key: false, or the error. own: whether level 0 is the value; split_at: a level
-- whose labels have several on the next one.
CREATE OR REPLACE MACRO sdc__sound_hierarchy(name, values_twice, values_short, own, unnamed, names, strange, split_at) AS CASE
    WHEN name IS NULL THEN error('TableError: A row of the hierarchies has NULL in the place of its variable: name the key it is of.')
    WHEN values_twice > 0
        THEN error('TableError: ' || format('{:,}', values_twice) || ' values stand more than once in the hierarchy of '
                   || name || ': give each one row, in the long form one at each level.')
    WHEN values_short > 0
        THEN error('TableError: ' || format('{:,}', values_short) || ' values of the hierarchy of ' || name
                   || ' have not every level from 0 to the highest: give each a label at every level.')
    WHEN NOT own THEN error('TableError: At level 0 of the hierarchy of ' || name
                            || ' a label is not the value itself: level 0 is the value, the first label stands at level 1.')
    WHEN unnamed OR NOT names THEN error('TableError: The levels of the hierarchy of ' || name
                                         || ' have not one name each: give every level a name of its own.')
    WHEN strange
        THEN error('TableError: A level of the hierarchy of ' || name
                   || ' has another level''s number as its name: name levels by words, or by their own numbers from 0.')
    WHEN split_at IS NOT NULL THEN error('TableError: Values of the hierarchy of ' || name || ' that have one label at level ' || split_at
        || ' have several on the next: what is put together must stay so. Give them several labels below, or one above.')
    ELSE false END;

-- The long table, checked: of these keys, each of which must have a hierarchy, or of all (NULL). sdc__variable: the key's folded name.
CREATE OR REPLACE MACRO sdc__hierarchies(hierarchies, keys) AS TABLE
    WITH sdc__read AS MATERIALIZED (
        SELECT sdc__folded(variable) AS sdc__variable, value AS sdc__value, TRY_CAST(level AS INTEGER) AS sdc__level,
               level_name AS sdc__level_name, label AS sdc__label, variable AS sdc__as_named
        FROM (SELECT sdc__by_bytes(
                  CAST(COLUMNS(sdc__columns((*),
                                            ['variable', 'value', 'level', 'level_name', 'label'])) AS VARCHAR)) AS "\0"
              FROM sdc__rows(hierarchies))
        WHERE keys IS NULL OR variable IS NULL OR sdc__is_among(variable, keys)
    ),
    sdc__levels AS (
        SELECT sdc__variable, sdc__level, min(sdc__level_name) AS sdc__name,
               count(sdc__level_name) < count(*) OR min(sdc__level_name) <> max(sdc__level_name) AS sdc__unnamed
        FROM sdc__read GROUP BY sdc__variable, sdc__level
    ),
    sdc__by_level AS (
        SELECT sdc__variable AS sdc__v, max(sdc__level) AS sdc__height, bool_or(sdc__unnamed) AS sdc__no_name,
               count(DISTINCT sdc__name) = count(*) AS sdc__own_names,
               bool_or(TRY_CAST(sdc__name AS BIGINT) <> sdc__level AND TRY_CAST(sdc__name AS BIGINT) BETWEEN 0 AND sdc__top) AS sdc__strange
        FROM (SELECT *, max(sdc__level) OVER (PARTITION BY sdc__variable) AS sdc__top FROM sdc__levels) GROUP BY sdc__variable
    ),
    sdc__by_value AS (
        SELECT sdc__v, count(*) FILTER (WHERE sdc__rows > sdc__distinct) AS sdc__twice,
               count(*) FILTER (WHERE sdc__distinct <= sdc__height OR sdc__lowest < 0 OR sdc__none) AS sdc__short
        FROM (SELECT sdc__variable, count(sdc__level) AS sdc__rows, count(DISTINCT sdc__level) AS sdc__distinct,
                     min(sdc__level) AS sdc__lowest, bool_or(sdc__level IS NULL) AS sdc__none
              FROM sdc__read
              GROUP BY sdc__variable, sdc__value)
        JOIN sdc__by_level ON sdc__v IS NOT DISTINCT FROM sdc__variable GROUP BY sdc__v
    ),
    sdc__splits AS (
        SELECT sdc__variable, min(sdc__level_name) AS sdc__split
        FROM (SELECT *, lead(sdc__label) OVER (PARTITION BY sdc__variable, sdc__value ORDER BY sdc__level ASC) AS sdc__above FROM sdc__read)
        GROUP BY sdc__variable, sdc__level, sdc__label HAVING min(sdc__above) <> max(sdc__above) OR count(sdc__above) NOT IN (0, count(*))
    ),
    sdc__wrong AS (
        SELECT sdc__l.sdc__v AS sdc__of
        FROM sdc__by_level AS sdc__l JOIN sdc__by_value AS sdc__n ON sdc__l.sdc__v IS NOT DISTINCT FROM sdc__n.sdc__v
        LEFT JOIN (SELECT sdc__variable, min(sdc__split) AS sdc__split
                   FROM sdc__splits
                   GROUP BY sdc__variable) AS sdc__s ON sdc__s.sdc__variable = sdc__l.sdc__v
        JOIN (SELECT sdc__variable, min(sdc__as_named) AS sdc__named,
                     bool_and(sdc__level > 0 OR sdc__label IS NOT DISTINCT FROM sdc__value) AS sdc__own
              FROM sdc__read
              GROUP BY sdc__variable) AS sdc__o
          ON sdc__o.sdc__variable IS NOT DISTINCT FROM sdc__l.sdc__v
        WHERE sdc__sound_hierarchy(sdc__named, sdc__twice, sdc__short, sdc__own, sdc__no_name, sdc__own_names, sdc__strange, sdc__split)
        UNION ALL
        SELECT sdc__absent FROM (SELECT unnest(sdc__names(keys)) AS sdc__absent)
        WHERE CASE WHEN sdc__folded(sdc__absent) IN (SELECT sdc__variable FROM sdc__read WHERE sdc__variable IS NOT NULL) THEN false
                   ELSE error('TableError: There is no hierarchy of ' || sdc__absent || ' in ' || hierarchies
                              || ': give one for every key, in rows with its name as the variable.') END
    )
    FROM sdc__read UNION ALL SELECT sdc__none.* FROM sdc__wrong LEFT JOIN (FROM sdc__read LIMIT 0) AS sdc__none ON true;

-- sdc_hierarchy: the hierarchy of one key as rows of the long table, checked.
-- Gives: variable VARCHAR, value VARCHAR, level INTEGER, level_name VARCHAR, label VARCHAR.
-- Rows: values of the variables.
-- Example: FROM sdc_hierarchy('age_levels', 'age');
CREATE OR REPLACE MACRO sdc_hierarchy(tbl, variable) AS TABLE
    WITH sdc__lists AS (
        SELECT [*COLUMNS(*)] AS sdc__labels, struct_keys(struct_pack(*COLUMNS(*))) AS sdc__names
        FROM (SELECT CAST(COLUMNS(*) AS VARCHAR) AS "\0" FROM sdc__rows(tbl))
    ),
    sdc__long AS MATERIALIZED (
        SELECT variable::VARCHAR AS variable, sdc__labels[1] AS value, unnest(range(len(sdc__labels)))::INTEGER AS level,
               unnest(sdc__names) AS level_name, unnest(sdc__labels) AS label
        FROM sdc__lists
    )
    SELECT sdc__as_named AS variable, sdc__value AS value, sdc__level AS level, sdc__level_name AS level_name,
           sdc__label AS label
    FROM sdc__hierarchies('sdc__long', NULL);
