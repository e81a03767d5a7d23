-- Local suppression of records that do not come together: their cells are counted where they are, and what each cell loses goes back there.
--
-- The search is that of suppression_by_record.sql, for the same cells: the same records lose the same values. Of cells that do not all lose
-- the same, who loses is told by the order of the ids: the records between two ids, the latter included (NULL: no end).
-- cells: the keys, stratum and subset, with sdc__records, how many records are alike.
CREATE OR REPLACE MACRO sdc__local_suppression_design(cells, keys, k, id, guarantee, importance, cost, max_share, stratum,
                                                      subset, ghosts, household, household_columns, unit) AS TABLE
    WITH sdc__asked AS (
        SELECT sdc__stratum_value(stratum, COLUMNS(sdc__stratum_or_key((*), keys, stratum))) AS sdc__stratum,
               sdc__in_subset(subset, COLUMNS(sdc__column((*), subset))) AS sdc__free, COLUMNS(sdc__columns((*), keys)), sdc__records
        FROM query_table(cells)
    ),
    sdc__celled AS MATERIALIZED (
        SELECT *, row_number() OVER () AS sdc__cell
        FROM (SELECT sdc__stratum, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')),
                     coalesce(sum(sdc__records) FILTER (sdc__free), 0)::BIGINT AS sdc__n,
                     coalesce(sum(sdc__records) FILTER (NOT sdc__free), 0)::BIGINT AS sdc__others
              FROM sdc__asked
              GROUP BY ALL)
    )
    SELECT sdc__c.* EXCLUDE (sdc__n, sdc__others), sdc__s.sdc__lost, sdc__s.sdc__above, sdc__s.sdc__upto
    FROM sdc__suppressions('sdc__celled', keys, k, sdc__checked_choice(guarantee, 'guarantee', ['identical', 'strong', 'wildcard']),
                           importance, sdc__checked_choice(cost, 'cost', ['equal', 'entropy']), max_share) AS sdc__s
    JOIN sdc__celled AS sdc__c ON sdc__c.sdc__cell = sdc__s.sdc__cell
    WHERE sdc__some_records((SELECT sum(sdc__n) FROM sdc__celled));

-- Of the records of cells that do not all lose the same, the ids and the number of the cell.
CREATE OR REPLACE MACRO sdc__local_suppression_apart(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum,
                                                     subset, ghosts, household, household_columns, unit, design) AS TABLE
    WITH sdc__checked AS (FROM sdc__with_id(tbl, id)),
    sdc__split AS (
        SELECT DISTINCT sdc__cell, row(sdc__stratum, struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__of
        FROM query_table(design) WHERE sdc__upto > 0
    )
    SELECT sdc__id, sdc__cell
    FROM sdc__suppressible('sdc__checked', keys, id, stratum, subset, ghosts) JOIN sdc__split ON sdc__own = sdc__of
    WHERE sdc__free;

-- design: as above, with the ids sdc__from and sdc__to.
CREATE OR REPLACE MACRO sdc__local_suppression_designed(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum,
                                                        subset, ghosts, household, household_columns, unit, design) AS TABLE
    WITH sdc__checked AS (FROM sdc__identified(tbl, id, codes := list_append(sdc__names(keys), stratum))),
    sdc__losing AS (
        SELECT sdc__lost, sdc__by_bytes(sdc__from) AS sdc__from, sdc__by_bytes(sdc__to) AS sdc__to,
               row(sdc__stratum, struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__of
        FROM query_table(design)
    ),
    sdc__decided AS (
        SELECT sdc__r.*, coalesce(sdc__l.sdc__lost, 0) AS sdc__lost
        FROM sdc__suppressible('sdc__checked', keys, id, stratum, subset, ghosts) AS sdc__r
        LEFT JOIN sdc__losing AS sdc__l ON sdc__own = sdc__of AND sdc__free
                  AND coalesce(sdc__id > sdc__from, true) AND coalesce(sdc__id <= sdc__to, true)
    ),
    sdc__named AS (SELECT struct_keys(struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__names FROM sdc__checked LIMIT 1),
    sdc__taken AS (
        SELECT list_transform(sdc__with_ghosts(keys, ghosts), lambda c: sdc__taken_by(c, sdc__names, ghosts)) AS sdc__bits
        FROM sdc__named
    )
    SELECT sdc__id,
           sdc__blanked_with(COLUMNS(sdc__columns((*), sdc__with_ghosts(keys, ghosts))), sdc__lost, sdc__bits,
                             sdc__with_ghosts(keys, ghosts)) AS "\0"
    FROM sdc__decided, sdc__taken;

-- What was released, as the cells before and after tell it, counted anew: true, or an error where the guarantee does not hold.
-- (sdc__category_cells reads counted cells while this is asked: sdc_sql/db/counted.py.)
CREATE OR REPLACE MACRO sdc__local_suppression_proved(before, after, keys, k, id, guarantee, importance, cost, max_share,
                                                      stratum, subset, ghosts, household, household_columns, unit) AS TABLE
    WITH sdc__asked AS (
        SELECT COLUMNS(sdc__columns((*), keys)), sdc__records, sdc__in_subset(subset, COLUMNS(sdc__column((*), subset))) AS sdc__free
        FROM query_table(after)
    ),
    sdc__part AS MATERIALIZED (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sum(sdc__records)::BIGINT AS sdc__records
        FROM sdc__asked WHERE sdc__free GROUP BY ALL
    ),
    sdc__rows_of_part AS (SELECT struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__own, sdc__records FROM sdc__part),
    sdc__shared AS (
        SELECT sdc__key, sdc__f FROM sdc__cells(after, keys, NULL, CASE guarantee WHEN 'wildcard' THEN 'wildcard' ELSE 'category' END)
    ),
    sdc__alike AS (
        SELECT coalesce(sum(sdc__records), 0)::BIGINT AS sdc__below
        FROM sdc__rows_of_part JOIN sdc__shared ON row(sdc__own) = row(sdc__key) WHERE sdc__f < k
    ),
    sdc__crossed AS (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sum(sdc__before)::BIGINT AS sdc__before,
               sum(sdc__after)::BIGINT AS sdc__after
        FROM (SELECT COLUMNS(sdc__columns((*), keys)), sdc__records AS sdc__before, 0 AS sdc__after FROM query_table(before)
              UNION ALL BY NAME
              SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), 0 AS sdc__before, sdc__records AS sdc__after FROM sdc__part)
        GROUP BY ALL
    ),
    sdc__both AS MATERIALIZED (FROM sdc__coded_both('sdc__crossed')),
    sdc__new AS (SELECT sdc__new AS sdc__of, sum(sdc__before) AS sdc__n FROM sdc__compatible_pairs('sdc__both') GROUP BY ALL),
    sdc__original AS (
        SELECT coalesce(sum(sdc__after), 0)::BIGINT AS sdc__below
        FROM sdc__both LEFT JOIN sdc__new ON sdc__of = sdc__code WHERE coalesce(sdc__n, 0) < k
    )
    FROM query_table(CASE guarantee WHEN 'strong' THEN 'sdc__original' ELSE 'sdc__alike' END) WHERE sdc__held(sdc__below, guarantee);
