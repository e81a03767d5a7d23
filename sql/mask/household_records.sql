-- One record a household, for masks that draw, rank or group: what is made of it all its members take.
--
-- A column of the household (its rent, tenure, region) is the same for all members. Masked for each of them it would be told as often as
-- they are many: draws average, and who was moved differs from who was not. So a household, as its members complete it, is one record:
-- its id is its number with the values that are masked, and so its draws are those of the household, whoever moves in or out. Members who
-- show several values (an error, which shows anyhow) are a record for each value. Whose household is NULL is a record by himself. What a
-- mask asks for besides (a stratum) must be the same for all members.
-- Source: SDC handbook, section 3.3.5 (files with a hierarchy).

CREATE OR REPLACE MACRO sdc__of_all_members(differs, others) AS
    CASE WHEN differs THEN error('ColumnError: The members of a household differ in ' || array_to_string(others, ' or ')
                                 || ', and what is masked is of the household: name a column that is the same for all of'
                                 || ' them, or none.')
         ELSE true END;

-- Each record, with the record of its household that it belongs to (sdc__home) and what that has.
-- whole: the table as its households complete it.
CREATE OR REPLACE MACRO sdc__of_homes(whole, columns, id, household, others) AS TABLE
    WITH sdc__base AS (
        SELECT sdc__id, COLUMNS(sdc__columns((*), [id])) AS "sdc__i_\0", COLUMNS(sdc__columns((*), [household])) AS sdc__house,
               sdc__part(sdc__canonical(COLUMNS(sdc__of_the_household((*), household, columns)))) AS "sdc__p_\0",
               COLUMNS(sdc__to_mask((*), list_concat(sdc__names(columns), sdc__names_if_any(others)), id)) AS "\0"
        FROM sdc__identified(whole, id, codes := list_concat(sdc__names(columns), [household]), compared := [household])
    )
    SELECT * EXCLUDE (sdc__house, sdc__values),
           CASE WHEN sdc__house IS NULL THEN 'record ' || sdc__checked_id(sdc__id)
                ELSE concat('household ', sdc__part(sdc__canonical(sdc__house)), array_to_string(sdc__values, '')) END AS sdc__home
    FROM (SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__p_')),
                 [*COLUMNS(lambda c: starts_with(c, 'sdc__p_'))] AS sdc__values
          FROM sdc__base);

-- The records of the households, each with the id that its draws are keyed by, under the name of the table's id.
CREATE OR REPLACE MACRO sdc__homes(members, others) AS TABLE
    WITH sdc__grouped AS (
        SELECT CASE WHEN any_value(COLUMNS('^sdc__i_(.*)$')) IS NOT NULL THEN sdc__home END AS "\1",
               any_value(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "\0",
               sdc__differ(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__d_\0"
        FROM query_table(members) GROUP BY sdc__home
    )
    SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__d_'))
    FROM sdc__grouped
    WHERE sdc__of_all_members(greatest(*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))), sdc__names_if_any(others));
