-- Local suppression of records that do not come together: their cells are counted where they are, and what each cell loses goes back there.
--
-- The search is that of suppression_by_record.sql, for the same cells: the same records lose the same values. Of cells that do not all lose
-- the same, who loses is told by the order of the ids: the records between two ids, the latter included (NULL: no end).
-- cells: the keys, stratum and subset, with sdc__records, how many records are alike.
CREATE OR REPLACE MACRO sdc__local_suppression_design(cells, keys, k, id, guarantee, importance, cost, max_share, stratum,
                                                      subset, ghosts, household, household_columns, unit) AS TABLE
    WITH sdc__asked AS (
        SELECT sdc__stratum_value(stratum, COLUMNS(sdc__stratum_or_key((*), keys, stratum))) AS sdc__stratum,
               sdc__in_subset(subset, COLUMNS(sdc__named_column((*), subset))) AS sdc__free, COLUMNS(sdc__columns((*), keys)), sdc__records
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
    FROM sdc__suppressions('sdc__celled', keys, k, sdc__checked_guarantee(guarantee), importance, sdc__checked_cost(cost),
                           max_share) AS sdc__s
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
        SELECT sdc__blanked_names, list_transform(sdc__blanked_names, lambda c: sdc__taken_by(c, sdc__names, ghosts)) AS sdc__bits
        FROM (SELECT sdc__names, sdc__with_ghosts(keys, ghosts) AS sdc__blanked_names FROM sdc__named)
    )
    SELECT sdc__id,
           sdc__blanked_with(COLUMNS(sdc__columns((*), sdc__with_ghosts(keys, ghosts))), sdc__lost, sdc__bits,
                             sdc__blanked_names) AS "\0"
    FROM sdc__decided, sdc__taken;

-- What was released, as the cells before and after tell it, counted anew: true, or an error where the guarantee does not hold.
-- (sdc__category_cells reads counted cells while this is asked: sdc_sql/db/counted.py.)
CREATE OR REPLACE MACRO sdc__local_suppression_proved(before, after, keys, k, id, guarantee, importance, cost, max_share,
                                                      stratum, subset, ghosts, household, household_columns, unit) AS TABLE
    WITH sdc__asked AS (
        SELECT COLUMNS(sdc__columns((*), keys)), sdc__records, sdc__in_subset(subset, COLUMNS(sdc__named_column((*), subset))) AS sdc__free
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
    sdc__crossed AS MATERIALIZED (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sum(sdc__before)::BIGINT AS sdc__before,
               sum(sdc__after)::BIGINT AS sdc__after
        FROM (SELECT COLUMNS(sdc__columns((*), keys)), sdc__records AS sdc__before, 0 AS sdc__after FROM query_table(before)
              UNION ALL BY NAME
              SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), 0 AS sdc__before, sdc__records AS sdc__after FROM sdc__part)
        GROUP BY ALL
    ),
    sdc__both AS MATERIALIZED (FROM sdc__coded_both('sdc__crossed', keys)),
    sdc__new AS (SELECT sdc__new_cell AS sdc__of, sum(sdc__before) AS sdc__n FROM sdc__compatible_pairs('sdc__both') GROUP BY ALL),
    sdc__original AS (
        SELECT coalesce(sum(sdc__after), 0)::BIGINT AS sdc__below
        FROM sdc__both LEFT JOIN sdc__new ON sdc__of = sdc__cell WHERE coalesce(sdc__n, 0) < k
    )
    FROM query_table(CASE guarantee WHEN 'strong' THEN 'sdc__original' ELSE 'sdc__alike' END) WHERE sdc__held(sdc__below, guarantee);

-- The cells as the other searches take them, with the sums of their weights.
CREATE OR REPLACE MACRO sdc__weighed_cells(cells, keys, weight) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (
        SELECT NULL AS sdc__stratum, COLUMNS(sdc__columns((*), keys)), sdc__records AS sdc__n,
               sdc__unfixed(sdc__cell_size(sdc__records, sdc__low, sdc__middle, sdc__high, weight)) AS sdc__w
        FROM query_table(cells)
    )
    FROM sdc__coded_cells('sdc__crossed', keys);

-- design: the keys of the cells that lose values, with sdc__lost.
CREATE OR REPLACE MACRO sdc__blanked_by_cell(tbl, keys, id, design) AS TABLE
    WITH sdc__records AS (SELECT sdc__id, COLUMNS(sdc__to_mask((*), keys, id)) FROM sdc__identified(tbl, id, codes := keys)),
    sdc__losing AS (
        SELECT sdc__lost, struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__key FROM query_table(design)
    ),
    sdc__keyed AS (
        SELECT *, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__own FROM sdc__records
    ),
    sdc__decided AS (
        SELECT sdc__r.* EXCLUDE (sdc__own), coalesce(sdc__l.sdc__lost, 0) AS sdc__lost, struct_keys(sdc__r.sdc__own) AS sdc__names
        FROM sdc__keyed AS sdc__r LEFT JOIN sdc__losing AS sdc__l ON row(sdc__r.sdc__own) = row(sdc__l.sdc__key)
    )
    SELECT sdc__id, sdc__blanked(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__lost, sdc__names) AS "\0" FROM sdc__decided;

CREATE OR REPLACE MACRO sdc__suppress_combinations_design(cells, keys, threshold, id, weight, dimension, levels, inclusive,
                                                          guarantee, combinations, importance, cost, small_weights, whole,
                                                          household_columns) AS TABLE
    WITH sdc__celled AS MATERIALIZED (FROM sdc__weighed_cells(cells, keys, weight)),
    sdc__weighed AS (FROM sdc__least_counted(cells, weight)),
    sdc__losing AS (
        SELECT unnest(sdc__c.sdc__key), sdc__s.sdc__lost
        FROM sdc__combination_losses('sdc__celled', keys,
                                     sdc__suppression_rule(keys, threshold, dimension, levels, combinations), inclusive,
                                     guarantee, importance, cost, small_weights) AS sdc__s
        JOIN sdc__celled AS sdc__c ON sdc__c.sdc__cell = sdc__s.sdc__cell WHERE sdc__s.sdc__lost > 0
    )
    FROM sdc__losing
    UNION ALL
    SELECT sdc__none.*
    FROM sdc__unbreakable_limits('sdc__weighed',
                                 sdc__suppression_rule(keys, threshold, dimension, levels, combinations)['limits'], inclusive,
                                 weight)
    LEFT JOIN (FROM sdc__losing LIMIT 0) AS sdc__none ON true;
CREATE OR REPLACE MACRO sdc__suppress_combinations_designed(tbl, keys, threshold, id, weight, dimension, levels, inclusive,
                                                            guarantee, combinations, importance, cost, small_weights, whole,
                                                            household_columns, design) AS TABLE
    FROM sdc__blanked_by_cell(tbl, keys, id, design);
CREATE OR REPLACE MACRO sdc__suppress_combinations_proved(before, after, keys, threshold, id, weight, dimension, levels,
                                                          inclusive, guarantee, combinations, importance, cost,
                                                          small_weights, whole, household_columns) AS TABLE
    SELECT sdc__wildcard
    FROM (SELECT coalesce(sum(sdc__after) FILTER (sdc__guarantee = 'wildcard'), 0)::BIGINT AS sdc__wildcard,
                 coalesce(sum(sdc__after) FILTER (sdc__guarantee = 'strong'), 0)::BIGINT AS sdc__strong
          FROM sdc__rare_records(before, after, keys, sdc__suppression_rule(keys, threshold, dimension, levels, combinations),
                                 weight, inclusive, small_weights))
    WHERE sdc__combinations_held(sdc__wildcard, sdc__strong, guarantee);

CREATE OR REPLACE MACRO sdc__suppress_risky_design(cells, keys, max_risk, id, weight, household, variable, importance, cost,
                                                   small_weights, whole, household_columns) AS TABLE
    WITH sdc__celled AS MATERIALIZED (FROM sdc__weighed_cells(cells, keys, weight)),
    sdc__lists AS (
        SELECT any_value(struct_keys(sdc__key)) AS sdc__names, list(sdc__codes::DOUBLE[] ORDER BY sdc__cell ASC) AS sdc__all,
               list(sdc__n::DOUBLE ORDER BY sdc__cell ASC) AS sdc__ns,
               list(sdc__checked_weights(sdc__w, sdc__n, small_weights := small_weights) ORDER BY sdc__cell ASC) AS sdc__ws
        FROM sdc__celled
    ),
    sdc__found AS (
        SELECT sdc__kernel_suppress_risky(
                   sdc__all, sdc__ns, sdc__ws, NULL, NULL, NULL, sdc__checked_fraction(max_risk, 'max_risk'),
                   sdc__may_be_lost(sdc__names, variable, []::VARCHAR[]),
                   list_transform(sdc__each(importance, keys, sdc__names), lambda i: coalesce(i, '1')::DOUBLE), cost) AS sdc__losses
        FROM sdc__lists
    )
    SELECT unnest(sdc__c.sdc__key), sdc__d.sdc__lost
    FROM (SELECT unnest(sdc__losses) AS sdc__lost, unnest(range(1, len(sdc__losses) + 1)) AS sdc__place FROM sdc__found) AS sdc__d
    JOIN sdc__celled AS sdc__c ON sdc__c.sdc__cell = sdc__d.sdc__place WHERE sdc__d.sdc__lost > 0;
CREATE OR REPLACE MACRO sdc__suppress_risky_designed(tbl, keys, max_risk, id, weight, household, variable, importance, cost,
                                                     small_weights, whole, household_columns, design) AS TABLE
    FROM sdc__blanked_by_cell(tbl, keys, id, design);
CREATE OR REPLACE MACRO sdc__suppress_risky_proved(before, after, keys, max_risk, id, weight, household, variable,
                                                   importance, cost, small_weights, whole, household_columns) AS TABLE
    SELECT sdc__most FROM sdc__above_limit(after, keys, max_risk, id, weight, NULL, small_weights) WHERE sdc__risk_held(sdc__above);
