-- The cells of the crossing where NULL is a category of its own: one GROUP BY. See cells.sql.
--
-- Key columns, sdc__records and sdc__f (both the records of the cell), sdc__w (the sum of their
-- weights; NULL without a weight). asked: see cells.sql.
CREATE OR REPLACE MACRO sdc__refused_if(asked, tbl, keys) AS TABLE
    WITH sdc__asked AS (SELECT sdc__records FROM sdc__refused(tbl, keys)),
    sdc__unasked AS (SELECT 0 AS sdc__records WHERE false)
    FROM query_table(CASE WHEN asked THEN 'sdc__asked' ELSE 'sdc__unasked' END);

CREATE OR REPLACE MACRO sdc__category_cells(tbl, keys, weight, asked := true) AS TABLE
    SELECT sdc__exact(COLUMNS(sdc__columns((*), keys))) AS "\0",
           count(*) AS sdc__records,
           count(*) AS sdc__f,
           sdc__exact_sum(CASE WHEN weight IS NULL THEN NULL
                    ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END) AS sdc__w
    FROM sdc__unasked(tbl)
    GROUP BY ALL
    UNION ALL BY NAME
    FROM sdc__refused_if(asked, tbl, keys);
