-- k-map: every combination of the keys in the released file is shared by at least k of the population.
--
--   violations of k: the records, and the cells, of the file whose cell has F_k < k in the population
-- Source: Sweeney (2001), Computational disclosure control, PhD thesis, MIT (k-map).
-- A cell that the population lacks counts as F_k = 0: it violates every k, and is counted again as
-- absent (coded otherwise, or a mistake in the data). It is never dropped.
--
--   persons: age sex times   population: age sex times   sdc_k_map('persons', 'population', ['age', 'sex'], 3):
--            30  f   2                   30  f   2       k records cells absent_records least
--            41  m   1                   41  m   4       3 3       2     1              0
--            52  f   1
--
-- Scope: cells.
-- Parameters:
--   tbl         table                     the file
--   population  table                     the table of the population, with the same keys
--   keys        columns                   the key variables; NULL in one is a value of its own
--   k           whole number in [2, ...)  the least number of persons of the population with the keys of a record

-- sdc_k_map: the records and cells of a file whose keys fewer than k of the population share.
-- Gives: k BIGINT, records BIGINT (more risk), cells BIGINT (more risk), absent_records BIGINT, least BIGINT (less risk).
-- Rows: one.
-- Words: records: records whose keys too few of the population share; cells: combinations of keys that too few of the population share;
--   least: persons of the population who share the rarest keys.
-- Result: KMap. The records and cells of the file with fewer than k records in the population.
-- Wildcards: refused.
-- Notes: A cell that does not occur in the population counts as 0 and is never dropped.
-- Example: FROM sdc_k_map('persons', 'population', ['age', 'sex'], 3);
CREATE OR REPLACE MACRO sdc_k_map(tbl, population, keys, k := 3) AS TABLE
    WITH sdc__mapped AS (
        SELECT s.sdc__records, coalesce(p.sdc__f, 0) AS sdc__f,
               sdc__checked_whole(k, 'k', 2) AS sdc__k
        FROM sdc__cells(tbl, keys, NULL, 'category') AS s
        LEFT JOIN sdc__cells(population, keys, NULL, 'category') AS p ON s.sdc__key = p.sdc__key
    )
    SELECT any_value(sdc__k) AS k, coalesce(sum(sdc__records) FILTER (sdc__f < sdc__k), 0)::BIGINT AS records,
           count(*) FILTER (sdc__f < sdc__k) AS cells,
           coalesce(sum(sdc__records) FILTER (sdc__f = 0), 0)::BIGINT AS absent_records, min(sdc__f) AS least
    FROM sdc__mapped;
