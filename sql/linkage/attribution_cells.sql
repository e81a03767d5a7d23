-- The cells of an original and a released file that have no record in common but the values: what is attributed to whom by them.
--
--   d_q, s_q    the records of the original (d) and of the released file (s) in the cell q of the keys
--   d_tq, s_tq  those of them with the value t of the target                         (Raab, Nowok & Dibben, appendix, "Notation")
-- No id is needed: synthetic records have no original ones. NULL in a target is a value of its own. NULL in a key is read as nulls says:
--   category   a value of its own: an original record is compared with the released ones of its very cell
--   wildcard   a released NULL agrees with every value: d_q and s_q count the records that agree in all keys that are not NULL
--              (NULL in the original agrees with a released NULL only, and among released records either NULL agrees)
--   higher     of each figure the higher of both readings, on which a limit is set: by the first alone suppression of keys would
--              seem to protect what the keys that are left still tell
--
-- Values are compared by their texts, so what was recoded must be recoded alike in the original first: 34 and '30-39' never match, and
-- the risk would look like none. Where no value of a column occurs in both files, that is an error. Where some do, a share of matched
-- records stands beside each figure.

-- [] where either is missing, which is an error where columns are looked for, as is a target that is a key.
CREATE OR REPLACE MACRO sdc__keys_and_targets(keys, targets) AS
    CASE WHEN coalesce(len(sdc__names(keys)), 0) = 0 OR coalesce(len(sdc__names(targets)), 0) = 0 THEN []::VARCHAR[]
         ELSE list_concat(sdc__names(keys), sdc__names(targets)) END;

-- The cells of one file, "sdc__x_<name>" the texts; grouped first, since there are fewer cells than records to make texts of.
CREATE OR REPLACE MACRO sdc__text_cells(tbl, columns, first) AS TABLE
    SELECT first AS sdc__first, COLUMNS(lambda c: starts_with(c, 'sdc__x_'))::VARCHAR AS "\0", sdc__records
    FROM (SELECT sdc__exact(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0", count(*) AS sdc__records
          FROM sdc__unasked(tbl)
          GROUP BY ALL)
    UNION ALL BY NAME
    SELECT sdc__records FROM sdc__refused(tbl, columns);

-- False, or the error. either, common: the values of a column in either file, and in both, NULL not counted (two columns that share nothing
-- but suppressed values were not coded alike); apart: 2 where a number has one text in one file alone, and another in the other.
CREATE OR REPLACE MACRO sdc__never_shared(variable, either, common, apart) AS
    CASE WHEN either = 0 OR common > 0 AND apart < 2 THEN false
         WHEN common > 0
             THEN error('TableError: Numbers in ' || variable
                        || ' are written in one way in one table, and in another way in the other (017 and 17, 1.50 and'
                        || ' 1.5): they would not match, and the risk would look low. Give both columns one type and form.')
         ELSE error('TableError: No value of ' || variable
                    || ' occurs in both tables: nothing would match, and the risk would look like none. Recode the original'
                    || ' as the released table was, give both columns one type (30 is not 30.0)'
                    || ', group numbers to which noise was added (for a distance: name them in continuous), or leave'
                    || ' the column out where it was suppressed as a whole.') END;

-- The cells of both files, sdc__first: whether they are the original's. (The union puts the columns in one order.)
CREATE OR REPLACE MACRO sdc__two_files(original, released, columns) AS TABLE
    FROM sdc__text_cells(original, columns, true) UNION ALL BY NAME FROM sdc__text_cells(released, columns, false);

-- One row, or the error; cells: the name of a relation as above.
CREATE OR REPLACE MACRO sdc__coded_alike(cells) AS TABLE
    WITH sdc__named AS (
        SELECT unnest(range(len(sdc__names))) AS sdc__of, unnest(sdc__names) AS sdc__variable
        FROM (SELECT list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                    lambda n: substr(n, 8)) AS sdc__names
              FROM query_table(cells)
              LIMIT 1)
    ),
    sdc__values AS (
        SELECT sdc__place, sdc__x, max(CASE WHEN sdc__first THEN 1 ELSE 0 END) AS sdc__old,
               max(CASE WHEN sdc__first THEN 0 ELSE 1 END) AS sdc__new
        FROM (SELECT unnest(range(len(sdc__list))) AS sdc__place, unnest(sdc__list) AS sdc__x, sdc__first
              FROM (SELECT [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__list, sdc__first FROM query_table(cells)))
        GROUP BY sdc__place, sdc__x
    ),
    sdc__numbers AS (
        SELECT sdc__place, sdc__plain_digits(sdc__x) AS sdc__number, count(sdc__x) AS sdc__either,
               count(CASE WHEN sdc__old + sdc__new = 2 THEN sdc__x END) AS sdc__shared,
               max(sdc__old - sdc__new) + max(sdc__new - sdc__old) AS sdc__apart
        FROM sdc__values GROUP BY sdc__place, sdc__plain_digits(sdc__x)
    ),
    sdc__overlap AS (
        SELECT sdc__place, sum(sdc__either) AS sdc__either, sum(sdc__shared) AS sdc__shared,
               max(CASE WHEN sdc__number IS NOT NULL THEN sdc__apart ELSE 0 END) AS sdc__apart
        FROM sdc__numbers
        GROUP BY sdc__place
    )
    SELECT count(*) AS sdc__wrong
    FROM sdc__overlap
    JOIN sdc__named ON sdc__of = sdc__place
    WHERE sdc__never_shared(sdc__variable, sdc__either, sdc__shared, sdc__apart);

-- Whether the figures are of this reading of NULL in keys.
CREATE OR REPLACE MACRO sdc__is_read_so(nulls, reading) AS
    CASE WHEN nulls IN ('higher', 'category', 'wildcard') THEN nulls IN ('higher', reading)
    ELSE error('ParameterError: nulls is ' || coalesce(nulls::VARCHAR, 'NULL')
               || ': it must be ''higher'', ''category'' or ''wildcard''.') END;

-- For each target, cell of the keys and value: how many records of either file have it. sdc__place: of the target among the
-- targets; files: as sdc__two_files.
CREATE OR REPLACE MACRO sdc__attribution_counts(files, keys, targets) AS TABLE
    SELECT sdc__place, any_value(sdc__target) AS sdc__target, sdc__key, sdc__value, sum(sdc__n)::BIGINT AS sdc__d,
           sum(sdc__m)::BIGINT AS sdc__s
    FROM (SELECT unnest(range(len(sdc__list))) AS sdc__place, unnest(sdc__names) AS sdc__target,
                 unnest(sdc__list) AS sdc__value, sdc__key, sdc__n, sdc__m
          FROM (
              SELECT struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')
                                                    AND sdc__is_among(substr(c, 8), keys))) AS sdc__key,
                     [*COLUMNS(lambda c: starts_with(c, 'sdc__x_') AND sdc__is_among(substr(c, 8), targets))] AS sdc__list,
                     list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')
                                                                               AND sdc__is_among(substr(c, 8), targets)))),
                                    lambda n: substr(n, 8)) AS sdc__names,
                     CASE WHEN sdc__first THEN sdc__records ELSE 0 END AS sdc__n,
                     CASE WHEN sdc__first THEN 0 ELSE sdc__records END AS sdc__m
              FROM query_table(files), (FROM sdc__coded_alike(files)) AS sdc__alike
              WHERE sdc__wrong = 0) AS sdc__told) AS sdc__values
    GROUP BY sdc__place, sdc__key, sdc__value;

-- The cells of the keys as bit strings (wildcard_cells.sql), sdc__mask ones where a key is not NULL, and whether either file
-- has records there.
CREATE OR REPLACE MACRO sdc__attribution_keys(files, counts, keys) AS TABLE
    WITH sdc__distinct AS (
        SELECT DISTINCT COLUMNS(lambda c: starts_with(c, 'sdc__x_') AND sdc__is_among(substr(c, 8), keys))
        FROM query_table(files)
    ),
    sdc__numbered AS (
        SELECT struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS sdc__key,
               sdc__value_number(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "sdc__rank_\0",
               sdc__value_mask(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "sdc__known_\0"
        FROM sdc__distinct
    ),
    sdc__strung AS (
        SELECT sdc__key, sdc__bits([*COLUMNS(lambda c: starts_with(c, 'sdc__rank_'))]) AS sdc__code,
               sdc__bits([*COLUMNS(lambda c: starts_with(c, 'sdc__known_'))]) AS sdc__mask
        FROM sdc__numbered
    ),
    sdc__sizes AS (
        SELECT sdc__key AS sdc__cell, sum(sdc__d) AS sdc__before, sum(sdc__s) AS sdc__after
        FROM query_table(counts)
        GROUP BY sdc__key
    )
    SELECT sdc__key, sdc__code, sdc__mask, sdc__before, sdc__after
    FROM sdc__strung AS sdc__a
    JOIN sdc__sizes AS sdc__b ON sdc__a.sdc__key = sdc__b.sdc__cell;

-- Each cell of one file (sdc__own) with each released cell that is compatible with it. either: NULL agrees with every value on both sides.
CREATE OR REPLACE MACRO sdc__agreeing_cells(coded) AS TABLE
    WITH sdc__patterns AS (SELECT DISTINCT sdc__mask AS sdc__pattern FROM query_table(coded) WHERE sdc__after > 0),
    sdc__kept AS (
        SELECT sdc__key, sdc__pattern, sdc__common_bits(sdc__code, sdc__pattern) AS sdc__rest
        FROM query_table(coded)
        CROSS JOIN sdc__patterns
        WHERE sdc__before > 0
    )
    SELECT sdc__a.sdc__key AS sdc__own, sdc__b.sdc__key AS sdc__other
    FROM sdc__kept AS sdc__a
    JOIN query_table(coded) AS sdc__b ON sdc__a.sdc__pattern = sdc__b.sdc__mask AND sdc__a.sdc__rest = sdc__b.sdc__code
    WHERE sdc__b.sdc__after > 0;
CREATE OR REPLACE MACRO sdc__agreeing_released(coded) AS TABLE
    WITH sdc__patterns AS (SELECT DISTINCT sdc__mask AS sdc__pattern FROM query_table(coded) WHERE sdc__after > 0),
    sdc__kept AS (
        SELECT sdc__key, sdc__mask, sdc__pattern, sdc__common_bits(sdc__code, sdc__pattern) AS sdc__rest
        FROM query_table(coded)
        CROSS JOIN sdc__patterns
        WHERE sdc__after > 0
    )
    SELECT sdc__a.sdc__key AS sdc__own, sdc__b.sdc__key AS sdc__other
    FROM sdc__kept AS sdc__a
    JOIN sdc__kept AS sdc__b ON sdc__a.sdc__pattern = sdc__b.sdc__mask AND sdc__a.sdc__mask = sdc__b.sdc__pattern
         AND sdc__a.sdc__rest = sdc__b.sdc__rest;

-- By target and side. sdc__of: whether sdc__key is a cell of the original; sdc__n: its own records with sdc__value there; sdc__d and
-- sdc__s (d_tq and s_tq), sdc__dq and sdc__sq (d_q and s_q): the records of either file that are compatible with it; sdc__most: the
-- greatest s_tq of the cell, s_q where all have one value.
CREATE OR REPLACE MACRO sdc__attribution_sides(counts) AS TABLE
    WITH sdc__totals AS (
        SELECT sdc__place AS sdc__at, sdc__key AS sdc__cell, sum(sdc__d)::BIGINT AS sdc__dq, sum(sdc__s)::BIGINT AS sdc__sq,
               max(sdc__s) AS sdc__most
        FROM query_table(counts)
        GROUP BY sdc__place, sdc__key
    ),
    sdc__both AS (
        SELECT *
        FROM query_table(counts) AS sdc__c
        LEFT JOIN sdc__totals AS sdc__t ON sdc__c.sdc__place = sdc__t.sdc__at AND sdc__c.sdc__key = sdc__t.sdc__cell
    )
    SELECT true AS sdc__of, sdc__place, sdc__target, sdc__key, sdc__value, sdc__d AS sdc__n, sdc__d, sdc__s, sdc__dq,
           sdc__sq, sdc__most
    FROM sdc__both
    WHERE sdc__dq > 0
    UNION ALL
    SELECT false AS sdc__of, sdc__place, sdc__target, sdc__key, sdc__value, sdc__s AS sdc__n, sdc__d, sdc__s, sdc__dq,
           sdc__sq, sdc__most
    FROM sdc__both
    WHERE sdc__sq > 0;

CREATE OR REPLACE MACRO sdc__attribution_sides_wildcard(counts, coded) AS TABLE
    WITH sdc__near AS MATERIALIZED (FROM sdc__agreeing_cells(coded)),
    sdc__alike AS (FROM sdc__agreeing_released(coded)),
    sdc__gathered AS (
        SELECT true AS sdc__of, sdc__place, sdc__target, sdc__key, sdc__value, sdc__d AS sdc__n, sdc__d, 0 AS sdc__s
        FROM query_table(counts)
        WHERE sdc__d > 0
        UNION ALL
        SELECT true AS sdc__of, sdc__place, sdc__target, sdc__own AS sdc__key, sdc__value, 0 AS sdc__n, 0 AS sdc__d, sdc__s
        FROM sdc__near
        JOIN query_table(counts) AS sdc__c ON sdc__c.sdc__key = sdc__other
        WHERE sdc__s > 0
        UNION ALL
        SELECT false AS sdc__of, sdc__place, sdc__target, sdc__key, sdc__value, sdc__s AS sdc__n, 0 AS sdc__d, 0 AS sdc__s
        FROM query_table(counts)
        WHERE sdc__s > 0
        UNION ALL
        SELECT false AS sdc__of, sdc__place, sdc__target, sdc__other AS sdc__key, sdc__value, 0 AS sdc__n, sdc__d,
               0 AS sdc__s
        FROM sdc__near
        JOIN query_table(counts) AS sdc__c ON sdc__c.sdc__key = sdc__own
        WHERE sdc__d > 0
        UNION ALL
        SELECT false AS sdc__of, sdc__place, sdc__target, sdc__own AS sdc__key, sdc__value, 0 AS sdc__n, 0 AS sdc__d, sdc__s
        FROM sdc__alike
        JOIN query_table(counts) AS sdc__c ON sdc__c.sdc__key = sdc__other
        WHERE sdc__s > 0
    ),
    sdc__counted AS (
        SELECT sdc__of, sdc__place, any_value(sdc__target) AS sdc__target, sdc__key, sdc__value,
               sum(sdc__n)::BIGINT AS sdc__n, sum(sdc__d)::BIGINT AS sdc__d, sum(sdc__s)::BIGINT AS sdc__s
        FROM sdc__gathered GROUP BY sdc__of, sdc__place, sdc__key, sdc__value
    ),
    sdc__totals AS (
        SELECT sdc__of AS sdc__side, sdc__place AS sdc__at, sdc__key AS sdc__cell, sum(sdc__d)::BIGINT AS sdc__dq,
               sum(sdc__s)::BIGINT AS sdc__sq, max(sdc__s) AS sdc__most
        FROM sdc__counted GROUP BY sdc__of, sdc__place, sdc__key
    )
    SELECT sdc__of, sdc__place, sdc__target, sdc__key, sdc__value, sdc__n, sdc__d, sdc__s, sdc__dq, sdc__sq, sdc__most
    FROM sdc__counted AS sdc__c
    JOIN sdc__totals AS sdc__t ON sdc__c.sdc__of = sdc__t.sdc__side AND sdc__c.sdc__place = sdc__t.sdc__at
         AND sdc__c.sdc__key = sdc__t.sdc__cell;

-- The same in each reading of NULL that is asked for (sdc__wild).
CREATE OR REPLACE MACRO sdc__attribution_cells(original, released, keys, targets, nulls) AS TABLE
    WITH sdc__files AS MATERIALIZED (FROM sdc__two_files(original, released, sdc__keys_and_targets(keys, targets))),
    sdc__counted_cells AS MATERIALIZED (FROM sdc__attribution_counts('sdc__files', keys, targets)),
    sdc__coded_cells AS MATERIALIZED (FROM sdc__attribution_keys('sdc__files', 'sdc__counted_cells', keys)),
    sdc__by_category AS (SELECT false AS sdc__wild, * FROM sdc__attribution_sides('sdc__counted_cells')),
    sdc__by_wildcard AS (SELECT true AS sdc__wild, * FROM sdc__attribution_sides_wildcard('sdc__counted_cells', 'sdc__coded_cells')),
    sdc__by_both AS (FROM sdc__by_category UNION ALL FROM sdc__by_wildcard)
    FROM query_table(CASE WHEN sdc__is_read_so(nulls, 'category') AND sdc__is_read_so(nulls, 'wildcard') THEN 'sdc__by_both'
                          WHEN sdc__is_read_so(nulls, 'category') THEN 'sdc__by_category'
                          ELSE 'sdc__by_wildcard' END);
