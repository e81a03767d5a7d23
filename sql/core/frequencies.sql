-- The frequencies of each record's cell, beside the record.
--
--   persons: id age sex w    FROM sdc_frequencies('persons', ['age', 'sex'], 'w'):
--            1  30  f   10   id age sex w  sample_frequency population_frequency
--            2  30  f   15   1  30  f   10 2                25
--            3  41  m   20   2  30  f   15 2                25
--                            3  41  m   20 1                20
-- Source: Skinner & Elliot (2002), section 2.1; F-hat_k of the SDC handbook, (3.3).
--
-- Scope: cells.
-- Parameters:
--   tbl     table                     the table, view, common table expression or file
--   keys    columns                   the key variables
--   weight  column or number          the expansion weights, or what every record weighs; NULL: population_frequency is NULL
--   nulls   'category' or 'wildcard'  NULL in a key is a value of its own, or agrees with every value

-- The records of a table, each with its cell: every column, and sdc__key, which equals that of sdc__cells (a row has no names).
CREATE OR REPLACE MACRO sdc__keyed(tbl, keys, codes := NULL) AS TABLE
    SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), row(*COLUMNS(lambda c: starts_with(c, 'sdc__k_'))) AS sdc__key
    FROM (SELECT *, sdc__exact(COLUMNS(sdc__columns((*), keys))) AS "sdc__k_\0" FROM sdc__rows(tbl, codes := codes));

-- The same beside the cells, where these check the names of the keys, and the records the values for both. (Each takes about as long
-- to bind as a query of a small table takes in all.)
CREATE OR REPLACE MACRO sdc__keyed_beside(tbl, keys, codes) AS TABLE
    SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), row(*COLUMNS(lambda c: starts_with(c, 'sdc__k_'))) AS sdc__key
    FROM (SELECT *, sdc__by_bytes(COLUMNS(sdc__there((*), sdc__names(keys)))) AS "sdc__k_\0" FROM sdc__rows(tbl, codes := codes));

-- What a cell says of a record. The table is read twice, for its cells and for its records; should
-- it change in between (a view that samples at random), a record may find no cell.
CREATE OR REPLACE MACRO sdc__found(cell_value) AS
    coalesce(cell_value,
             error('TableError: A record has no cell: the table does not give the same rows each time it is read. Store'
                   || ' it as a table first.'));

-- Every column of the table, sdc__f and sdc__w. (Equality of structs takes NULL fields as equal.)
CREATE OR REPLACE MACRO sdc__frequencies(tbl, keys, weight, nulls) AS TABLE
    SELECT r.* EXCLUDE (sdc__key), sdc__found(c.sdc__f) AS sdc__f, c.sdc__w
    FROM sdc__keyed_beside(tbl, keys, keys) AS r
    LEFT JOIN sdc__cells(tbl, keys, weight, nulls, asked := false) AS c ON r.sdc__key = c.sdc__key;

-- sdc_frequencies: every record with the sample frequency and the population frequency of its cell.
-- Gives: every column, sample_frequency BIGINT (less risk), population_frequency DOUBLE (less risk).
-- Rows: records.
-- Result: relation. Every column, `sample_frequency` and `population_frequency`, the sum of the weights of the cell (NULL where the table
--   has no weight).
-- Example: FROM sdc_frequencies('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_frequencies(tbl, keys, weight := NULL, nulls := 'category') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 'population_frequency'])),
           sdc__f AS sample_frequency, sdc__w AS population_frequency
    FROM sdc__frequencies(tbl, keys, weight, nulls);
