-- What each key adds to the risk: the records that are unique by all keys, and not by the others.
--
--   made_unique(j) = n_1(all keys) - n_1(all keys but j),   n_1 = the number of sample uniques
-- A record that is unique without a key is unique with it: the difference counts those for which an intruder needs it. It is what leaving
-- the key out would spare; coarser categories spare less.
-- Source: Skinner & Elliot (2002), section 2.1 (n_1); SDC handbook, section 3.3.1 (the choice of key variables).
--
--   persons: age sex   FROM sdc_key_uniques('persons', ['age', 'sex']):
--            30  f     variable sample_uniques without made_unique
--            30  f     age      2              1       1
--            41  f     sex      2              1       1
--            30  m
--
-- Scope: cells.
-- Not compiled: it lists the values of several variables, which other engines have no words for.
-- Parameters:
--   tbl   table    the table, view, common table expression or file
--   keys  columns  the key variables

-- without: the records that are unique by the other keys; with one key alone there are none, but in a table of one record. NULL is a value
-- of its own.
-- sdc_key_uniques: for each key the records that it makes unique.
-- Gives: variable VARCHAR, sample_uniques BIGINT (more risk), without BIGINT (more risk), made_unique BIGINT (more risk).
-- Rows: each variable.
-- Words: sample_uniques: records that are alone with their keys; without: records that are alone with their keys without {variable};
--   made_unique: records that {variable} makes unique.
-- Result: KeyUniques. The records that are unique by all keys, those without this one, and the difference.
-- Wildcards: refused.
-- Picture: keys.
-- Example: FROM sdc_key_uniques('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_key_uniques(tbl, keys) AS TABLE
    WITH sdc__listed AS MATERIALIZED (
        SELECT [*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))] AS sdc__values,
               struct_keys(struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__')))) AS sdc__names, sdc__records
        FROM (SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))::VARCHAR AS "\0", sdc__records
              FROM sdc__category_cells(tbl, keys, NULL))
    ),
    sdc__every AS (
        SELECT count(*) FILTER (sdc__records = 1) AS sdc__uniques, any_value(sdc__names) AS sdc__of FROM sdc__listed
    ),
    sdc__places AS (SELECT unnest(range(1, len(sdc__of) + 1)) AS sdc__place FROM sdc__every),
    sdc__others AS (
        SELECT sdc__place AS sdc__at, sum(sdc__records) AS sdc__together
        FROM sdc__listed, sdc__places
        GROUP BY sdc__place, list_filter(sdc__values, lambda v, j: j <> sdc__place)
    )
    SELECT any_value(sdc__of)[sdc__at] AS variable, any_value(sdc__uniques) AS sample_uniques,
           count(*) FILTER (sdc__together = 1) AS without,
           any_value(sdc__uniques) - count(*) FILTER (sdc__together = 1) AS made_unique
    FROM sdc__others, sdc__every
    GROUP BY sdc__at ORDER BY sdc__at ASC;
