-- The joint risk of several released files of the same people: what an intruder knows who has them all.
--
--   f_r(i) = the records of release r with i's combination of the keys of r
--   f(i) = the persons with i's combinations in all releases at once
--   expected_correct_matches of r = sum_i 1 / f_r(i), of all together sum_i 1 / f(i)                   rate: / records
--   exposed = the persons with f_r(i) >= k in each release that has them, and f(i) < k
-- Source: SDC handbook, section 3.2.3 (releasing different files at the same time should not allow the gaining of more information than
--   one file alone; Trottini et al. 2006) and 3.2.2 (absolute and relative geography, one variable in several classifications); the sum of
--   1 / f is tau_1 of section 3.3.3 for an intruder who knows who took part.
--
-- An upper bound: the intruder is taken to know which records of the releases are of one person. The id is not released; but a common
-- variable, the order of the records, or outcomes that agree may link them, and nothing in the files tells that they do not. Where a
-- person is missing from a release, this counts as known, as a category of its own; a release that has nobody in common with another is
-- an error. A variable that two releases give in different classifications (ages 30-39 and 35-44; region of work, and whether it is the
-- region of residence) is a key of each: together they say what both leave (35-39; the region of residence).
--
--   public: id sex   research: id region   FROM sdc_joint_releases(['public', 'research'], [['sex'], ['region']], 'id', k := 2):
--           1  f               1  north    release tbl      records uniques below_k expected_correct_matches exposed
--           2  f               2  south    NULL    NULL     4       4       4       4                        4        all together
--           3  m               3  north    1       public   4       0       0       2                        4
--           4  m               4  south    2       research 4       0       0       2                        4
--
--   FROM sdc_joint_releases_records(['public', 'research'], [['sex'], ['region']], 'id'):
--   id least_alone together
--   1  2           1
--   2  2           1
--   3  2           1
--   4  2           1
--
-- Scope: cells.
-- Parameters:
--   releases  tables                    the released files, each with the id added to it by whoever made them
--   keys      values                    for each of them, in their order, the list of its keys
--   id        column                    identifies a person, in all of them
--   k         whole number in [2, ...)  the least number of records that is safe
--   nulls     'category' or 'wildcard'  NULL in a key is a value of its own, or agrees with every value

-- The list of lists, or the error.
CREATE OR REPLACE MACRO sdc__checked_releases(releases, keys) AS
    CASE WHEN typeof(keys) LIKE '%[][]' AND len(sdc__names(releases)) >= 2
              AND list_count(sdc__names(releases)) = len(sdc__names(keys))
              AND len(sdc__names(releases)) = len(sdc__names(keys)) AND len(sdc__lists(keys)) = len(sdc__names(keys))
             THEN sdc__lists(keys)
         ELSE error('ParameterError: releases is to be a list of two tables or more, and keys a list of as many lists'
                    || ' of columns, as in [''public'', ''research''], [[''age'', ''sex''], [''age'', ''region'']].') END;

CREATE OR REPLACE MACRO sdc__once(id, records, persons, known, tbl) AS
    CASE WHEN known < records THEN error('ColumnError: The id (' || id || ') is NULL on records of ' || tbl
                                         || ': every record needs one of its own.')
         WHEN persons < known THEN error('ColumnError: The id (' || id || ') is the same on several records of ' || tbl
                                         || ': it must be unique.')
         ELSE false END;

-- A release as it stands in the text: the person, in1 (that it has the person), and its keys as k1_<name>. And what it has been checked by.
CREATE OR REPLACE MACRO sdc__release_side(tbl, keys, id, i) AS
    'sdc__side' || i || ' AS (SELECT COLUMNS(sdc__columns((*), ' || sdc__texts([id])
    || '))::VARCHAR AS sdc__person, true AS in' || i || ', COLUMNS(sdc__columns((*), ' || sdc__texts(keys) || ')) AS "k'
    || i
    || '_\0" FROM sdc__exact_rows(' || sdc__text(tbl) || ', codes := ' || sdc__texts(list_append(keys, id))
       || ')), sdc__refused' || i
       || ' AS (SELECT 1 AS sdc__none FROM (SELECT count(*) AS sdc__n, count(sdc__person) AS sdc__known,'
    || ' count(DISTINCT sdc__person) AS sdc__persons FROM sdc__side' || i || ') WHERE sdc__once(' || sdc__text(id)
       || ', sdc__n, sdc__persons, sdc__known, ' || sdc__text(tbl) || '))';

-- False, or the error. texts: how a number is written among the ids of all releases; most: in one of them (in which 1 and 001 are two
-- persons); common: the least number of persons that a release has in common with others (of none the error above tells).
CREATE OR REPLACE MACRO sdc__written_otherwise(id, texts, most, common) AS
    CASE WHEN texts > most AND common > 0 THEN error(
             'ColumnError: Ids (' || id
             || ') are written in one way in one release, and in another way in another one (1 and 001, 1 and 1.0): these'
             || ' persons would not be joined, and the joint risk would look low. Give the ids one type and form.')
         ELSE false END;

CREATE OR REPLACE MACRO sdc__release_keys(keys, i) AS list_transform(keys, lambda n: 'k' || i || '_' || n);
CREATE OR REPLACE MACRO sdc__all_keys(keys) AS
    flatten(list_transform(keys, lambda ks, i: list_prepend('in' || i, sdc__release_keys(ks, i))));

-- False, or the error. common: the persons of a release who are in another one too; fewest: the records of the smallest (an
-- empty one has its own error).
CREATE OR REPLACE MACRO sdc__of_others(id, common, fewest, tbl) AS
    CASE WHEN common = 0 AND fewest > 0
             THEN error('ColumnError: No id (' || id || ') of ' || tbl
                        || ' occurs in another release: nothing would be joined, and the joint risk would look like that'
                        || ' of each alone. Give the ids one type and form (1 is not 1.0, ''017'' not ''17'').')
         ELSE false END;

-- A query: sdc__people (all, side by side), sdc__crossed (their cells, with records) and sdc__counted (these with sdc__f0,
-- together, and sdc__f1, ...).
CREATE OR REPLACE MACRO sdc__joint_cells(releases, keys, id, nulls) AS
    'WITH ' || array_to_string(list_transform(keys, lambda ks, i: sdc__release_side(releases[i], ks, id, i)), ', ')
    || ', sdc__people AS (SELECT sdc__person, '
       || array_to_string(list_transform(keys,
                                         lambda ks, i: 'coalesce(in' || i || ', false) AS in' || i || ', '
                                                       || sdc__identifiers(sdc__release_keys(ks, i))),
                          ', ')
    || ' FROM sdc__side1'
       || array_to_string(list_transform(range(2, len(sdc__names(keys)) + 1),
                                         lambda i: ' FULL JOIN sdc__side' || i || ' USING (sdc__person)'),
                          '')
       || ')'
    || ', sdc__crossed AS MATERIALIZED (SELECT sdc__c.* FROM (SELECT * EXCLUDE (sdc__person), count(*) AS records FROM'
    || ' sdc__people GROUP BY ALL) AS sdc__c'
    || array_to_string(list_transform(keys, lambda ks, i: ' LEFT JOIN sdc__refused' || i || ' ON true'), '')
    || ' LEFT JOIN (SELECT 1 AS sdc__none FROM (SELECT count(*) AS sdc__texts_all, greatest('
       || array_to_string(list_transform(keys, lambda ks, i: 'count(CASE WHEN in' || i || ' THEN 1 END)'), ', ')
    || ') AS sdc__texts_most FROM sdc__people WHERE sdc__plain_digits(sdc__person) IS NOT NULL GROUP BY'
    || ' sdc__plain_digits(sdc__person)) AS sdc__numbered CROSS JOIN (SELECT least('
    || array_to_string(
        list_transform(keys,
                       lambda ks, i: 'coalesce(sum(CASE WHEN in' || i || ' AND ('
                                     || array_to_string(
                           list_transform(list_filter(range(1, len(sdc__names(keys)) + 1), lambda j: j <> i),
                                          lambda j: 'in' || j),
                           ' OR ')
                                     || ') THEN 1 END), 0)'),
        ', ')
    || ') AS sdc__least_common FROM sdc__people) AS sdc__joined WHERE sdc__written_otherwise(' || sdc__text(id)
       || ', sdc__texts_all, sdc__texts_most, sdc__least_common)) AS sdc__otherwise ON true LEFT JOIN (SELECT 1 AS'
       || ' sdc__none FROM (SELECT '
    || array_to_string(
        list_transform(keys,
                       lambda ks, i: 'coalesce(sum(CASE WHEN in' || i || ' AND ('
                                     || array_to_string(
                           list_transform(list_filter(range(1, len(sdc__names(keys)) + 1), lambda j: j <> i),
                                          lambda j: 'in' || j),
                           ' OR ')
                                     || ') THEN 1 END), 0) AS sdc__common' || i),
        ', ')
    || ', least('
       || array_to_string(list_transform(keys, lambda ks, i: 'coalesce(sum(CASE WHEN in' || i || ' THEN 1 END), 0)'), ', ')
       || ') AS sdc__fewest FROM sdc__people) WHERE '
       || array_to_string(list_transform(keys,
                                         lambda ks, i: 'sdc__of_others(' || sdc__text(id) || ', sdc__common' || i
                                                       || ', sdc__fewest, ' || sdc__text(releases[i]) || ')'),
                          ' OR ')
       || ') AS sdc__alone ON true)'
    || array_to_string(list_transform(keys, lambda ks, i: ', sdc__of' || i || ' AS (SELECT * FROM sdc__crossed WHERE in' || i || ')'), '')
    || ', sdc__counted AS MATERIALIZED (SELECT sdc__t.*, floor(sdc__c0.sdc__w)::BIGINT AS sdc__f0'
       || array_to_string(list_transform(keys, lambda ks, i: ', floor(sdc__c' || i || '.sdc__w)::BIGINT AS sdc__f' || i),
                          '')
    || ' FROM (SELECT *, row(*COLUMNS(sdc__columns((*), ' || sdc__texts(sdc__all_keys(keys)) || '))) AS sdc__k0'
       || array_to_string(list_transform(keys,
                                         lambda ks, i: ', row(*COLUMNS(sdc__columns((*), '
                                                       || sdc__texts(sdc__release_keys(ks, i)) || '))) AS sdc__k' || i),
                          '')
    || ' FROM sdc__crossed) AS sdc__t LEFT JOIN sdc__cells(''sdc__crossed'', ' || sdc__texts(sdc__all_keys(keys))
       || ', ''records'', ' || sdc__text(nulls) || ') AS sdc__c0 ON sdc__t.sdc__k0 = sdc__c0.sdc__key'
    || array_to_string(
        list_transform(keys,
                       lambda ks, i: ' LEFT JOIN sdc__cells(''sdc__of' || i || ''', '
                                     || sdc__texts(sdc__release_keys(ks, i)) || ', ''records'', ' || sdc__text(nulls)
                                     || ') AS sdc__c' || i || ' ON sdc__t.in' || i || ' AND sdc__t.sdc__k' || i
                                     || ' = sdc__c' || i || '.sdc__key'),
        '')
       || ')';

-- least_alone: the least frequency of the person's combination in a release that has him or her; together: the persons with all
-- the combinations.
-- sdc_joint_releases_records: for each person the least frequency in one release alone, and that in all releases together.
-- Gives: id ANY, least_alone BIGINT (less risk), together BIGINT (less risk).
-- Rows: records.
-- Example: FROM sdc_joint_releases_records(['persons', 'released'], [['age', 'sex'], ['region']], 'id');
CREATE OR REPLACE MACRO sdc_joint_releases_records(releases, keys, id, nulls := 'category') AS TABLE
    FROM query(sdc__joint_cells(sdc__names(releases), sdc__checked_releases(releases, keys), id,
                                CASE WHEN sdc__is_category(nulls) THEN 'category' ELSE 'wildcard' END)
               || ' SELECT sdc__person AS ' || sdc__identifier(sdc__beside(id, ['least_alone', 'together'])) || ', least('
               || array_to_string(list_transform(sdc__lists(keys), lambda ks, i: 'sdc__f' || i), ', ')
               || ') AS least_alone, sdc__f0 AS together' || ' FROM (SELECT sdc__person, row(*COLUMNS(sdc__columns((*), '
               || sdc__texts(sdc__all_keys(sdc__lists(keys)))
               || '))) AS sdc__k FROM sdc__people) AS sdc__p JOIN sdc__counted ON sdc__k = sdc__k0');

-- release: its place, NULL for all together; uniques: persons who are alone in their cell; rate: expected_correct_matches / records;
-- exposed: of all together those who are safe in each release and not together, of a release those who are safe in it and not together.
-- sdc_joint_releases: the risk of each of several releases alone, and of all together.
-- Gives: release INTEGER, tbl VARCHAR, records BIGINT, uniques BIGINT (more risk), below_k BIGINT (more risk),
--   expected_correct_matches DOUBLE (more risk), rate DOUBLE (more risk), exposed BIGINT (more risk).
-- Rows: each release.
-- Words: uniques: records that are alone in all releases together; below_k: records that fewer than k are like in all releases together;
--   rate: expected share of correct matches in all releases together; exposed: records that the releases together expose.
-- Example: FROM sdc_joint_releases(['persons', 'released'], [['age', 'sex'], ['region']], 'id');
CREATE OR REPLACE MACRO sdc_joint_releases(releases, keys, id, k := 3, nulls := 'category') AS TABLE
    WITH sdc__stacked AS (
        FROM query(sdc__joint_cells(sdc__names(releases), sdc__checked_releases(releases, keys), id,
                                    CASE WHEN sdc__is_category(nulls) THEN 'category' ELSE 'wildcard' END)
                   || array_to_string(
                       list_transform(sdc__lists(keys),
                                      lambda ks, i: ' SELECT ' || i || ' AS sdc__j, ' || sdc__text(releases[i])
                                                    || ' AS sdc__name, records AS sdc__n, sdc__f' || i
                                                    || ' AS sdc__f, sdc__f0, sdc__f' || i
                                                    || ' AS sdc__alone FROM sdc__counted WHERE in' || i),
                       ' UNION ALL')
                   || ' UNION ALL SELECT 0, '''', records, sdc__f0, sdc__f0, least('
                   || array_to_string(list_transform(sdc__lists(keys), lambda ks, i: 'sdc__f' || i), ', ')
                   || ') FROM sdc__counted')
    )
    SELECT nullif(sdc__j, 0) AS release, nullif(max(sdc__name), '') AS tbl, sum(sdc__n)::BIGINT AS records,
           coalesce(sum(sdc__n) FILTER (sdc__f = 1), 0)::BIGINT AS uniques,
           coalesce(sum(sdc__n) FILTER (sdc__f < sdc__k), 0)::BIGINT AS below_k,
           sdc__exact_sum(sdc__n / sdc__f, 90) AS expected_correct_matches,
           sdc__exact_sum(sdc__n / sdc__f, 90) / sum(sdc__n) AS rate,
           coalesce(sum(sdc__n) FILTER (sdc__f0 < sdc__k AND sdc__alone >= sdc__k), 0)::BIGINT AS exposed
    FROM sdc__stacked, (SELECT sdc__checked_whole(k, 'k', 2) AS sdc__k)
    GROUP BY sdc__j ORDER BY sdc__j ASC;
