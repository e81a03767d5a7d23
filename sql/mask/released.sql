-- The table with masked values in the place of its own: the order of columns as it was, types those of the masked values.
--
--   t: id income region     masked (sdc__id, income):     sdc__released('t', ['income'], 'id', 'masked'):
--      1  100    north      1   104                       id income region
--      2  250    south      2   241                       1  104    north
--                                                         2  241    south

-- The columns to be masked: of the table, and not its id.
CREATE OR REPLACE MACRO sdc__to_mask(have, columns, id) AS CASE
    WHEN sdc__is_among(id, columns)
        THEN [id || '" is the id: its values name the draws and cannot be masked themselves; so "' || id]
    ELSE sdc__columns(have, columns)
END;

-- The same of columns whose names are a long expression, which is bound once.
CREATE OR REPLACE MACRO sdc__to_mask_once(have, columns, id) AS
    list_transform([columns], lambda named: sdc__to_mask(have, named, id))[1];

CREATE OR REPLACE MACRO sdc__kept(have, columns) AS list_filter(have, lambda h: NOT sdc__is_among(h, sdc__names_if_any(columns)));

-- (A record whose id is NULL is told of by whoever of both comes first: here, or where the ids are counted.)
CREATE OR REPLACE MACRO sdc__has_values(found, id := NULL, id_value := false) AS
    CASE WHEN found THEN true
         WHEN id_value IS NULL THEN error('ColumnError: The id (' || id || ') is NULL on some records: every record needs one of its own.')
         ELSE error('TableError: A record has no masked values: the table does not give the same rows each time it is'
                    || ' read. Store it as a table first.') END;

-- masked: the name of a common table expression with sdc__id and the masked columns. The table is
-- read again; should it have changed (a view that samples), a record may have no masked values.
-- (The first branch gives the order of the columns, and no types: labels may stand for numbers, and numbers for labels.)
CREATE OR REPLACE MACRO sdc__released(tbl, columns, id, masked) AS TABLE
    (SELECT CASE WHEN COLUMNS(*) IS NULL THEN NULL END AS "\0" FROM sdc__unasked(tbl) LIMIT 0)
    UNION ALL BY NAME
    (SELECT sdc__old.* EXCLUDE (sdc__id), sdc__new.* EXCLUDE (sdc__id)
     FROM (SELECT sdc__exact(COLUMNS(sdc__one_column((*), id))) AS sdc__id, COLUMNS(sdc__kept((*), columns))
           FROM sdc__rows(tbl)) AS sdc__old
     LEFT JOIN query_table(masked) AS sdc__new ON sdc__old.sdc__id = sdc__new.sdc__id
     WHERE sdc__has_values(sdc__new.sdc__id IS NOT NULL, id := id, id_value := sdc__old.sdc__id));
