-- Local recoding (Mondrian): keys made coarser group by group, each no more than it needs, until every record is one of k alike.
--
-- All records are one group, and every group is cut in parts of at least k records, round by round, until none can be cut: a key with a
-- hierarchy along it, numbers and dates at any value (equal values are never parted), any other key without a hierarchy into its values.
-- Of all cuts the one is made that takes most from the generalised loss, for how much of the group it uses up. Of a node, children of
-- fewer than k records stay in it together; then the smallest of the others with them, if they need it.
-- Source: LeFevre, DeWitt & Ramakrishnan (2006), Mondrian multidimensional k-anonymity, ICDE (strict); Iyengar (2002), Transforming data
--   to satisfy privacy constraints, KDD, 279-288 (the loss); SDC handbook, section 3.4.3.1.
--
--   persons: id age region    sdc_mondrian('persons', ['age', 'region'], 2, 'id'):   id age         region
--            1  30  north                                                            1  *           north
--            3  41  north                                                            3  *           north
--            4  41  south                                                            4  up to 41    south
--            5  41  south                                                            5  up to 41    south
--            6  52  south                                                            6  52 and over south
--            7  67  south                                                            7  52 and over south
--
-- What stands in the masked columns, which are text: the value where a group has one, its hierarchy's label, a range as 17-24 (17 to -24
-- where a value has a hyphen: 2001-05-03 to 2001-08-31), 'up to 24', '65 and over', or '*', any value. A range ends where its group was
-- cut, midway between the values beside the cut, not at the least and greatest of the group, and the outermost ranges have no end: those
-- would tell extremes. Its ends are values of the file; round a continuous key first where such a value is telling.
-- NULL is a value of its own: with a hierarchy it has a row there; of numbers and dates it stands below the first, 'up to 24 or NULL'.
--
-- In a series of releases labels have no gaps, since a newcomer may lie anywhere ('up to 24 or NULL', 'over 24 to 60', 'over 60'), and a
-- hierarchy's label is not drawn closer around those who are there.
--
-- A label of a hierarchy may stand beside one below it: '*' where too few shared the value, in a group of at least k all the same.
-- Cuts depend on the keys alone. Whoever knows the method and the keys of everyone finds the group of a person, and in it k records;
-- of other variables nothing is promised: groups that agree on a confidential one disclose it (sdc_l_diversity measures that).
-- No draws: no key is needed.
--
-- Scope: cells.
-- Keeps: every label holds its record's value.
-- Guarantees: k-anonymity of the keys as they stand (sdc_k_anonymity passes), counted anew before it is written.
-- Users: Count by the released classes, which may overlap. A record can be counted in one of them alone, and finer tables need an
--   assumption.
-- Values: codes.
-- Bits: exact.
-- Coarsens: into classes.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (the boxes of two releases intersect).
-- Series: values (the boxes of the first release stay, and hold all who come; one in which fewer than k stay is merged with another, for
--   all. Where nobody stood fewer than k wait, and who changes in one key where the labels of the others would intersect).
-- Publicly: values made coarser, group by group.
-- Parameters:
--   tbl          table                     the table, view, common table expression or file
--   keys         columns                   the key variables, which are made coarser
--   k            whole number in [2, ...)  the least number of records in a group
--   id           column                    identifies each record
--   hierarchies  table                     the long table of hierarchies (sdc_hierarchy); keys that are not in it have none

CREATE OR REPLACE MACRO sdc__is_in_ranges(type) AS
    CASE WHEN regexp_matches(
             type, '^(U?(TINY|SMALL|BIG|HUGE)?INT|U?INTEGER|BIGNUM|FLOAT|DOUBLE|DECIMAL\([0-9,]+\)|DATE|TIME[A-Z_ ]*)$')
             THEN true
         WHEN regexp_matches(type, '^(VARCHAR|BOOLEAN|INTERVAL|ENUM\(.*\))$') THEN false
         ELSE error('ColumnError: A key has the type ' || type
                    || ', in whose place no label can stand: cast it to VARCHAR first, take values out of it, or'
                    || ' leave it out of the keys.') END;
CREATE OR REPLACE MACRO sdc__numbered_value(key) AS
    {'n': CASE WHEN key IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY key ASC) END, 'text': sdc__by_bytes(key::VARCHAR),
     'is_range': sdc__is_in_ranges(typeof(key))};

CREATE OR REPLACE MACRO sdc__range_label(low, high, lowest, highest, with_null, hyphened) AS
    CASE WHEN lowest AND highest THEN '*'
         WHEN lowest AND high IS NULL THEN NULL
         WHEN lowest AND with_null THEN 'up to ' || high || ' or NULL'
         WHEN low = high THEN low
         WHEN lowest THEN 'up to ' || high
         WHEN highest THEN low || ' and over'
         ELSE low || CASE WHEN hyphened THEN ' to ' ELSE '-' END || high END;

CREATE OR REPLACE MACRO sdc__label_of(v, names, labels) AS labels[list_position(names, alias(v))];

-- Records with their keys in the place of which stands what a design has for their cell: the keys, sdc__names and sdc__texts.
CREATE OR REPLACE MACRO sdc__labelled_by_cell(tbl, keys, id, design) AS TABLE
    WITH sdc__records AS (SELECT sdc__id, COLUMNS(sdc__to_mask((*), keys, id)) FROM sdc__identified(tbl, id, codes := keys)),
    sdc__recoded AS (
        SELECT sdc__names, sdc__texts, struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__own FROM query_table(design)
    ),
    sdc__keyed_records AS (SELECT *, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__this FROM sdc__records)
    SELECT sdc__id, sdc__label_of(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__names, sdc__texts) AS "\0"
    FROM sdc__keyed_records JOIN sdc__recoded ON row(sdc__this) = row(sdc__own);

CREATE OR REPLACE MACRO sdc__leaves_in_order(checked) AS TABLE
    SELECT sdc__variable, sdc__value, dense_rank() OVER (PARTITION BY sdc__variable ORDER BY sdc__path ASC) - 1 AS sdc__leaf
    FROM (SELECT sdc__variable, sdc__value, list(encode(sdc__label) ORDER BY sdc__level DESC) AS sdc__path
          FROM query_table(checked)
          GROUP BY ALL);

-- Each value of each key, in the order of the key's hierarchy where it has one (values of one node side by side), else in its own.
CREATE OR REPLACE MACRO sdc__mondrian_places(cells, checked) AS TABLE
    WITH sdc__values AS (
        SELECT sdc__j, sdc__folded(sdc__name) AS sdc__key, sdc__name, sdc__value.n AS sdc__n, sdc__value.text AS sdc__text,
               sdc__value.is_range AS sdc__is_range
        FROM (SELECT unnest(sdc__values) AS sdc__value, unnest(range(len(sdc__values))) AS sdc__j,
                     unnest(struct_keys(sdc__key)) AS sdc__name
              FROM query_table(cells))
        GROUP BY ALL
    ),
    sdc__leaves AS (FROM sdc__leaves_in_order(checked)),
    sdc__found AS (
        SELECT sdc__j, sdc__key, sdc__name, sdc__n, sdc__text, sdc__is_range, sdc__leaf,
               sdc__key IN (SELECT sdc__variable FROM sdc__leaves) AS sdc__has_tree
        FROM sdc__values LEFT JOIN sdc__leaves ON sdc__variable = sdc__key AND sdc__value IS NOT DISTINCT FROM sdc__text
    )
    SELECT sdc__j, sdc__key, sdc__n, sdc__text, sdc__has_tree, sdc__is_range AND NOT sdc__has_tree AS sdc__in_ranges,
           CASE WHEN NOT sdc__has_tree THEN sdc__n - min(sdc__n) OVER (PARTITION BY sdc__j)
                WHEN sdc__without_label(count(*) FILTER (sdc__leaf IS NULL) OVER (PARTITION BY sdc__j),
                                        bool_or(sdc__text IS NULL AND sdc__leaf IS NULL) OVER (PARTITION BY sdc__j),
                                        sdc__name)
                    THEN NULL
                ELSE sdc__leaf END AS sdc__place
    FROM sdc__found;

-- The run of values that each node holds: for each value and level of a hierarchy; of other keys that are no ranges, the value and all.
CREATE OR REPLACE MACRO sdc__mondrian_nodes(places, checked) AS TABLE
    SELECT sdc__j, sdc__level, sdc__leaf AS sdc__place, min(sdc__leaf) OVER sdc__node AS sdc__low,
           max(sdc__leaf) OVER sdc__node AS sdc__high, sdc__label
    FROM query_table(checked) AS sdc__c
    JOIN sdc__leaves_in_order(checked) AS sdc__l ON sdc__l.sdc__variable = sdc__c.sdc__variable
         AND sdc__l.sdc__value IS NOT DISTINCT FROM sdc__c.sdc__value
    JOIN (SELECT DISTINCT sdc__j, sdc__key FROM query_table(places)) ON sdc__key = sdc__c.sdc__variable
    WINDOW sdc__node AS (PARTITION BY sdc__j, sdc__level, sdc__label)
    UNION ALL
    SELECT sdc__j, 0, sdc__place, sdc__place, sdc__place, sdc__text FROM query_table(places) WHERE NOT sdc__has_tree AND NOT sdc__in_ranges
    UNION ALL
    SELECT sdc__j, 1, sdc__place, 0, max(sdc__place) OVER (PARTITION BY sdc__j), '*'
    FROM query_table(places)
    WHERE NOT sdc__has_tree AND NOT sdc__in_ranges;

-- What a series keeps boxes of: the long table of hierarchies, checked, which is empty where there is none; and the cells of the keys.
CREATE OR REPLACE MACRO sdc__mondrian_checked(hierarchies) AS TABLE
    WITH sdc__no_hierarchy AS (SELECT '' AS variable, '' AS value, 0 AS level, '0' AS level_name, '' AS label)
    FROM sdc__hierarchies(coalesce(hierarchies, 'sdc__no_hierarchy'), NULL);
CREATE OR REPLACE MACRO sdc__mondrian_records(tbl, keys, id) AS TABLE
    SELECT sdc__id, COLUMNS(sdc__to_mask((*), keys, id)) FROM sdc__identified(tbl, id, codes := keys);
CREATE OR REPLACE MACRO sdc__mondrian_numbered(crossed) AS TABLE
    WITH sdc__numbered AS (
        SELECT sdc__records, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key,
               sdc__numbered_value(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__v_\0"
        FROM query_table(crossed)
    ),
    sdc__listed AS (SELECT sdc__records, sdc__key, [*COLUMNS(lambda c: starts_with(c, 'sdc__v_'))] AS sdc__values FROM sdc__numbered)
    SELECT *, row_number() OVER (ORDER BY sdc__codes ASC) AS sdc__cell
    FROM (SELECT *, list_transform(sdc__values, lambda v: v.n) AS sdc__codes FROM sdc__listed);
CREATE OR REPLACE MACRO sdc__mondrian_cells(records) AS TABLE
    WITH sdc__crossed AS (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), count(*) AS sdc__records FROM query_table(records) GROUP BY ALL)
    FROM sdc__mondrian_numbered('sdc__crossed');

-- The leaves of all hierarchies, also of values that nobody has yet.
CREATE OR REPLACE MACRO sdc__mondrian_leaves(places, checked) AS TABLE
    SELECT sdc__j, sdc__value AS sdc__text, sdc__leaf AS sdc__place
    FROM sdc__leaves_in_order(checked) JOIN (SELECT DISTINCT sdc__j, sdc__key FROM query_table(places) WHERE sdc__has_tree)
         ON sdc__key = sdc__variable;

-- Of each cell the names of the keys and what stands in their place. cells, checked: as above, MATERIALIZED.
CREATE OR REPLACE MACRO sdc__mondrian_recoded(cells, checked, k) AS TABLE
    WITH sdc__placed AS MATERIALIZED (FROM sdc__mondrian_places(cells, checked)),
    sdc__trees AS MATERIALIZED (FROM sdc__mondrian_nodes('sdc__placed', checked)),
    -- the number of groups, the group of each cell, and the low and the high end of each group on each key
    sdc__grouped AS MATERIALIZED (
        SELECT sdc__kernel_local_recoding(sdc__codes, sdc__ns, sdc__checked_whole(k, 'k', 2)::DOUBLE, sdc__vs,
                                          sdc__nodes) AS sdc__r,
               len(sdc__ns) AS sdc__n, sdc__names, len(sdc__names) AS sdc__d
        FROM (SELECT list(sdc__codes::DOUBLE[] ORDER BY sdc__cell ASC) AS sdc__codes,
                     list(sdc__records::DOUBLE ORDER BY sdc__cell ASC) AS sdc__ns,
                     any_value(struct_keys(sdc__key)) AS sdc__names
              FROM query_table(cells)),
             (SELECT flatten(list([sdc__j, sdc__n, sdc__place]::DOUBLE[])) AS sdc__vs FROM sdc__placed),
             (SELECT coalesce(flatten(list([sdc__j, sdc__level, sdc__place, sdc__low, sdc__high]::DOUBLE[])),
                              []) AS sdc__nodes
              FROM sdc__trees)
    ),
    sdc__runs AS (
        SELECT sdc__i // sdc__d + 1 AS sdc__group, sdc__i % sdc__d AS sdc__of, sdc__first, sdc__last
        FROM (SELECT sdc__d, unnest(range(sdc__r[1] * sdc__d)) AS sdc__i,
                     unnest(sdc__r[sdc__n + 2:sdc__n + 1 + sdc__r[1] * sdc__d]) AS sdc__first,
                     unnest(sdc__r[sdc__n + 2 + sdc__r[1] * sdc__d:]) AS sdc__last
              FROM sdc__grouped)
    ),
    sdc__ends AS (
        SELECT sdc__j, sdc__place, sdc__text, min(sdc__place) OVER sdc__all = sdc__place AS sdc__is_lowest,
               max(sdc__place) OVER sdc__all = sdc__place AS sdc__is_highest,
               bool_or(sdc__text IS NULL) OVER sdc__all AS sdc__with_null, bool_or(contains(sdc__text, '-')) OVER sdc__all AS sdc__hyphened
        FROM sdc__placed WHERE sdc__in_ranges WINDOW sdc__all AS (PARTITION BY sdc__j)
    ),
    sdc__labels AS (
        SELECT sdc__group,
               list(CASE WHEN sdc__a.sdc__j IS NULL THEN sdc__label
                         ELSE sdc__range_label(sdc__a.sdc__text, sdc__b.sdc__text, sdc__a.sdc__is_lowest,
                                               sdc__b.sdc__is_highest, sdc__a.sdc__with_null, sdc__a.sdc__hyphened) END
                    ORDER BY sdc__of ASC) AS sdc__texts
        FROM sdc__runs
        LEFT JOIN sdc__ends AS sdc__a ON sdc__a.sdc__j = sdc__of AND sdc__a.sdc__place = sdc__first
        LEFT JOIN sdc__ends AS sdc__b ON sdc__b.sdc__j = sdc__of AND sdc__b.sdc__place = sdc__last
        LEFT JOIN (SELECT sdc__j AS sdc__tree, sdc__low, sdc__high, arg_min({'of': sdc__label}, sdc__level).of AS sdc__label
                   FROM sdc__trees
                   GROUP BY ALL)
               ON sdc__tree = sdc__of AND sdc__low = sdc__first AND sdc__high = sdc__last
        GROUP BY sdc__group
    )
    SELECT sdc__c.sdc__key AS sdc__own, sdc__names, sdc__texts
    FROM (SELECT unnest(range(1, sdc__n + 1)) AS sdc__cell, unnest(sdc__r[2:sdc__n + 1]) AS sdc__group, sdc__names
          FROM sdc__grouped) AS sdc__g
    JOIN sdc__labels USING (sdc__group) JOIN query_table(cells) AS sdc__c USING (sdc__cell);

CREATE OR REPLACE MACRO sdc__mondrian(tbl, keys, k, id, hierarchies) AS TABLE
    WITH sdc__checked AS MATERIALIZED (FROM sdc__mondrian_checked(hierarchies)),
    sdc__records AS MATERIALIZED (FROM sdc__mondrian_records(tbl, keys, id)),
    sdc__celled AS MATERIALIZED (FROM sdc__mondrian_cells('sdc__records')),
    sdc__recoded AS (FROM sdc__mondrian_recoded('sdc__celled', 'sdc__checked', k)),
    sdc__keyed_records AS (SELECT *, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__this FROM sdc__records)
    SELECT sdc__id, sdc__label_of(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__names, sdc__texts) AS "\0"
    FROM sdc__keyed_records JOIN sdc__recoded ON row(sdc__this) = row(sdc__own);

-- Title: Mondrian: local recoding; Local recoding (Mondrian) of {}.
-- sdc_mondrian: local recoding, keys made coarser group by group until every record is one of k alike.
-- Example: FROM sdc_mondrian('persons', ['sex', 'region'], 3, 'id');
CREATE OR REPLACE MACRO sdc_mondrian(tbl, keys, k, id, hierarchies := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__mondrian(tbl, keys, k, id, hierarchies)) FROM sdc__released(tbl, keys, id, 'sdc__done');

-- What was released, where every record is one of k alike; else an error. released: the id and the masked keys.
CREATE OR REPLACE MACRO sdc__mondrian_proof(released, keys, k) AS TABLE
    SELECT count(*) AS classes, min(sdc__f) AS smallest, sum(sdc__f) / count(*) AS average_class
    FROM sdc__cells(released, keys, NULL, 'category')
    HAVING CASE WHEN (SELECT max(records) FROM sdc_k_anonymity(released, keys, k)) = 0 AND min(sdc__f) >= k THEN true
                ELSE error('TableError: ' || (SELECT max(records) FROM sdc_k_anonymity(released, keys, k))
                           || ' released records are not among k alike: nothing was written. Is the table a view that'
                           || ' changes as it is read? Store it as a table first.') END;

-- By cells that are counted already (sdc_sql/spark): what becomes of each, the records by that, and what is promised.
CREATE OR REPLACE MACRO sdc__mondrian_design(cells, keys, k, id, hierarchies) AS TABLE
    WITH sdc__checked AS MATERIALIZED (FROM sdc__mondrian_checked(hierarchies)),
    sdc__crossed AS (SELECT COLUMNS(sdc__columns((*), keys)), sdc__records FROM query_table(cells)),
    sdc__celled AS MATERIALIZED (FROM sdc__mondrian_numbered('sdc__crossed'))
    SELECT unnest(sdc__own), sdc__names, sdc__texts FROM sdc__mondrian_recoded('sdc__celled', 'sdc__checked', k);
CREATE OR REPLACE MACRO sdc__mondrian_designed(tbl, keys, k, id, hierarchies, design) AS TABLE
    FROM sdc__labelled_by_cell(tbl, keys, id, design);
CREATE OR REPLACE MACRO sdc__mondrian_proved(before, after, keys, k, id, hierarchies) AS TABLE FROM sdc__mondrian_proof(after, keys, k);
