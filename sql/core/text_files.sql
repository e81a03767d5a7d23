-- The codes of a CSV or JSON file that is given by its name: refused unless they are text.
--
-- DuckDB guesses the types of such a file's columns, and the codes 1.1 and 1.10, or TRUE and true, become one number: fewer and
-- larger cells, a smaller risk. No check of the values could tell. So a column whose values are compared and not reckoned with (a key,
-- id, household, stratum, category) must be text; a table or view is what it is, also where it has the name of a file.
-- Known when a query is bound, by the name of the table: where it is no file's, nothing is looked up and nothing runs.
CREATE OR REPLACE MACRO sdc__is_text_file(tbl) AS regexp_matches(tbl, '(?i)\.(csv|tsv|json|jsonl|ndjson)(\.(gz|zst))?("?$|[?])');

-- A name with more dots than database.schema.table has is the address of a file ('s3://bucket/v1.2.3/x.parquet'), which DuckDB
-- 1.5 reads in quotes only.
CREATE OR REPLACE MACRO sdc__one_name(tbl) AS
    CASE WHEN typeof(tbl) = 'VARCHAR' THEN regexp_replace(tbl::VARCHAR, '^([^"]*[.][^"]*[.][^"]*[.][^"]*)$', '"\1"')
         ELSE error('TableError: The name of a table is no text: give its name in quotes, as in ''persons''.') END;

-- 'x.csv' is also the table csv of a schema or database x; in double quotes, a table of that name.
CREATE OR REPLACE MACRO sdc__is_stored(tbl) AS
    EXISTS (FROM (SELECT database_name AS sdc__d, schema_name AS sdc__s, table_name AS sdc__t
                  FROM duckdb_tables()
                  UNION ALL
                  SELECT database_name, schema_name, view_name
                  FROM duckdb_views())
            WHERE sdc__folded(replace(tbl, '"', '')) IN (
                CASE WHEN starts_with(tbl, '"') THEN sdc__folded(sdc__t) END, sdc__folded(concat_ws('.', sdc__s, sdc__t)),
                sdc__folded(concat_ws('.', sdc__d, sdc__t)), sdc__folded(concat_ws('.', sdc__d, sdc__s, sdc__t))));

CREATE OR REPLACE MACRO sdc__not_guessed(tbl, value) AS
    CASE WHEN typeof(value) = 'VARCHAR' OR sdc__is_stored(tbl) THEN true
         ELSE error('ColumnError: The type of the column ' || alias(value) || ' of ' || tbl || ' is guessed (' || typeof(value)
                    || '), as are all types of a CSV or JSON file: two codes that are one as such values (1.1 and 1.10,'
                    || ' TRUE and true) would be one cell. Make a table of it,'
                    || ' with types of your own: from read_csv(file, all_varchar := true), or read_json(file, columns :='
                    || ' {...}). Python and the command line do so by themselves.')
    END;

CREATE OR REPLACE MACRO sdc__named(codes) AS list_distinct(sdc__names(codes));  -- without NULL, of what is not given

-- No rows, or the error. (A common table expression that is not read is not bound: there is something to plan for a file only.)
CREATE OR REPLACE MACRO sdc__guessed(tbl, codes) AS TABLE
    WITH sdc__of_file AS (
        SELECT count(*) FROM (FROM query_table(sdc__one_name(tbl)) LIMIT 1)
        WHERE sdc__not_guessed(tbl, COLUMNS(sdc__columns((*), sdc__named(codes)))) HAVING count(*) > 1
    ),
    sdc__of_none AS (SELECT 0 WHERE false)
    FROM query_table(CASE WHEN len(sdc__named(codes)) > 0 AND sdc__is_text_file(tbl) THEN 'sdc__of_file' ELSE 'sdc__of_none' END);
