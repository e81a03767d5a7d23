-- Three files side by side: what a release was made from, the release, and a holdout that nothing was made from.
--
-- Numbers are numbers, ordered categories keep their types, and the others are texts: "sdc__x_", "sdc__o_" and "sdc__t_<name>". file: 0 of
-- the original, 1 of the holdout, 2 of the released. unit: the household within original and holdout, as text; NULL where none is named.

CREATE OR REPLACE MACRO sdc__household_unit(household, v, file) AS CASE
    WHEN household IS NULL THEN NULL
    ELSE coalesce(sdc__canonical(v), CASE
        WHEN file = 2 THEN error('ColumnError: A released record is of no copy (' || household || ' is NULL): number the copies from 1.')
        ELSE error('ColumnError: A record has no household (' || household
                   || ' is NULL): a person living alone has one of his own.') END) END;

CREATE OR REPLACE MACRO sdc__file_compared(tbl, columns, categories, ordinal, numbers, file, household) AS TABLE
    SELECT file AS sdc__file, sdc__household_unit(household, COLUMNS(sdc__named_column((*), household)), file) AS sdc__unit,
           CASE WHEN len(categories) > 0
                    THEN COLUMNS(sdc__columns_if_any((*), categories, columns))::VARCHAR END AS "sdc__t_\0",
           CASE WHEN len(ordinal) > 0 THEN COLUMNS(sdc__columns_if_any((*), ordinal, columns)) END AS "sdc__o_\0",
           CASE WHEN len(numbers) > 0 THEN sdc__finite_number(COLUMNS(sdc__columns_if_any((*), numbers, columns))) END AS "sdc__x_\0"
    FROM sdc__exact_rows(tbl, codes := list_concat(categories, ordinal, CASE WHEN household IS NULL THEN [] ELSE [household] END));

-- False, or the error.
CREATE OR REPLACE MACRO sdc__in_both(n, household) AS
    CASE WHEN n = 0 THEN false
         ELSE error('ColumnError: ' || n || ' households (' || household || ') are in the original and in the holdout, which'
                    || ' is to hold none of them: draw it by whole households (sdc_holdout), or number those of another source'
                    || ' anew.') END;

CREATE OR REPLACE MACRO sdc__three_files(original, released, holdout, columns, categories, ordinal, numbers, household, copy) AS TABLE
    WITH sdc__files AS (
        FROM sdc__file_compared(original, columns, categories, ordinal, numbers, 0, household)
        UNION ALL BY NAME
        FROM sdc__file_compared(holdout, columns, categories, ordinal, numbers, 1, household)
        UNION ALL BY NAME
        FROM sdc__file_compared(released, columns, categories, ordinal, numbers, 2, copy)
    ),
    sdc__known AS (
        SELECT DISTINCT sdc__file < 2 AS sdc__first, COLUMNS('(?s)^sdc__t_(.*)$') AS "sdc__x_\1" FROM sdc__files
    ),
    sdc__own AS (
        SELECT DISTINCT sdc__file = 0 AS sdc__first, COLUMNS('(?s)^sdc__t_(.*)$') AS "sdc__x_\1" FROM sdc__files WHERE sdc__file < 2
    ),
    sdc__shared AS (
        SELECT count(*) AS sdc__n
        FROM (SELECT sdc__unit AS sdc__of FROM sdc__files WHERE sdc__file < 2 AND sdc__unit IS NOT NULL
              GROUP BY sdc__unit HAVING min(sdc__file) < max(sdc__file))
    )
    SELECT sdc__files.*
    FROM sdc__files, (SELECT sdc__wrong AS sdc__a FROM sdc__coded_alike('sdc__known')) AS sdc__alike,
         (SELECT sdc__wrong AS sdc__b FROM sdc__coded_alike('sdc__own')) AS sdc__own_alike,
         (SELECT count(*) AS sdc__c FROM sdc__ranked_alike(original, released, ordinal, columns)) AS sdc__ranked,
         (SELECT count(*) AS sdc__d FROM sdc__ranked_alike(original, holdout, ordinal, columns)) AS sdc__own_ranked, sdc__shared
    WHERE sdc__a + sdc__b + sdc__c + sdc__d = 0 AND NOT sdc__in_both(sdc__shared.sdc__n, household);

-- The three files in one row, as lists of numbers: of each variable its name and its values; the file and the unit of each record (from 1
-- within original and holdout; of the released records the number of the copy, 0 where there is
-- one). names, values: the categories first, then the ordered ones, then the numbers.
CREATE OR REPLACE MACRO sdc__three_files_listed(original, released, holdout, columns, categories, ordinal, numbers, household,
                                                   copy) AS TABLE
    WITH sdc__three AS (
        FROM sdc__three_files(original, released, holdout, columns, categories, ordinal, numbers, household, copy)),
    sdc__placed AS (
        SELECT *, CASE WHEN sdc__unit IS NULL THEN row_number() OVER (ORDER BY sdc__file ASC)
                       ELSE dense_rank() OVER (ORDER BY sdc__file ASC, sdc__unit ASC) END AS sdc__number
        FROM sdc__three
    ),
    sdc__coded AS (
        SELECT sdc__file::DOUBLE AS sdc__file,
               CASE WHEN sdc__file = 2 AND sdc__unit IS NULL THEN 0 ELSE sdc__number END::DOUBLE AS sdc__number,
               sdc__category_number(COLUMNS(lambda c: starts_with(c, 'sdc__t_') OR starts_with(c, 'sdc__o_'))) AS "\0",
               COLUMNS(lambda c: starts_with(c, 'sdc__x_'))
        FROM sdc__placed
    ),
    sdc__lists AS (SELECT list(COLUMNS(*)) AS "\0" FROM sdc__coded),
    sdc__by_kind AS (
        SELECT struct_keys(struct_pack(*COLUMNS(lambda c: NOT c IN ('sdc__file', 'sdc__number')))) AS sdc__every,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__t,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__o_'))] AS sdc__o,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__x, sdc__file, sdc__number
        FROM sdc__lists
    )
    SELECT list_transform(list_concat(
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__t_')), 1, len(categories)),
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__o_')), 1, len(ordinal)),
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__x_')), 1, len(numbers))),
                          lambda n: substr(n, 8)) AS sdc__names,
           list_concat(list_slice(sdc__t, 1, len(categories)), list_slice(sdc__o, 1, len(ordinal)),
                       list_slice(sdc__x, 1, len(numbers))) AS sdc__values, sdc__file, sdc__number
    FROM sdc__by_kind;
