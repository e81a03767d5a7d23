-- The records of a table that is to be masked, each with its id as sdc__id.
--
-- The draws of a record depend on its id. Two records with one id would be masked alike, and joining the
-- masked values back would multiply them; so an id that is repeated or NULL is an error. (The second
-- branch gives no rows: it is there for its error, as in sdc__rows.)
CREATE OR REPLACE MACRO sdc__with_id(tbl, id, codes := NULL) AS TABLE
    SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__id, * FROM sdc__exact_rows(tbl, codes := codes);

-- Ids that ascend from record to record, in whatever one order they come, are unique: most tables are stored so, and it costs
-- nothing to see. (Were the records compared in several pieces, each would have a first one.)
CREATE OR REPLACE MACRO sdc__ascends(tbl, id) AS TABLE
    SELECT count(*) FILTER (WHERE sdc__before IS NULL) = 1 AND coalesce(bool_and(sdc__before < sdc__id), true) AND count(*) = count(sdc__id) AS sdc__ascending
    FROM (SELECT sdc__id, lag(sdc__id) OVER () AS sdc__before FROM (SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id FROM query_table(tbl)));

CREATE OR REPLACE MACRO sdc__identified(tbl, id, codes := NULL) AS TABLE
    FROM sdc__with_id(tbl, id, codes := list_append(codes::VARCHAR[], id))
    UNION ALL
    SELECT sdc__none.*
    FROM (SELECT sdc__id AS sdc__repeated, count(*) AS sdc__n FROM sdc__with_id(tbl, id)
          WHERE NOT (SELECT sdc__ascending FROM sdc__ascends(tbl, id))
          GROUP BY sdc__id HAVING count(*) > 1 OR sdc__id IS NULL LIMIT 1)
    LEFT JOIN (FROM sdc__with_id(tbl, id) LIMIT 0) AS sdc__none ON true
    WHERE CASE WHEN sdc__n = 0 THEN false -- (never: other engines ask for a branch that is a truth value)
               WHEN sdc__repeated IS NULL
                   THEN error('ColumnError: The id (' || id || ') is NULL on ' || sdc__n || ' records: every record needs one of its own.')
               ELSE error('ColumnError: The id (' || id || ') is the same on ' || sdc__n || ' records: it must be unique.')
          END;

-- The value of a stratum for a record: of the named column, or NULL for all where no stratum is given.
CREATE OR REPLACE MACRO sdc__stratum_value(stratum, column_value) AS
    CASE WHEN stratum IS NULL THEN NULL ELSE column_value END;
