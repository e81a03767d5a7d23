-- The frequencies of combinations of a few keys where NULL agrees with every value, for all sets of keys at once.
--
--   f_S(c) = sum over patterns B of the records of S's cells b with pattern B that agree with c on the keys that neither has NULL
-- Source: as wildcard_cells.sql, whose frequencies these are, of each set S. There cells are numbered, once a call; here a set has
-- few patterns (2^|S| at most) and few cells, and there are many sets: what costs is the number of queries, so all sets go through one.
--
-- Each step is one query over the cells of all sets, stacked: the set's number, and every key, NULL where it is not of the set.
-- Two patterns of one set, A and B, share the keys A and B. The cells of B are summed over the values of these, once for each A, and
-- each cell of A looks its sums up. (A pattern that no record has, of cells that are only looked up, adds to no other.)
-- The texts are made of the caller's names, quoted, and of nothing else.

-- Whether a set has a key: 'sdc__set IN (0, 1, 3)'.
CREATE OR REPLACE MACRO sdc__in_set(key, sets) AS
    'sdc__set IN ('
    || array_to_string(list_prepend(0, list_filter(range(1, len(sets) + 1), lambda i: list_contains(sets[i], key))), ', ')
    || ')';

-- The cells of sdc__crossed in every set: their keys, those of the other sets NULL.
CREATE OR REPLACE MACRO sdc__in_every_set(keys, sets, others) AS
    '(SELECT sdc__set, ' || others
    || array_to_string(list_transform(keys,
                                      lambda k: ', CASE WHEN ' || sdc__in_set(k, sets) || ' THEN ' || sdc__identifier(k)
                                                || ' END AS ' || sdc__identifier(k)),
                       '')
    || ' FROM sdc__crossed CROSS JOIN (SELECT unnest(range(1, ' || (len(sets) + 1) || ')) AS sdc__set))';

-- The keys of a cell c that both patterns of a pair p have.
CREATE OR REPLACE MACRO sdc__shared_keys(keys) AS
    array_to_string(list_transform(keys,
                                   lambda k, i: ', CASE WHEN p.sdc__both_' || i || ' THEN c.' || sdc__identifier(k)
                                                || ' END AS ' || sdc__identifier(k)),
                    '');

-- A query of what sdc__crossed gives: sdc__set, the keys, sdc__records, sdc__f and sdc__w.
CREATE OR REPLACE MACRO sdc__wildcard_sets(keys, sets) AS
    'WITH sdc__stacked AS MATERIALIZED ('
    || 'SELECT *, '
       || array_to_string(
        list_transform(keys, lambda k: 'CASE WHEN ' || sdc__identifier(k) || ' IS NULL THEN ''0'' ELSE ''1'' END'), ' || ')
       || ' AS sdc__known'
    || ' FROM (SELECT sdc__set, ' || sdc__identifiers(keys)
       || ', sum(sdc__records)::BIGINT AS sdc__records, sdc__exact_sum(sdc__w) AS sdc__w'
    || ' FROM ' || sdc__in_every_set(keys, sets, 'sdc__records, sdc__w') || ' GROUP BY ALL)), '
    || 'sdc__patterns AS (SELECT sdc__set, sdc__known'
    || array_to_string(list_transform(keys, lambda k, i: ', ' || sdc__identifier(k) || ' IS NOT NULL AS sdc__has_' || i),
                       '')
       || ', sum(sdc__records) AS sdc__n FROM sdc__stacked GROUP BY ALL), '
    || 'sdc__pairs AS MATERIALIZED (SELECT a.sdc__set, a.sdc__known, b.sdc__known AS sdc__other'
    || array_to_string(list_transform(keys, lambda k, i: ', a.sdc__has_' || i || ' AND b.sdc__has_' || i || ' AS sdc__both_' || i), '')
    || ' FROM sdc__patterns AS a JOIN sdc__patterns AS b ON a.sdc__set = b.sdc__set'
    || ' WHERE b.sdc__n > 0 OR a.sdc__known = b.sdc__known), '
    || 'sdc__asked AS MATERIALIZED (SELECT c.*, p.sdc__other'
       || array_to_string(list_transform(keys,
                                         lambda k, i: ', CASE WHEN p.sdc__both_' || i || ' THEN c.' || sdc__identifier(k)
                                                      || ' END AS sdc__shared_' || i),
                          '')
    || ' FROM sdc__stacked AS c JOIN sdc__pairs AS p ON c.sdc__set = p.sdc__set AND c.sdc__known = p.sdc__known), '
    || 'sdc__sums AS MATERIALIZED (SELECT sdc__set, sdc__of, sdc__other, ' || sdc__identifiers(keys)
       || ', sum(sdc__records)::BIGINT AS sdc__f, sdc__exact_sum(sdc__w) AS sdc__w'
    || ' FROM (SELECT p.sdc__set, p.sdc__known AS sdc__of, p.sdc__other, c.sdc__records, c.sdc__w' || sdc__shared_keys(keys)
    || ' FROM sdc__stacked AS c JOIN sdc__pairs AS p ON c.sdc__set = p.sdc__set AND c.sdc__known = p.sdc__other) GROUP BY ALL) '
    || 'SELECT c.sdc__set, ' || array_to_string(list_transform(keys, lambda k: 'c.' || sdc__identifier(k)), ', ')
       || ', c.sdc__records, sum(s.sdc__f)::BIGINT AS sdc__f, sdc__exact_sum(s.sdc__w) AS sdc__w'
    || ' FROM sdc__asked AS c JOIN sdc__sums AS s ON c.sdc__set = s.sdc__set AND c.sdc__known = s.sdc__of AND c.sdc__other = s.sdc__other'
    || array_to_string(
        list_transform(keys, lambda k, i: ' AND c.sdc__shared_' || i || ' IS NOT DISTINCT FROM s.' || sdc__identifier(k)),
        '')
    || ' GROUP BY ALL';
