-- What there is: every function with its arguments, what it says, an example, and its source.
--
--   FROM sdc_help();            all of them
--   FROM sdc_help('theta');     those with theta in their name, or else in what is said of them
--
-- It is made from the headers of these files: each declares its functions once, and from there the dbt package, the verbs on
-- Spark, the command line and the tables of this folder's README.md take them. In a header, or in a macro's own comment:
--   Source: ...      the paper and its equations
--   Scope: cells.    what is needed to treat one record: the `record`, the `cells`, the `moments`, or all of the `table`
--                    (`record where method is 'plain', else table.`)
--   Compiled: ...       which calls of a mask compile() writes for other engines, where it does
--   Not compiled: ...   why compile() refuses it for other engines, where it does
--   Keeps: ...       what a mask preserves;  Guarantees: ...  what it promises of every release
--   Parameters:      a line each: its name, its type, its meaning (defaults are those of the CREATE line). Beside the type of a number stands its
--                    range, where it has one: `number in (0, 1]`, `whole number in [2, ...)`, `number in (..., upper)` (below the parameter upper);
--                    and `or NULL`, where NULL may be given although it is no default
-- A mask says moreover what others ask (one that does not is taken for codes, and nothing is told of it):
--   Values: codes.   or `numbers`: how the columns that it masks are read from a CSV file
--   Bits: exact.     or `last digits`: whether two processors release the same ones
--   Coarsens: no.    or `into values`, `into classes`: a released value stands for several original ones, one of them or a label of them
--   Suppresses: values.   or `records`: what NULL in a released column takes the place of;  Records: fewer.   or `reordered`: where records leave, or move
--   Loss: published.      or `withheld (why)`: whether users of the public file are told a loss of its columns
--   Told: a, b.      the parameters that they are told, or `nothing`; of a measure of loss the columns. `Told: a; b where c is 'd'.`
--   Matrix: logged.  or `by retention`, `withheld (why)`: where the probabilities stand by which it misclassifies
--   Publicly: ...    what is said of it to them, where its own words name what is not told
-- (`Loss: published where method is 'plain', else withheld (why).`, as of a scope.)
-- and directly above a macro:
--   name: what it is.   Gives: the columns of the result.   Example: a call;
--   Verb: pram          the method of Microdata, where it is called otherwise (`Verb: round_to_base, at_random`: and its argument)
--   Command: round      the method of sdc-sql mask, where it is called otherwise
--   Limit: t. The ...   dbt has a test that fails where this column is not below a maximum (`Limit: t as sdc_test. The ...`)
-- What a tag says goes on in indented lines.
--
-- Tables of the examples:
--   CREATE TEMP TABLE persons AS
--   SELECT *, make_date(2024 - age, 1 + id, id) AS born, ['north', 'south'][1 + id % 2] AS birthplace FROM (VALUES
--       (1, 30, 'f', 'north', 10.0, 1, 1230), (2, 30, 'f', 'north', 15.0, 1, 1710), (3, 41, 'm', 'north', 20.0, 1, 2580),
--       (4, 41, 'm', 'south', 20.0, 2, 2015), (5, 41, 'm', 'south', 12.5, 2, 3140), (6, 52, 'f', 'south', 30.0, 3, 2790),
--       (7, 67, 'f', 'south', 8.0, 3, 1455), (8, 25, 'm', 'north', 11.0, 3, 1880)
--   ) AS t(id, age, sex, region, w, household, income);
--   CREATE TEMP TABLE population AS FROM persons UNION ALL BY NAME SELECT * REPLACE (id + 8 AS id) FROM persons;
--   CREATE TEMP TABLE people AS SELECT id, 'p' || id || '@example.org' AS contact, age FROM persons;
--   CREATE TEMP TABLE released AS SELECT * REPLACE (round(income, -2)::INTEGER AS income) FROM persons;
--   CREATE TEMP TABLE sexes AS FROM (VALUES ('f', 'f', 0.9), ('f', 'm', 0.1), ('m', 'f', 0.2), ('m', 'm', 0.8)) AS t("from", "to", probability);
--   CREATE TEMP TABLE regions AS FROM (VALUES ('north', 'north', 0.8), ('north', 'south', 0.2), ('south', 'south', 1.0)) AS t("from", "to", probability);
--   CREATE TEMP TABLE crossings AS
--       SELECT {'sex': sexes."from", 'region': regions."from"} AS "from", {'sex': sexes."to", 'region': regions."to"} AS "to",
--              sexes.probability * regions.probability AS probability
--       FROM sexes, regions;
--   CREATE TEMP TABLE age_levels AS FROM (VALUES
--       (25, '20 to 39', '*'), (30, '20 to 39', '*'), (41, '40 to 59', '*'), (52, '40 to 59', '*'), (67, '60 and over', '*')
--   ) AS t(age, twenty_years, everyone);
--   CREATE TEMP TABLE hierarchies AS
--       SELECT 'age' AS variable, age::VARCHAR AS value, unnest([0, 1, 2]) AS level, unnest(['age', 'twenty_years', 'everyone']) AS level_name,
--              unnest([age::VARCHAR, twenty_years, everyone]) AS label
--       FROM age_levels
--       UNION ALL
--       SELECT variable, value, unnest([0, 1]), unnest([variable, 'everyone']), unnest([value, '*'])
--       FROM (VALUES ('sex', 'f'), ('sex', 'm'), ('region', 'north'), ('region', 'south')) AS t(variable, value);
--   CREATE TEMP TABLE sex_totals AS FROM (VALUES ('sex', 'f', 70), ('sex', 'm', 60)) AS t(variable, value, total);
--   CREATE TEMP TABLE income_points AS SELECT unnest([0, 1500, 2000, 3000]) AS income;
--   CREATE TEMP TABLE candidates AS FROM (VALUES (1.0, 0.3, 0.0), (0.9, 0.2, 0.04), (0.8, 0.2, 0.06)) AS t(retention, risk, loss);
--   CREATE TEMP TABLE wider AS FROM (VALUES ('north', 'coast'), ('south', 'inland')) AS t("from", "to");
--   CREATE TEMP TABLE areas AS FROM (VALUES ('north', 'coast', '*'), ('south', 'inland', '*')) AS t(region, area, country);
--   CREATE TEMP TABLE answers AS SELECT id, income, id % 2 AS smokes FROM persons;
--   CREATE TEMP TABLE outcomes AS SELECT id, 'correct' AS identification, 'none' AS inference, 0.5 AS probability FROM persons;
--   CREATE TEMP TABLE costs AS FROM (VALUES ('correct', 'none', 10.0), ('incorrect', 'none', 4.0)) AS t(identification, inference, cost);
--   CREATE TEMP TABLE truth AS SELECT DISTINCT age, sex, CASE sex WHEN 'f' THEN 0.9 ELSE 0.8 END AS true_probability FROM persons;
--   SET VARIABLE sdc_key = coalesce(getvariable('sdc_key')::VARCHAR, concat(uuid(), uuid()));  -- a key that is set stays

-- needs_python: whether it runs in a plain DuckDB shell, or needs the functions that sdc_sql.load (the command line's shell,
-- dbt) registers. needs_key: whether it draws with the secret key.
-- Not compiled: it tells of the macros, which other engines have not.
-- Parameters:
--   about  text  a part of a name, or a word; without it, everything
-- sdc_help: what functions there are, with arguments, an example and the source.
-- Example: FROM sdc_help('theta');
CREATE OR REPLACE MACRO sdc_help(about := '') AS TABLE
    WITH sdc__entries AS (
        SELECT *, contains(lower(name), lower(about)) AS sdc__named, contains(lower(summary), lower(about)) AS sdc__told
        FROM sdc__help()
    )
    SELECT * EXCLUDE (sdc__named, sdc__told)
    FROM sdc__entries
    WHERE sdc__named OR (sdc__told AND NOT EXISTS (FROM sdc__entries WHERE sdc__named));
