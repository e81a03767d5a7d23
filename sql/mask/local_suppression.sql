-- Local suppression: values of keys replaced by NULL in some records, as few as can be, until no record stands out.
--
--   'identical'  each released row, NULL taken as a value, is shared by at least k released records:
--                sdc_k_anonymity passes on the file, and an intruder who knows who took part finds at least k
--   'strong'     each released record agrees, on the keys it keeps, with at least k records of the original:
--                records are decided one by one, and the fewest suppressions are found exactly; right against
--                an intruder who does not know who took part
--   'wildcard'   each released record is compatible with at least k released ones, NULL agreeing with every value
-- Source: SDC handbook, section 3.4.3.2; Templ, Kowarik & Meindl (2015), Journal of Statistical Software 67(4), section 3.2
--   ('wildcard' is sdcMicro's reading); Samarati & Sweeney (1998) ('identical').
--
-- What 'strong' and 'wildcard' do not say, with k = 2:
--
--   original: a b     released: a b      (a, b) is suppressed, since no one shares b; (a, c) are two, and stay. Of the three
--             a c               a c      originals with a, two are released whole: who knows that all took part knows that
--             a c               a c      the NULL was not c, or it would have stayed. Where the rule is known, a suppression
--                                        itself says "rare". sdc_compatible_records counts whom this singles out, and
--                                        sdc_certain_matches whom an intruder finds who knows the keys of all.
-- 'identical' suppresses one of the others too, or all three; it hides the value among k records that look the same.
-- As a count 'wildcard' is degenerate: k - 1 records blanked whole make any file anonymous. Here no record loses more than
-- it would need by itself.
--
-- Ghosts are columns that would tell what was suppressed (the district where the region is): they become NULL in the same records. They are
-- no keys: records are not compared by them.
-- With max_share the dearer a key becomes the more of it would be suppressed: a heuristic, and an error where it finds nothing within the
-- limits. What its answer costs beside what any would cost at least, sdc__suppression_gap says (not of 'wildcard', where no bound is known).
-- With a subset, its records alone are made safe and alone are changed; all records are counted, those that are not in it as they stand
-- (what guarantee they have themselves sdc_suppression_report says). A record of which it is NULL, as a condition on age is where the age
-- is missing, is not in it: the step tells how many are.
-- A value that was NULL before counts as suppressed, and costs nothing. Of equally cheap sets the keys of most categories go first.
-- To find the fewest for 'identical' is NP-hard: a greedy answer is made better for about a second.
-- sdcMicro's importance is an order, 1 for the key to be kept first, m for that to be suppressed first: 2^(m - rank) as costs makes a value of
-- one key dearer than one of each that comes after it.
-- No draws: no key is needed. 16 keys at the most.
--
-- Scope: table.
-- Keeps: every value that is not suppressed.
-- Guarantees: what `guarantee` names, with k; of the released table sdc_suppression_report counts anew who is without it.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Suppresses: values.
-- Loss: published.
-- Told: nothing.
-- Publicly: values suppressed, as few as can be.
-- Parameters:
--   tbl         table                          the table, view, common table expression or file
--   keys        columns                        the key variables, whose values are suppressed
--   k           whole number in [2, ...)       the least number of records
--   id          column                         identifies each record
--   guarantee   'identical', 'strong' or 'wildcard'  what is to hold of each released record
--   importance  number or numbers in (0, ...)  what a suppressed value costs: one number for each of the keys, or NULL, all alike
--   cost        'equal' or 'entropy'           what that is multiplied by: 1, or the entropy of the key
--   max_share   number or numbers in [0, 1] or NULL  at most which share of a key's values (of a stratum) is suppressed, or NULL: one for each of the keys, or for all
--   stratum     column                         a column within whose values k records are to be found
--   subset      column                         of truth values: which records are to be safe and may be suppressed; NULL: all
--   ghosts      lists of columns               columns that become NULL with a key, of each key by its name: {'region': ['district']}

-- The cells of each stratum by number, the categories of each key by number from 1 (NULL 0), and the records of each cell
-- and the sum of their weights.
CREATE OR REPLACE MACRO sdc__suppression_cells(records) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (
        SELECT COLUMNS(lambda c: c NOT IN ('sdc__id', 'sdc__weight')), count(*) AS sdc__n, sdc__exact_sum(sdc__weight) AS sdc__w
        FROM query_table(records) GROUP BY ALL
    ),
    sdc__coded AS (
        SELECT sdc__stratum, sdc__n, sdc__w, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key,
               sdc__value_number(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__c_\0"
        FROM sdc__crossed
    ),
    sdc__listed AS (SELECT sdc__stratum, sdc__n, sdc__w, sdc__key, [*COLUMNS(lambda c: starts_with(c, 'sdc__c_'))] AS sdc__codes FROM sdc__coded)
    SELECT *, row_number() OVER (PARTITION BY sdc__stratum ORDER BY sdc__codes ASC) AS sdc__cell FROM sdc__listed;

-- Numbers from 0 that are equal where two values are, -1 for NULL. The kernel brings them into the order of the values, which costs less than
-- ranks by windows. (Were those of different values equal, which is as good as never, it says so.)
CREATE OR REPLACE MACRO sdc__value_hash(v) AS CASE WHEN v IS NULL THEN -1 ELSE (hash(v) >> 1)::BIGINT END;
CREATE OR REPLACE MACRO sdc__ordered_hashes(v) AS
    list_transform(list_sort(list_distinct(list(v)), 'ASC', 'NULLS LAST'), lambda x: sdc__value_hash(x));

-- The cells of each stratum as lists for the kernel, beside what it is told of each key.
-- cells: the keys, sdc__stratum, sdc__n records, sdc__others that are not to be changed, sdc__cell a number.
CREATE OR REPLACE MACRO sdc__suppression_lists(cells, keys, k, importance, max_share) AS TABLE
    WITH sdc__hashed AS (SELECT *, sdc__value_hash(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__h_\0" FROM query_table(cells)),
    sdc__listed AS (
        SELECT * EXCLUDE (sdc__n, sdc__others, sdc__cell) FROM (SELECT *, [*COLUMNS(lambda c: starts_with(c, 'sdc__h_')), sdc__n, sdc__others, sdc__cell] AS sdc__row FROM sdc__hashed)
    ),
    sdc__grouped AS (
        SELECT sdc__stratum, struct_keys(any_value(struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))))) AS sdc__names, list(sdc__row) AS sdc__rows,
               sdc__ordered_hashes(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__v_\0"
        FROM sdc__listed GROUP BY sdc__stratum
    )
    SELECT sdc__stratum::VARCHAR AS sdc__stratum, sdc__rows, flatten(sdc__values) AS sdc__hashes, list_transform(sdc__values, lambda v: len(v)) AS sdc__sizes,
           sdc__checked_whole(k, 'k', 2)::DOUBLE AS sdc__k, list_transform(sdc__each(importance, keys, sdc__names), lambda i: coalesce(i, '1')::DOUBLE) AS sdc__importance,
           sdc__each(max_share, keys, sdc__names)::DOUBLE[] AS sdc__shares
    FROM (SELECT sdc__stratum, sdc__names, sdc__rows, [*COLUMNS(lambda c: starts_with(c, 'sdc__v_'))] AS sdc__values FROM sdc__grouped);

-- What is lost, a bit for each key: by all records of a cell (sdc__upto 0), or by those from one place to another in the order of ids.
CREATE OR REPLACE MACRO sdc__suppressions(cells, keys, k, guarantee, importance, cost, max_share) AS TABLE
    WITH sdc__found AS (
        SELECT sdc__kernel_suppress(sdc__stratum, sdc__rows, sdc__hashes, sdc__sizes, sdc__k, sdc__checked_choice(guarantee, 'guarantee', ['identical', 'strong', 'wildcard']), sdc__importance, sdc__checked_choice(cost, 'cost', ['equal', 'entropy']), sdc__shares) AS sdc__fours
        FROM sdc__suppression_lists(cells, keys, k, importance, max_share)
    )
    SELECT sdc__fours[4 * sdc__i + 1] AS sdc__cell, sdc__fours[4 * sdc__i + 2] AS sdc__lost, sdc__fours[4 * sdc__i + 3] AS sdc__above, sdc__fours[4 * sdc__i + 4] AS sdc__upto
    FROM (SELECT sdc__fours, unnest(range(len(sdc__fours) // 4)) AS sdc__i FROM sdc__found);

CREATE OR REPLACE MACRO sdc__blanked(v, lost, names) AS
    CASE WHEN lost = 0 THEN v WHEN (lost >> (list_position(names, alias(v)) - 1)) & 1 = 1 THEN NULL ELSE v END;

-- bits: for each of the columns which keys take it along.
CREATE OR REPLACE MACRO sdc__blanked_with(v, lost, bits, columns) AS
    CASE WHEN lost = 0 THEN v WHEN lost & bits[list_position(list_transform(columns, lambda c: sdc__folded(c)), sdc__folded(alias(v)))] = 0 THEN v ELSE NULL END;

-- The columns that follow keys, as {'region': ['district']} names them; the keys with them; and of each of these the keys that take it along, a bit each.
CREATE OR REPLACE MACRO sdc__ghost_map(ghosts) AS coalesce(TRY_CAST(ghosts AS MAP(VARCHAR, VARCHAR[])),
    CASE WHEN ghosts IS NOT NULL THEN map_from_entries([(ghosts::VARCHAR || ' (no lists: write {''region'': [''district'']})', []::VARCHAR[])]) END);
CREATE OR REPLACE MACRO sdc__ghosts(ghosts) AS
    coalesce(list_distinct(list_transform(flatten(map_values(sdc__ghost_map(ghosts))), lambda g: sdc__folded(g))), []::VARCHAR[]);
CREATE OR REPLACE MACRO sdc__with_ghosts(keys, ghosts) AS CASE
    WHEN len(sdc__missing(sdc__names(keys), map_keys(sdc__ghost_map(ghosts)))) > 0
        THEN [sdc__missing(sdc__names(keys), map_keys(sdc__ghost_map(ghosts)))[1] || ' (with ghosts, but none of the keys)']
    ELSE list_concat(sdc__names(keys), sdc__ghosts(ghosts)) END;
CREATE OR REPLACE MACRO sdc__taken_by(name, names, ghosts) AS
    list_sum(list_transform(names, lambda n, i: CASE WHEN sdc__folded(n) = sdc__folded(name)
        OR sdc__is_among(name, flatten(map_values(map_from_entries(list_filter(map_entries(sdc__ghost_map(ghosts)), lambda e: sdc__folded(e.key) = sdc__folded(n)))))) THEN 1 << (i - 1) ELSE 0 END));

-- Whether a record is of the subset: NULL is not true. v: the value of its column.
CREATE OR REPLACE MACRO sdc__in_subset(subset, v) AS CASE
    WHEN subset IS NULL THEN true
    WHEN typeof(subset) = 'VARCHAR' AND typeof(v) IN ('BOOLEAN', '"NULL"') THEN coalesce(TRY_CAST(v AS BOOLEAN), false)
    ELSE error('ColumnError: The subset (' || subset::VARCHAR || ') must be a column of truth values, and has the type ' || typeof(v) || ': add one, as in SELECT *, age > 15 AS adult.')
END;

CREATE OR REPLACE MACRO sdc__some_records(number) AS
    CASE WHEN number > 0 THEN true ELSE error('ParameterError: No record is of the subset: nothing would be suppressed. Is its column or condition the right one?') END;

-- The columns that are masked with id and stratum, and the cell of each record.
CREATE OR REPLACE MACRO sdc__suppressible(records, keys, id, stratum, subset, ghosts) AS TABLE
    SELECT *, row(sdc__stratum, struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__own
    FROM (SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__column((*), stratum))) AS sdc__stratum,
                 sdc__in_subset(subset, COLUMNS(sdc__column((*), subset))) AS sdc__free, COLUMNS(sdc__to_mask((*), sdc__with_ghosts(keys, ghosts), id))
          FROM query_table(records));

CREATE OR REPLACE MACRO sdc__cells_to_suppress(records, keys, id, stratum, subset, ghosts) AS TABLE
    SELECT *, row_number() OVER () AS sdc__cell
    FROM (SELECT sdc__stratum, COLUMNS(sdc__columns((*), keys)), count(*) FILTER (sdc__free) AS sdc__n, count(*) FILTER (NOT sdc__free) AS sdc__others
          FROM sdc__suppressible(records, keys, id, stratum, subset, ghosts) GROUP BY ALL);

-- (Large tables are read again and not kept; what a changing view gives is counted anew afterwards.)
CREATE OR REPLACE MACRO sdc__local_suppression(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum, subset, ghosts) AS TABLE
    WITH sdc__checked AS NOT MATERIALIZED (FROM sdc__identified(tbl, id, codes := list_append(sdc__names(keys), stratum))),
    sdc__again AS NOT MATERIALIZED (FROM sdc__with_id(tbl, id)),
    sdc__celled AS MATERIALIZED (FROM sdc__cells_to_suppress('sdc__again', keys, id, stratum, subset, ghosts)),
    sdc__losing AS MATERIALIZED (
        SELECT sdc__s.*, row(sdc__c.sdc__stratum, sdc__c.sdc__key) AS sdc__of
        FROM sdc__suppressions('sdc__celled', keys, k, guarantee, importance, cost, max_share) AS sdc__s
        JOIN (SELECT sdc__cell, sdc__stratum, struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__key FROM sdc__celled) AS sdc__c ON sdc__c.sdc__cell = sdc__s.sdc__cell
    ),
    sdc__alike AS (
        SELECT sdc__r.*, coalesce(sdc__l.sdc__lost, 0) AS sdc__lost
        FROM sdc__suppressible('sdc__checked', keys, id, stratum, subset, ghosts) AS sdc__r LEFT JOIN sdc__losing AS sdc__l ON sdc__own = sdc__of AND sdc__above = 0 AND sdc__free
        WHERE coalesce(sdc__l.sdc__upto, 0) = 0
    ),
    -- the records of cells that do not all lose the same, by their places
    sdc__apart AS (
        SELECT sdc__r.*, row_number() OVER (PARTITION BY sdc__own ORDER BY sdc__id ASC) AS sdc__place
        FROM sdc__suppressible('sdc__again', keys, id, stratum, subset, ghosts) AS sdc__r JOIN sdc__losing AS sdc__l ON sdc__own = sdc__of AND sdc__upto > 0 AND sdc__above = 0 AND sdc__free
    ),
    sdc__decided AS (
        FROM sdc__alike
        UNION ALL
        SELECT sdc__a.* EXCLUDE (sdc__place), sdc__l.sdc__lost
        FROM sdc__apart AS sdc__a JOIN sdc__losing AS sdc__l ON sdc__own = sdc__of AND sdc__place > sdc__above AND sdc__place <= sdc__upto
    ),
    sdc__named AS (SELECT struct_keys(struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__names FROM sdc__celled LIMIT 1),
    sdc__taken AS (SELECT list_transform(sdc__with_ghosts(keys, ghosts), lambda c: sdc__taken_by(c, sdc__names, ghosts)) AS sdc__bits FROM sdc__named)
    SELECT sdc__id, sdc__blanked_with(COLUMNS(sdc__columns((*), sdc__with_ghosts(keys, ghosts))), sdc__lost, sdc__bits, sdc__with_ghosts(keys, ghosts)) AS "\0"
    FROM sdc__decided, sdc__taken WHERE sdc__some_records((SELECT sum(sdc__n) FROM sdc__celled));

-- sdc_local_suppression: values of keys suppressed, as few as can be, until no record stands out among k.
-- Example: FROM sdc_local_suppression('persons', ['age', 'sex', 'region'], 2, 'id');
CREATE OR REPLACE MACRO sdc_local_suppression(tbl, keys, k, id, guarantee := 'identical', importance := NULL, cost := 'equal', max_share := NULL, stratum := NULL, subset := NULL, ghosts := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__local_suppression(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum, subset, ghosts))
    FROM sdc__released(tbl, sdc__with_ghosts(keys, ghosts), id, 'sdc__done');

CREATE OR REPLACE MACRO sdc__suppression_gap(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum, subset, ghosts) AS TABLE
    WITH sdc__again AS NOT MATERIALIZED (FROM sdc__with_id(tbl, id)),
    sdc__celled AS MATERIALIZED (FROM sdc__cells_to_suppress('sdc__again', keys, id, stratum, subset, ghosts)),
    sdc__found AS (
        SELECT sdc__kernel_suppression_gap(sdc__stratum, sdc__rows, sdc__hashes, sdc__sizes, sdc__k, sdc__checked_choice(guarantee, 'guarantee', ['identical', 'strong', 'wildcard']), sdc__importance, sdc__checked_choice(cost, 'cost', ['equal', 'entropy']), sdc__shares) AS sdc__costs
        FROM sdc__suppression_lists('sdc__celled', keys, k, importance, max_share)
    )
    SELECT sum(sdc__costs[1]) AS suppression_cost, CASE WHEN NOT isnan(sum(sdc__costs[2])) THEN sum(sdc__costs[2]) END AS least_cost FROM sdc__found;
