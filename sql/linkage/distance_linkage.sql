-- Record linkage by distance: for how many released records the nearest one of another file is truly their own.
--
--   d(r, s)^2 = sum over the numbers of w_j ((r_j - s_j) / scale_j)^2 + over ordered categories of w_j ((rank - rank) / (categories - 1))^2
--               + over the other categories of w_j where they differ
--   each released record r is linked to the nearest record s of the other file, one of those as near at random:
--   p_r = 1 / (records as near as r's own) where none is nearer than its own, else 0;  expected_correct_matches = sum p_r, rate = / records
--   r's own is the second nearest with the same chance, where one record is nearer, or none and two or more are as near   second_rate
-- Exact: all pairs count, by a search that leaves out what cannot be nearer. Distances are compared to nine digits.
-- scaling: the standard deviation (n - 1) or the range in the other file; 'mahalanobis': the numbers together, (r - s)' V^-1 (r - s), V
-- their covariances there. What is constant there is compared as it is. Ordered categories of both files together are ranked: numbers by
-- size, an ENUM in its own order, texts by their bytes. NULL of other categories is one of them. A number or a rank that one of two
-- records lacks adds what two records of the other file differ by on average, which tells none of those that have it from another: so a
-- suppressed value is no information, and no distance. Where values were suppressed and the other file lacks some of its own, a released
-- NULL is read in both ways, as what the other file lacks and as no information, and the one with more correct links counts: records that
-- lack a value must not seem to be the nearest ones of those in which it was suppressed.
-- Source: SDC handbook, section 3.3.8.1; Pagliuca & Seri (1999), Some results of individual ranking method on the system of
--   enterprise accounts annual survey, Esprit SDC project, deliverable MI-3/D2; Domingo-Ferrer & Torra (2001), A quantitative
--   comparison of disclosure control methods for microdata (which found it to link more than probabilistic linkage); Torra, Abril &
--   Navarro-Arribas (2011) for the Mahalanobis distance.
--
--   original: id x   released: id x
--             1  0             1  0
--             2  1             2  2
--             3  3             3  6
--             4  7             4  7
--   FROM sdc_distance_linkage('original', 'released', ['x'], 'id', continuous := ['x'], scaling := 'none'):
--   records candidates unpaired unique_correct tied expected_correct_matches rate  expected_second_matches second_rate
--   4       4          0        2              1    2.5                      0.625 1.5                     0.375
--     own: at 0, 1, 3 and 0; nearer: none, none (3 is as near), one (7), none
--     nearest 1 + 1/2 + 0 + 1; second nearest 0 + 1/2 + 1 + 0
--
-- The worst case where the other file is the original: the intruder knows all variables as they were, and who was released (originals
-- that were not are no candidates). A released record without an original is an error. `external`: the other file is the intruder's own,
-- from which persons may be missing: all its records are candidates, and a released record without its person there is linked to nobody
-- truly (unpaired). A category without a value in both files is an error, and so is one that was plainly recoded in part (each value
-- released as one, several as the same): its values would be no nearer to their own. Recode the other file alike, or leave it out.
--
-- Scope: table.
-- Not compiled: the nearest records are searched by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original    table                          the table before masking, or another that an intruder may have
--   released    table                          the table after it
--   columns     columns                        the variables; those that are neither continuous nor ordinal are categories
--   id          column                         identifies each record in both
--   ordinal     columns                        those of them whose categories have an order
--   continuous  columns                        those of them that are numbers
--   scaling     'standardised', 'range', 'mahalanobis' or 'none'  what a difference of numbers is divided by: the other file's standard
--       deviation ('standardised') or its 'range', or nothing ('none'); 'mahalanobis': all numbers together by their covariances
--   weights     number or numbers in [0, ...)  what each variable counts in the squared distance: one number,
--       or one for each of the columns
--   external    truth value                    the other table need not have every released person, and all its records are candidates

-- columns: of each variable the numbers of its categories, its ranks or its numbers; categories, ordinal: how many have these.
CREATE OR REPLACE MACRO sdc__kernel_distance_linkage(columns, categories, ordinal, person, first, times, weights, scaling,
                                                     external) AS
    sdc__needs_python('Record linkage')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__records_compared(tbl, columns, id, categories, ordinal, numbers, first) AS TABLE
    SELECT first AS sdc__first, COLUMNS(sdc__columns((*), [id])) AS sdc__person,
           CASE WHEN len(categories) > 0
                    THEN COLUMNS(sdc__columns_if_any((*), categories, columns))::VARCHAR END AS "sdc__t_\0",
           CASE WHEN len(ordinal) > 0 THEN COLUMNS(sdc__columns_if_any((*), ordinal, columns)) END AS "sdc__o_\0",
           CASE WHEN len(numbers) > 0 THEN sdc__finite_number(COLUMNS(sdc__columns_if_any((*), numbers, columns))) END AS "sdc__x_\0"
    FROM sdc__exact_rows(tbl, codes := list_append(list_concat(categories, ordinal), id));

CREATE OR REPLACE MACRO sdc__rank_or_null(x) AS CASE WHEN x IS NOT NULL THEN (dense_rank() OVER (ORDER BY x ASC NULLS LAST))::DOUBLE END;

CREATE OR REPLACE MACRO sdc__is_external(external) AS
    CASE external WHEN true THEN 1e0
                  WHEN false THEN 0e0
                  ELSE error('ParameterError: external is NULL: it must be true or false.') END;

-- The records of both files in one row, as lists: persons, their numbers, whether they are of the other file (1), and of each variable
-- its values and its name. Texts in order are asked whether one occurs in both files, as categories are.
CREATE OR REPLACE MACRO sdc__files_compared(original, released, columns, id, categories, ordinal, numbers, external) AS TABLE
    WITH sdc__files AS NOT MATERIALIZED (
        FROM sdc__records_compared(original, columns, id, categories, ordinal, numbers, true)
        UNION ALL BY NAME
        FROM sdc__records_compared(released, columns, id, categories, ordinal, numbers, false)
    ),
    sdc__unordered AS (SELECT DISTINCT sdc__first, COLUMNS('(?s)^sdc__t_(.*)$') AS "sdc__x_\1" FROM sdc__files),
    sdc__ordered AS (
        SELECT DISTINCT sdc__first,
                        CASE WHEN typeof(COLUMNS('(?s)^sdc__o_(.*)$')) = 'VARCHAR'
                                 THEN COLUMNS('(?s)^sdc__o_(.*)$')::VARCHAR END AS "sdc__x_\1"
        FROM sdc__files
    ),
    sdc__refused AS (
        SELECT count(*) AS sdc__n
        FROM sdc__counted_ids('sdc__files')
        WHERE sdc__not_paired(id, sdc__originals, sdc__copies, sdc__nobody,
                              CASE WHEN sdc__is_external(external) = 1 AND sdc__shared > 0 THEN 0 ELSE sdc__strange END)
    ),
    sdc__merged AS (FROM sdc__merged_rows('sdc__files')),
    sdc__each AS (SELECT *, 1e0 AS sdc__times FROM sdc__files),
    sdc__kinds AS (
        SELECT CASE WHEN COLUMNS('(?s)^sdc__t_.*$') IS NOT NULL
                        THEN sdc__category_number(COLUMNS('(?s)^sdc__t_.*$')) END AS "\0",
               sdc__rank_or_null(COLUMNS(lambda c: starts_with(c, 'sdc__o_'))) AS "\0", unnest(sdc__rows) AS sdc__row
        FROM sdc__kinds_of_rows(CASE WHEN external AND len(numbers) = 0 THEN 'sdc__merged' ELSE 'sdc__each' END)
    ),
    sdc__coded AS (
        SELECT *, sdc__category_number(sdc__person) AS sdc__number
        FROM (SELECT * EXCLUDE (sdc__row), unnest(sdc__row) FROM sdc__kinds)
    ),
    sdc__lists AS (
        SELECT list(sdc__person) AS sdc__persons, list(sdc__number) AS sdc__people,
               list(CASE WHEN sdc__first THEN 1e0 ELSE 0e0 END) AS sdc__firsts, list(sdc__times) AS sdc__times,
               list(COLUMNS(lambda c: c[6:7] IN ('t_', 'o_', 'x_'))) AS "\0"
        FROM sdc__coded
    ),
    sdc__by_kind AS (
        SELECT struct_keys(struct_pack(*COLUMNS(lambda c: c[6:7] IN ('t_', 'o_', 'x_')))) AS sdc__every,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__t,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__o_'))] AS sdc__o,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__x, sdc__persons, sdc__people, sdc__firsts, sdc__times
        FROM sdc__lists
    )
    SELECT list_transform(list_concat(
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__t_')), 1, len(categories)),
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__o_')), 1, len(ordinal)),
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__x_')), 1, len(numbers))),
                          lambda n: substr(n, 8)) AS sdc__names,
           list_concat(list_slice(sdc__t, 1, len(categories)), list_slice(sdc__o, 1, len(ordinal)),
                       list_slice(sdc__x, 1, len(numbers))) AS sdc__values,
           sdc__persons, sdc__people, sdc__firsts, sdc__times
    FROM sdc__by_kind, (FROM sdc__coded_alike('sdc__unordered')) AS sdc__alike,
         (SELECT sdc__wrong AS sdc__mixed FROM sdc__coded_alike('sdc__ordered')) AS sdc__ranked, sdc__refused,
         (FROM sdc__recoded_alike('sdc__files', categories)) AS sdc__recoded,
         (SELECT count(*) AS sdc__texts FROM sdc__ranked_alike(original, released, ordinal, columns)) AS sdc__typed
    WHERE sdc__moved = 0 AND sdc__texts = 0 AND sdc__wrong = 0 AND sdc__mixed = 0 AND sdc__n = 0;

-- Each record: whether it is of the other file, and of the released ones the distance of its own, how many are nearer (2: or
-- more) and how many as near; NaN without one.
CREATE OR REPLACE MACRO sdc__linked_records(original, released, columns, id, categories, ordinal, numbers, scaling, weights,
                                            external) AS TABLE
    SELECT unnest(sdc__persons) AS sdc__person, unnest(sdc__firsts) = 1 AS sdc__first, unnest(sdc__times) AS sdc__times,
           unnest(sdc__k[1]) AS sdc__d, unnest(sdc__k[2]) AS sdc__nearer, unnest(sdc__k[3]) AS sdc__near
    FROM (SELECT sdc__persons, sdc__firsts, sdc__times,
                 sdc__kernel_distance_linkage(
                     sdc__values, len(categories)::DOUBLE, len(ordinal)::DOUBLE, sdc__people, sdc__firsts, sdc__times,
                     sdc__distance_weights(weights, columns, sdc__names),
                     sdc__checked_choice(scaling, 'scaling', ['standardised', 'range', 'none', 'mahalanobis']),
                     sdc__is_external(external)) AS sdc__k
          FROM sdc__files_compared(original, released, columns, id, categories, ordinal, numbers, external));

-- The chance that a record of which so many are nearer, and so many as near, is the nearest, and the second nearest.
CREATE OR REPLACE MACRO sdc__chance_nearest(nearer, near) AS CASE WHEN nearer = 0 THEN 1e0 / near ELSE 0e0 END;
CREATE OR REPLACE MACRO sdc__chance_second(nearer, near) AS CASE WHEN nearer = 1 OR (nearer = 0 AND near >= 2) THEN 1e0 / near ELSE 0e0 END;

-- distance: of its own record; nearer: other records that are nearer, 2 for two or more; as_near: as near as its own, it among them,
-- where fewer than 2 are nearer; probability: that its own is taken for the nearest, second_probability: for the second nearest. NULL,
-- and chances of 0, where the other file has no record of the person.
-- sdc_distance_linkage_records: for each released record whether the nearest record of another file is truly its own.
-- Gives: id ANY, distance DOUBLE, nearer BIGINT, as_near BIGINT, probability DOUBLE (more risk), second_probability DOUBLE (more risk).
-- Rows: records.
-- Result: relation. The id; the distance of its own record, how many others are nearer (2 for two or more) and how many as near; the
--   probabilities that its own is taken for the nearest, and for the second nearest.
-- Example: FROM sdc_distance_linkage_records('persons', 'released', ['age', 'sex', 'income'], 'id', ordinal := ['age'],
--   continuous := ['income']);
CREATE OR REPLACE MACRO sdc_distance_linkage_records(original, released, columns, id, ordinal := NULL, continuous := NULL,
                                                     scaling := 'standardised', weights := NULL, external := false) AS TABLE
    WITH sdc__linked AS (
        FROM sdc__linked_records(
            original, released, columns, id, sdc__names_not_among(sdc__names_not_among(columns, continuous), ordinal),
            sdc__names_among(columns, ordinal), sdc__names_among(columns, continuous), scaling, weights, external)
        WHERE NOT sdc__first
              AND sdc__kinds_named(sdc__some_of(continuous, columns, 'continuous'),
                                   sdc__some_of(ordinal, columns, 'ordinal'))
    ),
    sdc__said AS (
        SELECT sdc__person, CASE WHEN isfinite(sdc__d) THEN sdc__d END AS distance,
               CASE WHEN isfinite(sdc__d) THEN sdc__nearer::BIGINT END AS nearer,
               CASE WHEN sdc__nearer < 2 THEN sdc__near::BIGINT END AS as_near,
               sdc__chance_nearest(sdc__nearer, sdc__near) AS probability, sdc__chance_second(sdc__nearer, sdc__near) AS second_probability
        FROM sdc__linked
    )
    FROM query('SELECT sdc__person AS '
               || sdc__identifier(sdc__beside(id, ['distance', 'nearer', 'as_near', 'probability', 'second_probability']))
               || ', * EXCLUDE (sdc__person) FROM sdc__said');

-- candidates: the records of the other file among which each is looked for; unpaired: released records without their person there;
-- unique_correct: the nearest is their own and no other is as near; tied: their own is as near as the nearest, as others are;
-- expected_correct_matches, expected_second_matches: records whose own is taken for the nearest, or for the second nearest, ties at
-- random.
-- sdc_distance_linkage: how many released records an intruder links correctly who takes the nearest record of another file.
-- Gives: records BIGINT, candidates BIGINT, unpaired BIGINT, unique_correct BIGINT (more risk), tied BIGINT,
--   expected_correct_matches DOUBLE (more risk), rate DOUBLE (more risk), expected_second_matches DOUBLE (more risk),
--   second_rate DOUBLE (more risk).
-- Rows: one.
-- Words: rate: share of the records whose nearest original is their own; unique_correct: records whose one nearest original is their own;
--   expected_correct_matches: expected number of correct links by distance.
-- Result: DistanceLinkage. How many records an intruder links correctly who takes the nearest one: the expected number, and its rate.
--   `candidates`: the records among which each is looked for; `unpaired`: records without their person there; `unique_correct`: the nearest
--   is their own, alone; `tied`: others are as near as their own, none nearer. `expected_second_matches` and `second_rate`: their own is
--   taken for the second nearest.
-- Raises: InputError where records cannot be paired by the id, a weight is negative, or numbers have no Mahalanobis distance.
-- Notes: One of several that are as near is taken at random.
-- Example: FROM sdc_distance_linkage('persons', 'released', ['age', 'sex', 'income'], 'id', ordinal := ['age'], continuous := ['income']);
-- Limit: rate. The share of the released records whose nearest original one is their own.
CREATE OR REPLACE MACRO sdc_distance_linkage(original, released, columns, id, ordinal := NULL, continuous := NULL,
                                             scaling := 'standardised', weights := NULL, external := false) AS TABLE
    WITH sdc__linked AS (
        FROM sdc__linked_records(
            original, released, columns, id, sdc__names_not_among(sdc__names_not_among(columns, continuous), ordinal),
            sdc__names_among(columns, ordinal), sdc__names_among(columns, continuous), scaling, weights, external)
        WHERE sdc__kinds_named(sdc__some_of(continuous, columns, 'continuous'), sdc__some_of(ordinal, columns, 'ordinal'))
    ),
    sdc__sums AS (
        SELECT count(*) FILTER (NOT sdc__first) AS sdc__all, coalesce(sum(sdc__times) FILTER (sdc__first), 0)::BIGINT AS sdc__others,
               count(*) FILTER (NOT sdc__first AND NOT isfinite(sdc__d)) AS sdc__without,
               count(*) FILTER (sdc__nearer = 0 AND sdc__near = 1) AS sdc__alone,
               count(*) FILTER (sdc__nearer = 0 AND sdc__near > 1) AS sdc__tied,
               coalesce(sdc__exact_sum(sdc__chance_nearest(sdc__nearer, sdc__near), 90), 0) AS sdc__expected,
               coalesce(sdc__exact_sum(sdc__chance_second(sdc__nearer, sdc__near), 90), 0) AS sdc__second
        FROM sdc__linked
    )
    SELECT sdc__all AS records, CASE WHEN external THEN sdc__others ELSE sdc__all END AS candidates,
           sdc__without AS unpaired, sdc__alone AS unique_correct, sdc__tied AS tied,
           sdc__expected AS expected_correct_matches, sdc__expected / sdc__all AS rate,
           sdc__second AS expected_second_matches, sdc__second / sdc__all AS second_rate
    FROM sdc__sums;
