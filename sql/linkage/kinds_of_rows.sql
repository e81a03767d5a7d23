-- The kinds of rows: numbering the values of each column by sorting them takes several times as long over all rows as over their kinds,
-- which are few.

-- files: the name of a relation with categories, sdc__t_<name> and sdc__b_<name> (of blocks), ordered ones, sdc__o_<name>, and other
-- columns. Each crossing of these values once, with its rows: what the other columns hold.
CREATE OR REPLACE MACRO sdc__kinds_of_rows(files) AS TABLE
    SELECT COLUMNS(lambda c: c[6:7] IN ('t_', 'b_', 'o_')),
           list(struct_pack(*COLUMNS(lambda c: c[6:7] NOT IN ('t_', 'b_', 'o_')))) AS sdc__rows
    FROM query_table(files)
    GROUP BY ALL;
