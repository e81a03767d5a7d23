-- Sample uniques, and the frequencies of frequencies.
--
--   n_r = the number of cells with sample frequency r; n_1 = the number of sample uniques
-- Source: Skinner & Elliot (2002), section 2.1.
--
--   persons: age sex     sdc_frequency_counts('persons', ['age', 'sex']):    sdc_sample_uniques('persons', ['age', 'sex']):
--            30  f       frequency cells                                     age sex
--            30  f       1         1                                         41  m
--            41  m       2         1
--
--   FROM sdc_frequency_summary('persons', ['age', 'sex']):
--   records cells sample_uniques uniques_rate pairs largest_cell
--   3       2     1              0.3333       1     2
--
-- Scope: cells.
-- Parameters:
--   tbl    table                     the table, view, common table expression or file
--   keys   columns                   the key variables
--   nulls  'category' or 'wildcard'  NULL in a key is a value of its own, or agrees with every value

-- frequency r and cells n_r, for every r that occurs.
-- sdc_frequency_counts: how many cells have sample frequency 1, 2, and so on.
-- Gives: frequency BIGINT, cells BIGINT.
-- Rows: each frequency.
-- Example: FROM sdc_frequency_counts('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_frequency_counts(tbl, keys, nulls := 'category') AS TABLE
    SELECT sdc__f AS frequency, count(*) AS cells
    FROM sdc__cells(tbl, keys, NULL, nulls)
    GROUP BY frequency
    ORDER BY frequency ASC;

-- The same at a glance: uniques_rate is the share of the records, pairs is n_2, largest_cell the largest frequency.
-- sdc_frequency_summary: records, cells, sample uniques and their rate, pairs and the largest cell.
-- Gives: records BIGINT, cells BIGINT, sample_uniques BIGINT (more risk), uniques_rate DOUBLE (more risk), pairs BIGINT (more risk),
--   largest_cell BIGINT.
-- Rows: one.
-- Words: records: records; cells: combinations of keys; sample_uniques: records that are alone with their keys; uniques_rate: share of
--   the records that are alone with their keys; pairs: combinations of keys that two records share; largest_cell: records that share the
--   commonest keys.
-- Example: FROM sdc_frequency_summary('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_frequency_summary(tbl, keys, nulls := 'category') AS TABLE
    SELECT sum(sdc__records)::BIGINT AS records,
           count(*) AS cells,
           count(*) FILTER (sdc__f = 1) AS sample_uniques,
           1e0 * count(*) FILTER (sdc__f = 1) / sum(sdc__records) AS uniques_rate,
           count(*) FILTER (sdc__f = 2) AS pairs,
           max(sdc__f) AS largest_cell
    FROM sdc__cells(tbl, keys, NULL, nulls);

-- sdc_sample_uniques: the records that no other record agrees with on the keys.
-- Gives: every column.
-- Rows: records.
-- Example: FROM sdc_sample_uniques('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_sample_uniques(tbl, keys, nulls := 'category') AS TABLE
    SELECT * EXCLUDE (sdc__f, sdc__w)
    FROM sdc__frequencies(tbl, keys, NULL, nulls)
    WHERE sdc__f = 1;
