-- What local suppression has done and what it has not: counted anew from the file before and the file after.
--
--   an original record and a released one are compatible when they agree on every key that is not NULL in the released one:
--   to an intruder who knows the original values of a person, each compatible record may be that person's
-- Source: Samarati & Sweeney (1998) for k-anonymity; the count of compatible records is the anonymity set of an intruder who
--   knows that the person took part.
--
--   original: a b    released: a b     sdc_compatible_records('original', 'released', ['a', 'b'], 4):
--             1 x              1 NULL  compatible records
--             1 y              1 y     1          1        (1, x): the first released record only
--             1 y              1 y     3          2        (1, y): all three
--
--   FROM sdc_suppression_report('original', 'released', ['a', 'b'], 2):
--   suppressions below_identical below_strong complete_below_k compatible_below_k compatible_with_one
--   {a=0, b=1}   1               0            0                1                  1
--
-- That is what an intruder finds who knows one participant. Who knows the keys of all of them puts the whole file together, and finds more:
-- sdc_certain_matches.
-- Rows are matched by their values, never by an id: the released file may be without one. A NULL in the original agrees with a NULL
-- in the released file only.
--
-- Scope: table.
-- Not compiled: it compares two files, one of which was suppressed in DuckDB.
-- Parameters:
--   original  table                     the table before suppression
--   released  table                     the table after suppression
--   keys      columns                   the key variables
--   k         whole number in [2, ...)  the least number of records

CREATE OR REPLACE MACRO sdc__short_bits(numbers, widths) AS
    array_to_string(list_transform(numbers, lambda n, i: right(n::INTEGER::BIT::VARCHAR, widths[i])), '')::BIT;

-- Some columns of a table, and the numbers of the values of its keys from 1 in the order of the values, 0 for NULL. (A join to the distinct
-- values of each key: ranks by windows sort all rows once a key, and take five times as long.)
CREATE OR REPLACE MACRO sdc__numbered_rows(crossed, keys, columns) AS
    'SELECT ' || columns || ', ['
    || array_to_string(list_transform(sdc__names(keys), lambda k, i: 'coalesce(sdc__n' || i || '.sdc__n, 0)'), ', ')
    || '] AS sdc__ranks FROM ' || crossed || ' AS sdc__r'
    || array_to_string(
           list_transform(
               sdc__names(keys),
               lambda k, i: ' LEFT JOIN (SELECT sdc__v, row_number() OVER (ORDER BY sdc__v ASC) AS sdc__n FROM (SELECT DISTINCT '
                            || sdc__identifier(k) || ' AS sdc__v FROM ' || crossed || ') WHERE sdc__v IS NOT NULL) AS sdc__n' || i
                            || ' ON sdc__n' || i
                            || '.sdc__v = sdc__r.' || sdc__identifier(k)),
           '');

-- The rows of either table: as a number, the pattern of what is not NULL (ones in the bits of these keys), how many before and after.
-- What needs more than 126 bits is a bit string, in columns of its own.
-- crossed: a common table expression of the rows themselves.
CREATE OR REPLACE MACRO sdc__coded_both(crossed, keys) AS TABLE
    WITH sdc__numbered AS MATERIALIZED (FROM query(sdc__numbered_rows(crossed, keys, 'sdc__before, sdc__after'))),
    sdc__widths AS MATERIALIZED (SELECT sdc__bits AS sdc__width, sdc__before AS sdc__first FROM sdc__bits_of_keys('sdc__numbered'))
    SELECT row_number() OVER () AS sdc__cell, sdc__before, sdc__after, NOT list_contains(sdc__ranks, 0) AS sdc__complete,
           CASE WHEN sdc__first[-1] <= 126 THEN sdc__packed(sdc__ranks, sdc__first) END AS sdc__code,
           CASE WHEN sdc__first[-1] <= 126
                    THEN sdc__packed_ones(list_transform(sdc__ranks, lambda n: n > 0), sdc__first) END AS sdc__mask,
           CASE WHEN sdc__first[-1] > 126 THEN sdc__short_bits(sdc__ranks, sdc__width) END AS sdc__long_code,
           CASE WHEN sdc__first[-1] > 126
                    THEN sdc__short_bits(list_transform(sdc__ranks, lambda n: CASE WHEN n > 0 THEN -1 ELSE 0 END), sdc__width)
           END AS sdc__long_mask
    FROM sdc__numbered, sdc__widths;

CREATE OR REPLACE MACRO sdc__both_cells(original, released, keys) AS TABLE
    WITH sdc__rows_of_both AS (
        SELECT COLUMNS(sdc__columns((*), keys)), true AS sdc__original FROM sdc__exact_rows(original, codes := keys)
        UNION ALL BY NAME
        SELECT COLUMNS(sdc__columns((*), keys)), false AS sdc__original FROM sdc__exact_rows(released, codes := keys)
    ),
    sdc__crossed AS MATERIALIZED (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), count(*) FILTER (sdc__original) AS sdc__before,
               count(*) FILTER (NOT sdc__original) AS sdc__after
        FROM sdc__rows_of_both GROUP BY ALL
    )
    FROM sdc__coded_both('sdc__crossed', keys);

-- Each pair of an original row and a compatible released one. coded: the cells with a code and a mask of either kind.
-- (Where the one or the other is NULL nothing is joined. A condition in its place would cost memory: DuckDB would think that rows of one
-- file are as few as those of the other by all patterns, and keep these.)
CREATE OR REPLACE MACRO sdc__pairs_of_codes(coded) AS TABLE
    SELECT sdc__o.sdc__before, sdc__o.sdc__cell AS sdc__old_cell, sdc__r.sdc__after, sdc__r.sdc__cell AS sdc__new_cell
    FROM (SELECT sdc__c.sdc__cell, sdc__c.sdc__before, sdc__p.sdc__mask,
                 CASE WHEN sdc__c.sdc__before > 0 THEN sdc__common_bits(sdc__c.sdc__code, sdc__p.sdc__mask) END AS sdc__kept
          FROM query_table(coded) AS sdc__c,
               (SELECT DISTINCT sdc__mask FROM query_table(coded) WHERE sdc__after > 0) AS sdc__p) AS sdc__o
    JOIN (FROM query_table(coded) WHERE sdc__after > 0) AS sdc__r ON sdc__r.sdc__mask = sdc__o.sdc__mask
         AND sdc__r.sdc__code = sdc__o.sdc__kept;
-- cells: as above.
CREATE OR REPLACE MACRO sdc__compatible_pairs(cells) AS TABLE
    WITH sdc__long AS (
        SELECT sdc__cell, sdc__before, sdc__after, sdc__long_code AS sdc__code, sdc__long_mask AS sdc__mask FROM query_table(cells)
    )
    FROM sdc__pairs_of_codes(cells)
    UNION ALL
    FROM sdc__pairs_of_codes('sdc__long');

-- The values of each key that are not NULL before and are after; fewer than none is an error.
CREATE OR REPLACE MACRO sdc__known_values(tbl, keys) AS TABLE
    SELECT struct_keys(sdc__key) AS sdc__names, [*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))] AS sdc__numbers
    FROM (SELECT any_value(struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__key,
                 count(COLUMNS(sdc__columns((*), keys))) AS "sdc__n_\0"
          FROM sdc__rows(tbl));
CREATE OR REPLACE MACRO sdc__taken_away(before, after, name) AS
    CASE WHEN before >= after THEN before - after
         ELSE error('TableError: The released table has ' || (after - before) || ' values of "' || name
                    || '" more than the original one, and suppression only takes values away. Are the tables given'
                    || ' the wrong way round? In SQL the original comes first; in Python it is the argument:'
                    || ' released.suppression_report(original, k).') END;
CREATE OR REPLACE MACRO sdc__missing_values(original, released, keys) AS TABLE
    SELECT sdc__b.sdc__name, sdc__taken_away(sdc__b.sdc__n, sdc__a.sdc__n, sdc__b.sdc__name) AS sdc__values
    FROM (SELECT unnest(sdc__names) AS sdc__name, unnest(sdc__numbers) AS sdc__n FROM sdc__known_values(original, keys)) AS sdc__b
    JOIN (SELECT unnest(sdc__names) AS sdc__name, unnest(sdc__numbers) AS sdc__n FROM sdc__known_values(released, keys)) AS sdc__a
      ON sdc__folded(sdc__a.sdc__name) = sdc__folded(sdc__b.sdc__name);

-- How many original records have how many compatible released ones, below k. Those that have none were changed otherwise.
-- sdc_compatible_records: the original records with fewer than k compatible released records.
-- Gives: compatible BIGINT, records BIGINT.
-- Rows: groups of records.
-- Example: FROM sdc_compatible_records('persons', 'released', ['age', 'sex'], 3);
CREATE OR REPLACE MACRO sdc_compatible_records(original, released, keys, k) AS TABLE
    WITH sdc__both AS MATERIALIZED (FROM sdc__both_cells(original, released, keys)),
    sdc__found AS (
        SELECT sdc__old_cell AS sdc__of, sum(sdc__after)::BIGINT AS sdc__n FROM sdc__compatible_pairs('sdc__both') GROUP BY ALL
    )
    SELECT coalesce(sdc__n, 0) AS compatible, sum(sdc__before)::BIGINT AS records
    FROM (FROM sdc__both WHERE sdc__before > 0) AS sdc__o LEFT JOIN sdc__found ON sdc__of = sdc__o.sdc__cell
    WHERE coalesce(sdc__n, 0) < sdc__checked_whole(k, 'k', 2)
          AND (SELECT sum(sdc__values) FROM sdc__missing_values(original, released, keys)) >= 0
    GROUP BY ALL ORDER BY compatible ASC;

-- What both cells and pairs, as above, say of the guarantees.
CREATE OR REPLACE MACRO sdc__report_of_cells(cells, pairs, original, released, keys, k) AS TABLE
    WITH sdc__old AS (SELECT sdc__old_cell AS sdc__cell, sum(sdc__after) AS sdc__n FROM query_table(pairs) GROUP BY ALL),
    sdc__new AS (SELECT sdc__new_cell AS sdc__cell, sum(sdc__before) AS sdc__n FROM query_table(pairs) GROUP BY ALL),
    sdc__counted AS (
        SELECT sdc__b.*, coalesce(sdc__old.sdc__n, 0) AS sdc__compatible, coalesce(sdc__new.sdc__n, 0) AS sdc__originals
        FROM query_table(cells) AS sdc__b
        LEFT JOIN sdc__old ON sdc__old.sdc__cell = sdc__b.sdc__cell
        LEFT JOIN sdc__new ON sdc__new.sdc__cell = sdc__b.sdc__cell
    ),
    sdc__known AS (
        SELECT map_from_entries(list(row(sdc__name, sdc__values) ORDER BY sdc__name ASC)) AS sdc__values
        FROM sdc__missing_values(original, released, keys)
    )
    SELECT sdc__checked_whole(any_value(k), 'k', 2) AS k, (SELECT sdc__values FROM sdc__known) AS suppressions,
           coalesce(sum(sdc__after) FILTER (sdc__after < k), 0)::BIGINT AS below_identical,
           coalesce(sum(sdc__after) FILTER (sdc__originals < k), 0)::BIGINT AS below_strong,
           coalesce(sum(sdc__after) FILTER (sdc__after < k AND sdc__complete), 0)::BIGINT AS complete_below_k,
           coalesce(sum(sdc__before) FILTER (sdc__compatible < k), 0)::BIGINT AS compatible_below_k,
           coalesce(sum(sdc__before) FILTER (sdc__compatible = 1), 0)::BIGINT AS compatible_with_one
    FROM sdc__counted;

-- suppressions: the values that are NULL in the released table and were not before, of each key.
-- below_identical: released records whose row, NULL a value, is shared by fewer than k;  complete_below_k: those of them without NULL
-- below_strong: released records that agree, on the keys they keep, with fewer than k original records
-- compatible_below_k, compatible_with_one: original records with fewer than k compatible released ones, and with one only
-- (How many are below k where NULL agrees with every value: sdc_k_anonymity with nulls := 'wildcard'. None, where below_strong is 0.)
-- sdc_suppression_report: what local suppression took away, and how many records are without each of its guarantees.
-- Gives: k BIGINT, suppressions MAP(VARCHAR, BIGINT), below_identical BIGINT (more risk), below_strong BIGINT (more risk),
--   complete_below_k BIGINT (more risk), compatible_below_k BIGINT (more risk), compatible_with_one BIGINT (more risk).
-- Rows: one.
-- Words: below_identical: records whose keys fewer than k records have; below_strong: records that fewer than k complete
--   ones are like.
-- Example: FROM sdc_suppression_report('persons', 'released', ['age', 'sex'], 3);
CREATE OR REPLACE MACRO sdc_suppression_report(original, released, keys, k) AS TABLE
    WITH sdc__both AS MATERIALIZED (FROM sdc__both_cells(original, released, keys)),
    sdc__pairs AS MATERIALIZED (FROM sdc__compatible_pairs('sdc__both'))
    FROM sdc__report_of_cells('sdc__both', 'sdc__pairs', original, released, keys, k);
