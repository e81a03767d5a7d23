-- What local suppression released, counted anew before it is written: an error where the guarantee does not hold.
--
-- The counts are those of sdc_suppression_report and sdc_k_anonymity, which know nothing of the search. released: the id and the
-- suppressed keys. (Of 'identical' nobody is found for certain: each row stands for k records or more that look alike.)

CREATE OR REPLACE MACRO sdc__held(below, guarantee) AS
    CASE WHEN below = 0 THEN true
         ELSE error('TableError: ' || below || ' released records are without the guarantee ''' || guarantee
                    || ''': nothing was written. Is the table a view that changes as it is read? Store it as a table'
                    || ' first.') END;
CREATE OR REPLACE MACRO sdc__suppression_proof(tbl, released, keys, k) AS TABLE
    SELECT * EXCLUDE (k), 0 AS certain_matches, 0 AS below_wildcard FROM sdc_suppression_report(tbl, released, keys, k)
    WHERE sdc__held(below_identical, 'identical');
-- Both of these from the same cells, which are counted once.
CREATE OR REPLACE MACRO sdc__report_and_certain_of(cells, pairs, tbl, released, keys, k) AS TABLE
    SELECT sdc__r.* EXCLUDE (k), certain_matches
    FROM sdc__report_of_cells(cells, pairs, tbl, released, keys, k) AS sdc__r,
         sdc__certain_of_cells(cells, pairs, tbl, released, keys, k);
CREATE OR REPLACE MACRO sdc__report_and_certain(tbl, released, keys, k) AS TABLE
    WITH sdc__both AS MATERIALIZED (FROM sdc__both_cells(tbl, released, keys)),
    sdc__pairs AS MATERIALIZED (FROM sdc__compatible_pairs('sdc__both'))
    FROM sdc__report_and_certain_of('sdc__both', 'sdc__pairs', tbl, released, keys, k);
CREATE OR REPLACE MACRO sdc__suppression_proof_strong(tbl, released, keys, k) AS TABLE
    SELECT *, 0 AS below_wildcard FROM sdc__report_and_certain(tbl, released, keys, k)
    WHERE sdc__held(below_strong, 'strong');
-- How many released records have fewer than k where NULL agrees with every value, from these cells: as sdc_k_anonymity counts them.
CREATE OR REPLACE MACRO sdc__below_wildcard_of(cells, k) AS TABLE
    WITH sdc__short AS MATERIALIZED (
        SELECT sdc__cell AS sdc__key, sdc__after AS sdc__records, NULL::DOUBLE AS sdc__w, sdc__code, sdc__mask
        FROM query_table(cells) WHERE sdc__after > 0 AND sdc__code IS NOT NULL
    ),
    sdc__long AS MATERIALIZED (
        SELECT sdc__cell AS sdc__key, sdc__after AS sdc__records, NULL::DOUBLE AS sdc__w, sdc__long_code AS sdc__code,
               sdc__long_mask AS sdc__mask
        FROM query_table(cells) WHERE sdc__after > 0 AND sdc__code IS NULL
    )
    SELECT coalesce(sum(sdc__records), 0)::BIGINT AS records
    FROM (SELECT sdc__records, sdc__f FROM sdc__wildcard_sums('sdc__short')
          UNION ALL
          SELECT sdc__records, sdc__f FROM sdc__wildcard_sums('sdc__long'))
    WHERE sdc__f < k;
CREATE OR REPLACE MACRO sdc__suppression_proof_wildcard(tbl, released, keys, k) AS TABLE
    WITH sdc__both AS MATERIALIZED (FROM sdc__both_cells(tbl, released, keys)),
    sdc__pairs AS MATERIALIZED (FROM sdc__compatible_pairs('sdc__both'))
    SELECT sdc__r.*, sdc__w.records AS below_wildcard
    FROM sdc__report_and_certain_of('sdc__both', 'sdc__pairs', tbl, released, keys, k) AS sdc__r,
         sdc__below_wildcard_of('sdc__both', k) AS sdc__w
    WHERE sdc__held(sdc__w.records, 'wildcard');

-- The same where only the records of a subset are to be safe, counted by the same measures; and where no other record may have changed.
CREATE OR REPLACE MACRO sdc__suppression_proof_of_subset(tbl, released, keys, k, guarantee, id, subset) AS TABLE
    WITH sdc__asked AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id,
               sdc__in_subset(subset, COLUMNS(sdc__named_column((*), subset))) AS sdc__free
        FROM sdc__rows(tbl)
    ),
    sdc__after AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id, COLUMNS(sdc__columns((*), keys))
        FROM sdc__exact_rows(released)
    ),
    sdc__before AS (SELECT sdc__id, COLUMNS(sdc__columns((*), keys)) FROM sdc__with_id(tbl, id)),
    sdc__both AS MATERIALIZED (SELECT sdc__after.*, sdc__free FROM sdc__after JOIN sdc__asked USING (sdc__id)),
    sdc__part AS MATERIALIZED (SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')) FROM sdc__both WHERE sdc__free),
    sdc__rows_of_part AS (SELECT struct_pack(*COLUMNS(*)) AS sdc__own FROM sdc__part),
    sdc__shared AS (
        SELECT sdc__key, sdc__f
        FROM sdc__cells(released, keys, NULL, CASE guarantee WHEN 'wildcard' THEN 'wildcard' ELSE 'category' END)
    ),
    sdc__unsafe AS (
        SELECT CASE guarantee WHEN 'strong' THEN (SELECT below_strong FROM sdc_suppression_report(tbl, 'sdc__part', keys, k))
               ELSE (SELECT count(*)
                     FROM sdc__rows_of_part
                     JOIN sdc__shared ON row(sdc__own) = row(sdc__key)
                     WHERE sdc__f < k) END AS sdc__below
    ),
    sdc__strangers AS (
        SELECT count(*) AS sdc__n
        FROM (SELECT sdc__id, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__own
              FROM sdc__both
              WHERE NOT sdc__free) AS sdc__a
        JOIN (SELECT sdc__id, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__own
              FROM sdc__before) AS sdc__b ON sdc__a.sdc__id = sdc__b.sdc__id
        WHERE row(sdc__a.sdc__own) <> row(sdc__b.sdc__own)
    )
    SELECT * EXCLUDE (sdc__below, sdc__n), (SELECT count(*) FROM sdc__part) AS subset_records
    FROM sdc__report_and_certain(tbl, released, keys, k), sdc__unsafe, sdc__strangers
    WHERE sdc__held(sdc__below + sdc__n, guarantee);
