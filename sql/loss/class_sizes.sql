-- How coarse the classes of the keys are in a released table.
--
--   discernibility      sum over the classes of (records)^2: each record costs the size of its class, a suppressed one that of the file
--   average_class_size  records / classes                                                (C_AVG of k-anonymity is this / k)
-- A class: the records with the same values of all keys, NULL one of them. A record is suppressed where every key is NULL; these make no
-- class. The least discernibility is the number of records, where no two are alike.
-- Source: Bayardo & Agrawal (2005), Data privacy through optimal k-anonymization, ICDE; LeFevre, DeWitt & Ramakrishnan (2006), Mondrian
--   multidimensional k-anonymity, ICDE.
--
--   released: age  sex     FROM sdc_class_sizes('released', ['age', 'sex']):
--             30   f       records classes suppressed discernibility average_class_size share
--             30   f       4       2       1          9              1.5                0.5625        4 + 1 + 4
--             41   m
--             NULL NULL
--
-- share: discernibility / records^2, 1 / records to 1 (all alike, or suppressed).
--
-- Scope: cells.
-- Parameters:
--   tbl   table    the released table
--   keys  columns  the key variables

CREATE OR REPLACE MACRO sdc__all_missing(keys) AS len(list_filter(keys, lambda missing: NOT missing)) = 0;

-- sdc_class_sizes: the discernibility and the average class size of the released keys.
-- Gives: records BIGINT, classes BIGINT, suppressed BIGINT (more loss), discernibility DOUBLE (more loss),
--   average_class_size DOUBLE or NULL (more loss), share DOUBLE (more loss).
-- Rows: one.
-- Result: ClassSizes. The records, their classes, the suppressed ones, discernibility (share: of its most) and average class size.
-- Notes: NULL in a key is a value of its own.
-- Example: FROM sdc_class_sizes('persons', ['age', 'sex']);
-- Limit: share. The discernibility, as a share of that of a file whose records are all alike.
CREATE OR REPLACE MACRO sdc_class_sizes(tbl, keys) AS TABLE
    WITH sdc__classes AS (
        SELECT sdc__f, sdc__all_missing([*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))]) AS sdc__gone
        FROM (SELECT sdc__f, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')) IS NULL AS "\0" FROM sdc__category_cells(tbl, keys, NULL))
    ),
    sdc__sums AS (
        SELECT sum(sdc__f)::BIGINT AS sdc__n, count(*) FILTER (WHERE NOT sdc__gone) AS sdc__groups,
               coalesce(sum(sdc__f) FILTER (WHERE sdc__gone), 0)::BIGINT AS sdc__none,
               coalesce(sum(sdc__f::DOUBLE * sdc__f) FILTER (WHERE NOT sdc__gone), 0) AS sdc__squares
        FROM sdc__classes
    )
    SELECT sdc__n AS records, sdc__groups AS classes, sdc__none AS suppressed, sdc__squares + sdc__none * sdc__n AS discernibility,
           (sdc__n - sdc__none) / nullif(sdc__groups, 0) AS average_class_size,
           (sdc__squares + sdc__none * sdc__n) / sdc__n / sdc__n AS share
    FROM sdc__sums;
