-- Local suppression by a threshold rule: values suppressed, as few as can be, until no combination of a few keys is rare.
--
--   for each set S of keys that the rule checks, and each record:  f_S(what the record keeps of S) > t_S
--   (with weights F^_S; inclusive := false: >=)
--   'strong'    f: the records of the original that agree on what is kept. The fewest suppressions are found exactly
--   'wildcard'  f: the released records that agree, NULL agreeing with every value: sdcMicro's reading
-- Source: SDC handbook, sections 3.3.4 and 3.7 (the rules), 3.4.3.2 (local suppression); Hundepool et al., mu-ARGUS manual (combinations);
--   Templ, Kowarik & Meindl (2015), Journal of Statistical Software 67(4), section 3.2 (all subsets of given sizes).
--
-- What a threshold counts: the records of the file, or where a weight is given the persons that they stand for. One that a single record
-- of the smallest weight does not break is an error: nothing would be suppressed (weight := 1 counts records).
-- The sets are those of sdc_threshold_rule: all of 1 .. `dimension` keys, each size with its own threshold (NULL: not checked), or by
-- levels of identification; or they are listed, as in mu-ARGUS. With either guarantee sdc_threshold_rule finds nothing afterwards with
-- nulls := 'wildcard', which is checked before anything is written.
--
--   persons: id age sex region    sdc_suppress_combinations('persons', ['age', 'sex', 'region'], 1, 'id'):   age  sex  region
--            1  30  f   north                                                                                30   f    north
--            2  30  f   north                                                                                30   f    north
--            3  30  m   south                                                                                30   NULL NULL
--
-- Neither is of help against an intruder who knows who took part: sdc_compatible_records counts whom it singles out. Where the rule is
-- known, a suppression itself says "rare". As a count 'wildcard' is degenerate: a value suppressed in one record makes all combinations
-- more frequent that it may belong to, so that few suppressions do. No record loses more than it would need by itself.
--
-- With small_weights := 'at_least_one' records that agree stand for at least as many persons as they are, all together. sdc_threshold_rule,
-- which raises the cells of all keys one by one, finds as many or a few more: what it finds safe by less than these may lose values too.
--
-- There is no 'identical': rows are alike or not as a whole, and the sets overlap (sdc_local_suppression, with these keys alone). Nor
-- strata: list the stratum in each combination, with an importance so high that it is never worth its suppression.
--
-- Scope: cells.
-- Not compiled: which values are suppressed is searched for in Python, with all cells at once; suppress in DuckDB, and copy the
--   released table.
-- Keeps: every value that is not suppressed.
-- Guarantees: with nulls := 'wildcard' sdc_threshold_rule finds no combination.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Suppresses: values.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (a value that is suppressed in one release is shown in another, as soon as other records stand beside it).
-- Series: values where guarantee is 'strong', else refused (whom a value that is suppressed in one record helps hangs on all
--   records: newcomers alone cannot make up for who leaves).
-- Publicly: values suppressed where a record would have stood out.
-- Parameters:
--   tbl            table                          the table, view, common table expression or file
--   keys           columns                        the key variables, whose values are suppressed
--   threshold      number or numbers in (0, ...) or NULL  t for sets of up to `dimension` keys, or a list: one for each size, or each of
--                                                         `combinations` (NULL: not checked)
--   id             column                         identifies each record
--   weight         column or number               whose sums estimate frequencies in the population; NULL: the records of the file are
--                                                 counted
--   dimension      whole number in [1, ...)       the most keys in a set; NULL: 3
--   levels         levels                         the keys by level of identification (threshold_sets.sql): only combinations of levels
--                                                 are checked
--   inclusive      truth value                    whether a frequency equal to the threshold is too low
--   guarantee      'strong' or 'wildcard'         what is counted: original records, or released ones, NULL agreeing with every value
--   combinations   combinations                   the sets of keys that are checked, instead of all of some size
--   importance     number or numbers in (0, ...)  what a suppressed value costs: one number for each of the keys, or NULL, all alike
--   cost           'equal' or 'entropy'           what that is multiplied by: 1, or the entropy of the key
--   small_weights  'error' or 'at_least_one'      a cell whose weights sum to less than its records: refused, or taken to stand for these
--   whole          column                         the household numbers, where keys are of the household; NULL: each record loses its own
--   household_columns  columns                    the keys of the household, which all members lose or none; NULL: none

CREATE OR REPLACE MACRO sdc__is_inclusive(inclusive) AS
    coalesce(inclusive::DOUBLE,
             error('ParameterError: inclusive is NULL: say whether a frequency equal to the threshold is unsafe, true or'
                   || ' false.'));
CREATE OR REPLACE MACRO sdc__suppression_rule(keys, threshold, dimension, levels, combinations) AS
    sdc__some_rule(keys, threshold, CASE WHEN combinations IS NULL THEN sdc__key_rule(keys, threshold, dimension, levels)
                                         ELSE sdc__listed_rule(keys, threshold, dimension, levels, combinations) END);

-- What a cell adds to a frequency. Small weights are added up as they are, and the records beside them: raised one by one, cells that
-- suppressions put together would stand for more persons than they do in the released file.
CREATE OR REPLACE MACRO sdc__weight_to_reach(population_frequency, sample_frequency, small_weights) AS
    CASE WHEN sdc__checked_population(1e0, 1, small_weights := small_weights) IS NULL THEN NULL  -- another choice is refused
         WHEN small_weights = 'at_least_one' THEN coalesce(population_frequency, sample_frequency::DOUBLE)
         ELSE sdc__checked_frequency(population_frequency, sample_frequency) END;

-- No rows, or the error. weighed: a row with the least weight of a record.
CREATE OR REPLACE MACRO sdc__unbreakable_limits(weighed, limits, inclusive, weight) AS TABLE
    WITH sdc__of_weights AS (
        SELECT 1 AS sdc__never
        FROM query_table(weighed)
        WHERE list_bool_or(list_transform(limits, lambda t: sdc__unbreakable(t::DOUBLE, sdc__least, inclusive, weight)))
    ),
    sdc__of_records AS (SELECT 1 AS sdc__never WHERE false)
    FROM query_table(CASE WHEN weight IS NULL THEN 'sdc__of_records' ELSE 'sdc__of_weights' END);

-- Of each cell what its records lose, a bit for each key.
CREATE OR REPLACE MACRO sdc__combination_losses(cells, keys, rule, inclusive, guarantee, importance, cost, small_weights) AS TABLE
    WITH sdc__lists AS (
        SELECT any_value(struct_keys(sdc__key)) AS sdc__names, list(sdc__codes::DOUBLE[] ORDER BY sdc__cell ASC) AS sdc__all,
               list(sdc__n::DOUBLE ORDER BY sdc__cell ASC) AS sdc__ns,
               list(sdc__weight_to_reach(sdc__w, sdc__n, small_weights) ORDER BY sdc__cell ASC) AS sdc__ws
        FROM query_table(cells)
    ),
    sdc__ruled AS (SELECT *, rule AS sdc__rule FROM sdc__lists),
    sdc__found AS (
        SELECT sdc__names, sdc__kernel_suppress_combinations(sdc__all, sdc__ns, sdc__ws,
                   list_transform(sdc__rule['sets'], lambda s: list_transform(sdc__names, lambda n: sdc__is_among(n, s)::DOUBLE)),
                   sdc__rule['limits']::DOUBLE[], sdc__is_inclusive(inclusive), guarantee,
                   list_transform(sdc__each(importance, keys, sdc__names), lambda i: coalesce(i, '1')::DOUBLE), cost) AS sdc__triples
        FROM sdc__ruled
    )
    SELECT sdc__names, sdc__triples[3 * sdc__i + 1] AS sdc__cell, sdc__triples[3 * sdc__i + 2] AS sdc__lost
    FROM (SELECT *, unnest(range(len(sdc__triples) // 3)) AS sdc__i FROM sdc__found);

CREATE OR REPLACE MACRO sdc__suppress_combinations_by_record(tbl, keys, threshold, id, weight, dimension, levels, inclusive,
                                                             guarantee, combinations, importance, cost,
                                                             small_weights) AS TABLE
    WITH sdc__records AS MATERIALIZED (
        SELECT sdc__id, NULL AS sdc__stratum, COLUMNS(sdc__to_mask((*), keys, id)),
               CASE WHEN weight IS NULL THEN NULL
                    ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__weight
        FROM sdc__identified(tbl, id, codes := keys)
    ),
    sdc__weighed AS (FROM sdc__least_weight(tbl, weight)),
    sdc__celled AS MATERIALIZED (FROM sdc__suppression_cells('sdc__records', keys)),
    sdc__losing AS MATERIALIZED (
        SELECT sdc__c.sdc__key, sdc__s.sdc__names, sdc__s.sdc__lost
        FROM sdc__combination_losses('sdc__celled', keys,
                                     sdc__suppression_rule(keys, threshold, dimension, levels, combinations), inclusive,
                                     guarantee, importance, cost, small_weights) AS sdc__s
        JOIN sdc__celled AS sdc__c ON sdc__c.sdc__cell = sdc__s.sdc__cell WHERE sdc__s.sdc__lost > 0
    ),
    sdc__keyed_records AS (SELECT *, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__own FROM sdc__records),
    sdc__decided AS (
        SELECT sdc__r.* EXCLUDE (sdc__own), sdc__l.sdc__names, coalesce(sdc__l.sdc__lost, 0) AS sdc__lost
        FROM sdc__keyed_records AS sdc__r LEFT JOIN sdc__losing AS sdc__l ON row(sdc__r.sdc__own) = row(sdc__l.sdc__key)
    )
    SELECT sdc__id, sdc__blanked(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__lost, sdc__names) AS "\0"
    FROM sdc__decided
    LEFT JOIN sdc__unbreakable_limits('sdc__weighed',
                                      sdc__suppression_rule(keys, threshold, dimension, levels, combinations)['limits'],
                                      inclusive, weight) AS sdc__none ON true;

-- A combination is the more frequent the more others lose: so what one member loses of a key of the household all may lose.
CREATE OR REPLACE MACRO sdc__suppress_combinations(tbl, keys, threshold, id, weight, dimension, levels, inclusive,
                                                   guarantee, combinations, importance, cost, small_weights, whole,
                                                   household_columns) AS TABLE
    WITH sdc__alone_done AS MATERIALIZED (
        FROM sdc__suppress_combinations_by_record(tbl, keys, threshold, id, weight, dimension, levels, inclusive, guarantee,
                                                  combinations, importance, cost, small_weights)),
    sdc__together_done AS (FROM sdc__all_or_none(tbl, 'sdc__alone_done', id, whole, household_columns))
    FROM query_table(CASE WHEN household_columns IS NULL THEN 'sdc__alone_done' ELSE 'sdc__together_done' END);

-- Title: Local suppression of rare combinations; Suppression of rare sets of {}.
-- sdc_suppress_combinations: values of keys suppressed, as few as can be, until no combination of a few keys is rare.
-- Example: FROM sdc_suppress_combinations('persons', ['age', 'sex', 'region'], 1, 'id');
CREATE OR REPLACE MACRO sdc_suppress_combinations(
        tbl, keys, threshold, id, weight := NULL, dimension := NULL, levels := NULL, inclusive := true,
        guarantee := 'strong', combinations := NULL, importance := NULL, cost := 'equal', small_weights := 'error',
        whole := NULL, household_columns := NULL) AS TABLE
    WITH sdc__done AS (
        FROM sdc__suppress_combinations(tbl, keys, threshold, id, weight, dimension, levels, inclusive, guarantee,
                                        combinations, importance, cost, small_weights, whole, household_columns)
    )
    FROM sdc__released(tbl, keys, id, 'sdc__done');

-- How frequent the combinations of each set are, of the cells of both files: in the original (sdc__before) and in the released file
-- (sdc__after), each as it stands and, NULL agreeing with every value, with those that are compatible (sdc__like_...).
--
-- A combination is a number: that of the cell without the bits of the other keys. Two patterns of NULL of one set, A and B, share some
-- keys: the combinations of B are summed by these, once for each A, and each combination of A looks its sums up.
CREATE OR REPLACE MACRO sdc__combination_counts(stacked) AS TABLE
    WITH sdc__patterns AS (SELECT DISTINCT sdc__set, sdc__known FROM query_table(stacked)),
    sdc__pairs AS MATERIALIZED (
        SELECT sdc__a.sdc__set, sdc__a.sdc__known, sdc__b.sdc__known AS sdc__other
        FROM sdc__patterns AS sdc__a JOIN sdc__patterns AS sdc__b ON sdc__a.sdc__set = sdc__b.sdc__set
    ),
    sdc__sums AS (
        SELECT sdc__p.sdc__set, sdc__p.sdc__known, sdc__p.sdc__other, sdc__c.sdc__code & sdc__p.sdc__known AS sdc__shared,
               sum(sdc__before)::BIGINT AS sdc__before, sum(sdc__after)::BIGINT AS sdc__after, sum(sdc__w_before) AS sdc__w_before,
               sum(sdc__w_after) AS sdc__w_after
        FROM query_table(stacked) AS sdc__c
        JOIN sdc__pairs AS sdc__p ON sdc__c.sdc__set = sdc__p.sdc__set AND sdc__c.sdc__known = sdc__p.sdc__other
        GROUP BY ALL
    ),
    -- (kept: else combinations are joined before what they share is computed, each to all of its pattern)
    sdc__asked AS MATERIALIZED (
        SELECT sdc__c.sdc__set, sdc__c.sdc__code, sdc__c.sdc__known, sdc__c.sdc__after, sdc__c.sdc__w_after, sdc__p.sdc__other,
               sdc__c.sdc__code & sdc__p.sdc__other AS sdc__shared
        FROM query_table(stacked) AS sdc__c
        JOIN sdc__pairs AS sdc__p ON sdc__c.sdc__set = sdc__p.sdc__set AND sdc__c.sdc__known = sdc__p.sdc__known
    )
    SELECT sdc__c.sdc__set, sdc__c.sdc__code, any_value(sdc__c.sdc__after) AS sdc__after, any_value(sdc__c.sdc__w_after) AS sdc__w_after,
           sum(sdc__s.sdc__before)::BIGINT AS sdc__like_before, sum(sdc__s.sdc__w_before) AS sdc__like_w_before,
           sum(sdc__s.sdc__after)::BIGINT AS sdc__like_after, sum(sdc__s.sdc__w_after) AS sdc__like_w_after
    FROM sdc__asked AS sdc__c JOIN sdc__sums AS sdc__s USING (sdc__set, sdc__known, sdc__other, sdc__shared)
    GROUP BY sdc__c.sdc__set, sdc__c.sdc__code;

-- The records that have a too rare combination, a row for each way to count: among the released records, NULL agreeing with every value
-- ('wildcard') or a value of its own ('identical'), or among those of the original ('strong'). (All keys fit into one number: the search
-- takes no more than 106 bits, and a released file has no other values.)
CREATE OR REPLACE MACRO sdc__too_rare(weights, records, limit_, inclusive) AS
    sdc__is_unsafe(sdc__checked_frequency(sdc__unfixed(weights), records), limit_, inclusive::BOOLEAN);
CREATE OR REPLACE MACRO sdc__rare_records(tbl, mended, keys, rule, weight, inclusive, small_weights) AS TABLE
    WITH sdc__rows_of_both AS (
        SELECT COLUMNS(sdc__columns((*), keys)), sdc__records AS sdc__after, sdc__fixed(sdc__w) AS sdc__w_after, 0 AS sdc__before,
               0 * sdc__fixed(sdc__w) AS sdc__w_before
        FROM sdc__standing_cells(mended, keys, weight, small_weights)
        UNION ALL BY NAME
        SELECT COLUMNS(sdc__columns((*), keys)), 0 AS sdc__after, 0 * sdc__fixed(sdc__w) AS sdc__w_after, sdc__records AS sdc__before,
               sdc__fixed(sdc__w) AS sdc__w_before
        FROM sdc__standing_cells(tbl, keys, weight, small_weights)
    ),
    sdc__crossed_both AS MATERIALIZED (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sum(sdc__after)::BIGINT AS sdc__after,
               sum(sdc__before)::BIGINT AS sdc__before, sum(sdc__w_after) AS sdc__w_after, sum(sdc__w_before) AS sdc__w_before
        FROM sdc__rows_of_both GROUP BY ALL
    ),
    sdc__numbered AS MATERIALIZED (
        FROM query(sdc__numbered_rows('sdc__crossed_both', keys, 'sdc__before, sdc__after, sdc__w_before, sdc__w_after'))
    ),
    sdc__widths AS MATERIALIZED (SELECT sdc__before AS sdc__first FROM sdc__bits_of_keys('sdc__numbered')),
    sdc__cells_of_both AS MATERIALIZED (
        SELECT row_number() OVER () AS sdc__cell, sdc__before, sdc__after, sdc__w_before, sdc__w_after,
               sdc__packed(sdc__ranks, sdc__first) AS sdc__code,
               sdc__packed_ones(list_transform(sdc__ranks, lambda n: n > 0), sdc__first) AS sdc__known
        FROM sdc__numbered, sdc__widths
    ),
    sdc__sets AS MATERIALIZED (
        SELECT sdc__set, sdc__limit,
               sdc__packed_ones(list_transform(sdc__names(keys), lambda k: sdc__is_among(k, sdc__of)), sdc__first) AS sdc__bits
        FROM (SELECT unnest(range(len(sdc__rule['sets']))) AS sdc__set, unnest(sdc__rule['sets']) AS sdc__of,
                     unnest(sdc__rule['limits'])::DOUBLE AS sdc__limit
              FROM (SELECT rule AS sdc__rule)), sdc__widths
    ),
    sdc__stacked AS MATERIALIZED (
        SELECT sdc__set, sdc__code & sdc__bits AS sdc__code, any_value(sdc__known & sdc__bits) AS sdc__known,
               sum(sdc__before)::BIGINT AS sdc__before, sum(sdc__after)::BIGINT AS sdc__after, sum(sdc__w_before) AS sdc__w_before,
               sum(sdc__w_after) AS sdc__w_after
        FROM sdc__cells_of_both, sdc__sets GROUP BY sdc__set, sdc__code & sdc__bits
    ),
    sdc__rare AS (
        SELECT sdc__set, sdc__code, sdc__too_rare(sdc__w_after, sdc__after, sdc__limit, inclusive) AS sdc__identical,
               sdc__too_rare(sdc__like_w_after, sdc__like_after, sdc__limit, inclusive) AS sdc__wildcard,
               sdc__too_rare(sdc__like_w_before, sdc__like_before, sdc__limit, inclusive) AS sdc__strong
        FROM sdc__combination_counts('sdc__stacked') JOIN sdc__sets USING (sdc__set)
    ),
    sdc__found AS (
        SELECT sdc__cell, bool_or(sdc__identical) AS sdc__identical, bool_or(sdc__wildcard) AS sdc__wildcard,
               bool_or(sdc__strong) AS sdc__strong
        FROM (SELECT sdc__cell, sdc__set, sdc__code & sdc__bits AS sdc__code FROM sdc__cells_of_both, sdc__sets) AS sdc__c
        JOIN (FROM sdc__rare WHERE sdc__identical OR sdc__wildcard OR sdc__strong) AS sdc__r USING (sdc__set, sdc__code)
        GROUP BY sdc__cell
    )
    SELECT sdc__guarantee, sum(sdc__before)::BIGINT AS sdc__before, sum(sdc__after)::BIGINT AS sdc__after
    FROM (SELECT unnest(['identical', 'wildcard', 'strong']) AS sdc__guarantee,
                 unnest([sdc__identical, sdc__wildcard, sdc__strong]) AS sdc__has, sdc__before, sdc__after
          FROM sdc__cells_of_both JOIN sdc__found USING (sdc__cell))
    WHERE sdc__has GROUP BY sdc__guarantee;

CREATE OR REPLACE MACRO sdc__combinations_held(wildcard, strong, guarantee) AS
    CASE greatest(wildcard, CASE guarantee WHEN 'strong' THEN strong ELSE 0 END)
         WHEN 0 THEN true
         ELSE error('TableError: ' || greatest(wildcard, strong)
                    || ' released records have combinations that are still below the threshold: nothing was written. Is the'
                    || ' table a view that changes as it is read? Store it as a table first.') END;
-- What was suppressed, where the guarantee holds; else an error. released: the id and the suppressed keys.
CREATE OR REPLACE MACRO sdc__combinations_proof(tbl, released, keys, threshold, id, weight, dimension, levels, inclusive,
                                                guarantee, combinations, small_weights) AS TABLE
    WITH sdc__new AS (SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__id, COLUMNS(sdc__columns((*), keys)) FROM sdc__exact_rows(released)),
    -- the weights stand in the table; where they are one number, the keys are all that is asked for
    sdc__whole AS MATERIALIZED (FROM sdc__released(tbl, keys, id, 'sdc__new')),
    sdc__keys_alone AS (SELECT * EXCLUDE (sdc__id) FROM sdc__new),
    sdc__mended AS (FROM query_table(CASE WHEN typeof(weight) = 'VARCHAR' THEN 'sdc__whole' ELSE 'sdc__keys_alone' END)),
    sdc__below AS (
        SELECT coalesce(sum(sdc__after) FILTER (sdc__guarantee = 'identical'), 0)::BIGINT AS below_identical,
               coalesce(sum(sdc__after) FILTER (sdc__guarantee = 'strong'), 0)::BIGINT AS below_strong,
               coalesce(sum(sdc__after) FILTER (sdc__guarantee = 'wildcard'), 0)::BIGINT AS below_wildcard,
               coalesce(sum(sdc__before) FILTER (sdc__guarantee = 'wildcard'), 0)::BIGINT AS compatible_below
        FROM sdc__rare_records(tbl, 'sdc__mended', keys,
                               sdc__suppression_rule(keys, threshold, dimension, levels, combinations), weight, inclusive,
                               small_weights)
    )
    SELECT (SELECT map_from_entries(list(row(sdc__name, sdc__values) ORDER BY sdc__name ASC))
            FROM sdc__missing_values(tbl, released, keys)) AS suppressions,
           CASE WHEN weight IS NULL THEN 'records' ELSE 'sums of weights: ' || weight::VARCHAR END AS counted, sdc__below.*
    FROM sdc__below
    WHERE sdc__combinations_held(below_wildcard, below_strong, guarantee);
