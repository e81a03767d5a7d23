-- The rows of a table, view, CTE, qualified name or file name; no rows at all is an error, since
-- every measure of an empty file would read as "no risk".
--
-- The error comes from a branch of the query that gives no rows and serves the error alone. The error is no filter on the
-- rows: where the planner knows that a view is empty, it drops the filter with the rows.
-- codes: the columns whose values are compared. In a CSV or JSON file they must be text (text_files.sql), and each of their values
-- must have one form (equal_values.sql); both are checked with the rows. compared: the columns of which the one form is checked,
-- where the other columns are only reckoned with or masked.
-- (In a compiled query the tables are read as they are, and the check stands at the end: sdc_sql/compiler/empty.py.)

-- A column of the branch, which has no rows: n, how many records are told of, is never negative. A filter that is put on the rows
-- cannot be asked of a NULL in its place, else the planner would find the branch empty and drop it with its error.
CREATE OR REPLACE MACRO sdc__behind_error(v, n) AS
    CASE WHEN n >= 0 THEN v ELSE error('TableError: There are no records to tell of.') END;

-- No rows, or the error.
CREATE OR REPLACE MACRO sdc__refused(tbl, codes, compared := NULL) AS TABLE
    SELECT sdc__n AS sdc__records
    FROM (SELECT count(*) AS sdc__n FROM (SELECT 1 FROM query_table(sdc__one_name(tbl)) LIMIT 1)
          UNION ALL FROM sdc__guessed(tbl, codes)
          UNION ALL FROM sdc__told_apart(tbl, compared, otherwise := codes)) AS sdc__count
    WHERE CASE WHEN sdc__n > 0 THEN false
               ELSE error('TableError: The table ' || tbl || ' has no rows: there is nothing to measure.') END;

-- The rows without the check. A GROUP BY is faster by a third where no check stands beneath it: a macro that reads the rows by
-- this one puts the check beside its groups.
CREATE OR REPLACE MACRO sdc__unasked(tbl) AS TABLE
    SELECT COLUMNS(sdc__unreserved((*), 'sdc__')) FROM query_table(sdc__one_name(tbl));

CREATE OR REPLACE MACRO sdc__rows(tbl, codes := NULL, compared := NULL) AS TABLE
    SELECT COLUMNS(sdc__unreserved((*), 'sdc__')) FROM query_table(sdc__one_name(tbl))
    UNION ALL
    SELECT sdc__behind_error(COLUMNS(lambda c: c <> 'sdc__records'), sdc__records) AS "\0"
    FROM sdc__refused(tbl, codes, compared := compared)
    LEFT JOIN (FROM query_table(sdc__one_name(tbl)) LIMIT 0) AS sdc__none ON true;

-- The same rows with every text compared by its bytes, whatever the column's collation or SET default_collation: the values of
-- keys, ids, strata, households and categories are read here, for grouping, joining and ordering. Of equal bytes and of nothing
-- else are cells made: a collation that ignores case or accents would join cells, and lower every risk.
--
-- A function's text takes the collation of a text among its arguments: here that of a field's name, which is C. What is no text
-- stays as it is, and nothing is computed. Texts within a list or a struct cannot be reached, so they need a session without
-- a default collation. (In a compiled query a value stands for itself: sdc_sql/compiler/lists.py.)
CREATE OR REPLACE MACRO sdc__by_bytes(value) AS struct_extract({'v': value}, 'v' COLLATE C);

CREATE OR REPLACE MACRO sdc__exact(value) AS
    CASE WHEN regexp_matches(typeof(value), '.VARCHAR|VARCHAR.') -- texts within it
              AND lower(current_setting('default_collation')) NOT IN ('', 'binary', 'c', 'posix')
             THEN error('ParameterError: The default collation of this session is ' || concat(current_setting('default_collation'),
                               ', and a column holds lists or structs of texts, which would be compared by it: RESET',
                               ' default_collation first, or take the texts out of them.'))
         ELSE sdc__by_bytes(value) END;

CREATE OR REPLACE MACRO sdc__exact_rows(tbl, codes := NULL, compared := NULL) AS TABLE
    SELECT sdc__exact(COLUMNS(*)) AS "\0" FROM sdc__rows(tbl, codes := codes, compared := compared);
