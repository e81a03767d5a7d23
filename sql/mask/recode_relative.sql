-- Recoding relative to another column: of a second place in a record only how near it is to the first is told.
--
-- "Place of residence can be given at a certain detail (e.g. region) and then the other geographical information (place of work, study
-- etc.) can be released with respect to this one ... region of work same as region of residence, different region but same macroregion,
-- different macroregion" (handbook).
-- Source: SDC handbook, section 3.2.2, Geography.
--
--   areas: region macroregion   persons: id region work
--          P      north                  1  P      P
--          Q      north                  2  P      Q
--          R      south                  3  P      R
--   FROM sdc_recode_relative('persons', 'work', 'region', 'id', geography := 'areas'):
--   id region work
--   1  P      same region
--   2  P      same macroregion
--   3  P      different macroregion
-- The label is of the lowest level at which the two agree, or that they differ at the highest. Without a geography: same or different, of
-- the name of the other column. NULL in either column becomes NULL. The other column is not changed: release it at the first level or
-- above, and recode this one first. With it, 'same region' is the region itself: that is what is meant to be told.
--
-- Scope: record.
-- Keeps: how near the two are.
-- Users: Count and compare by the released places relative to the other column.
-- Values: codes.
-- Bits: exact.
-- Coarsens: into classes.
-- Loss: published.
-- Told: nothing.
-- Repeated: again.
-- Series: refused (of a place that stays each place beside it tells something else, and the releases intersect).
-- Parameters:
--   tbl          table   the table, view, common table expression or file
--   column_name  column  the column to recode
--   relative_to  column  the column it is told relative to
--   id           column  identifies each record
--   geography    table   the hierarchy of the places: a column for each level, the place itself first
--   labels       names   labels in the place of those that are made: of each level, the nearest first, and of places that agree at none

CREATE OR REPLACE MACRO sdc__other_column(have, named, than) AS
    CASE WHEN sdc__is_among(named, [than])
             THEN [named || '" is the column that is recoded: name another one that it is told relative to; so "' || named]
         ELSE sdc__columns(have, [named]) END;
CREATE OR REPLACE MACRO sdc__relative_records(tbl, column_name, relative_to, id) AS TABLE
    SELECT sdc__id, COLUMNS(sdc__to_mask((*), [column_name], id)), COLUMNS(sdc__to_mask((*), [column_name], id)) AS sdc__x,
           COLUMNS(sdc__other_column((*), relative_to, column_name)) AS sdc__y
    FROM sdc__identified(tbl, id, codes := [column_name, relative_to], compared := [id]);

CREATE OR REPLACE MACRO sdc__place(x, other, geography) AS
    CASE WHEN geography IS NOT NULL OR typeof(x) = typeof(other) THEN sdc__by_bytes(CAST(x AS VARCHAR))
         ELSE error('ColumnError: The columns have the types ' || typeof(x) || ' and ' || typeof(other)
                    || ': cast one of them, so that equal places are equal values.') END;
CREATE OR REPLACE MACRO sdc__nearness(level, levels, names, labels) AS CASE
    WHEN len(labels) <> levels + 1
        THEN error('ParameterError: There are ' || len(labels) || ' labels for ' || levels
                   || ' levels: give one for each, the nearest first, and one for places that agree at none.')
    WHEN labels IS NOT NULL THEN labels[coalesce(level, levels) + 1]
    WHEN level IS NULL THEN 'different ' || names[-1]
    ELSE 'same ' || names[level + 1] END;

CREATE OR REPLACE MACRO sdc__recode_relative(tbl, column_name, relative_to, id, geography, labels) AS TABLE
    WITH sdc__records AS (FROM sdc__relative_records(tbl, column_name, relative_to, id)),
    -- without a geography, a hierarchy of one level: the places themselves, under the name of the other column
    sdc__own AS (
        SELECT CAST(COLUMNS(sdc__columns((*), [relative_to])) AS VARCHAR) AS "\0"
        FROM sdc__rows(tbl)
        UNION
        SELECT CAST(sdc__x AS VARCHAR)
        FROM sdc__records
    ),
    sdc__long AS MATERIALIZED (FROM sdc__of_one_key(CASE WHEN geography IS NULL THEN 'sdc__own' ELSE geography END, relative_to)),
    sdc__levels AS (
        SELECT count(*) AS sdc__n, list(sdc__level_name ORDER BY sdc__level ASC) AS sdc__names
        FROM (SELECT DISTINCT sdc__level, sdc__level_name FROM sdc__long)
    ),
    sdc__pairs AS (
        SELECT sdc__x, sdc__y, sdc__place(sdc__x, sdc__y, geography) AS sdc__p,
               sdc__place(sdc__y, sdc__x, geography) AS sdc__q
        FROM sdc__records
        WHERE sdc__x IS NOT NULL AND sdc__y IS NOT NULL GROUP BY sdc__x, sdc__y
    ),
    sdc__missing AS (
        SELECT count(*) AS sdc__absent FROM (SELECT sdc__p AS sdc__place FROM sdc__pairs UNION SELECT sdc__q FROM sdc__pairs)
        WHERE sdc__place NOT IN (SELECT sdc__value FROM sdc__long WHERE sdc__value IS NOT NULL)
    ),
    sdc__compared AS (
        SELECT sdc__x AS sdc__of, sdc__y AS sdc__to,
               min(sdc__a.sdc__level) FILTER (WHERE sdc__a.sdc__label = sdc__b.sdc__label) AS sdc__nearest
        FROM sdc__pairs
        LEFT JOIN sdc__long AS sdc__a ON sdc__a.sdc__value = sdc__p
        LEFT JOIN sdc__long AS sdc__b ON sdc__b.sdc__value = sdc__q AND sdc__b.sdc__level = sdc__a.sdc__level
        GROUP BY sdc__x, sdc__y
    ),
    sdc__met AS MATERIALIZED (
        SELECT sdc__of, sdc__to, sdc__nearness(sdc__nearest, sdc__n, sdc__names, sdc__names(labels)) AS sdc__said
        FROM sdc__compared, sdc__levels, sdc__missing
        WHERE sdc__checked_absent(sdc__absent, 'geography', 'give each place one.')
    )
    SELECT sdc__id, sdc__in_place_of(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__said) AS "\0"
    FROM sdc__records LEFT JOIN sdc__met ON sdc__x = sdc__of AND sdc__y = sdc__to;

-- Verb: recode
-- Title: Recode: places relative to another column; Recode {} relative to another column.
-- sdc_recode_relative: of the places of a column only how near they are to those of another column.
-- Example: FROM sdc_recode_relative('persons', 'birthplace', 'region', 'id', geography := 'areas');
CREATE OR REPLACE MACRO sdc_recode_relative(tbl, column_name, relative_to, id, geography := NULL, labels := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__recode_relative(tbl, column_name, relative_to, id, geography, labels))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
