-- The records of a table that is to be masked, each with its id as sdc__id.
--
-- The draws of a record depend on its id. Two records with one id would be masked alike, and joining the
-- masked values back would multiply them; so an id that is repeated or NULL is an error. (The second
-- branch gives no rows: it is there for its error, as in sdc__rows.)
CREATE OR REPLACE MACRO sdc__with_id(tbl, id, codes := NULL, compared := NULL) AS TABLE
    SELECT COLUMNS(sdc__one_column((*), id)) AS sdc__id, * FROM sdc__exact_rows(tbl, codes := codes, compared := compared);

-- The ids alone, unasked whether there are rows: for whoever reads the records beside them.
CREATE OR REPLACE MACRO sdc__ids_alone(tbl, id) AS TABLE
    SELECT sdc__exact(COLUMNS(sdc__one_column((*), id))) AS sdc__id FROM sdc__unasked(tbl);

-- Ids that ascend from record to record, in whatever one order they come, are unique: most tables are stored so, and it costs
-- nothing to see. (Were the records compared in several pieces, each would have a first one.)
CREATE OR REPLACE MACRO sdc__ascends(tbl, id) AS TABLE
    SELECT count(*) FILTER (WHERE sdc__before IS NULL) = 1 AND coalesce(bool_and(sdc__before < sdc__id), true)
           AND count(*) = count(sdc__id) AS sdc__ascending
    FROM (SELECT sdc__id, lag(sdc__id) OVER () AS sdc__before
          FROM sdc__ids_alone(tbl, id));

CREATE OR REPLACE MACRO sdc__identified(tbl, id, codes := NULL, compared := NULL) AS TABLE
    FROM sdc__with_id(tbl, id, codes := list_append(sdc__names(codes), id), compared := compared)
    UNION ALL
    SELECT sdc__behind_error(COLUMNS(lambda c: c NOT IN ('sdc__repeated', 'sdc__n')), sdc__n) AS "\0"
    FROM (SELECT sdc__id AS sdc__repeated, count(*) AS sdc__n FROM sdc__ids_alone(tbl, id)
          WHERE NOT (SELECT sdc__ascending FROM sdc__ascends(tbl, id))
          GROUP BY sdc__id HAVING count(*) > 1 OR sdc__id IS NULL LIMIT 1)
    LEFT JOIN (SELECT COLUMNS(sdc__one_column((*), id)) AS sdc__id, *
               FROM (SELECT sdc__by_bytes(COLUMNS(*)) AS "\0" FROM sdc__unasked(tbl)) LIMIT 0) AS sdc__none ON true
    WHERE CASE WHEN sdc__n = 0 THEN false -- (never: other engines ask for a branch that is a truth value)
               WHEN sdc__repeated IS NULL
                   THEN error('ColumnError: The id (' || id || ') is NULL on ' || sdc__n || ' records: every record needs one of its own.')
               ELSE error('ColumnError: The id (' || id || ') is the same on ' || sdc__n || ' records: it must be unique.')
          END;

-- The same for a method that holds all records at once; bytes: those of a record (held_at_once.sql).
CREATE OR REPLACE MACRO sdc__identified_at_once(tbl, id, bytes, codes := NULL, compared := NULL) AS TABLE
    FROM sdc__identified(tbl, id, codes := codes, compared := compared)
    WHERE (SELECT sdc__fits_into_memory(count(*), bytes) FROM query_table(tbl));

-- What a draw is made for: the record by its id or, with unit := 'household', its household, so that members with the same value have the
-- same draw and go on sharing a value. (Household 5 and record 5 draw apart.)
CREATE OR REPLACE MACRO sdc__household_column(have, unit, household) AS
    CASE WHEN unit = 'household' AND household IS NOT NULL THEN sdc__columns(have, [household]) ELSE have[1:1] END;
CREATE OR REPLACE MACRO sdc__drawn_for(id, columns, unit, household, household_value) AS CASE
    WHEN unit = 'record' AND household IS NULL THEN sdc__checked_id(id)
    WHEN unit = 'household' AND household IS NOT NULL AND NOT sdc__is_among(household, columns)
        THEN CASE WHEN household_value IS NOT NULL THEN 'household ' || sdc__checked_id(household_value)
                  ELSE error('ColumnError: The household of a record is NULL: every person must belong to one (persons'
                             || ' living alone to one of their own).') END
    WHEN unit = 'record' THEN error('ParameterError: A household is given, and unit is record: the draws are by household'
                                    || ' with unit := ''household''; else leave household out.')
    WHEN unit = 'household' AND household IS NULL THEN error(
        'ParameterError: unit is household, and no household is given: name its column, as in household := ''hh''.')
    WHEN unit = 'household' THEN error('ParameterError: The household is among the columns to mask: its values name the'
                                       || ' draws and cannot be masked themselves.')
    ELSE error('ParameterError: unit is ' || coalesce(unit::VARCHAR, 'NULL') || ': it must be ''record'' or ''household''.')
END;
-- Whether a method is the one that draws for a record alone; of the others each needs all records, and no unit but the record.
CREATE OR REPLACE MACRO sdc__unit_fits(unit, household, method, plain) AS CASE
    WHEN method = plain THEN true
    WHEN unit = 'record' AND household IS NULL THEN false
    ELSE error('ParameterError: unit := ''household'' goes with method := ''' || plain || ''' only: the method '
               || coalesce(method::VARCHAR, 'NULL') || ' draws for, ranks or restores the records together.')
END;
CREATE OR REPLACE MACRO sdc__named_records(tbl, columns, id, unit, household, codes) AS TABLE
    SELECT *, sdc__drawn_for(sdc__id, columns, unit, household, COLUMNS(sdc__household_column((*), unit, household))) AS sdc__named
    FROM sdc__identified(tbl, id, codes := list_append(sdc__names(codes), household));

-- The value of a stratum for a record: of the named column, or NULL for all where no stratum is given.
CREATE OR REPLACE MACRO sdc__stratum_value(stratum, column_value) AS
    CASE WHEN stratum IS NULL THEN NULL ELSE column_value END;
