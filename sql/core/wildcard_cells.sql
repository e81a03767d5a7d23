-- Frequencies where NULL agrees with every value (the state of a file after local suppression).
--
--   two records are compatible when, in every key, they agree or one of them is NULL
--   f_k = the number of records compatible with cell k, its own included; F_k = the sum of their weights
-- Source: Templ, Kowarik & Meindl (2015), Statistical disclosure control for micro-data using the
-- R package sdcMicro, Journal of Statistical Software 67(4), section 3.1. sdcMicro leaves records
-- with all keys NULL out of the others' counts; here they count, as the definition says.
--
--   persons: age sex        sdc_cells(..., nulls := 'wildcard'):   age  sex sample_frequency
--            30  f                                                 30   f   2
--            41  m                                                 41   m   1
--            NULL f                                                NULL f   2
--
-- Records are never compared in pairs. Cells with the same null pattern are compatible only with
-- themselves; cells of two patterns are when they agree on the keys that neither has NULL. So for
-- each pair of patterns the cells of the one with fewer cells are summed over those shared keys,
-- each cell of the other looks its sum up, and what was looked up is summed back. The work is at
-- most cells x null patterns, and only matches are kept. To restrict a cell to the shared keys in
-- one cheap operation, each key's values are numbered and a cell becomes a bit string, 32 bits a
-- key, all zero for NULL; to restrict it is to AND it with a mask.

-- (These two are written otherwise for an engine without bit strings: sdc_sql/compiler/lists.py.)
CREATE OR REPLACE MACRO sdc__bits(numbers) AS array_to_string(list_transform(numbers, lambda n: n::INTEGER::BIT::VARCHAR), '')::BIT;
CREATE OR REPLACE MACRO sdc__common_bits(a, b) AS a & b;

-- The number of a value, 0 for NULL; and its 32 bits of the mask, as a number.
CREATE OR REPLACE MACRO sdc__value_number(key) AS CASE WHEN key IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY key ASC) END;
CREATE OR REPLACE MACRO sdc__value_mask(key) AS CASE WHEN key IS NULL THEN 0 ELSE -1 END;

-- Each cell as a bit string (sdc__code) with its pattern as a mask (sdc__mask: ones where not NULL).
CREATE OR REPLACE MACRO sdc__coded_cells(tbl, keys, weight) AS TABLE
    WITH sdc__ranked AS (
        SELECT struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key,
               sdc__records, sdc__w,
               sdc__value_number(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__rank_\0",
               sdc__value_mask(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__known_\0"
        FROM sdc__category_cells(tbl, keys, weight)
    ),
    sdc__listed AS (
        SELECT sdc__key, sdc__records, sdc__w,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__rank_'))] AS sdc__ranks,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__known_'))] AS sdc__known
        FROM sdc__ranked
    )
    SELECT sdc__key, sdc__records, sdc__w, sdc__bits(sdc__ranks) AS sdc__code, sdc__bits(sdc__known) AS sdc__mask
    FROM sdc__listed;

CREATE OR REPLACE MACRO sdc__wildcard_cells(tbl, keys, weight) AS TABLE
    WITH sdc__coded AS MATERIALIZED (FROM sdc__coded_cells(tbl, keys, weight)),
    sdc__patterns AS (
        SELECT sdc__mask, row_number() OVER (ORDER BY count(*) ASC, sdc__mask ASC) AS sdc__rank
        FROM sdc__coded GROUP BY sdc__mask
    ),
    -- every pair of patterns, the one with fewer cells first, and the keys that neither has NULL
    sdc__pairs AS MATERIALIZED (
        SELECT few.sdc__mask AS sdc__few, many.sdc__mask AS sdc__many,
               sdc__common_bits(few.sdc__mask, many.sdc__mask) AS sdc__shared,
               row_number() OVER () AS sdc__pair
        FROM sdc__patterns AS few JOIN sdc__patterns AS many ON few.sdc__rank < many.sdc__rank
    ),
    sdc__few AS MATERIALIZED (
        SELECT p.sdc__pair, c.sdc__code, sdc__common_bits(c.sdc__code, p.sdc__shared) AS sdc__restricted, c.sdc__records, c.sdc__w
        FROM sdc__coded AS c JOIN sdc__pairs AS p ON c.sdc__mask = p.sdc__few
    ),
    sdc__few_sums AS (
        SELECT sdc__pair, sdc__restricted, sum(sdc__records) AS sdc__few_records, sdc__exact_sum(sdc__w) AS sdc__few_w
        FROM sdc__few GROUP BY ALL
    ),
    sdc__matches AS MATERIALIZED (
        SELECT m.sdc__code, s.*, m.sdc__records, m.sdc__w
        FROM (SELECT p.sdc__pair, c.sdc__code, sdc__common_bits(c.sdc__code, p.sdc__shared) AS sdc__restricted, c.sdc__records, c.sdc__w
              FROM sdc__coded AS c JOIN sdc__pairs AS p ON c.sdc__mask = p.sdc__many) AS m
        JOIN sdc__few_sums AS s USING (sdc__pair, sdc__restricted)
    ),
    sdc__many_sums AS (
        SELECT sdc__pair, sdc__restricted, sum(sdc__records) AS sdc__records, sdc__exact_sum(sdc__w) AS sdc__w
        FROM sdc__matches GROUP BY ALL
    ),
    -- what each cell is compatible with: itself, cells of patterns with more cells, and with fewer
    sdc__compatible AS (
        SELECT sdc__code, sdc__records, sdc__w FROM sdc__coded
        UNION ALL
        SELECT sdc__few.sdc__code, sdc__many_sums.sdc__records, sdc__many_sums.sdc__w
        FROM sdc__few JOIN sdc__many_sums USING (sdc__pair, sdc__restricted)
        UNION ALL
        SELECT sdc__code, sdc__few_records, sdc__few_w FROM sdc__matches
    ),
    sdc__totals AS (
        SELECT sdc__code, sum(sdc__records)::BIGINT AS sdc__f, sdc__exact_sum(sdc__w) AS sdc__w
        FROM sdc__compatible GROUP BY sdc__code
    )
    SELECT sdc__key, sdc__records, sdc__f, sdc__totals.sdc__w AS sdc__w
    FROM sdc__coded JOIN sdc__totals USING (sdc__code);
