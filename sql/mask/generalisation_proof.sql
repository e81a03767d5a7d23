-- What a generalisation released, measured anew before it is written: an error where it is not as was asked.
--
-- By the measures for a file as it stands, which know nothing of the search. released: the id and the generalised keys.

CREATE OR REPLACE MACRO sdc__is_as_asked(holds, what) AS
    CASE WHEN holds THEN true
         ELSE error('TableError: What was to be released is not as was asked (' || what
                    || '): nothing was written. Is the table a view that changes as it is read? Store it as a table'
                    || ' first.') END;

CREATE OR REPLACE MACRO sdc__generalisation_proof(released, keys, k) AS TABLE
    SELECT max(records) AS below_k FROM sdc_k_anonymity(released, keys, k) WHERE sdc__held(records, 'k-anonymity');

-- The table as it would be, and those of its records that are not suppressed.
CREATE OR REPLACE MACRO sdc__generalised_file(tbl, released, keys, id) AS TABLE
    WITH sdc__done AS (SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__id, COLUMNS(sdc__columns((*), keys)) FROM query_table(released))
    FROM sdc__released(tbl, keys, id, 'sdc__done');
CREATE OR REPLACE MACRO sdc__not_suppressed(tbl, released, keys, id) AS TABLE
    SELECT * EXCLUDE (sdc__kept)
    FROM (SELECT *, list_count([*COLUMNS(sdc__columns((*), keys))]) > 0 AS sdc__kept
          FROM sdc__generalised_file(tbl, released, keys, id))
    WHERE sdc__kept;

CREATE OR REPLACE MACRO sdc__diversity_proof(tbl, released, keys, id, sensitive, l, diversity, c) AS TABLE
    WITH sdc__file AS MATERIALIZED (FROM sdc__generalised_file(tbl, released, keys, id))
    SELECT sdc__least AS least_l
    FROM (SELECT CASE diversity WHEN 'distinct' THEN distinct_l
                                WHEN 'entropy' THEN entropy_l
                                ELSE recursive_l END::DOUBLE AS sdc__least
          FROM sdc_l_diversity('sdc__file', keys, sensitive, c := c))
    WHERE sdc__is_as_asked(sdc__at_least(sdc__least, l), 'l');
CREATE OR REPLACE MACRO sdc__closeness_proof(tbl, released, keys, id, sensitive, t, distance) AS TABLE
    WITH sdc__file AS MATERIALIZED (FROM sdc__generalised_file(tbl, released, keys, id))
    SELECT sdc__f.t AS greatest_t
    FROM sdc_t_closeness('sdc__file', keys, sensitive, distance := distance) AS sdc__f
    WHERE sdc__is_as_asked(sdc__f.t <= t + 1e-12, 't');
CREATE OR REPLACE MACRO sdc__threshold_proof(tbl, released, keys, id, weight, threshold) AS TABLE
    WITH sdc__file AS MATERIALIZED (FROM sdc__not_suppressed(tbl, released, keys, id))
    SELECT min(sdc__w) AS least_weight
    FROM sdc__category_cells('sdc__file', keys, weight)
    HAVING sdc__is_as_asked(coalesce(sdc__at_least(min(sdc__w), threshold), true), 'threshold');

-- levels: by number, of the keys in the order in which they are given.
CREATE OR REPLACE MACRO sdc__population_proof(tbl, released, keys, id, hierarchies, levels, population, population_k) AS TABLE
    WITH sdc__file AS MATERIALIZED (FROM sdc__not_suppressed(tbl, released, keys, id)),
    sdc__ladders AS MATERIALIZED (FROM sdc__hierarchies(hierarchies, keys)),
    sdc__labels AS MATERIALIZED (FROM sdc__labels_at('sdc__ladders', keys, levels)),
    sdc__persons AS MATERIALIZED (SELECT COLUMNS(sdc__columns((*), keys)) FROM sdc__exact_rows(population, codes := keys)),
    sdc__others AS MATERIALIZED (FROM sdc__relabelled('sdc__persons', keys, 'sdc__labels'))
    SELECT least AS least_population
    FROM sdc_k_map('sdc__file', 'sdc__others', keys, population_k)
    WHERE sdc__is_as_asked(records = 0, 'population_k');

-- How many records were suppressed although k records or more share their labels: because of what is asked besides k. Whoever knows the
-- rule knows that of these the sensitive values are alike.
CREATE OR REPLACE MACRO sdc__suppressed_beyond_k(tbl, released, keys, id, hierarchies, levels, k) AS TABLE
    WITH sdc__ladders AS MATERIALIZED (FROM sdc__hierarchies(hierarchies, keys)),
    sdc__labels AS MATERIALIZED (FROM sdc__labels_at('sdc__ladders', keys, levels)),
    sdc__gone AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id
        FROM (SELECT *, list_count([*COLUMNS(sdc__columns((*), keys))]) AS sdc__kept FROM query_table(released))
        WHERE sdc__kept = 0
    ),
    sdc__persons AS MATERIALIZED (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__lost
        FROM (SELECT COLUMNS(sdc__columns((*), keys)), COLUMNS(sdc__columns((*), [id])) AS sdc__own
              FROM sdc__exact_rows(tbl, codes := keys)) AS sdc__p
        LEFT JOIN (SELECT sdc__id, 1 AS sdc__lost FROM sdc__gone) AS sdc__g ON sdc__p.sdc__own = sdc__g.sdc__id
    ),
    sdc__celled AS (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), count(*) AS sdc__n, count(sdc__lost) AS sdc__out
        FROM sdc__relabelled('sdc__persons', keys, 'sdc__labels')
        GROUP BY ALL
    )
    SELECT coalesce(sum(sdc__out) FILTER (sdc__n >= k), 0)::BIGINT AS suppressed_beyond_k FROM sdc__celled;
