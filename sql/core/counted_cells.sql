-- Cells that are counted already, measured as the records that they stand for: what a recoding of many records would do is seen at once.
--
--   counted: age sex sdc__records sdc__w      sdc__counted_cells('counted', ['age'], 'w'):   age sdc__records sdc__f sdc__w
--            30  f   2            25                                                         30  3            3      35
--            30  m   1            10                                                         41  1            1      20
--            41  m   1            20
-- It gives what sdc__category_cells gives of the records, and stands in its place while counted cells are measured
-- (sdc_sql/db/counted.py): every measure that is made of cells alone has its figures then. A measure that reads records refuses the
-- table, whose inner columns no table of records may have, and a table of records is refused here, which has no such columns.
--
-- A number as `weight` is the weight of every record. (An aggregate of another branch is made all the same: it must not be an error.)
CREATE OR REPLACE MACRO sdc__weight_of_all(weight) AS
    CASE WHEN weight IS NULL OR typeof(weight) = 'VARCHAR' THEN NULL ELSE sdc__checked_weight(TRY_CAST(weight AS DOUBLE)) END;

CREATE OR REPLACE MACRO sdc__counted_cells(tbl, keys, weight) AS TABLE
    SELECT sdc__exact(COLUMNS(sdc__columns((*), keys))) AS "\0",
           sum(sdc__records)::BIGINT AS sdc__records,
           sum(sdc__records)::BIGINT AS sdc__f,
           CASE WHEN weight IS NULL THEN NULL
                WHEN typeof(weight) = 'VARCHAR' THEN sdc__exact_sum(sdc__w)
                ELSE sdc__exact_sum(sdc__records * sdc__weight_of_all(weight)) END AS sdc__w
    FROM query_table(tbl)
    GROUP BY ALL;

-- Weights as whole numbers that any engine adds up exactly, beside the weight itself; and cells with the sum again, from the parts' sums.
CREATE OR REPLACE MACRO sdc__parted_weights(tbl, weight) AS TABLE
    SELECT sdc__parts[1] AS sdc__low, sdc__parts[2] AS sdc__middle, sdc__parts[3] AS sdc__high, sdc__own AS sdc__least
    FROM (SELECT sdc__own, sdc__parted_number(sdc__fixed(sdc__own)) AS sdc__parts
          FROM (SELECT sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) AS sdc__own FROM query_table(tbl)));
CREATE OR REPLACE MACRO sdc__joined_weights(cells) AS TABLE
    SELECT sdc__unfixed(sdc__joined_number(sdc__low, sdc__middle, sdc__high)) AS sdc__w FROM query_table(cells);
CREATE OR REPLACE MACRO sdc__cell_size(records, low, middle, high, weight) AS
    CASE WHEN weight IS NULL THEN NULL
         WHEN typeof(weight) = 'VARCHAR' THEN sdc__joined_number(low, middle, high)
         ELSE records * sdc__fixed(sdc__checked_weight(TRY_CAST(weight AS DOUBLE))) END;
