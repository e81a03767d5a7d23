-- How far up their hierarchies the keys of a released table stand.
--
--   precision = 1 - sum over keys and records of (level of the value / highest level of the key) / (keys * records)
-- 1: every value is the original one; 0: every value is at the top. loss is 1 - precision. A label that stands at several levels counts
-- at the lowest. NULL, where it is no label, is a suppressed value and stands at the top.
-- Source: Sweeney (2002), Achieving k-anonymity privacy protection using generalization and suppression, International Journal on
--   Uncertainty, Fuzziness and Knowledge-based Systems 10(5), section 5.
--
--   hierarchies: variable value level level_name label      released: sex    FROM sdc_precision('released', ['sex'], 'hierarchies'):
--                sex      f     0     sex        f                    f      variable records precision loss
--                sex      f     1     anyone     *                    *      NULL     2       0.5       0.5
--                sex      m     0     sex        m                           sex      2       0.5       0.5
--                sex      m     1     anyone     *
--
-- Scope: cells.
-- Not compiled: it finds the keys of the hierarchies by their names, whatever their case.
-- Parameters:
--   tbl          table    the released table
--   keys         columns  the key variables
--   hierarchies  table    the long table of the keys' hierarchies: variable, value, level, level_name, label

CREATE OR REPLACE MACRO sdc__released_labels(tbl, keys) AS TABLE
    SELECT sdc__place, sdc__label, count(*) AS sdc__n
    FROM (SELECT unnest(range(1, len(sdc__labels) + 1)) AS sdc__place, unnest(sdc__labels) AS sdc__label
          FROM (SELECT [*COLUMNS(*)] AS sdc__labels
                FROM (SELECT COLUMNS(sdc__columns((*), keys))::VARCHAR AS "\0" FROM sdc__exact_rows(tbl, codes := keys))))
    GROUP BY sdc__place, sdc__label;

-- variable NULL: all keys, the mean of theirs.
-- sdc_precision: how far from the top of their hierarchies the released keys are.
-- Gives: variable VARCHAR or NULL, records BIGINT, precision DOUBLE (less loss, best 1), loss DOUBLE (more loss).
-- Rows: each variable (all keys together first).
-- Words: precision: precision that the recoded keys have left; loss: precision that the recoded keys have lost.
-- Result: Precision. The precision of a key (variable NULL: of all keys), 0 (every value at the top) to 1, and what it lacks of 1.
-- Told: loss.
-- Example: FROM sdc_precision('persons', ['age'], 'hierarchies');
-- Limit: loss. The height of the released values in their hierarchies, 0 (the original ones) to 1 (the top).
CREATE OR REPLACE MACRO sdc_precision(tbl, keys, hierarchies) AS TABLE
    WITH sdc__named AS (SELECT struct_keys(struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__names FROM sdc__rows(tbl) LIMIT 1),
    sdc__long AS MATERIALIZED (
        SELECT sdc__folded(variable::VARCHAR) AS sdc__of, TRY_CAST(level AS DOUBLE) AS sdc__level, label::VARCHAR AS sdc__as
        FROM (SELECT sdc__by_bytes(COLUMNS(sdc__columns((*), ['variable', 'level', 'label']))) AS "\0" FROM sdc__rows(hierarchies))
    ),
    sdc__tops AS (SELECT sdc__of, max(sdc__level) AS sdc__top FROM sdc__long GROUP BY sdc__of),
    sdc__levels AS (SELECT sdc__of, sdc__as, min(sdc__level) AS sdc__level FROM sdc__long GROUP BY sdc__of, sdc__as),
    sdc__values AS (
        SELECT sdc__place, sdc__names[sdc__place] AS sdc__variable, sdc__folded(sdc__names[sdc__place]) AS sdc__key,
               sdc__label, sdc__n
        FROM sdc__released_labels(tbl, keys), sdc__named
    ),
    sdc__heights AS (
        SELECT sdc__place, sdc__variable, sdc__n,
               CASE WHEN sdc__top IS NULL OR sdc__top <= 0 THEN error(
                        'TableError: There is no hierarchy of ' || sdc__variable
                        || ' with a level above 0: give one for every key, in rows with its name as the variable.')
                    WHEN sdc__level IS NOT NULL THEN sdc__level / sdc__top
                    WHEN sdc__label IS NULL THEN 1
                    ELSE error('TableError: A value of ' || sdc__variable
                               || ' is a label at no level of its hierarchy: give the hierarchies that'
                               || ' the table was recoded by.') END AS sdc__height
        FROM sdc__values
        LEFT JOIN sdc__tops ON sdc__tops.sdc__of = sdc__key
        LEFT JOIN sdc__levels ON sdc__levels.sdc__of = sdc__key AND sdc__as IS NOT DISTINCT FROM sdc__label
    ),
    sdc__shares AS MATERIALIZED (
        SELECT sdc__place, sdc__variable, sum(sdc__n)::BIGINT AS sdc__records,
               sdc__exact_sum(sdc__n * sdc__height) / sum(sdc__n) AS sdc__loss
        FROM sdc__heights
        GROUP BY sdc__place, sdc__variable
    )
    SELECT sdc__variable AS variable, sdc__records AS records, 1 - sdc__loss AS precision, sdc__loss AS loss
    FROM (FROM sdc__shares UNION ALL SELECT 0, NULL, max(sdc__records), sdc__exact_sum(sdc__loss, 90) / count(*) FROM sdc__shares)
    ORDER BY sdc__place ASC;
