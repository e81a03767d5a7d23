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
--                                        itself says "rare". sdc_compatible_records counts whom this singles out.
-- 'identical' suppresses one of the others too, or all three; it hides the value among k records that look the same.
-- As a count 'wildcard' is degenerate: k - 1 records blanked whole make any file anonymous. Here no record loses more than
-- it would need by itself.
--
-- A value that was NULL before counts as suppressed, and costs nothing. Of equally cheap sets the keys of most categories go first.
-- To find the fewest for 'identical' is NP-hard: a greedy answer is made better for about a second.
-- No draws: no key is needed. 16 keys at the most.
--
-- Scope: table.
-- Keeps: every value that is not suppressed.
-- Guarantees: what `guarantee` names, with k; of the released table sdc_suppression_report counts anew who is without it.
-- Parameters:
--   tbl         table              the table, view, common table expression or file
--   keys        columns            the key variables, whose values are suppressed
--   k           whole number       the least number of records, at least 2
--   id          column             identifies each record
--   guarantee   'identical', 'strong' or 'wildcard'  what is to hold of each released record
--   importance  number or numbers  what a suppressed value costs: one positive number for each of the keys, or NULL, all alike
--   cost        'equal' or 'entropy'  what that is multiplied by: 1, or the entropy of the key
--   stratum     column             a column within whose values k records are to be found

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

-- Of each cell that loses something: what its records lose (a bit for each key), and up to which of them by id.
CREATE OR REPLACE MACRO sdc__suppressions(cells, keys, k, guarantee, importance, cost) AS TABLE
    WITH sdc__lists AS (
        SELECT sdc__stratum, any_value(struct_keys(sdc__key)) AS sdc__names,
               list(sdc__codes::DOUBLE[] ORDER BY sdc__cell ASC) AS sdc__all, list(sdc__n::DOUBLE ORDER BY sdc__cell ASC) AS sdc__ns
        FROM query_table(cells) GROUP BY sdc__stratum
    ),
    sdc__found AS (
        SELECT sdc__stratum, sdc__names,
               sdc__kernel_suppress(sdc__stratum::VARCHAR, sdc__all, sdc__ns, sdc__checked_whole(k, 'k', 2)::DOUBLE, guarantee,
                   list_transform(sdc__each(importance, keys, sdc__names), lambda i: coalesce(i, '1')::DOUBLE), cost) AS sdc__triples
        FROM sdc__lists
    ),
    sdc__parts AS (
        SELECT sdc__stratum, sdc__names, sdc__triples[3 * sdc__i + 1] AS sdc__cell, sdc__triples[3 * sdc__i + 2] AS sdc__lost, sdc__triples[3 * sdc__i + 3] AS sdc__n
        FROM (SELECT *, unnest(range(len(sdc__triples) // 3)) AS sdc__i FROM sdc__found)
    ),
    sdc__summed AS (SELECT *, sum(sdc__n) OVER (PARTITION BY sdc__stratum, sdc__cell ORDER BY sdc__lost ASC)::BIGINT AS sdc__upto FROM sdc__parts)
    SELECT sdc__stratum, sdc__cell, sdc__names, list(sdc__lost ORDER BY sdc__lost ASC) AS sdc__losses, list(sdc__upto ORDER BY sdc__lost ASC) AS sdc__uptos
    FROM sdc__summed GROUP BY sdc__stratum, sdc__cell, sdc__names HAVING max(sdc__lost) > 0;

CREATE OR REPLACE MACRO sdc__blanked(v, lost, names) AS
    CASE WHEN lost = 0 THEN v WHEN (lost >> (list_position(names, alias(v)) - 1)) & 1 = 1 THEN NULL ELSE v END;

CREATE OR REPLACE MACRO sdc__local_suppression(tbl, keys, k, id, guarantee, importance, cost, stratum) AS TABLE
    WITH sdc__records AS MATERIALIZED (
        SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__column((*), stratum))) AS sdc__stratum, NULL::DOUBLE AS sdc__weight,
               COLUMNS(sdc__to_mask((*), keys, id))
        FROM sdc__identified(tbl, id, codes := list_append(keys::VARCHAR[], stratum))
    ),
    sdc__celled AS MATERIALIZED (FROM sdc__suppression_cells('sdc__records')),
    sdc__losing AS MATERIALIZED (
        SELECT sdc__c.sdc__stratum, sdc__c.sdc__key, sdc__s.sdc__names, sdc__s.sdc__losses, sdc__s.sdc__uptos
        FROM sdc__suppressions('sdc__celled', keys, k, guarantee, importance, cost) AS sdc__s
        JOIN sdc__celled AS sdc__c ON sdc__c.sdc__cell = sdc__s.sdc__cell AND sdc__c.sdc__stratum IS NOT DISTINCT FROM sdc__s.sdc__stratum
    ),
    sdc__keyed_records AS (SELECT *, row(sdc__stratum, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__')))) AS sdc__own FROM sdc__records),
    -- of cells whose records do not all lose the same
    sdc__placed AS (
        SELECT sdc__of, sdc__losses[1 + len(list_filter(sdc__uptos, lambda u: u < sdc__place))] AS sdc__this
        FROM (SELECT sdc__r.sdc__id AS sdc__of, sdc__losses, sdc__uptos, row_number() OVER (PARTITION BY sdc__own ORDER BY sdc__r.sdc__id ASC) AS sdc__place
              FROM sdc__keyed_records AS sdc__r JOIN sdc__losing AS sdc__l ON sdc__r.sdc__own = row(sdc__l.sdc__stratum, sdc__l.sdc__key) WHERE len(sdc__losses) > 1)
    ),
    sdc__decided AS (
        SELECT sdc__r.* EXCLUDE (sdc__own), sdc__l.sdc__names, coalesce(sdc__p.sdc__this, sdc__l.sdc__losses[1], 0) AS sdc__lost
        FROM sdc__keyed_records AS sdc__r
        LEFT JOIN sdc__losing AS sdc__l ON sdc__r.sdc__own = row(sdc__l.sdc__stratum, sdc__l.sdc__key)
        LEFT JOIN sdc__placed AS sdc__p ON sdc__r.sdc__id = sdc__p.sdc__of
    )
    SELECT sdc__id, sdc__blanked(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__lost, sdc__names) AS "\0" FROM sdc__decided;

-- sdc_local_suppression: values of keys suppressed, as few as can be, until no record stands out among k.
-- Example: FROM sdc_local_suppression('persons', ['age', 'sex', 'region'], 2, 'id');
CREATE OR REPLACE MACRO sdc_local_suppression(tbl, keys, k, id, guarantee := 'identical', importance := NULL, cost := 'equal', stratum := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__local_suppression(tbl, keys, k, id, guarantee, importance, cost, stratum))
    FROM sdc__released(tbl, keys, id, 'sdc__done');
