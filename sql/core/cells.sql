-- The cells of the crossing of the key variables, and their frequencies.
--
--   f_k = the number of records in cell k (sample frequency)
--   F_k = the sum of their weights        (estimated population frequency)
-- Source: Skinner & Elliot (2002), section 2.1; SDC handbook, section 3.3.3 and (3.3).
--
--   persons: age sex        FROM sdc_cells('persons', ['age', 'sex']):   age sex sample_frequency
--            30  f                                                       30  f   2
--            30  f                                                       41  m   1
--            41  m
--
-- Scope: cells.
-- Parameters:
--   tbl    table                     the table, view, common table expression or file
--   keys   columns                   the key variables
--   nulls  'category' or 'wildcard'  NULL in a key is a value of its own, or agrees with every value

-- Either treatment of NULL: sdc__key (the values of the keys, as a struct), sdc__records (the
-- cell's own records), sdc__f and sdc__w (the frequencies that an intruder's match meets; with
-- wildcards they count compatible cells too).
-- (A common table expression that is not read is not bound: what the other treatment would cost to bind.)
-- asked: false where the caller reads the records beside the cells, and has the table and the values of its keys checked there.
CREATE OR REPLACE MACRO sdc__cells(tbl, keys, weight, nulls, asked := true) AS TABLE
    WITH sdc__by_category AS (
        SELECT struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key, sdc__records, sdc__f, sdc__w
        FROM sdc__category_cells(tbl, keys, weight, asked := asked)
    ),
    sdc__by_wildcard AS (FROM sdc__wildcard_cells(tbl, keys, weight, asked := asked))
    FROM query_table(CASE WHEN sdc__is_category(nulls) THEN 'sdc__by_category' ELSE 'sdc__by_wildcard' END);

-- With nulls := 'wildcard' the frequencies count every compatible record and no longer sum to the number of records.
-- One row for each distinct combination, the key columns in the table's order.
-- sdc_cells: the cells of the crossing of the keys, and their sample frequencies.
-- Gives: the key columns, sample_frequency BIGINT (less risk).
-- Rows: cells.
-- Result: relation. One row for each combination that occurs.
-- Example: FROM sdc_cells('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_cells(tbl, keys, nulls := 'category') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency'])), sdc__f AS sample_frequency
    FROM (SELECT unnest(sdc__key), sdc__f FROM sdc__cells(tbl, keys, NULL, nulls));
