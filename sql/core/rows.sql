-- The rows of a table, view, CTE, qualified name or file name; no rows at all is an error, since
-- every measure of an empty file would read as "no risk".
--
-- The second branch gives no rows and is there for its error. It does not stand as a filter on the
-- first: where the planner knows a view to be empty, it drops the filter with the rows.
-- (In a compiled query the tables are read as they are, and the check stands at the end: sdc_sql/compiler/empty.py.)
CREATE OR REPLACE MACRO sdc__rows(tbl) AS TABLE
    SELECT COLUMNS(sdc__unreserved((*), 'sdc__')) FROM query_table(tbl)
    UNION ALL
    SELECT sdc__none.*
    FROM (SELECT count(*) AS sdc__n FROM (SELECT 1 FROM query_table(tbl) LIMIT 1)) AS sdc__count
    LEFT JOIN (FROM query_table(tbl) LIMIT 0) AS sdc__none ON true
    WHERE CASE WHEN sdc__n > 0 THEN false
               ELSE error('TableError: The table ' || tbl || ' has no rows: there is nothing to measure.') END;
