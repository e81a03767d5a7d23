-- Local suppression where keys are of the household (its region, dwelling, size): all members of a household lose such a value,
-- or none does.
--
-- What one member shows, the others have: a value suppressed for some of them comes back. So a household loses its columns
-- whole, in two parts:
--   1. the cells of the columns of the household: where one holds fewer than k records, its households lose the cheapest columns that
--      bring it to k
--      (a kernel: udfs/suppression/households.py)
--   2. within each such cell, as it is then, the other keys by record, as local_suppression.sql has it
-- The file is then as its households complete it, and the guarantee is counted on it completed. To lose a column of the household costs
-- as many values as it has members: it hardly ever pays where the other keys will do, and is done only where they cannot. Members who
-- differ in such a column (an error) show two values, and nothing is completed: they are treated alike, and stay as they are where each
-- stands among k.
-- Source: SDC handbook, sections 3.3.5 and 3.4.3.2.

-- The keys of the household among the columns at hand, and the other keys with the number of the household's cell, which is a key for them.
CREATE OR REPLACE MACRO sdc__of_households_keys(have, columns) AS list_filter(have, lambda h: sdc__is_among(h, columns));
CREATE OR REPLACE MACRO sdc__of_persons_keys(have, keys, columns) AS
    list_filter(have, lambda h: h = 'cell of the household (sdc-sql)' OR (sdc__is_among(h, keys) AND NOT sdc__is_among(h, columns)));
CREATE OR REPLACE MACRO sdc__key_columns(keys, columns) AS list_filter(sdc__names(keys), lambda n: sdc__is_among(n, columns));

CREATE OR REPLACE MACRO sdc__of_one_stratum(parted, stratum) AS
    CASE WHEN parted THEN error('ColumnError: The members of a household are in different strata (' || stratum::VARCHAR
                                || '), and keys of the household are suppressed for all of them: give a stratum that is of'
                                || ' the household, or none.')
         ELSE false END;

-- Each record with its household (none: it is by itself), its keys as the household completes them.
CREATE OR REPLACE MACRO sdc__housed(whole, keys, id, stratum, household) AS TABLE
    SELECT *, CASE WHEN sdc__house IS NULL THEN sdc__id END AS sdc__alone
    FROM (SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id, sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__house,
                 sdc__exact(sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum)))) AS sdc__stratum,
                 sdc__exact(COLUMNS(sdc__to_mask((*), keys, id))) AS "\0"
          FROM query_table(whole));

-- Each household: its values, whether its members differ in them, how many they are, and a place.
CREATE OR REPLACE MACRO sdc__house_values(housed, keys, columns, stratum) AS TABLE
    WITH sdc__grouped AS (
        SELECT sdc__house, sdc__alone, any_value(sdc__stratum) AS sdc__stratum, sdc__differ(sdc__stratum) AS sdc__split,
               count(*) AS sdc__members, min(sdc__id) AS sdc__first,
               any_value(COLUMNS(sdc__of_households_keys((*), sdc__key_columns(keys, columns)))) AS "\0",
               sdc__differ(COLUMNS(sdc__of_households_keys((*), sdc__key_columns(keys, columns)))) AS "sdc__d_\0"
        FROM query_table(housed) GROUP BY sdc__house, sdc__alone
    )
    SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__d_') AND c <> 'sdc__split'),
           greatest(*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))) AS sdc__differs
    FROM sdc__grouped WHERE NOT sdc__of_one_stratum(sdc__split, stratum);

-- The rows of alike households, and those of the parts of households whose members differ.
CREATE OR REPLACE MACRO sdc__household_rows(housed, houses, keys, columns) AS TABLE
    WITH sdc__parts AS (
        SELECT sdc__h.sdc__stratum, COLUMNS(sdc__of_households_keys((*), sdc__key_columns(keys, columns))),
               sdc__d.sdc__label, count(*) AS sdc__members, 1::BIGINT AS sdc__numbers
        FROM query_table(housed) AS sdc__h
        JOIN (SELECT sdc__house, row_number() OVER (ORDER BY sdc__house ASC) AS sdc__label
              FROM query_table(houses)
              WHERE sdc__differs) AS sdc__d ON sdc__h.sdc__house = sdc__d.sdc__house
        GROUP BY ALL
    ),
    sdc__plain AS (
        SELECT sdc__stratum, COLUMNS(sdc__of_households_keys((*), sdc__key_columns(keys, columns))),
               NULL::BIGINT AS sdc__label, sdc__members, count(*) AS sdc__numbers
        FROM query_table(houses) WHERE NOT sdc__differs GROUP BY ALL
    ),
    sdc__both AS (FROM sdc__plain UNION ALL BY NAME FROM sdc__parts),
    sdc__coded AS (
        SELECT *, sdc__value_number(sdc__stratum) AS sdc__s,
               sdc__value_number(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__c_\0"
        FROM sdc__both
    ),
    sdc__listed AS (
        SELECT * EXCLUDE (sdc__codes), list_prepend(sdc__s, sdc__codes) AS sdc__codes
        FROM (SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__c_')),
                     [*COLUMNS(lambda c: starts_with(c, 'sdc__c_'))] AS sdc__codes
              FROM sdc__coded)
    )
    SELECT *, row_number() OVER (ORDER BY sdc__codes ASC, sdc__members ASC, sdc__label ASC) AS sdc__row FROM sdc__listed;

CREATE OR REPLACE MACRO sdc__cost_of(importance) AS
    CASE WHEN coalesce(importance, '1')::DOUBLE > 0 AND coalesce(importance, '1')::DOUBLE < 'infinity'::DOUBLE
             THEN coalesce(importance, '1')::DOUBLE
    ELSE error('ParameterError: importance has a number that is not positive and finite: give what a value of each key costs.') END;

-- What the households of each row lose, a bit for each of their keys as the table has them.
CREATE OR REPLACE MACRO sdc__household_losses(rows, counts, keys, k, importance, unit) AS TABLE
    WITH sdc__named AS (
        SELECT struct_keys(any_value(struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))))) AS sdc__names,
               list(sdc__codes::DOUBLE[] ORDER BY sdc__row ASC) AS sdc__all,
               list(sdc__members::DOUBLE ORDER BY sdc__row ASC) AS sdc__ms,
               list(sdc__numbers::DOUBLE ORDER BY sdc__row ASC) AS sdc__ns,
               list(coalesce(sdc__label, -1)::DOUBLE ORDER BY sdc__row ASC) AS sdc__ls
        FROM query_table(rows)
    ),
    sdc__found AS (
        SELECT sdc__kernel_suppress_households(
            sdc__all, sdc__ms, sdc__ns, sdc__ls, sdc__checked_whole(k, 'k', 2)::DOUBLE,
            list_prepend(-1e0,
                         list_transform(sdc__names,
                                        lambda n, i: CASE
                                            WHEN list_contains(sdc__counted, n) THEN -1e0
                                            ELSE sdc__cost_of(sdc__each(importance, keys, sdc__names)[i]) END)),
            unit) AS sdc__fours
        FROM sdc__named, query_table(counts)
    )
    SELECT sdc__fours[4 * sdc__i + 1] AS sdc__row, sdc__fours[4 * sdc__i + 2] >> 1 AS sdc__lost,
           sdc__fours[4 * sdc__i + 3] AS sdc__above, sdc__fours[4 * sdc__i + 4] AS sdc__upto
    FROM (SELECT sdc__fours, unnest(range(len(sdc__fours) // 4)) AS sdc__i FROM sdc__found);

-- Each household with what it loses, and the number of the cell that it is then in.
CREATE OR REPLACE MACRO sdc__masked_households(housed, houses, rows, losses) AS TABLE
    WITH sdc__plain AS (
        SELECT sdc__a.sdc__house, sdc__a.sdc__alone, sdc__r.sdc__row,
               row_number() OVER (PARTITION BY sdc__r.sdc__row ORDER BY sdc__a.sdc__first ASC) AS sdc__place
        FROM (SELECT sdc__house, sdc__alone, sdc__first,
                     row(sdc__stratum, sdc__members,
                         struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__')))) AS sdc__own
              FROM query_table(houses)
              WHERE NOT sdc__differs) AS sdc__a
        JOIN (SELECT sdc__row,
                     row(sdc__stratum, sdc__members,
                         struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__')))) AS sdc__own
              FROM query_table(rows)
              WHERE sdc__label IS NULL) AS sdc__r ON sdc__a.sdc__own = sdc__r.sdc__own
    ),
    sdc__labelled AS (
        SELECT sdc__house, NULL AS sdc__alone, row_number() OVER (ORDER BY sdc__house ASC) AS sdc__label
        FROM query_table(houses)
        WHERE sdc__differs
    ),
    sdc__every AS (
        SELECT sdc__house, sdc__alone, sdc__row, NULL::BIGINT AS sdc__label, sdc__place FROM sdc__plain
        UNION ALL
        SELECT sdc__house, sdc__alone, sdc__r.sdc__row, sdc__label, 1 AS sdc__place
        FROM sdc__labelled
        JOIN (SELECT sdc__label, min(sdc__row) AS sdc__row
              FROM query_table(rows)
              WHERE sdc__label IS NOT NULL
              GROUP BY sdc__label) AS sdc__r USING (sdc__label)
    )
    SELECT sdc__e.sdc__house, sdc__e.sdc__alone, sdc__e.sdc__row, sdc__e.sdc__label, coalesce(sdc__l.sdc__lost, 0) AS sdc__lost
    FROM sdc__every AS sdc__e
    LEFT JOIN query_table(losses) AS sdc__l ON sdc__l.sdc__row = sdc__e.sdc__row
              AND (sdc__l.sdc__upto = 0
                   OR (sdc__e.sdc__place > sdc__l.sdc__above AND sdc__e.sdc__place <= sdc__l.sdc__upto));

-- What is lost of each cell, as sdc__suppressions gives it, for costs that stand in a table beside the names of the keys.
CREATE OR REPLACE MACRO sdc__suppressions_of(cells, costs, k, guarantee, cost) AS TABLE
    WITH sdc__found AS (
        SELECT sdc__kernel_suppress(sdc__stratum, sdc__rows, sdc__hashes, sdc__sizes, sdc__k, guarantee,
                                    list_transform(sdc__costs, lambda c: c::DOUBLE), cost,
                                    list_transform(sdc__costs, lambda c: NULL::DOUBLE), sdc__keys) AS sdc__fours
        FROM sdc__suppression_lists(cells, NULL, k, NULL, NULL), query_table(costs)
    )
    SELECT sdc__fours[4 * sdc__i + 1] AS sdc__cell, sdc__fours[4 * sdc__i + 2] AS sdc__lost,
           sdc__fours[4 * sdc__i + 3] AS sdc__above, sdc__fours[4 * sdc__i + 4] AS sdc__upto
    FROM (SELECT sdc__fours, unnest(range(len(sdc__fours) // 4)) AS sdc__i FROM sdc__found);

CREATE OR REPLACE MACRO sdc__local_suppression_by_household(tbl, keys, k, id, guarantee, importance, cost, stratum, ghosts,
                                                            household, columns, unit) AS TABLE
    WITH sdc__checked AS NOT MATERIALIZED (FROM sdc__identified(tbl, id, codes := list_concat(sdc__names(keys), [stratum, household]))),
    sdc__whole AS NOT MATERIALIZED (FROM sdc_completed_households(tbl, household, sdc__key_columns(keys, columns))),
    sdc__housed AS MATERIALIZED (FROM sdc__housed('sdc__whole', keys, id, stratum, household)),
    sdc__houses AS MATERIALIZED (FROM sdc__house_values('sdc__housed', keys, columns, stratum)),
    sdc__of_rows AS MATERIALIZED (FROM sdc__household_rows('sdc__housed', 'sdc__houses', keys, columns)),
    sdc__counts AS (FROM sdc__counted_columns('sdc__houses')),
    sdc__losses AS MATERIALIZED (FROM sdc__household_losses('sdc__of_rows', 'sdc__counts', keys, k, importance, unit)),
    sdc__masked AS MATERIALIZED (FROM sdc__masked_households('sdc__housed', 'sdc__houses', 'sdc__of_rows', 'sdc__losses')),
    -- the released values of the household by number: codes that are not lost
    sdc__all_names AS (
        SELECT struct_keys(any_value(struct_pack(*COLUMNS(sdc__of_persons_keys((*), keys, columns))))) AS sdc__persons,
               struct_keys(any_value(struct_pack(*COLUMNS(sdc__of_households_keys(
                                                              (*), sdc__key_columns(keys, columns)))))) AS sdc__ours
        FROM (SELECT *, 0 AS "cell of the household (sdc-sql)" FROM sdc__housed)
    ),
    sdc__placed AS (
        SELECT sdc__h.*, sdc__m.sdc__lost, sdc__m.sdc__label IS NOT NULL AS sdc__differing
        FROM sdc__housed AS sdc__h
        JOIN sdc__masked AS sdc__m
          ON sdc__h.sdc__house IS NOT DISTINCT FROM sdc__m.sdc__house AND sdc__h.sdc__alone IS NOT DISTINCT FROM sdc__m.sdc__alone
    ),
    sdc__blanked_cells AS MATERIALIZED (
        SELECT sdc__id, sdc__stratum, sdc__lost, COLUMNS(sdc__of_persons_keys((*), keys, columns)),
               sdc__blanked(COLUMNS(sdc__of_households_keys((*), sdc__key_columns(keys, columns))), sdc__lost, sdc__ours) AS "sdc__h_\0"
        FROM (SELECT *, 0 AS "cell of the household (sdc-sql)" FROM sdc__placed), sdc__all_names
    ),
    sdc__numbers AS MATERIALIZED (
        SELECT sdc__own, row_number() OVER (ORDER BY sdc__own ASC) AS sdc__number
        FROM (SELECT DISTINCT row(sdc__stratum, struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__h_')))) AS sdc__own
              FROM sdc__blanked_cells)
    ),
    sdc__records AS MATERIALIZED (
        SELECT sdc__r.* EXCLUDE (sdc__own, "cell of the household (sdc-sql)"), sdc__n.sdc__number AS "cell of the household (sdc-sql)"
        FROM (SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__h_')),
                     row(sdc__stratum, struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__h_')))) AS sdc__own
              FROM sdc__blanked_cells) AS sdc__r
        JOIN sdc__numbers AS sdc__n ON sdc__r.sdc__own = sdc__n.sdc__own
    ),
    sdc__celled AS MATERIALIZED (
        SELECT *, row_number() OVER () AS sdc__cell
        FROM (SELECT sdc__stratum, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), count(*) AS sdc__n,
                     0::BIGINT AS sdc__others
              FROM sdc__records
              GROUP BY ALL)
    ),
    sdc__with_costs AS (
        SELECT sdc__persons,
               list_transform(sdc__persons,
                              lambda n: CASE WHEN n = 'cell of the household (sdc-sql)' THEN '-infinity'
                                             ELSE sdc__cost_of(
                                                 sdc__each(importance, keys, [n])[1])::VARCHAR END) AS sdc__costs
        FROM sdc__all_names
    ),
    sdc__lost_by_persons AS MATERIALIZED (
        SELECT sdc__s.sdc__lost AS sdc__bits, sdc__above, sdc__upto, row(sdc__c.sdc__stratum, sdc__c.sdc__key) AS sdc__of
        FROM sdc__suppressions_of('sdc__celled', 'sdc__with_costs', k, guarantee, cost) AS sdc__s
        JOIN (SELECT sdc__cell, sdc__stratum, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key
              FROM sdc__celled) AS sdc__c ON sdc__c.sdc__cell = sdc__s.sdc__cell
    ),
    sdc__keyed AS (
        SELECT sdc__id, sdc__lost,
               row(sdc__stratum, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__')))) AS sdc__own
        FROM sdc__records
    ),
    sdc__alike AS (
        SELECT sdc__id, sdc__lost, coalesce(sdc__l.sdc__bits, 0) AS sdc__bits
        FROM sdc__keyed
        LEFT JOIN sdc__lost_by_persons AS sdc__l ON sdc__own = sdc__of AND sdc__above = 0
        WHERE coalesce(sdc__l.sdc__upto, 0) = 0
    ),
    -- the records of cells that do not all lose the same, by their places
    sdc__apart AS (
        SELECT sdc__k.*, row_number() OVER (PARTITION BY sdc__own ORDER BY sdc__id ASC) AS sdc__place
        FROM sdc__keyed AS sdc__k SEMI JOIN (SELECT sdc__of FROM sdc__lost_by_persons WHERE sdc__upto > 0) AS sdc__l ON sdc__own = sdc__of
    ),
    sdc__decided AS (
        FROM sdc__alike
        UNION ALL
        SELECT sdc__id, sdc__lost, sdc__l.sdc__bits
        FROM sdc__apart
        JOIN sdc__lost_by_persons AS sdc__l ON sdc__own = sdc__of AND sdc__place > sdc__above AND sdc__place <= sdc__upto
    ),
    -- a bit for each key: those of persons, the number of the cell, those of the household
    sdc__taken AS (
        SELECT len(sdc__persons) AS sdc__shift, sdc__blanked_names,
               list_transform(sdc__blanked_names,
                              lambda c: sdc__taken_by(c, list_concat(sdc__persons, sdc__ours), ghosts)) AS sdc__which
        FROM (SELECT sdc__persons, sdc__ours, sdc__with_ghosts(keys, ghosts) AS sdc__blanked_names FROM sdc__all_names)
    ),
    sdc__own_values AS (SELECT sdc__id AS sdc__same, COLUMNS(sdc__to_mask_once((*), sdc__with_ghosts(keys, ghosts), id)) FROM sdc__checked),
    sdc__losing AS (
        SELECT sdc__v.* EXCLUDE (sdc__same), sdc__d.sdc__id, sdc__bits | (sdc__lost << sdc__shift) AS sdc__all_lost,
               sdc__which, sdc__blanked_names
        FROM sdc__own_values AS sdc__v
        JOIN sdc__decided AS sdc__d ON sdc__same = sdc__id, sdc__taken
    )
    SELECT sdc__id,
           sdc__blanked_with(COLUMNS(sdc__columns((*), sdc__with_ghosts(keys, ghosts))), sdc__all_lost, sdc__which,
                             sdc__blanked_names) AS "\0"
    FROM sdc__losing;

-- The same counts as those of sdc__suppression_proof, of the file and of the released one as their households complete them.
CREATE OR REPLACE MACRO sdc__suppression_proof_by_household(tbl, released, keys, k, guarantee, id, household, columns) AS TABLE
    WITH sdc__numbered AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__same, COLUMNS(sdc__columns((*), [household]))
        FROM query_table(tbl)
    ),
    sdc__new AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id, COLUMNS(sdc__columns((*), keys))
        FROM query_table(released)
    ),
    sdc__joined AS (
        SELECT sdc__numbered.* EXCLUDE (sdc__same), sdc__new.* EXCLUDE (sdc__id)
        FROM sdc__new
        JOIN sdc__numbered ON sdc__id = sdc__same
    ),
    sdc__before AS MATERIALIZED (FROM sdc_completed_households(tbl, household, sdc__key_columns(keys, columns))),
    sdc__after AS MATERIALIZED (FROM sdc_completed_households('sdc__joined', household, sdc__key_columns(keys, columns))),
    sdc__as_values AS (SELECT 0::BIGINT AS sdc__n),
    sdc__as_wildcards AS (SELECT max(records)::BIGINT AS sdc__n FROM sdc_k_anonymity('sdc__after', keys, k, nulls := 'wildcard')),
    sdc__wild AS (FROM query_table(CASE WHEN guarantee = 'wildcard' THEN 'sdc__as_wildcards' ELSE 'sdc__as_values' END))
    SELECT * EXCLUDE (k, sdc__n), sdc__n AS below_wildcard
    FROM sdc_suppression_report('sdc__before', 'sdc__after', keys, k), sdc__wild
    WHERE sdc__held(CASE guarantee WHEN 'identical' THEN below_identical WHEN 'strong' THEN below_strong ELSE sdc__n END, guarantee);

-- Values that others of the household lose too, for masks whose promise holds all the more where more is suppressed. masked: id and
-- masked columns, as sdc__id and by their names.
CREATE OR REPLACE MACRO sdc__lost_together(v, after, household, alone) AS
    CASE WHEN count(CASE WHEN after THEN v END) OVER (PARTITION BY household, alone)
              = count(CASE WHEN NOT after THEN v END) OVER (PARTITION BY household, alone)
             THEN v END;
CREATE OR REPLACE MACRO sdc__all_or_none(tbl, masked, id, household, columns) AS TABLE
    WITH sdc__numbered AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__same,
               sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__house
        FROM query_table(tbl)
    ),
    sdc__old AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id,
               COLUMNS(sdc__of_the_household((*), household, columns)), false AS sdc__after
        FROM query_table(tbl)
    ),
    sdc__new AS (SELECT *, true AS sdc__after FROM query_table(masked)),
    sdc__both AS (FROM sdc__new UNION ALL BY NAME FROM sdc__old),
    sdc__placed AS (
        SELECT sdc__both.*, sdc__house, CASE WHEN sdc__house IS NULL THEN sdc__id END AS sdc__alone
        FROM sdc__both
        JOIN sdc__numbered ON sdc__id = sdc__same
    ),
    sdc__spread AS (
        SELECT COLUMNS(lambda c: c IN ('sdc__id', 'sdc__after') OR NOT starts_with(c, 'sdc__') AND NOT sdc__is_among(c, columns)),
               sdc__lost_together(COLUMNS(lambda c: sdc__is_among(c, columns)), sdc__after, sdc__house, sdc__alone) AS "\0"
        FROM sdc__placed
    )
    SELECT * EXCLUDE (sdc__after) FROM sdc__spread WHERE sdc__after;

-- Which of the keys can be counted: they cannot be suppressed.
CREATE OR REPLACE MACRO sdc__sizes_among(tbl, keys, id, household, columns) AS TABLE
    WITH sdc__whole AS NOT MATERIALIZED (FROM sdc_completed_households(tbl, household, sdc__key_columns(keys, columns))),
    sdc__housed AS MATERIALIZED (FROM sdc__housed('sdc__whole', keys, id, NULL, household)),
    sdc__houses AS MATERIALIZED (FROM sdc__house_values('sdc__housed', keys, columns, NULL))
    FROM sdc__counted_columns('sdc__houses');
CREATE OR REPLACE MACRO sdc__kept_sizes(tbl, keys, id, household, columns) AS TABLE
    WITH sdc__none AS (SELECT []::VARCHAR[] AS sdc__counted), sdc__some AS (FROM sdc__sizes_among(tbl, keys, id, household, columns))
    FROM query_table(CASE WHEN columns IS NULL THEN 'sdc__none' ELSE 'sdc__some' END);

-- suppressions: of each key, how many of its values were suppressed.
CREATE OR REPLACE MACRO sdc__not_counted(suppressions, counted) AS
    CASE WHEN len(list_filter(counted, lambda c: coalesce(suppressions[c], 0) > 0)) = 0 THEN true
         ELSE error('ColumnError: ' || sdc__quoted(counted)
                    || ' can be counted: it is known while the number of the household stands, and cannot be'
                    || ' suppressed. Recode it, leave it out of the keys, or leave the number of the household out.') END;

-- The columns in which members of a household who had one value have several after masking, or some of them none; and of how
-- many households.
CREATE OR REPLACE MACRO sdc__parted(v, after) AS
    count(*) FILTER (NOT after) > 1 AND count(CASE WHEN NOT after THEN v END) = count(*) FILTER (NOT after)
    AND min(CASE WHEN NOT after THEN v END) = max(CASE WHEN NOT after THEN v END)
    AND (min(CASE WHEN after THEN v END) <> max(CASE WHEN after THEN v END)
         OR count(CASE WHEN after THEN v END) NOT IN (0, count(*) FILTER (after)));
CREATE OR REPLACE MACRO sdc__parted_households(tbl, masked, id, household, columns) AS TABLE
    WITH sdc__numbered AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__same,
               sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__house
        FROM query_table(tbl)
    ),
    sdc__old AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id,
               sdc__exact(COLUMNS(sdc__of_the_household((*), household, columns)))::VARCHAR AS "\0", false AS sdc__after
        FROM query_table(tbl)
    ),
    sdc__new AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id,
               sdc__exact(COLUMNS(sdc__of_the_household((*), household, columns)))::VARCHAR AS "\0", true AS sdc__after
        FROM query_table(masked)
    ),
    sdc__both AS (FROM sdc__old UNION ALL BY NAME FROM sdc__new),
    sdc__counted AS (
        SELECT sdc__house, sdc__parted(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__after) AS "\0"
        FROM (SELECT sdc__both.* EXCLUDE (sdc__id), sdc__house
              FROM sdc__both
              JOIN sdc__numbered ON sdc__id = sdc__same
              WHERE sdc__house IS NOT NULL)
        GROUP BY sdc__house
    ),
    sdc__summed AS (SELECT sum(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))::INTEGER)::BIGINT AS "\0" FROM sdc__counted)
    SELECT unnest(sdc__names) AS variable, unnest(sdc__n) AS households
    FROM (SELECT struct_keys(any_value(struct_pack(*COLUMNS(*)))) AS sdc__names, any_value([*COLUMNS(*)]) AS sdc__n FROM sdc__summed);
