-- What the releases of a series tell by changing, or not.
--
--   certainty = the originals that changed and are seen to / the released values that changed          1: a new one means a new original
--   level of a person = the mean of the originals over the releases;  level_gain = (level_together - level_one) / (persons - level_one)
-- A release that stays where nothing changed shows who did; one that is drawn anew at each change shows, on the average, about what the
-- drifting value moves.
-- Source: SDC handbook, section 3.2.3 (several releases of the same records); independent errors of variance s^2 average to s^2 / m.
--
--   first: id x    first_masked: id x    original: id x    released: id x
--          1  10                 1  21             1  10             1  15
--          2  20                 2  21             2  20             2  15
--          3  33                 3  21             3  33             3  37
--                                                  4  41             4  37
--   FROM sdc_series_changes('original', 'released', ['x'], 'id', ['first'], ['first_masked']):
--   variable changed changed_shown stayed stayed_shown certainty persons level_one level_together level_gain
--   x        0       0             3      3            0.0       3       0         0              0.0
--
-- Scope: table.
-- Not compiled: its values are unnested from lists, for which other engines have no words.
-- Parameters:
--   original           table               the table as it is now, before masking
--   released           table               the present release
--   columns            columns             the variables
--   id                 column              identifies each person, in all of them
--   earlier_originals  tables              the table as it was at each earlier release, before masking
--   earlier_releases   tables              the earlier releases, in the same order
--   width              number in (0, ...)  the share of what one release leaves, to within which a value counts as known

-- changed, stayed: pairs of a person's values in two releases that follow one another, by whether the original changed; _shown: those of
-- which the released value changed; certainty: changed_shown / all that are shown as changed; persons: in two releases or more, of numbers;
-- level: the mean of a person's originals over the releases, which the first released value (one), or the mean of them, gives to within
-- `width` times the median distance. Persons whose values are released as they are (below a threshold, say) count as well: of one that
-- drifts farther than that the first release does not give the level, and all together give it, so that level_gain is an upper bound of
-- what averaging tells. (Without them a mask that leaves most values as they are would seem to hide their levels.)
-- sdc_series_changes: what the releases of a series tell by changing, or not.
-- Gives: variable VARCHAR, changed BIGINT, changed_shown BIGINT (more risk), stayed BIGINT, stayed_shown BIGINT,
--   certainty DOUBLE or NULL (more risk), persons BIGINT, level_one BIGINT (more risk), level_together BIGINT (more risk),
--   level_gain DOUBLE (more risk).
-- Rows: each variable.
-- Result: SeriesChanges. What changing, or not, tells of a variable. `changed_shown`: of the originals that changed between two releases,
--   how many are seen to; `certainty`: how likely it is that a new released value means a new original (NULL where none is new);
--   `level_gain`: of the persons' levels, the means of their originals, the share that one release hides and the mean of the releases
--   tells (fresh noise on a value that drifts averages out).
-- Example: FROM sdc_series_changes('persons', 'released', ['income'], 'id', ['persons'], ['persons']);
-- Limit: level_gain. The share of the levels that one release hides which the mean of the releases tells.
CREATE OR REPLACE MACRO sdc_series_changes(original, released, columns, id, earlier_originals, earlier_releases, width := 0.1) AS TABLE
    WITH sdc__pairs AS MATERIALIZED (FROM sdc__series_pairs(original, released, columns, id, earlier_originals, earlier_releases)),
    sdc__said AS MATERIALIZED (FROM sdc__series_said('sdc__pairs')),
    sdc__next AS (
        SELECT sdc__a.sdc__name, count(*) FILTER (sdc__a.sdc__xv <> sdc__b.sdc__xv) AS sdc__changed,
               count(*) FILTER (sdc__a.sdc__xv <> sdc__b.sdc__xv AND sdc__a.sdc__yv IS DISTINCT FROM sdc__b.sdc__yv) AS sdc__seen,
               count(*) FILTER (sdc__a.sdc__xv = sdc__b.sdc__xv) AS sdc__stayed,
               count(*) FILTER (sdc__a.sdc__xv = sdc__b.sdc__xv AND sdc__a.sdc__yv IS DISTINCT FROM sdc__b.sdc__yv) AS sdc__false
        FROM sdc__said AS sdc__a
        JOIN sdc__said AS sdc__b ON sdc__b.sdc__name = sdc__a.sdc__name AND sdc__b.sdc__person = sdc__a.sdc__person
             AND sdc__b.sdc__t = sdc__a.sdc__t + 1
        GROUP BY sdc__a.sdc__name
    ),
    sdc__level AS (
        SELECT sdc__name, count(*) AS sdc__persons, count(*) FILTER (abs(sdc__at_first - sdc__mean) <= sdc__within) AS sdc__one,
               count(*) FILTER (abs(sdc__all - sdc__mean) <= sdc__within) AS sdc__together
        FROM (SELECT sdc__name, sdc__person, arg_min(sdc__g, sdc__t) AS sdc__at_first, avg(sdc__g) AS sdc__all, avg(sdc__x) AS sdc__mean
              FROM sdc__said WHERE sdc__g IS NOT NULL GROUP BY ALL HAVING count(*) > 1)
        JOIN sdc__series_within('sdc__said', width) USING (sdc__name)
        GROUP BY sdc__name
    )
    SELECT sdc__variable AS variable, coalesce(sdc__changed, 0) AS changed, coalesce(sdc__seen, 0) AS changed_shown,
           coalesce(sdc__stayed, 0) AS stayed, coalesce(sdc__false, 0) AS stayed_shown,
           1e0 * sdc__seen / nullif(sdc__seen + sdc__false, 0) AS certainty,
           coalesce(sdc__persons, 0) AS persons, coalesce(sdc__one, 0) AS level_one, coalesce(sdc__together, 0) AS level_together,
           CASE WHEN sdc__persons > sdc__one THEN 1e0 * greatest(sdc__together - sdc__one, 0) / (sdc__persons - sdc__one)
                ELSE 0e0 END AS level_gain
    FROM (SELECT unnest(sdc__names) AS sdc__variable, unnest(range(len(sdc__names))) AS sdc__place
          FROM sdc__names_of(original, columns)) AS sdc__v
    LEFT JOIN sdc__next AS sdc__n ON sdc__n.sdc__name = sdc__folded(sdc__variable)
    LEFT JOIN sdc__level AS sdc__l ON sdc__l.sdc__name = sdc__folded(sdc__variable)
    ORDER BY sdc__place ASC;
