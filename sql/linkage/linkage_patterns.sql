-- Two files side by side for probabilistic record linkage: what the kernel is given and what it gives, and the patterns of
-- agreement decided on.
--
-- Every pair counts and none is made: the kernel is given the rows of both files under one another, a list for each variable
-- (udfs/linkage/agreement.py). Categories are compared by their texts, as in pairs.sql.

-- columns: of each variable the numbers of its categories, or its numbers; categories: how many have the first ones.
CREATE OR REPLACE MACRO sdc__kernel_probabilistic_linkage(columns, categories, tolerances, blocks, first, persons, times) AS
    sdc__needs_python('Probabilistic record linkage')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__linkage_side(tbl, columns, categories, numbers, block, id, first) AS TABLE
    SELECT first AS sdc__first, COLUMNS(sdc__columns((*), [id])) AS sdc__person,
           CASE WHEN len(categories) > 0 THEN COLUMNS(sdc__columns_if_any((*), categories, columns))::VARCHAR END AS "sdc__t_\0",
           CASE WHEN len(numbers) > 0 THEN sdc__finite_number(COLUMNS(sdc__columns_if_any((*), numbers, columns))) END AS "sdc__x_\0",
           CASE WHEN len(block) > 0 THEN COLUMNS(sdc__columns_if_any((*), block, columns))::VARCHAR END AS "sdc__b_\0"
    FROM sdc__exact_rows(tbl, codes := list_concat(list_concat(categories, block), [id]));

-- False, or the error. common: the persons of both files. labels, moved, old, new: of a category, as in sdc__recoded_unsaid.
CREATE OR REPLACE MACRO sdc__not_linked(id, common) AS
    CASE WHEN common = 0
             THEN error('ColumnError: No id (' || id
                        || ') of the released table occurs in the original: no link would be correct, and the risk would'
                        || ' look like none. Give the ids one type and form (1 is not 1.0, ''017'' not ''17'').')
         ELSE false END;
CREATE OR REPLACE MACRO sdc__recoded_for_linkage(labels, moved, old, new, name) AS
    CASE WHEN labels = 1 AND moved > 1 AND new < old
             THEN error('ColumnError: Each original value of "' || name
                        || '" was released as one value, and several as the same one, as after a recoding: those that are'
                        || ' no label would agree with nothing, and the risk would look low. Recode the original alike'
                        || ' first, by the same hierarchy or breaks.')
         ELSE false END;

-- One row, or the error; files: the name of a relation with sdc__first, sdc__person and the categories, sdc__t_<name>.
CREATE OR REPLACE MACRO sdc__recoded_alike(files, categories) AS TABLE
    WITH sdc__sides AS (
        SELECT sdc__first, sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__list FROM query_table(files)
    ),
    sdc__named AS (
        SELECT struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__t_')))) AS sdc__names
        FROM query_table(files)
        LIMIT 1
    ),
    sdc__moves AS (
        SELECT sdc__of, sdc__o, sdc__r, count(*) AS sdc__n
        FROM (SELECT unnest(range(1, len(categories) + 1)) AS sdc__of,
                     unnest(list_slice(sdc__b.sdc__list, 1, len(categories))) AS sdc__o,
                     unnest(list_slice(sdc__a.sdc__list, 1, len(categories))) AS sdc__r
              FROM sdc__sides AS sdc__b
              JOIN sdc__sides AS sdc__a ON sdc__b.sdc__first AND NOT sdc__a.sdc__first
                   AND sdc__b.sdc__person = sdc__a.sdc__person)
        WHERE sdc__o IS NOT NULL AND sdc__r IS NOT NULL GROUP BY ALL
    )
    SELECT count(*) AS sdc__moved
    FROM (SELECT sdc__of, max(sdc__d) AS sdc__most, max(sdc__m) AS sdc__moved, count(*) AS sdc__olds,
                 count(DISTINCT sdc__one) AS sdc__news
          FROM (SELECT sdc__of, sdc__o, count(*) AS sdc__d, min(sdc__r) AS sdc__one,
                       sum(CASE WHEN sdc__o <> sdc__r THEN sdc__n ELSE 0 END) AS sdc__m
                FROM sdc__moves
                GROUP BY ALL)
          GROUP BY sdc__of),
         sdc__named
    WHERE sdc__recoded_for_linkage(sdc__most, sdc__moved, sdc__olds, sdc__news, substr(sdc__names[sdc__of], 8));

-- The number of categories, or the error: of two variables the kernel could not say what a match is.
CREATE OR REPLACE MACRO sdc__enough_variables(categories, columns) AS
    CASE WHEN len(sdc__names(columns)) >= 3 THEN len(categories)::DOUBLE
         ELSE error('ParameterError: ' || len(sdc__names(columns))
                    || CASE WHEN len(sdc__names(columns)) = 1 THEN ' variable does' ELSE ' variables do' END
                    || ' not tell matched pairs from others, since patterns of agreement in two have fewer counts'
                    || ' than there are probabilities: name three or more.') END;

-- True, or the error. (The list is read without a tolerance too: it may hold an error.)
CREATE OR REPLACE MACRO sdc__numbers_said(continuous, tolerance) AS
    CASE WHEN len(sdc__names(continuous)) = 0 AND tolerance IS NOT NULL
             THEN error('ParameterError: tolerance is given, and no column is continuous: name in continuous the numbers'
                        || ' that agree within it; all others are categories.')
         ELSE coalesce(len(continuous), 0) >= 0 END;

-- One row: sdc__names (of the variables), sdc__persons, sdc__firsts and sdc__times (of the rows), sdc__k (what the kernel gives:
-- udfs/linkage/probabilistic.py).
CREATE OR REPLACE MACRO sdc__linkage_by(original, released, columns, categories, numbers, id, continuous, tolerance, block) AS TABLE
    WITH sdc__files AS NOT MATERIALIZED (
        FROM sdc__linkage_side(original, columns, categories, numbers, block, id, true)
        UNION ALL BY NAME
        FROM sdc__linkage_side(released, columns, categories, numbers, block, id, false)
    ),
    sdc__unordered AS (SELECT DISTINCT sdc__first, COLUMNS('(?s)^sdc__t_(.*)$') AS "sdc__x_\1" FROM sdc__files),
    sdc__blocked AS (SELECT DISTINCT sdc__first, COLUMNS('(?s)^sdc__b_(.*)$') AS "sdc__x_\1" FROM sdc__files),
    sdc__merged AS (FROM sdc__merged_rows('sdc__files')),
    sdc__kinds AS (
        SELECT CASE WHEN COLUMNS('(?s)^sdc__t_.*$') IS NOT NULL THEN sdc__category_number(COLUMNS('(?s)^sdc__t_.*$')) END AS "\0",
               CASE WHEN len(block) = 0 THEN 0e0 WHEN list_count([*COLUMNS('(?s)^sdc__b_.*$')]) = len(block)
                    THEN sdc__category_number([*COLUMNS('(?s)^sdc__b_.*$')]) END AS sdc__block,
               unnest(sdc__rows) AS sdc__row
        FROM sdc__kinds_of_rows('sdc__merged')
    ),
    sdc__coded AS (
        SELECT *, sdc__category_number(sdc__person) AS sdc__number
        FROM (SELECT * EXCLUDE (sdc__row), unnest(sdc__row) FROM sdc__kinds)
    ),
    sdc__lists AS (SELECT list(COLUMNS(*)) AS "\0" FROM sdc__coded),
    sdc__by_kind AS (
        SELECT struct_keys(struct_pack(*COLUMNS(*))) AS sdc__every,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__t,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__x,
               sdc__first AS sdc__firsts, sdc__person AS sdc__persons, sdc__number AS sdc__numbers, sdc__block AS sdc__blocks,
               sdc__times
        FROM sdc__lists
    ),
    sdc__named AS (
        SELECT * EXCLUDE (sdc__every),
               list_transform(list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__t_')), 1, len(categories)),
                              lambda n: substr(n, 8)) AS sdc__labels,
               list_transform(list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__x_')), 1, len(numbers)),
                              lambda n: substr(n, 8)) AS sdc__sizes
        FROM sdc__by_kind
    ),
    sdc__checked AS (
        SELECT count(*) AS sdc__none
        FROM sdc__counted_ids('sdc__files')
        WHERE sdc__not_paired(id, sdc__originals, sdc__copies, sdc__nobody, 0) OR sdc__not_linked(id, sdc__shared)
    )
    SELECT list_concat(sdc__labels, sdc__sizes) AS sdc__names, sdc__persons, sdc__firsts, sdc__times,
           sdc__kernel_probabilistic_linkage(
               list_concat(list_slice(sdc__t, 1, len(categories)), list_slice(sdc__x, 1, len(numbers))),
               sdc__enough_variables(categories, columns),
               list_transform(sdc__each(tolerance, continuous, sdc__sizes),
                              lambda t: coalesce(TRY_CAST(t AS DOUBLE), -1e0)),
               sdc__blocks, list_transform(sdc__firsts, lambda f: f::BIGINT::DOUBLE), sdc__numbers, sdc__times) AS sdc__k
    FROM sdc__named, sdc__checked, (FROM sdc__recoded_alike('sdc__files', categories)) AS sdc__recoded,
         (FROM sdc__coded_alike('sdc__unordered')) AS sdc__alike,
         (SELECT sdc__wrong AS sdc__apart FROM sdc__coded_alike('sdc__blocked')) AS sdc__in_blocks
    WHERE sdc__checked.sdc__none + sdc__moved + sdc__wrong + sdc__apart = 0;
CREATE OR REPLACE MACRO sdc__linkage(original, released, columns, id, continuous, tolerance, block) AS TABLE
    FROM sdc__linkage_by(original, released, columns, sdc__names_not_among(columns, continuous),
                         sdc__names_among(columns, continuous), id, sdc__names_if_any(continuous), tolerance,
                         sdc__names_if_any(block))
    WHERE sdc__numbers_said(sdc__some_of(continuous, columns, 'continuous'), tolerance);

-- The share of pairs that false_match is, where it is NULL: the false links of 1 released record in 20.
CREATE OR REPLACE MACRO sdc__false_match(false_match, records, pairs) AS
    CASE WHEN false_match IS NULL THEN least(records / 20e0 / pairs, 0.5e0)
         ELSE sdc__checked_fraction_of(TRY_CAST(false_match AS DOUBLE), 'false_match', false_match) END;

-- Of each pattern, run the name of a relation as sdc__linkage gives. A sum over patterns of one weight is over all of them.
CREATE OR REPLACE MACRO sdc__linkage_patterns(run, false_match, false_nonmatch) AS TABLE
    WITH sdc__each_pattern AS (
        SELECT unnest(range(len(sdc__k[6]))) AS sdc__pattern, unnest(sdc__k[6]) AS sdc__pairs,
               unnest(sdc__k[7]) AS sdc__true, unnest(sdc__k[8]) AS sdc__weight,
               sdc__k[1][1] AS sdc__p, sdc__k[2] AS sdc__m, sdc__k[3] AS sdc__u, sdc__names,
               list_sum(sdc__k[6]) AS sdc__all, len(list_filter(sdc__firsts, lambda f: NOT f)) AS sdc__records
        FROM query_table(run)
    ),
    sdc__likely AS (
        SELECT *,
               list_product(list_transform(sdc__m,
                                           lambda m, j: CASE WHEN sdc__pattern >> (j - 1) & 1 = 1 THEN m
                                                             ELSE 1 - m END)) AS sdc__matched,
               list_product(list_transform(sdc__u,
                                           lambda u, j: CASE WHEN sdc__pattern >> (j - 1) & 1 = 1 THEN u
                                                             ELSE 1 - u END)) AS sdc__unmatched
        FROM sdc__each_pattern
    ),
    sdc__summed AS (
        SELECT *, sdc__false_match(false_match, sdc__records, sdc__all) AS sdc__mu,
               sum(sdc__unmatched) OVER (ORDER BY round(sdc__weight, 9) DESC) AS sdc__above,
               sum(sdc__matched) OVER (ORDER BY round(sdc__weight, 9) ASC) AS sdc__below
        FROM sdc__likely
    )
    SELECT list_filter(sdc__names, lambda n, j: sdc__pattern >> (j - 1) & 1 = 1) AS sdc__agreeing,
           sdc__pairs::BIGINT AS sdc__pairs, sdc__true::BIGINT AS sdc__true, sdc__weight, sdc__matched, sdc__unmatched,
           sdc__pairs * (sdc__p * sdc__matched / (sdc__p * sdc__matched + (1 - sdc__p) * sdc__unmatched)) AS sdc__expected, sdc__mu,
           CASE WHEN sdc__at_most(sdc__above, sdc__mu) THEN 'link'
                WHEN sdc__at_most(
                    sdc__below,
                    sdc__checked_fraction_of(TRY_CAST(false_nonmatch AS DOUBLE), 'false_nonmatch', false_nonmatch))
                    THEN 'non-link'
                ELSE 'possible' END AS sdc__decision
    FROM sdc__summed;
