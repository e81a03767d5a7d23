-- k-anonymity: every combination of the keys is shared by at least k records.
--
--   violations of j: the records, and the cells, with f_k < j, for j = 2 .. k
-- Source: Samarati & Sweeney (1998); Sweeney (2002), k-anonymity: a model for protecting privacy.
--
--   persons: age sex times   sdc_k_anonymity('persons', ['age', 'sex'], 3):
--            30  f   2       k records cells
--            41  m   1       2 1       1
--                            3 3       2
--
-- Scope: cells.
-- Parameters:
--   tbl    table                     the table, view, common table expression or file
--   keys   columns                   the key variables
--   k      whole number in [2, 1000000]  the least number of records of a cell that is safe
--   nulls  'category' or 'wildcard'  NULL in a key is a value of its own, or (for a file after local suppression) agrees with every value

-- sdc_k_anonymity: the records and the cells that violate 2-, 3-, up to k-anonymity.
-- Gives: k BIGINT, records BIGINT (more risk), cells BIGINT (more risk).
-- Rows: each k (from 2 on).
-- Words: records: records that violate {k}-anonymity: fewer than {k} records share their keys; cells: combinations of keys that
--   violate {k}-anonymity: fewer than {k} records share them.
-- Result: KViolations. The records and the cells with fewer than k records.
-- Notes: A file after local suppression is described with `nulls="wildcard"`.
-- Example: FROM sdc_k_anonymity('persons', ['age', 'sex'], 3);
CREATE OR REPLACE MACRO sdc_k_anonymity(tbl, keys, k := 3, nulls := 'category') AS TABLE
    WITH sdc__counts AS (
        SELECT sdc__f, sum(sdc__records)::BIGINT AS sdc__records, count(*) AS sdc__cells
        FROM sdc__cells(tbl, keys, NULL, nulls)
        GROUP BY sdc__f
    ),
    sdc__levels AS (
        SELECT unnest(range(2, sdc__checked_whole(k, 'k', 2, most := 1000000) + 1)) AS sdc__k
    )
    SELECT sdc__k AS k,
           coalesce(sum(sdc__records) FILTER (sdc__f < sdc__k), 0)::BIGINT AS records,
           coalesce(sum(sdc__cells) FILTER (sdc__f < sdc__k), 0)::BIGINT AS cells
    FROM sdc__levels, sdc__counts
    GROUP BY sdc__k
    ORDER BY sdc__k ASC;
