-- The holdout: half of the records, by whole households, that are set aside before a synthetic file is made of the others.
--
--   units (households, or records) in the order of their sizes, those of one size in the order of their draws: every second one is held
-- So both halves have as many units, or one more, and of each size as many; their records differ by no more than the largest household.
-- The draws depend on the secret key, the release, the stream and the unit. Of a population the halves are two samples: what is learned
-- from one is true of the other as far as it is true of the population, and by that holdout_distance.sql tells copying from learning.
-- Fit to the records that are not held, and to nothing else: not the choice of the model, not the limits of its classes.
-- Source: Platzer & Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic data, Frontiers in Big Data 4:679939,
--   section 2.1; Giomi, Boenisch, Wehmeyer & Tasnadi (2022), A unified framework for quantifying privacy risk in synthetic data,
--   PoPETs 2023(2).
--
--   persons: id household   FROM sdc_holdout('persons', 'id', household := 'household'):
--            1  1           id household held
--            2  1           1  1         false
--            3  2           2  1         false
--            4  2           3  2         true
--                           4  2         true
--
--   SELECT * EXCLUDE (held) FROM sdc_holdout('persons', 'id', household := 'household') WHERE NOT held     to make a file of
--
-- Scope: table.
-- Completed: no (the records are set aside as they are).
-- Not compiled: it is drawn once, where the synthetic file is made: draw it in DuckDB.
-- Parameters:
--   tbl        table   the table, view, common table expression or file
--   id         column  identifies each record
--   household  column  draws whole households, by this column; without it each record is by itself
--   stream     text    names the draws; give another one for another holdout
--   release    text    names the release; give another one for independent draws

-- sdc_holdout: every record, and whether it is in the half that is set aside before a synthetic file is made of the other.
-- Gives: every column, held BOOLEAN.
-- Rows: records.
-- Example: FROM sdc_holdout('persons', 'id', household := 'household');
CREATE OR REPLACE MACRO sdc_holdout(tbl, id, household := NULL, stream := '', release := '') AS TABLE
    WITH sdc__members AS (
        SELECT *, CASE WHEN household IS NULL THEN sdc__checked_id(sdc__id)
                       ELSE coalesce(sdc__canonical(COLUMNS(sdc__named_column((*), household))),
                                     error('ColumnError: A record has no household (' || household
                                           || ' is NULL): a person living alone has one of his own.')) END AS sdc__unit
        FROM sdc__identified(tbl, id, codes := [household], compared := [household])
    ),
    sdc__keyed AS (
        SELECT sdc__subkey(sdc__secret_key(), release, stream, 'holdout', '',
                           sdc__part(coalesce(sdc__folded(household::VARCHAR), ''))) AS sdc__k
    ),
    sdc__units AS (
        SELECT sdc__unit AS sdc__of, count(*) AS sdc__size, sdc__uniform(any_value(sdc__k), sdc__unit, '') AS sdc__u
        FROM sdc__members, sdc__keyed GROUP BY sdc__unit
    ),
    sdc__halves AS (
        SELECT sdc__of, row_number() OVER (ORDER BY sdc__size ASC, sdc__u ASC, sdc__of ASC) % 2 = 0 AS sdc__held FROM sdc__units
    )
    SELECT COLUMNS(sdc__without((*), ['held'])), sdc__held AS held
    FROM sdc__members JOIN sdc__halves ON sdc__of = sdc__unit;
