-- Frequencies where NULL agrees with every value (the state of a file after local suppression).
--
--   two records are compatible when, in every key, they agree or one of them is NULL
--   f_k = the number of records compatible with cell k, its own included; F_k = the sum of their weights
-- Source: Templ, Kowarik & Meindl (2015), Statistical disclosure control for micro-data using the
-- R package sdcMicro, Journal of Statistical Software 67(4), section 3.1. sdcMicro leaves records
-- with all keys NULL out of the others' counts; here they count, as the definition says.
--
--   persons: age  sex        sdc_cells('persons', ['age', 'sex'], nulls := 'wildcard'):   age  sex sample_frequency
--            30   f                                                                       30   f   2
--            41   m                                                                       41   m   1
--            NULL f                                                                       NULL f   2
--
-- Records are never compared in pairs. Cells with the same null pattern are compatible only with
-- themselves; cells of two patterns are when they agree on the keys that neither has NULL. So for
-- each pair of patterns the cells of the one with fewer cells are summed over those shared keys,
-- each cell of the other looks its sum up, and what was looked up is summed back. The work is at
-- most cells x null patterns, and only matches are kept. To restrict a cell to the shared keys in
-- one cheap operation, each key's values are numbered and a cell becomes one number, as many bits a key
-- as its values need, all zero for NULL; to restrict it is to AND it with a mask. Where 126 bits
-- are too few for all keys it becomes a bit string, 32 bits a key, which takes some five times as long.

-- (These two are written otherwise for an engine without bit strings: sdc_sql/compiler/lists.py.)
CREATE OR REPLACE MACRO sdc__bits(numbers) AS array_to_string(list_transform(numbers, lambda n: n::INTEGER::BIT::VARCHAR), '')::BIT;
CREATE OR REPLACE MACRO sdc__common_bits(a, b) AS a & b;

-- The number of a value, 0 for NULL; and its 32 bits of the mask, as a number.
CREATE OR REPLACE MACRO sdc__value_number(key) AS CASE WHEN key IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY key ASC) END;
CREATE OR REPLACE MACRO sdc__value_mask(key) AS CASE WHEN key IS NULL THEN 0 ELSE -1 END;

-- Each cell with the numbers of its values (sdc__ranks) and which of them are not NULL (sdc__known).
CREATE OR REPLACE MACRO sdc__ranked_cells(tbl, keys, weight, asked := true) AS TABLE
    WITH sdc__ranked AS (
        SELECT struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key,
               sdc__records, sdc__w,
               sdc__value_number(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__rank_\0",
               sdc__value_mask(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__known_\0"
        FROM sdc__category_cells(tbl, keys, weight, asked := asked)
    )
    SELECT sdc__key, sdc__records, sdc__w,
           [*COLUMNS(lambda c: starts_with(c, 'sdc__rank_'))] AS sdc__ranks,
           [*COLUMNS(lambda c: starts_with(c, 'sdc__known_'))] AS sdc__known
    FROM sdc__ranked;

-- For each key, the bits that its values need, and (one more element) the bits of the keys before it.
CREATE OR REPLACE MACRO sdc__bits_of_keys(numbered) AS TABLE
    SELECT sdc__bits, list_transform(range(len(sdc__bits) + 1), lambda i: coalesce(list_sum(sdc__bits[:i]), 0)::INTEGER) AS sdc__before
    FROM (
        SELECT list(length(bin(sdc__most)) ORDER BY sdc__j ASC) AS sdc__bits
        FROM (
            SELECT sdc__j, max(sdc__rank) AS sdc__most
            FROM (SELECT unnest(sdc__ranks) AS sdc__rank, unnest(range(len(sdc__ranks))) AS sdc__j FROM query_table(numbered))
            GROUP BY sdc__j
        )
    );

-- Numbers side by side in one, each from its first bit on; and ones in the bits of some of them.
CREATE OR REPLACE MACRO sdc__packed(numbers, firsts) AS list_sum(list_transform(numbers, lambda n, i: n::HUGEINT << firsts[i]));
CREATE OR REPLACE MACRO sdc__packed_ones(chosen, firsts) AS
    list_sum(list_transform(chosen, lambda b, i: CASE WHEN b THEN (1::HUGEINT << firsts[i + 1]) - (1::HUGEINT << firsts[i]) ELSE 0 END));

-- Cells as numbers, where they fit: sdc__code, and sdc__mask, ones where a key is not NULL.
CREATE OR REPLACE MACRO sdc__packed_cells(numbered, bits) AS TABLE
    SELECT sdc__key, sdc__records, sdc__w,
           sdc__packed(sdc__ranks, sdc__before) AS sdc__code,
           sdc__packed_ones(list_transform(sdc__known, lambda k: k <> 0), sdc__before) AS sdc__mask
    FROM query_table(numbered), query_table(bits)
    WHERE sdc__before[-1] <= 126;

-- And as bit strings.
CREATE OR REPLACE MACRO sdc__strung_cells(numbered) AS TABLE
    SELECT sdc__key, sdc__records, sdc__w, sdc__bits(sdc__ranks) AS sdc__code, sdc__bits(sdc__known) AS sdc__mask
    FROM query_table(numbered);

CREATE OR REPLACE MACRO sdc__wildcard_sums(coded) AS TABLE
    WITH sdc__coded AS (FROM query_table(coded)),
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

-- (Values of three keys are fewer than 2^42, and fit: the bit strings, which take as long to bind as the numbers, are left out.)
CREATE OR REPLACE MACRO sdc__wildcard_cells(tbl, keys, weight, asked := true) AS TABLE
    WITH sdc__numbered AS MATERIALIZED (FROM sdc__ranked_cells(tbl, keys, weight, asked := asked)),
    sdc__of_keys AS MATERIALIZED (FROM sdc__bits_of_keys('sdc__numbered')),
    sdc__packed AS MATERIALIZED (FROM sdc__packed_cells('sdc__numbered', 'sdc__of_keys')),
    sdc__long AS (SELECT sdc__numbered.* FROM sdc__numbered, sdc__of_keys WHERE sdc__before[-1] > 126),
    sdc__strung AS MATERIALIZED (FROM sdc__strung_cells('sdc__long')),
    sdc__of_few AS (FROM sdc__wildcard_sums('sdc__packed')),
    sdc__of_many AS (FROM sdc__wildcard_sums('sdc__packed') UNION ALL FROM sdc__wildcard_sums('sdc__strung'))
    FROM query_table(CASE WHEN len(sdc__names(keys)) <= 3 THEN 'sdc__of_few' ELSE 'sdc__of_many' END);

-- The same by bit strings alone: what is compiled (sdc_sql/compiler/lists.py).
CREATE OR REPLACE MACRO sdc__wildcard_cells_by_lists(tbl, keys, weight, asked := true) AS TABLE
    WITH sdc__numbered AS (FROM sdc__ranked_cells(tbl, keys, weight, asked := asked)),
    sdc__strung AS MATERIALIZED (FROM sdc__strung_cells('sdc__numbered'))
    FROM sdc__wildcard_sums('sdc__strung');
