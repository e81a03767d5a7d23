-- k-anonymity in households: every combination of the keys is shared by members of at least k households.
--
--   violations of j: the records, and the cells, of which members are of fewer than j households, for j = 2 .. k
--   k records that look alike can be one family: whoever finds one of them has found all, and knows what is said of them. A household
--   number that is NULL is an error: persons without one may be of one family. NULL in a key is a value of its own.
-- Source: SDC handbook, section 3.3.5 (files with a hierarchy); Sweeney (2002), k-anonymity: a model for protecting privacy, with
--   households as units.
--
--   survey: household region age    sdc_household_k_anonymity('survey', ['region', 'age'], 'household', 3):
--           26        north  young  k records cells
--           26        north  young  2 3       1      three of one family
--           26        north  young  3 5       2
--           27        south  old
--           28        south  old
--
-- Scope: cells.
-- Parameters:
--   tbl        table     the table, view, common table expression or file
--   keys       columns   the key variables
--   household  column    the household numbers
--   k          whole number in [2, 1000000]  the least number of households of a cell that is safe

-- sdc_household_k_anonymity: the records and the cells of fewer than 2, 3, up to k households.
-- Gives: k BIGINT, records BIGINT (more risk), cells BIGINT (more risk).
-- Rows: each k (from 2 on).
-- Words: records: records whose keys are in fewer than {k} households; cells: combinations of keys that are in fewer than {k} households.
-- Result: HouseholdKViolations. The records and the cells of members of fewer than k households.
-- Notes: NULL in a key is a value of its own, however the table was described.
-- Example: FROM sdc_household_k_anonymity('persons', ['age', 'sex'], 'household', 3);
CREATE OR REPLACE MACRO sdc_household_k_anonymity(tbl, keys, household, k := 3) AS TABLE
    WITH sdc__placed AS (
        SELECT coalesce(sdc__exact(COLUMNS(sdc__columns((*), [household]))),
                        error('ColumnError: A household number is NULL: every person must belong to a'
                              || ' household (give persons living alone a number of their own).')) AS sdc__house,
               sdc__exact(COLUMNS(sdc__columns((*), keys))) AS "\0" FROM sdc__rows(tbl, codes := list_append(sdc__names(keys), household))
    ),
    sdc__crossed AS (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), count(*) AS sdc__records,
               count(DISTINCT sdc__house) AS sdc__houses
        FROM sdc__placed
        GROUP BY ALL
    ),
    sdc__levels AS (SELECT unnest(range(2, sdc__checked_whole(k, 'k', 2, most := 1000000) + 1)) AS sdc__k)
    SELECT sdc__k AS k,
           coalesce(sum(sdc__records) FILTER (sdc__houses < sdc__k), 0)::BIGINT AS records,
           count(*) FILTER (sdc__houses < sdc__k) AS cells
    FROM sdc__levels, sdc__crossed
    GROUP BY sdc__k
    ORDER BY sdc__k ASC;
