-- The rows of a table, view, CTE, qualified name or file name; no rows at all is an error, since
-- every measure of an empty file would read as "no risk".
CREATE OR REPLACE MACRO sdc__rows(tbl) AS TABLE
    SELECT COLUMNS(sdc__unreserved((*), 'sdc__'))
    FROM query_table(tbl)
    WHERE (
        SELECT CASE WHEN count(*) = 0
                    THEN error('The table ' || tbl || ' has no rows: there is nothing to measure.')
                    ELSE true END
        FROM (SELECT 1 FROM query_table(tbl) LIMIT 1)
    );
