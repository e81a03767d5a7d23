-- The kinds of rows: numbering the values of each column by sorting them takes several times as long over all rows as over their kinds,
-- which are few.

-- files: the name of a relation with categories, sdc__t_<name> and sdc__b_<name> (of blocks), ordered ones, sdc__o_<name>, and other
-- columns. Each crossing of these values once, with its rows: what the other columns hold.
CREATE OR REPLACE MACRO sdc__kinds_of_rows(files) AS TABLE
    SELECT COLUMNS(lambda c: c[6:7] IN ('t_', 'b_', 'o_')),
           list(struct_pack(*COLUMNS(lambda c: c[6:7] NOT IN ('t_', 'b_', 'o_')))) AS sdc__rows
    FROM query_table(files)
    GROUP BY ALL;

-- files: the name of a relation with sdc__first (whether a row is of the other file), sdc__person, and other columns. The rows, and how
-- many of the other file each stands for (sdc__times): those whose person the released file has not differ in nothing but their person,
-- who is NULL then. Of a few persons who are looked for in a large file hardly any row is left.
CREATE OR REPLACE MACRO sdc__merged_rows(files) AS TABLE
    WITH sdc__asked AS (SELECT sdc__person FROM query_table(files) WHERE NOT sdc__first)
    SELECT *, 1e0 AS sdc__times
    FROM query_table(files)
    WHERE NOT sdc__first OR sdc__person IN (FROM sdc__asked)
    UNION ALL BY NAME
    SELECT COLUMNS(lambda c: c <> 'sdc__person'), count(*)::DOUBLE AS sdc__times
    FROM query_table(files)
    WHERE sdc__first AND sdc__person NOT IN (FROM sdc__asked)
    GROUP BY ALL;
