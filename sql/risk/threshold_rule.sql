-- The threshold rule of ARGUS: each combination of values of a few keys must be shared by more persons than a threshold.
--
--   a combination c of the keys in S is unsafe when f_S(c) <= t_|S|     (with weights: F^_S(c) <= t_|S|)
-- Source: SDC handbook, section 3.3.4 ("If a key occurs more often than this threshold the key is considered safe,
--   otherwise the key must be protected").
-- The rules of section 3.7 ask for "at least" so many persons instead: inclusive := false, a frequency equal to the threshold is then safe.
--
--   persons: age sex region    sdc_threshold_rule('persons', ['age', 'sex', 'region'], [1, 1]):
--            30  f   north     columns        values       records frequency threshold
--            30  f   north     [region]       [south]      1       1         1
--            30  m   north     [age, region]  [30, south]  1       1         1
--            30  m   south     [sex, region]  [m, north]   1       1         1
--                              [sex, region]  [m, south]   1       1         1
--
--   FROM sdc_threshold_rule_summary('persons', ['age', 'sex', 'region'], [1, 1]):
--   columns       threshold combinations unsafe_combinations unsafe_records least_frequency
--   [age]         1         1            0                   0              4
--   [sex]         1         2            0                   0              2
--   [region]      1         2            1                   1              1
--   [age, sex]    1         2            0                   0              2
--   [age, region] 1         2            1                   1              1
--   [sex, region] 1         3            2                   2              1
--
--   FROM sdc_threshold_rule_records('persons', ['age', 'sex', 'region'], [1, 1]):
--   age sex region unsafe_combinations
--   30  f   north  0
--   30  f   north  0
--   30  m   north  1
--   30  m   south  3
--
-- What a threshold counts: the records of the file, or with a weight the persons of the population that they stand for. 20 where every
-- record weighs 100 or more could be broken by nothing, and was meant for records (weight := NULL, or 1): it is an error, here as in
-- sdc_suppress_combinations. NULL counts within each set of keys. A sum of weights is equal to the threshold where it is so but for its
-- last digits.
--
-- Scope: cells.
-- Parameters:
--   tbl            table                      the table, view, common table expression or file
--   keys           columns                    the key variables
--   threshold      number or numbers in (0, ...) or NULL  t for sets of up to `dimension` keys, or a list: one for each size (NULL: not
--                                                         checked)
--   weight         column or number           whose sums estimate frequencies in the population; NULL: the records of the file are counted
--   dimension      whole number in [1, ...)   the most keys in a set; NULL: 3
--   levels         levels                     the keys by level of identification (threshold_sets.sql): only combinations of levels are
--                                             checked
--   inclusive      truth value                whether a frequency equal to the threshold is unsafe
--   nulls          'category' or 'wildcard'   NULL in a key is a value of its own, or agrees with every value
--   small_weights  'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or taken to stand for these

-- Every combination of each set of keys with its frequencies. The text of the query is made of the caller's names,
-- quoted, and of nothing else: one GROUP BY a set, over the cells of the whole crossing; with wildcards one query for all
-- sets (threshold_wildcards.sql).
CREATE OR REPLACE MACRO sdc__checked_frequency(population_frequency, sample_frequency) AS
    CASE WHEN sdc__at_least(population_frequency, sample_frequency) THEN population_frequency
         WHEN population_frequency IS NULL THEN sample_frequency::DOUBLE
         ELSE error('WeightError: The weights of a cell sum to less than its'
                    || ' records: frequencies in the population need expansion weights (each at least about 1, summing to'
                    || ' the population), not normalised ones. Where a few weights are'
                    || ' a little below 1, say small_weights := ''at_least_one'': a cell of all keys then stands for at'
                    || ' least its own records.')
    END;

-- The cells of all keys. (The first case refuses another choice.)
CREATE OR REPLACE MACRO sdc__standing_cells(tbl, keys, weight, small_weights) AS TABLE
    SELECT * EXCLUDE (sdc__w), CASE WHEN sdc__checked_population(1e0, 1, small_weights := small_weights) IS NULL THEN NULL
                                    WHEN small_weights = 'at_least_one' AND sdc__w < sdc__records THEN sdc__records::DOUBLE
                                    ELSE sdc__w END AS sdc__w
    FROM sdc__category_cells(tbl, keys, weight);

CREATE OR REPLACE MACRO sdc__is_unsafe(frequency, threshold, inclusive) AS
    CASE WHEN inclusive THEN sdc__at_most(frequency, threshold) WHEN NOT inclusive THEN NOT sdc__at_least(frequency, threshold)
         ELSE error('ParameterError: inclusive is NULL: say whether a frequency equal to the threshold is unsafe, true or false.') END;

-- What a set's combinations are made of, by the set's number: the names of its keys, their values, and its threshold.
CREATE OR REPLACE MACRO sdc__set_values(names) AS
    '[' || array_to_string(list_transform(names, lambda k: sdc__identifier(k) || '::VARCHAR'), ', ') || ']';
CREATE OR REPLACE MACRO sdc__threshold_text(limit_) AS limit_::VARCHAR || '::DOUBLE';
CREATE OR REPLACE MACRO sdc__by_set(texts) AS
    'CASE sdc__set' || array_to_string(list_transform(texts, lambda t, i: ' WHEN ' || i || ' THEN ' || t), '') || ' END';

CREATE OR REPLACE MACRO sdc__category_combinations(rule) AS
    array_to_string(list_transform(rule['sets'], lambda s, i:
        'SELECT ' || i || ' AS sdc__set, ' || sdc__texts(s) || ' AS sdc__columns, ' || sdc__set_values(s)
        || ' AS sdc__values, sdc__records, '
        || 'sdc__checked_frequency(sdc__w, sdc__records) AS sdc__frequency, ' || sdc__threshold_text(rule['limits'][i])
           || ' AS sdc__threshold FROM '
        || '(SELECT ' || sdc__identifiers(s)
           || ', sum(sdc__records)::BIGINT AS sdc__records, sdc__exact_sum(sdc__w) AS sdc__w FROM sdc__crossed GROUP BY '
           || sdc__identifiers(s) || ')'),
        ' UNION ALL ');

CREATE OR REPLACE MACRO sdc__wildcard_combinations(keys, rule) AS
    'SELECT sdc__set, ' || sdc__by_set(list_transform(rule['sets'], lambda s: sdc__texts(s))) || ' AS sdc__columns, '
    || sdc__by_set(list_transform(rule['sets'], lambda s: sdc__set_values(s)))
       || ' AS sdc__values, sdc__records, sdc__checked_frequency(sdc__w, sdc__f) AS sdc__frequency, '
    || sdc__by_set(list_transform(rule['limits'], lambda t: sdc__threshold_text(t))) || ' AS sdc__threshold FROM ('
       || sdc__wildcard_sets(keys, rule['sets']) || ')';

CREATE OR REPLACE MACRO sdc__combinations(tbl, keys, rule, weight, inclusive, nulls, small_weights) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__standing_cells(tbl, keys, weight, small_weights))
    SELECT *, sdc__is_unsafe(sdc__frequency, sdc__threshold, inclusive) AS sdc__unsafe
    FROM query(list_transform([rule], lambda r: CASE  -- (the sets are made once, not at each mention)
        -- no set of so many keys
        WHEN len(r['sets']) = 0
            THEN 'SELECT 0::BIGINT AS sdc__set, []::VARCHAR[] AS sdc__columns, []::VARCHAR[] AS sdc__values, sdc__records,'
                 || ' 0e0 AS sdc__frequency, 0e0 AS sdc__threshold FROM sdc__crossed LIMIT 0'
        WHEN sdc__is_category(nulls) THEN sdc__category_combinations(r)
        ELSE sdc__wildcard_combinations(sdc__names(keys), r) END)[1]);

-- What the record of the smallest weight stands for; NULL where records are counted. A threshold that one such record does not
-- break, nothing could.
CREATE OR REPLACE MACRO sdc__least_weight(tbl, weight) AS TABLE
    SELECT min(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) AS sdc__least FROM query_table(tbl);
-- The same of counted cells, which have it themselves (sdc_sql/db/counted.py).
CREATE OR REPLACE MACRO sdc__least_counted(tbl, weight) AS TABLE
    SELECT CASE WHEN typeof(weight) = 'VARCHAR' THEN min(sdc__least) ELSE TRY_CAST(weight AS DOUBLE) END AS sdc__least
    FROM query_table(tbl);
CREATE OR REPLACE MACRO sdc__unbreakable(limit_, least, inclusive, weight) AS
    CASE WHEN CASE WHEN inclusive THEN NOT sdc__at_least(limit_, least) ELSE sdc__at_most(limit_, least) END
             THEN error('ParameterError: A threshold (' || limit_::VARCHAR
                        || ') is less than what the record of the smallest weight stands for: it is compared with sums of'
                        || ' weights ('
                        || weight::VARCHAR
                        || '), and nothing could break it. Give it in persons of the population, or count records: weight'
                        || ' 1 (in SQL also NULL).')
         ELSE false END;
CREATE OR REPLACE MACRO sdc__breakable_combinations(tbl, keys, rule, threshold, weight, inclusive, nulls, small_weights) AS TABLE
    SELECT * REPLACE (
        CASE WHEN weight IS NOT NULL
                  AND sdc__unbreakable(list_min(sdc__threshold_list(threshold)), sdc__least, inclusive, weight)
                 THEN NULL
             ELSE sdc__unsafe END AS sdc__unsafe)
    FROM sdc__combinations(tbl, keys, rule, weight, inclusive, nulls, small_weights), sdc__least_weight(tbl, weight);

-- The unsafe combinations.
-- sdc_threshold_rule: the combinations of values of a few keys that too few persons share.
-- Gives: columns VARCHAR[], values VARCHAR[], records BIGINT, frequency DOUBLE (less risk), threshold DOUBLE.
-- Rows: combinations.
-- Example: FROM sdc_threshold_rule('persons', ['age', 'sex', 'region'], 40, weight := 'w');
CREATE OR REPLACE MACRO sdc_threshold_rule(tbl, keys, threshold, weight := NULL, dimension := NULL, levels := NULL,
                                           inclusive := true, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT sdc__columns AS columns, sdc__values AS "values", sdc__records AS records, sdc__frequency AS frequency,
           sdc__threshold AS threshold
    FROM sdc__breakable_combinations(tbl, keys,
                                     sdc__some_rule(keys, threshold, sdc__key_rule(keys, threshold, dimension, levels)),
                                     threshold, weight, inclusive, nulls, small_weights)
    WHERE sdc__unsafe
    ORDER BY sdc__set ASC, sdc__frequency ASC, sdc__values ASC;

-- A row a set of keys: its combinations, the unsafe ones, the records that have them, and the least frequency.
CREATE OR REPLACE MACRO sdc__threshold_summary(combinations) AS TABLE
    SELECT sdc__columns AS columns, any_value(sdc__threshold) AS threshold, count(*) AS combinations,
           count(*) FILTER (sdc__unsafe) AS unsafe_combinations,
           coalesce(sum(sdc__records) FILTER (sdc__unsafe), 0)::BIGINT AS unsafe_records,
           min(sdc__frequency) AS least_frequency
    FROM query_table(combinations)
    GROUP BY sdc__set, sdc__columns
    ORDER BY sdc__set ASC;

-- sdc_threshold_rule_summary: for each set of keys its combinations, the unsafe ones and the records that have them.
-- Gives: columns VARCHAR[], threshold DOUBLE, combinations BIGINT, unsafe_combinations BIGINT (more risk),
--   unsafe_records BIGINT (more risk), least_frequency DOUBLE (less risk).
-- Rows: each columns.
-- Words: unsafe_combinations: combinations of values that too few persons share; unsafe_records: records with a combination that too few
--   persons share; least_frequency: persons who share the rarest combination.
-- Example: FROM sdc_threshold_rule_summary('persons', ['age', 'sex', 'region'], 40, weight := 'w');
CREATE OR REPLACE MACRO sdc_threshold_rule_summary(tbl, keys, threshold, weight := NULL, dimension := NULL, levels := NULL,
                                                   inclusive := true, nulls := 'category',
                                                   small_weights := 'error') AS TABLE
    WITH sdc__every AS (
        FROM sdc__breakable_combinations(tbl, keys,
                                         sdc__some_rule(keys, threshold, sdc__key_rule(keys, threshold, dimension, levels)),
                                         threshold, weight, inclusive, nulls, small_weights)
    )
    FROM sdc__threshold_summary('sdc__every');

-- The cells of the whole crossing that have an unsafe combination, each with their number.
CREATE OR REPLACE MACRO sdc__joined_on(keys) AS
    array_to_string(
        list_transform(keys,
                       lambda k: 'sdc__c.' || sdc__identifier(k) || ' IS NOT DISTINCT FROM sdc__s.' || sdc__identifier(k)),
        ' AND ');
CREATE OR REPLACE MACRO sdc__unsafe_text(frequency, records, threshold, inclusive) AS
    'sdc__is_unsafe(sdc__checked_frequency(' || frequency || ', ' || records || '), ' || threshold || ', '
    || coalesce(inclusive::BOOLEAN::VARCHAR, 'NULL') || ')';

CREATE OR REPLACE MACRO sdc__unsafe_by_category(rule, inclusive) AS
    array_to_string(list_transform(rule['sets'], lambda s, i:
        'SELECT sdc__c.sdc__cell FROM sdc__crossed AS sdc__c JOIN (SELECT ' || sdc__identifiers(s)
        || ', sum(sdc__records)::BIGINT AS sdc__f, sdc__exact_sum(sdc__w) AS sdc__w FROM sdc__crossed GROUP BY '
        || sdc__identifiers(s) || ') AS sdc__s ON ' || sdc__joined_on(s) || ' WHERE '
           || sdc__unsafe_text('sdc__s.sdc__w', 'sdc__s.sdc__f', sdc__threshold_text(rule['limits'][i]), inclusive)),
        ' UNION ALL ');

CREATE OR REPLACE MACRO sdc__unsafe_by_wildcard(keys, rule, inclusive) AS
    'SELECT sdc__c.sdc__cell FROM ' || sdc__in_every_set(keys, rule['sets'], 'sdc__cell')
    || ' AS sdc__c JOIN (SELECT * FROM (' || sdc__wildcard_sets(keys, rule['sets']) || ') WHERE '
    || sdc__unsafe_text('sdc__w', 'sdc__f', sdc__by_set(list_transform(rule['limits'], lambda t: sdc__threshold_text(t))), inclusive)
    || ') AS sdc__s ON sdc__c.sdc__set = sdc__s.sdc__set AND ' || sdc__joined_on(keys);

CREATE OR REPLACE MACRO sdc__unsafe_cells(tbl, keys, rule, weight, inclusive, nulls, small_weights) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (
        SELECT *, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__cell
        FROM sdc__standing_cells(tbl, keys, weight, small_weights)
    )
    SELECT sdc__cell, count(*) AS sdc__unsafe
    FROM query(list_transform([rule], lambda r: CASE
        WHEN len(r['sets']) = 0 THEN 'SELECT sdc__cell FROM sdc__crossed LIMIT 0'
        WHEN sdc__is_category(nulls) THEN sdc__unsafe_by_category(r, inclusive)
        ELSE sdc__unsafe_by_wildcard(sdc__names(keys), r, inclusive) END)[1])
    GROUP BY sdc__cell;

-- sdc_threshold_rule_records: every record with the number of unsafe combinations that it has.
-- Gives: every column, unsafe_combinations BIGINT (more risk).
-- Rows: records.
-- Example: FROM sdc_threshold_rule_records('persons', ['age', 'sex', 'region'], 40, weight := 'w');
CREATE OR REPLACE MACRO sdc_threshold_rule_records(tbl, keys, threshold, weight := NULL, dimension := NULL, levels := NULL,
                                                   inclusive := true, nulls := 'category',
                                                   small_weights := 'error') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['unsafe_combinations'])), coalesce(sdc__unsafe, 0) AS unsafe_combinations
    FROM (SELECT r.* EXCLUDE (sdc__key), c.sdc__unsafe
          FROM sdc__keyed(tbl, keys) AS r
          LEFT JOIN sdc__unsafe_cells(tbl, keys,
                                      sdc__some_rule(keys, threshold, sdc__key_rule(keys, threshold, dimension, levels)),
                                      weight, inclusive, nulls, small_weights) AS c
            ON r.sdc__key = c.sdc__cell), sdc__least_weight(tbl, weight)
    WHERE weight IS NULL OR NOT sdc__unbreakable(list_min(sdc__threshold_list(threshold)), sdc__least, inclusive, weight);
