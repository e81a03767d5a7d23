-- The true risk of re-identification after masking: an intruder who knows the original keys of a person looks for these in the
-- released file.
--
--   M_i = the released records that are compatible with the original keys of record i: in every key equal to them, or NULL
--   p_i = 1 / |M_i| where i's own released record is in M_i, else 0                 probability of a correct link
--   expected_correct_matches = sum p_i,  rate = sum p_i / records
-- Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for microdata (links of the original to
--   the masked records, right and wrong); Reiter (2005), Estimating risks of identification disclosure in microdata, JASA 100, 1103-1112
--   (expected match risk, true and false match rate of unique matches); SDC handbook, section 3.3.8, for the proportion of right links.
--
--   original: id sex region  released: id sex  region   sdc_true_reidentification_records('original', 'released', ['sex', 'region'], 'id'):
--             1  f   north             1  f    north    id matches correct probability
--             2  f   north             2  NULL north    1  2       true    0.5          records 1 and 2
--             3  m   north             3  m    south    2  2       true    0.5          the same
--             4  m   south             4  m    south    3  1       false   0            record 2 (unique and wrong)
--                                                       4  2       true    0.5          records 3 and 4
--   FROM sdc_true_reidentification('original', 'released', ['sex', 'region'], 'id'):
--   records unmatched unique_correct unique_wrong own_among_matches expected_correct_matches rate
--   4       0         0              1            3                 1.5                      0.375
--
-- The intruder is taken to know every key as the original has it, and that the person is in the file: the worst case for matching on
-- keys. Persons who are not released (a sample, a record left out) are not looked for. A NULL of the original agrees with a released NULL
-- only. Values are compared by their texts (30 and 30.0 are two).
-- A recoded key (34 released as '30-39') has to be said in `recoded`: a label then stands for the original values that were released
-- under it. That is right where each value has one label (a global recoding); it is an error where one has several, as after local
-- recoding or a perturbation: then recode the original alike first, by the same hierarchy or breaks, and compare with that. A key that
-- shares no value with the original and is not in `recoded` is an error: it would read as no risk; so is one that was plainly recoded (34
-- as 30, 38 as 30, always; or other numbers in the same order, as of whole numbers that were rounded and are all different): part of its
-- values would find nothing. A value whose every record was suppressed has no label and agrees with NULL only: fewer matches than the
-- intruder has, never more.
--
-- Scope: table.
-- Parameters:
--   original  table                     the table before masking
--   released  table                     the table after it
--   keys      columns                   what the intruder knows
--   id        column                    identifies each record in both
--   k         whole number in [2, ...)  the number of matches that is enough
--   nulls     'wildcard' or 'category'  NULL in a released key agrees with every value, or is a value of its own
--   recoded   columns                   the keys whose released values are labels of groups of the original ones

-- sdc__person, and the columns sdc__o_sdc__x_<name> of the original beside sdc__r_sdc__x_<name> of the released file, as texts.
-- sides: those of sdc__both_labels.
CREATE OR REPLACE MACRO sdc__side_by_side(sides) AS TABLE
    SELECT sdc__o.*, sdc__r.* EXCLUDE (sdc__same)
    FROM (SELECT sdc__person, COLUMNS(lambda c: starts_with(c, 'sdc__x_')) AS "sdc__o_\0"
          FROM query_table(sides)
          WHERE sdc__first) AS sdc__o
    JOIN (SELECT sdc__person AS sdc__same, COLUMNS(lambda c: starts_with(c, 'sdc__x_')) AS "sdc__r_\0"
          FROM query_table(sides)
          WHERE NOT sdc__first) AS sdc__r
      ON sdc__o.sdc__person = sdc__r.sdc__same;

-- The distinct ones, and how many records have each (sdc__n). (The join adds nothing: it is there for its error.)
-- ids: another relation of the same persons, whose ids are read where those of sides do not stand in one line.
CREATE OR REPLACE MACRO sdc__paired_cells(sides, id, ids := NULL) AS TABLE
    SELECT sdc__p.*
    FROM (SELECT COLUMNS(lambda c: starts_with(c, 'sdc__o_') OR starts_with(c, 'sdc__r_')), count(*) AS sdc__n
          FROM sdc__side_by_side(sides)
          GROUP BY ALL) AS sdc__p
    LEFT JOIN sdc__refused_pairs(coalesce(ids, sides), id) AS sdc__none ON true;

CREATE OR REPLACE MACRO sdc__one_label(value, least, most, name) AS
    CASE WHEN least <> most
             THEN error('ParameterError: recoded names "' || name
                        || '", and a value of it was released under several labels: recode the original alike first (by'
                        || ' the same hierarchy or breaks) and compare with that.')
         ELSE coalesce(most, value) END;

-- apart: 2 where a number has one text in one file alone, and another in the other.
CREATE OR REPLACE MACRO sdc__coded_otherwise(shared, released, apart, name) AS
    CASE WHEN shared > 0 AND apart = 2
             THEN error('ColumnError: Numbers in the key "' || name
                        || '" are written in one way in one table, and in another way in the other (017 and 17, 1.50 and'
                        || ' 1.5): they would not agree, and the risk would look low. Give both columns one type and form.')
         WHEN shared = 0 AND released > 0
             THEN error('ColumnError: No released value of the key "' || name
                        || '" occurs in the original, so that nothing could agree: name it in recoded where these are'
                        || ' labels of groups, recode the original alike, or leave out a key that was masked as a number.')
         ELSE false END;

-- A number by its text, NULL of other texts.
CREATE OR REPLACE MACRO sdc__number_of_text(x) AS
    CASE WHEN translate(x, '.-', '') <> ''
              AND (translate(x, '0123456789', '') IN ('', '.')
                   OR starts_with(x, '-') AND translate(x, '0123456789', '') IN ('-', '-.'))
             THEN x::DOUBLE END;

-- 1 where a released value is followed by a lower one, values taken as numbers where they are, else as texts; or is a label of a number.
CREATE OR REPLACE MACRO sdc__falls(old, one, next) AS
    CASE WHEN sdc__number_of_text(old) IS NOT NULL AND sdc__number_of_text(one) IS NULL THEN 1
         WHEN sdc__number_of_text(one) IS NOT NULL AND sdc__number_of_text(next) IS NOT NULL
             THEN CASE WHEN sdc__number_of_text(next) < sdc__number_of_text(one) THEN 1 ELSE 0 END
         WHEN next < one THEN 1 ELSE 0 END;

-- labels: the most released values of one original; moved: the most records whose value became another one, of one value; changed: the
-- values that became others; falls: how often they left their order; old, new: how many there are.
CREATE OR REPLACE MACRO sdc__recoded_unsaid(labels, moved, changed, falls, old, new, name) AS
    CASE WHEN labels = 1 AND moved > 1 AND new < old
             THEN error('ColumnError: Each original value of the key "' || name
                        || '" was released as one value, and several as the same one, as after a recoding: those that are'
                        || ' no label would find nothing, and the risk would look low. Name it in recoded, or recode the'
                        || ' original alike.')
         WHEN labels = 1 AND falls = 0 AND changed >= CASE WHEN new < old THEN 2 ELSE 5 END
             THEN error('ColumnError: The values of the key "' || name
                        || '" were released as other ones in the same order, as after rounding, or noise that is small'
                        || ' beside their distances: by their places each could be found, by their values none, and the'
                        || ' risk would look low. Name it in recoded, or recode the original alike.')
         ELSE false END;

-- Columns of the cells in a text, for each key.
CREATE OR REPLACE MACRO sdc__sided(side, key) AS sdc__identifier('sdc__' || side || '_sdc__x_' || key);

-- A query of sdc__paired: its rows with sdc__matches and sdc__correct. Released cells of one pattern of NULLs are looked up by the keys
-- that they keep: one join, and work of original cells x patterns. The text is made of the caller's names, quoted, and of nothing else.
CREATE OR REPLACE MACRO sdc__looked_for(keys, category, recoded) AS
    'WITH sdc__labelled AS MATERIALIZED (SELECT *' || array_to_string(list_transform(keys, lambda k, i: ', '
        || CASE WHEN list_contains(recoded, sdc__folded(k))
                THEN 'sdc__one_label(' || sdc__sided('o', k) || ', min(' || sdc__sided('r', k) || ') OVER (PARTITION BY '
                     || sdc__sided('o', k) || '), max('
                     || sdc__sided('r', k) || ') OVER (PARTITION BY ' || sdc__sided('o', k) || '), ' || sdc__text(k) || ')'
                ELSE sdc__sided('o', k) END || ' AS sdc__l' || i), '') || ' FROM sdc__paired), '
    || 'sdc__targets AS (SELECT DISTINCT ' || array_to_string(list_transform(keys, lambda k, i: 'sdc__l' || i), ', ')
       || ' FROM sdc__labelled), '
    || 'sdc__offered AS MATERIALIZED (SELECT '
       || array_to_string(list_transform(keys, lambda k, i: sdc__sided('r', k) || ' AS sdc__v' || i), ', ') || ', '
    || CASE WHEN category THEN ''''''
            ELSE array_to_string(
                list_transform(keys, lambda k: 'CASE WHEN ' || sdc__sided('r', k) || ' IS NULL THEN ''0'' ELSE ''1'' END'),
                ' || ') END
    || ' AS sdc__pattern, sum(sdc__n) AS sdc__f FROM sdc__labelled GROUP BY ALL), '
    || 'sdc__patterns AS (SELECT DISTINCT sdc__pattern'
       || array_to_string(
        list_transform(keys,
                       lambda k, i: ', ' || CASE WHEN category THEN 'true' ELSE 'sdc__v' || i || ' IS NOT NULL' END
                                    || ' AS sdc__has' || i),
        '')
    || ' FROM sdc__offered), '
    || 'sdc__asked AS (SELECT sdc__t.*, sdc__pattern'
       || array_to_string(
        list_transform(keys, lambda k, i: ', CASE WHEN sdc__has' || i || ' THEN sdc__l' || i || ' END AS sdc__a' || i), '')
    || ' FROM sdc__targets AS sdc__t CROSS JOIN sdc__patterns), '
    || 'sdc__found AS (SELECT ' || array_to_string(list_transform(keys, lambda k, i: 'sdc__q.sdc__l' || i), ', ')
       || ', sum(sdc__f)::BIGINT AS sdc__matches FROM sdc__asked AS sdc__q JOIN sdc__offered AS sdc__w ON'
       || ' sdc__q.sdc__pattern = sdc__w.sdc__pattern'
    || array_to_string(
        list_transform(keys, lambda k, i: ' AND sdc__q.sdc__a' || i || ' IS NOT DISTINCT FROM sdc__w.sdc__v' || i), '')
       || ' GROUP BY ALL)'
    || ', sdc__values AS ('
       || array_to_string(
        list_transform(keys,
                       lambda k, i: 'SELECT ' || i || ' AS sdc__j, sdc__l' || i
                                    || ' AS sdc__v, 1 AS sdc__old, 0 AS sdc__new FROM sdc__labelled UNION ALL SELECT ' || i
                                    || ', sdc__v' || i || ', 0, 1 FROM sdc__offered'),
        ' UNION ALL ')
       || '), '
    || 'sdc__numbers AS (SELECT sdc__j, sdc__plain_digits(sdc__v) AS sdc__number, sum(sdc__old * sdc__new) AS sdc__both,'
    || ' sum(sdc__new) AS sdc__after, max(sdc__old - sdc__new) + max(sdc__new - sdc__old) AS sdc__apart'
    || ' FROM (SELECT sdc__j, sdc__v, max(sdc__old) AS sdc__old, max(sdc__new) AS sdc__new FROM sdc__values WHERE sdc__v IS'
    || ' NOT NULL GROUP BY ALL) GROUP BY ALL), '
    || 'sdc__shared AS (SELECT sdc__j, sum(sdc__both) AS sdc__s, sum(sdc__after) AS sdc__t, max(CASE WHEN sdc__number IS'
    || ' NOT NULL THEN sdc__apart ELSE 0 END) AS sdc__u FROM sdc__numbers GROUP BY ALL) '
    || 'SELECT sdc__c.*, coalesce(sdc__matches, 0) AS sdc__matches, '
    || array_to_string(
        list_transform(keys,
                       lambda k, i: '(' || CASE WHEN category THEN '' ELSE sdc__sided('r', k) || ' IS NULL OR ' END
                                    || 'sdc__c.sdc__l' || i || ' IS NOT DISTINCT FROM ' || sdc__sided('r', k) || ')'),
        ' AND ')
    || ' AS sdc__correct FROM sdc__labelled AS sdc__c LEFT JOIN sdc__found ON '
    || array_to_string(list_transform(keys, lambda k, i: 'sdc__c.sdc__l' || i || ' IS NOT DISTINCT FROM sdc__found.sdc__l' || i), ' AND ')
    || ' LEFT JOIN (SELECT sdc__j FROM sdc__shared WHERE '
       || array_to_string(
        list_transform(keys,
                       lambda k, i: 'sdc__j = ' || i || ' AND sdc__coded_otherwise(sdc__s, sdc__t, sdc__u, ' || sdc__text(k)
                                    || ')'),
        ' OR ')
       || ') AS sdc__none ON true'
    || coalesce(
        ' LEFT JOIN (SELECT 1 AS sdc__unsaid FROM ('
        || nullif(
            array_to_string(
                list_filter(
                    list_transform(
                        keys,
                        lambda k, i: CASE
                            WHEN NOT list_contains(recoded, sdc__folded(k))
                                THEN 'SELECT max(sdc__d) AS sdc__labels, max(sdc__m) AS sdc__moved, sum(CASE WHEN sdc__m >'
                                     || ' 0 THEN 1 ELSE 0 END) AS sdc__changed, sum(sdc__falls(sdc__o, sdc__one,'
                                     || ' sdc__next)) AS sdc__fallen, count(*) AS sdc__olds, count(DISTINCT sdc__one) AS'
                                     || ' sdc__news, '
                                     || sdc__text(k) || ' AS sdc__name'
                                     || ' FROM (SELECT sdc__o, sdc__d, sdc__one, sdc__m, lead(sdc__one) OVER (ORDER BY'
                                     || ' sdc__number_of_text(sdc__o) ASC NULLS LAST, sdc__o ASC) AS sdc__next FROM (SELECT'
                                     || ' sdc__o, count(DISTINCT sdc__r) AS sdc__d, min(sdc__r) AS sdc__one, sum(CASE WHEN'
                                     || ' sdc__o <> sdc__r THEN sdc__n ELSE 0 END) AS sdc__m FROM (SELECT '
                                     || sdc__sided('o', k) || ' AS sdc__o, ' || sdc__sided('r', k)
                                     || ' AS sdc__r, sdc__n FROM sdc__labelled) WHERE sdc__o IS NOT NULL AND sdc__r'
                                     || ' IS NOT NULL GROUP BY sdc__o) AS sdc__grouped) AS sdc__ordered' END),
                    lambda t: t IS NOT NULL),
                ' UNION ALL '),
            '')
        || ') WHERE sdc__recoded_unsaid(sdc__labels, sdc__moved, sdc__changed, sdc__fallen, sdc__olds, sdc__news,'
        || ' sdc__name)) AS sdc__said ON true',
        '');

CREATE OR REPLACE MACRO sdc__linked_cells(sides, keys, id, nulls, recoded, ids := NULL) AS TABLE
    WITH sdc__paired AS MATERIALIZED (FROM sdc__paired_cells(sides, id, ids := ids))
    FROM query(sdc__looked_for(sdc__names(keys), sdc__is_category(nulls), sdc__some_of(recoded, keys, 'recoded')));

-- Each person of asked, with his matches among all records of sides (both names of relations as sdc__both_labels gives).
CREATE OR REPLACE MACRO sdc__linked_by_keys(sides, asked, keys, id, nulls, recoded, ids := NULL) AS TABLE
    WITH sdc__cells AS (
        SELECT row(*COLUMNS(lambda c: starts_with(c, 'sdc__o_') OR starts_with(c, 'sdc__r_'))) AS sdc__key, sdc__matches, sdc__correct
        FROM sdc__linked_cells(sides, keys, id, nulls, recoded, ids := ids)
    ),
    sdc__records AS (
        SELECT sdc__person, row(*COLUMNS(lambda c: starts_with(c, 'sdc__o_') OR starts_with(c, 'sdc__r_'))) AS sdc__key
        FROM sdc__side_by_side(asked)
    )
    SELECT sdc__person, sdc__found(sdc__matches) AS matches, sdc__correct AS correct,
           CASE WHEN sdc__correct THEN 1e0 / sdc__matches ELSE 0 END AS probability
    FROM sdc__records AS sdc__r LEFT JOIN sdc__cells AS sdc__c ON sdc__r.sdc__key = sdc__c.sdc__key;

-- matches: the released records that are compatible with the record's original keys; correct: its own is one of them.
-- sdc_true_reidentification_records: each record's matches in the released file, and the probability of linking it correctly.
-- Gives: id ANY, matches BIGINT, correct BOOLEAN, probability DOUBLE (more risk).
-- Rows: records.
-- Example: FROM sdc_true_reidentification_records('persons', 'released', ['age', 'sex'], 'id');
CREATE OR REPLACE MACRO sdc_true_reidentification_records(original, released, keys, id, nulls := 'wildcard', recoded := NULL) AS TABLE
    WITH sdc__both AS NOT MATERIALIZED (FROM sdc__both_labels(original, released, keys, id)),
    sdc__linked AS (FROM sdc__linked_by_keys('sdc__both', 'sdc__both', keys, id, nulls, recoded))
    FROM query('SELECT sdc__person AS ' || sdc__identifier(sdc__beside(id, ['matches', 'correct', 'probability']))
               || ', matches, correct, probability FROM sdc__linked');

-- unmatched: records with no match; unique_correct, unique_wrong: with one, their own or another's; own_among_matches: the released
-- record of the person is one of them; below_k: records with fewer than k matches, none among them; own_below_k: those of them whose own
-- is one of these.
-- sdc_true_reidentification: how many records an intruder with the original keys links correctly in the released file.
-- Gives: records BIGINT, unmatched BIGINT, unique_correct BIGINT (more risk), unique_wrong BIGINT, own_among_matches BIGINT (more risk),
--   k BIGINT, below_k BIGINT (more risk), own_below_k BIGINT (more risk), expected_correct_matches DOUBLE (more risk),
--   rate DOUBLE (more risk).
-- Rows: one.
-- Words: rate: share of the records that who knows their original keys links correctly; unique_correct: records that who knows their
--   original keys finds alone; expected_correct_matches: expected number of correct links by the original keys.
-- Example: FROM sdc_true_reidentification('persons', 'released', ['age', 'sex'], 'id');
-- Limit: rate. The share of the records that an intruder with the original keys links correctly.
CREATE OR REPLACE MACRO sdc_true_reidentification(original, released, keys, id, k := 3, nulls := 'wildcard', recoded := NULL) AS TABLE
    WITH sdc__both AS NOT MATERIALIZED (FROM sdc__both_labels(original, released, keys, id)),
    sdc__sums AS (
        SELECT sum(sdc__n)::BIGINT AS sdc__all, coalesce(sum(sdc__n) FILTER (sdc__matches = 0), 0)::BIGINT AS sdc__none,
               coalesce(sum(sdc__n) FILTER (sdc__matches = 1 AND sdc__correct), 0)::BIGINT AS sdc__right,
               coalesce(sum(sdc__n) FILTER (sdc__matches = 1 AND NOT sdc__correct), 0)::BIGINT AS sdc__wrong,
               coalesce(sum(sdc__n) FILTER (sdc__correct), 0)::BIGINT AS sdc__own, any_value(sdc__least) AS sdc__k,
               coalesce(sum(sdc__n) FILTER (sdc__matches < sdc__least), 0)::BIGINT AS sdc__few,
               coalesce(sum(sdc__n) FILTER (sdc__matches < sdc__least AND sdc__correct), 0)::BIGINT AS sdc__own_few,
               coalesce(sdc__exact_sum(CASE WHEN sdc__correct THEN 1e0 * sdc__n / sdc__matches END, 90), 0) AS sdc__expected
        FROM sdc__linked_cells('sdc__both', keys, id, nulls, recoded), (SELECT sdc__checked_whole(k, 'k', 2) AS sdc__least)
    )
    SELECT sdc__all AS records, sdc__none AS unmatched, sdc__right AS unique_correct, sdc__wrong AS unique_wrong,
           sdc__own AS own_among_matches, sdc__k AS k,
           sdc__few AS below_k, sdc__own_few AS own_below_k, sdc__expected AS expected_correct_matches, sdc__expected / sdc__all AS rate
    FROM sdc__sums;
