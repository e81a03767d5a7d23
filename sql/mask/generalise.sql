-- The best generalisation: each key as a whole on one level of its hierarchy, the cheapest on which no record stands out.
--
-- Each released row is shared by at least k released records, the suppressed ones included: all keys of a suppressed record are NULL, so
-- that they all look alike, and there is none of them or at least k, and no more than a share of the records that is given. What costs
-- least is found exactly, over all combinations of levels. The losses, smaller is better; n records, of which s are suppressed:
--
--   'generalised_loss'    prod over keys of (1 + mean over records of (m - 1) / (M - 1)), to the power 1/keys, less 1; m of the M values
--                         of the hierarchy have the record's label, m = M where suppressed                                Iyengar (2002)
--   'precision'           mean over records and keys of level / highest level, 1 where suppressed                        Sweeney (2002)
--   'entropy'             sum over records and keys of log2(records with its label / records with its value), also of those suppressed
--   'discernibility'      sum over cells of their records squared, and s n                                      Bayardo & Agrawal (2005)
--   'average_class_size'  n / cells, the suppressed records being one                                             LeFevre et al. (2006)
--   any other text        an expression in SQL, summed over the cells: of records (of the cell), suppressed (whether it is the cell of the
--                         suppressed records), total (all records), and levels and heights (maps from a key's name to its level and to
--                         the highest one): '-1' asks for the most cells, 'records * ln(records)' for small ones
-- Besides k it can be asked of every cell that is released, where l, t, population_k or threshold is given, that
--   l             its values of a sensitive variable are l-diverse ('distinct', 'entropy', 'recursive': sdc_l_diversity)
--   t             they are distributed nearly as in the file, within t ('equal', 'ordered': sdc_t_closeness)
--   population_k  so many persons of a population have its labels (sdc_k_map); population: a table with the keys
--   threshold     the sum of its weights is at least so much; so are then those of every combination of fewer keys (sdc_threshold_rule)
-- The suppressed records are one cell to l and t as well. Cells that are not as is asked are suppressed. k, population_k, threshold and the
-- number of values rule out many nodes together; the others are tested node by node.
-- Of equal losses (to 12 digits) the least sum of levels is taken, then the first levels in the order of the table's columns.
-- Source: Samarati (2001), IEEE TKDE 13(6); Sweeney (2002), Int. J. Uncertain. Fuzz. 10(5), 571-588; Kohlmayer et al. (2012), Flash,
--   PASSAT, 708-717; SDC handbook, section 3.4.3.1.
--
--   persons: id age sex    FROM sdc_generalise('persons', ['age', 'sex'], 'hierarchies', 'id', k := 2):   id age      sex
--            1  30  f                                                                                     1  20 to 39 f
--            2  25  f                                                                                     2  20 to 39 f
--            3  41  m                                                                                     3  40 to 59 m
--            4  52  m                                                                                     4  40 to 59 m
--
-- The keys become text, labels of their hierarchies. The levels depend on the data, and say that lower ones would not do: no other
-- release of the same records, at other levels, should be made. With l or t they tell of the sensitive values too: the levels are the
-- least that will do, and a cell of k records is suppressed because its values are alike, so that who knows the rule and the records'
-- keys knows what these have in common (minimality: Wong, Fu, Wang & Pei 2007, VLDB, 543-554). The step tells how many such records there
-- are, suppressed_beyond_k; where there are any, take levels by k alone, and then sdc_distort_sensitive (or PRAM of the sensitive
-- variable, or none of it). No draws: no key is needed. (The suppressed share is an upper limit.)
--
-- Scope: cells.
-- Keeps: what the labels say.
-- Guarantees: each released row, NULL a value, is shared by at least k released records: sdc_k_anonymity passes on the file; and
--   what else is asked, each by its own measure on the released file.
-- Users: Count and compare by the released classes. Records without them are those that stood out, and not a random part.
-- Values: codes.
-- Bits: exact.
-- Coarsens: into classes.
-- Suppresses: records.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (other levels are best for another file: a record with a narrow label in one release and a wide one in the other has
--   the narrow one).
-- Series: parameters (the levels of the release before stay while they hold; else they become coarser, for all. Without suppression, and
--   not by a sensitive variable).
-- Publicly: each variable brought to one level of its hierarchy.
-- Parameters:
--   tbl           table                     the table, view, common table expression or file
--   keys          columns                   the key variables
--   hierarchies   table                     their hierarchies: variable, value, level, level_name, label, as sdc_hierarchy gives them
--   id            column                    identifies each record
--   k             whole number in [2, ...)  the least number of records
--   suppression   number in [0, 1]          the share of the records that may be suppressed
--   loss          text                      what is to be least: generalised_loss, precision, entropy, discernibility,
--                                           average_class_size, or an expression
--   sensitive     column                    a sensitive variable, no key; NULL in it is a value of its own
--   l             number in (0, ...)        the least diversity of its values in a cell; NULL: not asked
--   diversity     'distinct', 'entropy' or 'recursive'  how that is measured
--   c             number in (0, ...)        of recursive (c, l)-diversity
--   t             number in [0, 1]          the greatest distance of their distribution from the file's; NULL: not asked
--   distance      'equal' or 'ordered'      between any two values, or by their order
--   population    table                     the population, with the same keys
--   population_k  whole number in [2, ...)  the least number of persons of it with the labels of a cell; NULL: not asked
--   weight        column or number          whose sums are compared with the threshold
--   threshold     number in (0, ...)        the least sum of the weights of a cell; NULL: not asked

CREATE OR REPLACE MACRO sdc__is_named_loss(loss) AS
    list_contains(['generalised_loss', 'precision', 'entropy', 'discernibility', 'average_class_size'], loss);

-- What is asked besides k, as the kernels take it.
CREATE OR REPLACE MACRO sdc__asked(k, suppression, l, diversity, c, t, distance, population_k, threshold) AS {
    'k': sdc__checked_whole(k, 'k', 2)::DOUBLE, 'share': sdc__checked_number(suppression, 'suppression'), 'l': sdc__checked_number(l, 'l'),
    'diversity': sdc__checked_choice(diversity, 'diversity', ['distinct', 'entropy', 'recursive']),
    'c': sdc__checked_number(c, 'c'), 't': sdc__checked_number(t, 't'),
    'distance': sdc__checked_choice(distance, 'distance', ['equal', 'ordered']),
    'population_k': CASE WHEN population_k IS NOT NULL THEN sdc__checked_whole(population_k, 'population_k', 2)::DOUBLE END,
    'threshold': sdc__checked_number(threshold, 'threshold')};

-- The value of the sensitive variable (NULL of a column that is not given: the kernel is then given none), and the weight.
CREATE OR REPLACE MACRO sdc__maybe_sensitive(have, keys, sensitive) AS
    CASE WHEN typeof(sensitive) = 'VARCHAR' THEN sdc__sensitive(have, keys, sensitive) ELSE have[1:1] END;
CREATE OR REPLACE MACRO sdc__maybe_weight(weight, value) AS
    CASE WHEN weight IS NOT NULL THEN sdc__checked_weight(sdc__value(weight, value)) END;
CREATE OR REPLACE MACRO sdc__placed_value(distance, value) AS
    CASE WHEN distance = 'ordered' AND value IS NULL
             THEN error('ColumnError: The sensitive variable is NULL in some records: the ordered distance has no place'
                        || ' for NULL; exclude them or recode it.')
         ELSE value END;

-- The cells of the records, by the sensitive value too; of the file or of records with their ids.
CREATE OR REPLACE MACRO sdc__generalisation_cells(records, sensitive, distance) AS TABLE
    SELECT COLUMNS(lambda c: c NOT IN ('sdc__id', 'sdc__weight', 'sdc__secret')), sdc__secret, count(*) AS sdc__n,
           sdc__exact_sum(sdc__weight) AS sdc__w
    FROM (SELECT * REPLACE (sdc__placed_value(CASE WHEN sensitive IS NOT NULL THEN distance END,
                                              sdc__stratum_value(sensitive, sdc__secret)) AS sdc__secret)
          FROM query_table(records))
    GROUP BY ALL;

-- How many persons of a population have each combination of values of the keys. (Where they are counted already, sdc_sql/db/counted.py
-- has the other one in its place.)
CREATE OR REPLACE MACRO sdc__population_cells(tbl, keys) AS TABLE
    SELECT COLUMNS(sdc__columns((*), keys)), count(*) AS sdc__persons FROM sdc__exact_rows(tbl, codes := keys) GROUP BY ALL;
CREATE OR REPLACE MACRO sdc__counted_population(tbl, keys) AS TABLE
    SELECT COLUMNS(sdc__columns((*), keys)), sdc__records AS sdc__persons FROM query_table(tbl);

-- The cells as the kernels take them, in one row; cells: the above, MATERIALIZED; ladders: what sdc__hierarchies gives, likewise.
CREATE OR REPLACE MACRO sdc__generalisation_problem(cells, keys, ladders, tbl, sensitive, weight, population) AS TABLE
    WITH sdc__leaves AS MATERIALIZED (
        SELECT sdc__variable, sdc__value,
               row_number() OVER (PARTITION BY sdc__variable ORDER BY sdc__value ASC NULLS FIRST) - 1 AS sdc__label
        FROM query_table(ladders)
        WHERE sdc__level = 0
    ),
    sdc__with_key AS MATERIALIZED (SELECT *, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key
                                   FROM query_table(cells)),
    sdc__coded AS MATERIALIZED (
        SELECT sdc__key, sdc__n, sdc__w, dense_rank() OVER (ORDER BY sdc__secret ASC NULLS FIRST) - 1 AS sdc__value,
               [*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))]::DOUBLE[] AS sdc__codes
        FROM sdc__relabelled('sdc__with_key', keys, 'sdc__leaves')
    ),
    sdc__persons AS MATERIALIZED (
        (SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), 0 AS sdc__persons FROM sdc__with_key LIMIT 0)
        UNION ALL BY NAME
        FROM sdc__population_cells(coalesce(population, tbl), keys) WHERE population IS NOT NULL
    ),
    sdc__outside AS (
        SELECT 0 AS sdc__kind, [*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))]::DOUBLE[] AS sdc__codes,
               sdc__persons::DOUBLE AS sdc__amount
        FROM sdc__relabelled('sdc__persons', keys, 'sdc__leaves')
        UNION ALL
        SELECT 1, sdc__codes, sdc__w FROM sdc__coded WHERE weight IS NOT NULL
    ),
    sdc__listed AS (
        SELECT any_value(struct_keys(sdc__key)) AS sdc__spelled,
               list_transform(sdc__spelled, lambda n: sdc__folded(n)) AS sdc__names,
               list(sdc__key ORDER BY sdc__codes ASC, sdc__value ASC) AS sdc__keys,
               list(sdc__codes ORDER BY sdc__codes ASC, sdc__value ASC) AS sdc__all,
               list(sdc__n::DOUBLE ORDER BY sdc__codes ASC, sdc__value ASC) AS sdc__ns,
               CASE WHEN sensitive IS NOT NULL THEN list(sdc__value::DOUBLE ORDER BY sdc__codes ASC, sdc__value ASC) END AS sdc__secrets
        FROM sdc__coded
    ),
    sdc__numbered AS (
        SELECT sdc__h.sdc__variable, sdc__h.sdc__level, sdc__l.sdc__label AS sdc__leaf,
               dense_rank() OVER (PARTITION BY sdc__h.sdc__variable, sdc__h.sdc__level
                                  ORDER BY sdc__h.sdc__label ASC NULLS FIRST) - 1 AS sdc__number
        FROM query_table(ladders) AS sdc__h
        JOIN sdc__leaves AS sdc__l ON sdc__h.sdc__variable = sdc__l.sdc__variable
             AND sdc__h.sdc__value IS NOT DISTINCT FROM sdc__l.sdc__value
    )
    SELECT *,
           (SELECT list([list_position(sdc__names, sdc__variable) - 1, sdc__leaf, sdc__level, sdc__number]::DOUBLE[])
            FROM sdc__numbered) AS sdc__ladders,
           (SELECT list(list_concat([sdc__kind::DOUBLE], sdc__codes, [sdc__amount]) ORDER BY sdc__kind ASC, sdc__codes ASC)
            FROM sdc__outside) AS sdc__others
    FROM sdc__listed;

-- Every generalisation: its place, levels, loss, suppressed records, cells, and whether it holds. An expression is worked out from how many
-- cells of which size there are: the kernel gives three numbers for each.
CREATE OR REPLACE MACRO sdc__every_generalisation(problem, asked, loss) AS TABLE
    WITH sdc__rows AS MATERIALIZED (
        SELECT row_number() OVER () AS sdc__place, *
        FROM (SELECT sdc__spelled AS sdc__names, list_sum(sdc__ns)::BIGINT AS sdc__records,
                     unnest(sdc__kernel_generalisations(sdc__all, sdc__ns, sdc__ladders, sdc__secrets, sdc__others, asked,
                                                        CASE WHEN sdc__is_named_loss(loss) THEN loss END)) AS sdc__f
              FROM query_table(problem))
    ),
    sdc__nodes AS MATERIALIZED (
        SELECT sdc__place, sdc__names, sdc__f[1] AS sdc__loss, sdc__f[2]::BIGINT AS sdc__suppressed,
               sdc__f[3]::BIGINT AS sdc__cells, sdc__f[4] = 1 AS sdc__holds,
               sdc__f[5:4 + len(sdc__names)]::INTEGER[] AS sdc__levels
        FROM sdc__rows
    ),
    sdc__sized AS (
        SELECT sdc__place, sdc__sizes[3 * sdc__i + 1]::BIGINT AS records,
               sdc__sizes[3 * sdc__i + 2]::BIGINT AS sdc__classes, sdc__sizes[3 * sdc__i + 3] = 1 AS suppressed, total,
               levels, heights
        FROM (SELECT sdc__place, sdc__f[5 + len(sdc__names):] AS sdc__sizes, sdc__records AS total,
                     map(sdc__names, sdc__f[5:4 + len(sdc__names)]::INTEGER[]) AS levels, heights,
                     unnest(range(len(sdc__f) // 3)) AS sdc__i
              FROM sdc__rows,
                   (SELECT map(any_value(sdc__names),
                               list_reduce(
                                   list(sdc__levels),
                                   lambda a, b: list_transform(list_zip(a, b), lambda z: greatest(z[1], z[2])))) AS heights
                    FROM sdc__nodes))
        WHERE 3 * sdc__i < len(sdc__sizes)
    ),
    sdc__summed AS (
        FROM query('SELECT sdc__place AS sdc__of, sdc__exact_sum(sdc__classes * (' || loss
                   || ')::DOUBLE, 60) AS sdc__total FROM query_table(''sdc__sized'') GROUP BY sdc__place')
    ),
    sdc__by_expression AS (
        SELECT * EXCLUDE (sdc__of, sdc__total) REPLACE (format('{:.11e}', sdc__total)::DOUBLE AS sdc__loss)
        FROM sdc__nodes
        LEFT JOIN sdc__summed ON sdc__place = sdc__of
    )
    FROM query_table(CASE WHEN sdc__is_named_loss(loss) THEN 'sdc__nodes' ELSE 'sdc__by_expression' END);

-- The best one in one row: levels, loss, suppressed, cells.
CREATE OR REPLACE MACRO sdc__best_generalisation(problem, asked, loss) AS TABLE
    WITH sdc__searched AS (
        SELECT sdc__names, sdc__f[2]::INTEGER[] AS sdc__levels, sdc__f[1][1] AS sdc__loss,
               sdc__f[1][2]::BIGINT AS sdc__suppressed, sdc__f[1][3]::BIGINT AS sdc__cells
        FROM (SELECT sdc__spelled AS sdc__names,
                     sdc__kernel_generalise(sdc__all, sdc__ns, sdc__ladders, sdc__secrets, sdc__others, asked,
                                            loss) AS sdc__f
              FROM query_table(problem))
    ),
    sdc__looked_at AS (
        SELECT sdc__names, sdc__levels, sdc__loss, sdc__suppressed, sdc__cells FROM sdc__every_generalisation(problem, asked, loss)
        WHERE sdc__holds ORDER BY sdc__loss ASC NULLS LAST, list_sum(sdc__levels) ASC, sdc__levels ASC LIMIT 1
    )
    FROM query_table(CASE WHEN sdc__is_named_loss(loss) THEN 'sdc__searched' ELSE 'sdc__looked_at' END);

-- Each cell of the keys, sdc__key, with its labels by the names of the keys, and whether its records are suppressed.
-- levels: of the keys in the order of the table's columns, by number; NULL for the best. cells: as above, MATERIALIZED.
CREATE OR REPLACE MACRO sdc__generalised_cells(cells, tbl, keys, hierarchies, k, suppression, loss, sensitive, l, diversity, c,
                                               t, distance, population, population_k, weight, threshold, levels) AS TABLE
    WITH sdc__checked AS MATERIALIZED (FROM sdc__hierarchies(hierarchies, keys)),
    sdc__problem AS MATERIALIZED (FROM sdc__generalisation_problem(cells, keys, 'sdc__checked', tbl, sensitive, weight, population)),
    sdc__best AS (
        SELECT sdc__levels
        FROM sdc__best_generalisation(
            'sdc__problem', sdc__asked(k, suppression, l, diversity, c, t, distance, population_k, threshold), loss)
    ),
    sdc__given AS (SELECT levels::INTEGER[] AS sdc__levels),
    sdc__chosen AS MATERIALIZED (FROM query_table(CASE WHEN levels IS NULL THEN 'sdc__best' ELSE 'sdc__given' END)),
    sdc__labels AS MATERIALIZED (
        SELECT sdc__h.* FROM sdc__checked AS sdc__h
        JOIN (SELECT unnest(sdc__names) AS sdc__of, unnest(sdc__levels) AS sdc__at
              FROM sdc__problem, sdc__chosen) ON sdc__variable = sdc__of
             AND sdc__level = sdc__at
    ),
    sdc__lost AS MATERIALIZED (
        SELECT DISTINCT unnest(
            list_select(
                sdc__keys,
                sdc__kernel_generalised(sdc__all, sdc__ns, sdc__ladders, sdc__secrets, sdc__others,
                                        sdc__asked(k, suppression, l, diversity, c, t, distance, population_k, threshold),
                                        sdc__levels::DOUBLE[])::BIGINT[])) AS sdc__lost_key
        FROM sdc__problem, sdc__chosen
    ),
    sdc__celled AS MATERIALIZED (
        SELECT DISTINCT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')),
                        struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key
        FROM query_table(cells)
    )
    SELECT sdc__l.*, sdc__s.sdc__lost_key IS NOT NULL AS sdc__is_lost, sdc__chosen.sdc__levels
    FROM sdc__relabelled('sdc__celled', keys, 'sdc__labels') AS sdc__l
    LEFT JOIN sdc__lost AS sdc__s ON sdc__l.sdc__key = sdc__s.sdc__lost_key, sdc__chosen;

CREATE OR REPLACE MACRO sdc__generalise(tbl, keys, hierarchies, id, k, suppression, loss, sensitive, l, diversity, c, t,
                                        distance, population, population_k, weight, threshold, levels) AS TABLE
    WITH sdc__records AS MATERIALIZED (
        SELECT sdc__id, COLUMNS(sdc__to_mask((*), keys, id)),
               COLUMNS(sdc__maybe_sensitive((*), keys, sensitive)) AS sdc__secret,
               sdc__maybe_weight(weight, COLUMNS(sdc__column((*), weight))) AS sdc__weight
        FROM sdc__identified(
            tbl, id, codes := CASE WHEN distance = 'ordered' THEN sdc__names(keys) ELSE list_append(sdc__names(keys), sensitive) END,
            compared := keys)
    ),
    sdc__cells AS MATERIALIZED (FROM sdc__generalisation_cells('sdc__records', sensitive, distance)),
    sdc__generalised AS MATERIALIZED (
        FROM sdc__generalised_cells('sdc__cells', tbl, keys, hierarchies, k, suppression, loss, sensitive, l, diversity, c, t,
                                    distance, population, population_k, weight, threshold, levels)
    ),
    sdc__decided AS (
        SELECT sdc__r.sdc__id, sdc__c.*
        FROM (SELECT sdc__id, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__own FROM sdc__records) AS sdc__r
        LEFT JOIN sdc__generalised AS sdc__c ON sdc__r.sdc__own = sdc__c.sdc__key
    )
    SELECT sdc__id, CASE WHEN sdc__is_lost THEN NULL ELSE COLUMNS(lambda c: NOT starts_with(c, 'sdc__')) END AS "\0" FROM sdc__decided;

-- By cells that are counted already (sdc_sql/spark), of the sensitive variable too where one is given: what becomes of each, the records by
-- that, and what is promised.
CREATE OR REPLACE MACRO sdc__generalise_design(cells, keys, hierarchies, id, k, suppression, loss, sensitive, l, diversity, c, t,
                                               distance, population, population_k, weight, threshold, levels) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (
        SELECT COLUMNS(sdc__columns((*), keys)),
               sdc__placed_value(CASE WHEN sensitive IS NOT NULL THEN distance END,
                                 sdc__stratum_value(sensitive, COLUMNS(sdc__maybe_sensitive((*), keys, sensitive)))) AS sdc__secret,
               sdc__records AS sdc__n, sdc__unfixed(sdc__cell_size(sdc__records, sdc__low, sdc__middle, sdc__high, weight)) AS sdc__w
        FROM query_table(cells)
    ),
    sdc__of_keys AS (SELECT COLUMNS(sdc__columns((*), keys)) FROM query_table(cells)),
    sdc__generalised AS (
        FROM sdc__generalised_cells('sdc__crossed', 'sdc__of_keys', keys, hierarchies, k, suppression, loss, sensitive, l, diversity,
                                    c, t, distance, population, population_k, weight, threshold, levels)
    ),
    sdc__listed AS (
        SELECT sdc__key, sdc__is_lost, sdc__levels, struct_keys(sdc__key) AS sdc__names,
               [*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))] AS sdc__labels
        FROM sdc__generalised
    )
    SELECT unnest(sdc__key), sdc__names, sdc__levels,
           CASE WHEN sdc__is_lost THEN list_transform(sdc__names, lambda n: NULL::VARCHAR) ELSE sdc__labels END AS sdc__texts
    FROM sdc__listed;
CREATE OR REPLACE MACRO sdc__generalise_designed(tbl, keys, hierarchies, id, k, suppression, loss, sensitive, l, diversity, c, t, distance,
                                                 population, population_k, weight, threshold, levels, design) AS TABLE
    FROM sdc__labelled_by_cell(tbl, keys, id, design);
-- population: its cells, counted; levels: those of the design; keys: in the order of the table.
CREATE OR REPLACE MACRO sdc__generalise_proved(before, after, keys, hierarchies, id, k, suppression, loss, sensitive, l, diversity, c, t,
                                               distance, population, population_k, weight, threshold, levels) AS TABLE
    WITH sdc__kept AS (
        SELECT * EXCLUDE (sdc__known)
        FROM (SELECT *, list_count([*COLUMNS(sdc__columns((*), keys))]) AS sdc__known FROM query_table(after)) WHERE sdc__known > 0
    ),
    sdc__of_diversity AS (
        SELECT CASE diversity WHEN 'distinct' THEN distinct_l WHEN 'entropy' THEN entropy_l ELSE recursive_l END::DOUBLE AS sdc__least
        FROM sdc_l_diversity(after, keys, sensitive, c := c)
    ),
    sdc__of_closeness AS (SELECT f.t AS sdc__most FROM sdc_t_closeness(after, keys, sensitive, distance := distance) AS f),
    sdc__of_weights AS (SELECT min(sdc__w) AS sdc__least FROM sdc__category_cells('sdc__kept', keys, weight)),
    sdc__ladders AS MATERIALIZED (FROM sdc__hierarchies(hierarchies, keys)),
    sdc__labels AS MATERIALIZED (FROM sdc__labels_at('sdc__ladders', keys, levels)),
    sdc__persons AS MATERIALIZED (FROM sdc__population_cells(coalesce(population, before), keys)),
    sdc__others AS MATERIALIZED (
        SELECT COLUMNS(sdc__columns((*), keys)), sdc__persons AS sdc__records, NULL::DOUBLE AS sdc__w
        FROM sdc__relabelled('sdc__persons', keys, 'sdc__labels')
    ),
    sdc__of_population AS (SELECT records::DOUBLE AS sdc__most FROM sdc_k_map('sdc__kept', 'sdc__others', keys, population_k)),
    sdc__nothing AS (SELECT NULL::DOUBLE AS sdc__least),
    sdc__nothing_more AS (SELECT NULL::DOUBLE AS sdc__most),
    sdc__mapped AS (FROM query_table(CASE WHEN population IS NULL THEN 'sdc__nothing_more' ELSE 'sdc__of_population' END)),
    sdc__diverse AS (FROM query_table(CASE WHEN l IS NULL THEN 'sdc__nothing' ELSE 'sdc__of_diversity' END)),
    sdc__close AS (FROM query_table(CASE WHEN t IS NULL THEN 'sdc__nothing_more' ELSE 'sdc__of_closeness' END)),
    sdc__heavy AS (FROM query_table(CASE WHEN threshold IS NULL THEN 'sdc__nothing' ELSE 'sdc__of_weights' END))
    SELECT sdc__p.below_k
    FROM sdc__generalisation_proof(after, keys, k) AS sdc__p, sdc__diverse AS sdc__d, sdc__close AS sdc__c, sdc__heavy AS sdc__h,
         sdc__mapped AS sdc__m
    WHERE sdc__is_as_asked(coalesce(sdc__at_least(sdc__d.sdc__least, l), true), 'l')
          AND sdc__is_as_asked(coalesce(sdc__c.sdc__most <= t + 1e-12, true), 't')
          AND sdc__is_as_asked(coalesce(sdc__at_least(sdc__h.sdc__least, threshold), true), 'threshold')
          AND sdc__is_as_asked(coalesce(sdc__m.sdc__most = 0, true), 'population_k');

-- Title: Generalisation: the best levels of hierarchies; Generalisation of {}.
-- sdc_generalise: each key on one level of its hierarchy, the cheapest on which no record stands out among k.
-- Example: FROM sdc_generalise('persons', ['age', 'sex', 'region'], 'hierarchies', 'id', k := 2);
CREATE OR REPLACE MACRO sdc_generalise(tbl, keys, hierarchies, id, k := 3, suppression := 0, loss := 'generalised_loss',
                                       sensitive := NULL, l := NULL, diversity := 'distinct', c := 2, t := NULL,
                                       distance := 'equal', population := NULL, population_k := NULL, weight := NULL,
                                       threshold := NULL) AS TABLE
    WITH sdc__done AS (
        FROM sdc__generalise(tbl, keys, hierarchies, id, k, suppression, loss, sensitive, l, diversity, c, t, distance,
                             population, population_k, weight, threshold, NULL)
    )
    FROM sdc__released(tbl, keys, id, 'sdc__done');

-- The best one for Python: levels by number, in the order of the table's columns, and by name; then sdc__generalise is called with these.
CREATE OR REPLACE MACRO sdc__generalisation(tbl, keys, hierarchies, k, suppression, loss, sensitive, l, diversity, c, t,
                                            distance, population, population_k, weight, threshold) AS TABLE
    WITH sdc__records AS (
        SELECT COLUMNS(sdc__columns((*), keys)), COLUMNS(sdc__maybe_sensitive((*), keys, sensitive)) AS sdc__secret,
               sdc__maybe_weight(weight, COLUMNS(sdc__column((*), weight))) AS sdc__weight
        FROM sdc__exact_rows(
            tbl, codes := CASE WHEN distance = 'ordered' THEN sdc__names(keys) ELSE list_append(sdc__names(keys), sensitive) END,
            compared := keys)
    ),
    sdc__cells AS MATERIALIZED (FROM sdc__generalisation_cells('sdc__records', sensitive, distance)),
    sdc__checked AS MATERIALIZED (FROM sdc__hierarchies(hierarchies, keys)),
    sdc__problem AS MATERIALIZED (FROM sdc__generalisation_problem('sdc__cells', keys, 'sdc__checked', tbl, sensitive, weight, population)),
    sdc__best AS MATERIALIZED (FROM sdc__best_generalisation(
                                   'sdc__problem',
                                   sdc__asked(k, suppression, l, diversity, c, t, distance, population_k, threshold), loss))
    SELECT sdc__levels, sdc__loss, sdc__suppressed, sdc__cells,
           (SELECT map(list(sdc__of), list(sdc__level_name))
            FROM (SELECT DISTINCT sdc__variable, sdc__level, sdc__level_name FROM sdc__checked)
            JOIN (SELECT unnest(sdc__names) AS sdc__of, unnest(sdc__levels) AS sdc__at FROM sdc__best) ON sdc__variable
                 = sdc__folded(sdc__of)
                 AND sdc__level = sdc__at) AS sdc__level_names
    FROM sdc__best;

-- Levels stand by name in a map from key to level. loss is NULL where an expression has no value.
-- sdc_generalisations: every combination of levels: what it costs, how many records it suppresses, and whether it holds.
-- Gives: levels MAP(VARCHAR, VARCHAR), loss DOUBLE, suppressed BIGINT, cells BIGINT, holds BOOLEAN.
-- Rows: candidates.
-- Example: FROM sdc_generalisations('persons', ['age', 'sex', 'region'], 'hierarchies', k := 2);
CREATE OR REPLACE MACRO sdc_generalisations(tbl, keys, hierarchies, k := 3, suppression := 0, loss := 'generalised_loss',
                                            sensitive := NULL, l := NULL, diversity := 'distinct', c := 2, t := NULL,
                                            distance := 'equal', population := NULL, population_k := NULL, weight := NULL,
                                            threshold := NULL) AS TABLE
    WITH sdc__records AS (
        SELECT COLUMNS(sdc__columns((*), keys)), COLUMNS(sdc__maybe_sensitive((*), keys, sensitive)) AS sdc__secret,
               sdc__maybe_weight(weight, COLUMNS(sdc__column((*), weight))) AS sdc__weight
        FROM sdc__exact_rows(
            tbl, codes := CASE WHEN distance = 'ordered' THEN sdc__names(keys) ELSE list_append(sdc__names(keys), sensitive) END,
            compared := keys)
    ),
    sdc__cells AS MATERIALIZED (FROM sdc__generalisation_cells('sdc__records', sensitive, distance)),
    sdc__checked AS MATERIALIZED (FROM sdc__hierarchies(hierarchies, keys)),
    sdc__problem AS MATERIALIZED (FROM sdc__generalisation_problem('sdc__cells', keys, 'sdc__checked', tbl, sensitive, weight, population)),
    sdc__by_level AS (
        SELECT sdc__variable, list(sdc__level_name ORDER BY sdc__level ASC) AS sdc__of
        FROM (SELECT DISTINCT sdc__variable, sdc__level, sdc__level_name FROM sdc__checked)
        GROUP BY sdc__variable
    ),
    sdc__level_names AS (
        SELECT list(sdc__of ORDER BY list_position(sdc__names, sdc__variable) ASC) AS sdc__named
        FROM sdc__by_level, sdc__problem
    )
    SELECT map(sdc__names, list_transform(sdc__levels, lambda l, i: sdc__named[i][l + 1])) AS levels, sdc__loss AS loss,
           sdc__suppressed AS suppressed, sdc__cells AS cells, sdc__holds AS holds
    FROM sdc__every_generalisation('sdc__problem',
                                   sdc__asked(k, suppression, l, diversity, c, t, distance, population_k, threshold), loss),
         sdc__level_names
    ORDER BY sdc__levels ASC;
