-- Ordered columns of two files are ranked together, so that both must have one type.

-- The ordered columns of a table with their types, '' where none is.
CREATE OR REPLACE MACRO sdc__kinds_of(tbl, ordered, columns) AS TABLE
    SELECT unnest(struct_keys(struct_pack(*COLUMNS(*)))) AS sdc__name, unnest([*COLUMNS(*)]) AS sdc__kind
    FROM (SELECT CASE WHEN len(ordered) > 0 THEN typeof(COLUMNS(sdc__columns_if_any((*), ordered, columns)))
                      ELSE '' END AS "\0"
          FROM sdc__unasked(tbl)
          LIMIT 1);

-- No rows, or the error: numbers (or an ENUM) in one file and texts in the other would all be ranked as texts, 10 before 9.
-- ordered may be [].
CREATE OR REPLACE MACRO sdc__ranked_as_texts(name, one, other) AS
    CASE WHEN (one = 'VARCHAR') <> (other = 'VARCHAR') AND '"NULL"' NOT IN (one, other)
             THEN error('ColumnError: The ordered column "' || name || '" is ' || sdc__type_told(one)
                        || ' in the original and ' || sdc__type_told(other)
                        || ' in the released table: as texts it would be ranked by its bytes, 10 before 9. Give both'
                        || ' columns one type (numbers a numeric one; on the command line and in a release file name it'
                        || ' among the numbers, ordered or continuous).')
         ELSE false END;
CREATE OR REPLACE MACRO sdc__ranked_alike(original, released, ordered, columns) AS TABLE
    SELECT 1 AS sdc__never
    FROM (FROM sdc__kinds_of(original, ordered, columns)) AS sdc__o
    JOIN (FROM sdc__kinds_of(released, ordered, columns)) AS sdc__r ON sdc__folded(sdc__o.sdc__name)
         = sdc__folded(sdc__r.sdc__name)
    WHERE sdc__ranked_as_texts(sdc__o.sdc__name, sdc__o.sdc__kind, sdc__r.sdc__kind);
