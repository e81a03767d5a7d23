-- Local suppression by a threshold rule: values suppressed, as few as can be, until no combination of a few keys is rare.
--
--   for each set S of keys that the rule checks, and each record:  f_S(what the record keeps of S) > t_|S|
--   (with weights F^_S; inclusive := false: >=).  f: the records of the original that agree on what is kept
-- Source: SDC handbook, sections 3.3.4 and 3.7 (the rules), 3.4.3.2 (local suppression); Hundepool et al., mu-ARGUS manual (combinations).
--
-- The sets are those of sdc_threshold_rule: all of 1 .. `dimension` keys, each size with its own threshold (NULL: not checked), or by
-- levels of identification. The fewest suppressions are found exactly. Afterwards sdc_threshold_rule finds nothing with the same
-- arguments and nulls := 'wildcard', which is checked before anything is written.
--
--   persons: age sex region    sdc_suppress_combinations('persons', ['age', 'sex', 'region'], 1, 'id'):   age  sex  region
--            30  f   north                                                                                30   f    north
--            30  f   north                                                                                30   f    north
--            30  m   south                                                                                30   NULL NULL
--
-- As 'strong' of sdc_local_suppression it is no help against an intruder who knows who took part: sdc_compatible_records counts whom
-- it singles out. Where the rule is known, a suppression itself says "rare".
--
-- Scope: table.
-- Keeps: every value that is not suppressed.
-- Guarantees: with nulls := 'wildcard' sdc_threshold_rule finds no combination.
-- Parameters:
--   tbl        table              the table, view, common table expression or file
--   keys       columns            the key variables, whose values are suppressed
--   threshold  number or numbers  t for sets of up to `dimension` keys, or a list: one for each size (NULL: not checked)
--   id         column             identifies each record
--   weight     column or number   whose sums estimate frequencies in the population; NULL: the records of the file are counted
--   dimension  whole number       the most keys in a set; NULL: 3
--   levels     levels             the keys by level of identification (threshold_sets.sql): only combinations of levels are checked
--   inclusive  truth value        whether a frequency equal to the threshold is too low

CREATE OR REPLACE MACRO sdc__is_inclusive(inclusive) AS
    coalesce(inclusive::DOUBLE, error('ParameterError: inclusive is NULL: say whether a frequency equal to the threshold is unsafe, true or false.'));

-- Of each cell what its records lose, a bit for each key.
CREATE OR REPLACE MACRO sdc__combination_losses(cells, sets, threshold, inclusive) AS TABLE
    WITH sdc__lists AS (
        SELECT any_value(struct_keys(sdc__key)) AS sdc__names, list(sdc__codes::DOUBLE[] ORDER BY sdc__cell ASC) AS sdc__all,
               list(sdc__n::DOUBLE ORDER BY sdc__cell ASC) AS sdc__ns, list(sdc__checked_frequency(sdc__w, sdc__n) ORDER BY sdc__cell ASC) AS sdc__ws
        FROM query_table(cells)
    ),
    sdc__found AS (
        SELECT sdc__names, sdc__kernel_suppress_combinations(sdc__all, sdc__ns, sdc__ws,
                   list_transform(sets, lambda s: list_transform(sdc__names, lambda n: sdc__is_among(n, s)::DOUBLE)),
                   list_transform(sets, lambda s: sdc__set_threshold(threshold, len(s))::DOUBLE), sdc__is_inclusive(inclusive)) AS sdc__triples
        FROM sdc__lists
    )
    SELECT sdc__names, sdc__triples[3 * sdc__i + 1] AS sdc__cell, sdc__triples[3 * sdc__i + 2] AS sdc__lost
    FROM (SELECT *, unnest(range(len(sdc__triples) // 3)) AS sdc__i FROM sdc__found);

CREATE OR REPLACE MACRO sdc__suppress_combinations(tbl, keys, threshold, id, weight, dimension, levels, inclusive) AS TABLE
    WITH sdc__records AS MATERIALIZED (
        SELECT sdc__id, NULL AS sdc__stratum, COLUMNS(sdc__to_mask((*), keys, id)),
               CASE WHEN weight IS NULL THEN NULL ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__weight
        FROM sdc__identified(tbl, id, codes := keys)
    ),
    sdc__celled AS MATERIALIZED (FROM sdc__suppression_cells('sdc__records')),
    sdc__losing AS MATERIALIZED (
        SELECT sdc__c.sdc__key, sdc__s.sdc__names, sdc__s.sdc__lost
        FROM sdc__combination_losses('sdc__celled', sdc__some_sets(keys, threshold, sdc__key_sets(keys, threshold, dimension, levels)), threshold, inclusive) AS sdc__s
        JOIN sdc__celled AS sdc__c ON sdc__c.sdc__cell = sdc__s.sdc__cell WHERE sdc__s.sdc__lost > 0
    ),
    sdc__keyed_records AS (SELECT *, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__own FROM sdc__records),
    sdc__decided AS (
        SELECT sdc__r.* EXCLUDE (sdc__own), sdc__l.sdc__names, coalesce(sdc__l.sdc__lost, 0) AS sdc__lost
        FROM sdc__keyed_records AS sdc__r LEFT JOIN sdc__losing AS sdc__l ON row(sdc__r.sdc__own) = row(sdc__l.sdc__key)
    )
    SELECT sdc__id, sdc__blanked(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__lost, sdc__names) AS "\0" FROM sdc__decided;

-- sdc_suppress_combinations: values of keys suppressed, as few as can be, until no combination of a few keys is rare.
-- Example: FROM sdc_suppress_combinations('persons', ['age', 'sex', 'region'], 1, 'id');
CREATE OR REPLACE MACRO sdc_suppress_combinations(tbl, keys, threshold, id, weight := NULL, dimension := NULL, levels := NULL, inclusive := true) AS TABLE
    WITH sdc__done AS (FROM sdc__suppress_combinations(tbl, keys, threshold, id, weight, dimension, levels, inclusive))
    FROM sdc__released(tbl, keys, id, 'sdc__done');

-- What was suppressed, where the rule finds nothing any more; else an error. released: the id and the suppressed keys.
CREATE OR REPLACE MACRO sdc__combinations_proof(tbl, released, keys, threshold, id, weight, dimension, levels, inclusive) AS TABLE
    WITH sdc__new AS (SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__id, COLUMNS(sdc__columns((*), keys)) FROM sdc__exact_rows(released)),
    sdc__mended AS MATERIALIZED (FROM sdc__released(tbl, keys, id, 'sdc__new')),
    sdc__rare AS (
        SELECT coalesce(sum(unsafe_combinations), 0)::BIGINT AS sdc__number
        FROM sdc__threshold_summary('sdc__mended', keys, sdc__some_sets(keys, threshold, sdc__key_sets(keys, threshold, dimension, levels)), threshold, weight, inclusive, 'wildcard')
    )
    SELECT sdc__number AS unsafe_combinations,
           (SELECT map_from_entries(list(row(sdc__name, sdc__values) ORDER BY sdc__name ASC)) FROM sdc__missing_values(tbl, released, keys)) AS suppressions
    FROM sdc__rare
    WHERE CASE WHEN sdc__number = 0 THEN true
               ELSE error('TableError: ' || sdc__number || ' combinations are still below the threshold: nothing was written. Is the table a view that changes as it is read? Store it as a table first.') END;
