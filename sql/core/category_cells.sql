-- The cells of the crossing where NULL is a category of its own: one GROUP BY. See cells.sql.
--
-- Key columns, sdc__records and sdc__f (both the records of the cell), sdc__w (the sum of their
-- weights; NULL without a weight).
CREATE OR REPLACE MACRO sdc__category_cells(tbl, keys, weight) AS TABLE
    SELECT sdc__exact(COLUMNS(sdc__columns((*), keys))) AS "\0",
           count(*) AS sdc__records,
           count(*) AS sdc__f,
           sdc__exact_sum(CASE WHEN weight IS NULL THEN NULL
                    ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END) AS sdc__w
    FROM sdc__unasked(tbl)
    GROUP BY ALL
    UNION ALL BY NAME
    SELECT sdc__records FROM sdc__refused(tbl, keys);
