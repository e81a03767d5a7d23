-- How close released records are to original ones, beside how close these are to one another.
--
--   d(r, s)^2 = sum over the numbers of w_j ((r_j - s_j) / scale_j)^2 + over ordered categories of w_j ((rank - rank) / (categories - 1))^2
--               + over the other categories of w_j where they differ
--   DCR(r)  = d to the closest original record, of each released one;   NNDR(r) = d to the closest / d to the second closest, 0 to 1
-- A released record at distance 0 is a copy of an original one; a small NNDR points to one original record among all. What is small
-- is judged by the original: the distance of each of its records to the closest other one. close is the share of the released records
-- whose DCR is at most the 5th percentile of these: 0.05 is expected of a file that is as another sample from the same population, and far
-- more where records were taken over with little change. That holds of numbers: of categories, of which every sample repeats most cells,
-- a fresh one has 0.75 and more, and only a holdout tells whether that is much (holdout_distance.sql). Exact, for all records;
-- no id is needed, and the files may be of any sizes.
-- scaling: the standard deviation (n - 1) or the range of the original; what is constant there is compared as it is. Ordered categories
-- of both files together are ranked: numbers by size, an ENUM in its own order, texts by their bytes, NULL the lowest; numbers in one
-- file and texts in the other are an error. NULL of other
-- categories is one of them; a column of these without a value in both files is an error (it was recoded, or is a number: no record would
-- be close). NULL or NaN in a number is an error. Two originals at the same distance, 0 too, have the NNDR 1; distances are compared to
-- nine digits. Percentiles are interpolated.
-- Source: Zhao, Kunar, Birke & Chen (2021), CTAB-GAN: effective table data synthesizing, ACML 157, 97-112, section 4.2 (DCR, NNDR, their
--   5th percentiles and those within the original); Gower (1971), Biometrics 27, 857-871 (numbers and categories in one distance).
--
--   original: x   released: x    FROM sdc_distance_to_closest('original', 'released', ['x'], continuous := ['x'], scaling := 'none'):
--             0             0    records copies close dcr_median dcr_mean nndr_median nndr_mean original_dcr_median original_nndr_median
--             1             2    3       1      1     1          0.6667   0.3333      0.4444    1.5                 0.5833
--             3             6      DCR: 0, 1, 1; NNDR: 0 / 1, 1 / 1, 1 / 3
--             7                    of the original: DCR 1, 1, 2, 4, their 5th percentile 1; NNDR 1 / 3, 1 / 2, 2 / 3, 4 / 6
--
-- Scope: table.
-- Not compiled: the closest records are searched by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original    table                              the table before masking, or from which a synthetic one was made
--   released    table                              the table to be released
--   columns     columns                            the variables; those that are neither continuous nor ordinal are categories
--   ordinal     columns                            those of them whose categories have an order
--   continuous  columns                            those of them that are numbers
--   scaling     'standardised', 'range' or 'none'  what a difference of numbers is divided by: the original's standard
--       deviation ('standardised') or its 'range', or nothing ('none')
--   weights     number or numbers in [0, ...)      what each variable counts in the squared distance: one number,
--       or one for each of the columns

-- columns: of each variable the numbers of its categories, its ranks or its numbers; categories, ordinal: how many have these.
CREATE OR REPLACE MACRO sdc__kernel_distance_to_closest(columns, categories, ordinal, before, after, weights, scaling) AS
    sdc__needs_python('The distance to the closest record')::DOUBLE[];

CREATE OR REPLACE MACRO sdc__columns_compared(tbl, columns, categories, ordinal, numbers, first) AS TABLE
    SELECT first AS sdc__first,
           CASE WHEN len(categories) > 0
                    THEN COLUMNS(sdc__columns_if_any((*), categories, columns))::VARCHAR END AS "sdc__t_\0",
           CASE WHEN len(ordinal) > 0 THEN COLUMNS(sdc__columns_if_any((*), ordinal, columns)) END AS "sdc__o_\0",
           CASE WHEN len(numbers) > 0 THEN sdc__finite_number(COLUMNS(sdc__columns_if_any((*), numbers, columns))) END AS "sdc__x_\0"
    FROM sdc__exact_rows(tbl, codes := list_concat(categories, ordinal));

CREATE OR REPLACE MACRO sdc__distance_weights(weights, columns, names) AS
    list_transform(sdc__each(weights, columns, names),
                   lambda w: CASE WHEN weights IS NULL THEN 1e0 ELSE coalesce(TRY_CAST(w AS DOUBLE), -1e0) END);

-- True, or the error.
CREATE OR REPLACE MACRO sdc__kinds_named(continuous, ordinal) AS CASE
    WHEN len(list_intersect(continuous, ordinal)) > 0
        THEN error('ColumnError: ' || sdc__quoted(list_intersect(continuous, ordinal))
                   || ' is named as continuous and as ordinal: a column is compared in one way.')
    ELSE true END;

-- The kinds of records in either file, in one row, as lists: of each variable its values and its name; the records of either file.
CREATE OR REPLACE MACRO sdc__kinds_compared(original, released, columns, categories, ordinal, numbers) AS TABLE
    WITH sdc__files AS (
        FROM sdc__columns_compared(original, columns, categories, ordinal, numbers, true)
        UNION ALL BY NAME
        FROM sdc__columns_compared(released, columns, categories, ordinal, numbers, false)
    ),
    sdc__unordered AS (SELECT DISTINCT sdc__first, COLUMNS('(?s)^sdc__t_(.*)$') AS "sdc__x_\1" FROM sdc__files),
    sdc__crossed AS (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__first')), (count(*) FILTER (WHERE sdc__first))::DOUBLE AS sdc__b,
               (count(*) FILTER (WHERE NOT sdc__first))::DOUBLE AS sdc__a
        FROM sdc__files GROUP BY ALL
    ),
    sdc__coded AS (
        SELECT sdc__category_number(COLUMNS(lambda c: starts_with(c, 'sdc__t_') OR starts_with(c, 'sdc__o_'))) AS "\0",
               COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__b, sdc__a
        FROM sdc__crossed
    ),
    sdc__lists AS (
        SELECT list(COLUMNS(lambda c: NOT c IN ('sdc__b', 'sdc__a'))) AS "\0", list(sdc__b) AS sdc__before,
               list(sdc__a) AS sdc__after
        FROM sdc__coded
    ),
    sdc__by_kind AS (
        SELECT struct_keys(struct_pack(*COLUMNS(lambda c: NOT c IN ('sdc__before', 'sdc__after')))) AS sdc__every,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__t,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__o_'))] AS sdc__o,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__x, sdc__before, sdc__after
        FROM sdc__lists
    )
    SELECT list_transform(list_concat(
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__t_')), 1, len(categories)),
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__o_')), 1, len(ordinal)),
                              list_slice(list_filter(sdc__every, lambda n: starts_with(n, 'sdc__x_')), 1, len(numbers))),
                          lambda n: substr(n, 8)) AS sdc__names,
           list_concat(list_slice(sdc__t, 1, len(categories)), list_slice(sdc__o, 1, len(ordinal)),
                       list_slice(sdc__x, 1, len(numbers))) AS sdc__values,
           sdc__before, sdc__after
    FROM sdc__by_kind, (FROM sdc__coded_alike('sdc__unordered')) AS sdc__alike,
         (SELECT count(*) AS sdc__n FROM sdc__ranked_alike(original, released, ordinal, columns)) AS sdc__ranked
    WHERE sdc__wrong = 0 AND sdc__n = 0;

-- sdc_distance_to_closest: how close released records are to original ones (DCR, NNDR), beside these among themselves.
-- Gives: records BIGINT, copies BIGINT (more risk), close DOUBLE or NULL (more risk), dcr_minimum DOUBLE or NULL (less risk),
--   dcr_p5 DOUBLE or NULL (less risk), dcr_median DOUBLE or NULL (less risk), dcr_mean DOUBLE or NULL (less risk),
--   nndr_minimum DOUBLE or NULL (less risk), nndr_p5 DOUBLE or NULL (less risk), nndr_median DOUBLE or NULL (less risk),
--   nndr_mean DOUBLE or NULL (less risk), original_copies BIGINT, original_dcr_minimum DOUBLE or NULL, original_dcr_p5 DOUBLE or NULL,
--   original_dcr_median DOUBLE or NULL, original_dcr_mean DOUBLE or NULL, original_nndr_minimum DOUBLE or NULL,
--   original_nndr_p5 DOUBLE or NULL, original_nndr_median DOUBLE or NULL, original_nndr_mean DOUBLE or NULL.
-- Rows: one.
-- Result: DistanceToClosest. DCR and NNDR of the released records, and of the original ones among themselves; NULL where there are too few.
--   `copies` are at distance 0; `close` is the share of released records as close to an original one as the closest twentieth of the
--   original ones are to one another.
-- Raises: InputError where a number is missing, or a weight is negative.
-- Notes: NULL of a category is one of them; a number is not NULL. No id is needed.
-- Example: FROM sdc_distance_to_closest('persons', 'released', ['age', 'sex', 'income'], ordinal := ['age'], continuous := ['income']);
-- Limit: close. The share of released records that are as close to an original one as the closest twentieth of these are to one another.
CREATE OR REPLACE MACRO sdc_distance_to_closest(original, released, columns, ordinal := NULL, continuous := NULL,
                                                scaling := 'standardised', weights := NULL) AS TABLE
    WITH sdc__found AS (
        SELECT list_transform(sdc__kernel_distance_to_closest(
                                  sdc__values,
                                  len(sdc__names_not_among(sdc__names_not_among(columns, continuous), ordinal))::DOUBLE,
                                  len(sdc__names_among(columns, ordinal))::DOUBLE, sdc__before, sdc__after,
                                  sdc__distance_weights(weights, columns, sdc__names),
                                  sdc__checked_choice(scaling, 'scaling', ['standardised', 'range', 'none'])),
                              lambda v: CASE WHEN isfinite(v) THEN v END) AS sdc__k
        FROM sdc__kinds_compared(original, released, columns,
                                 sdc__names_not_among(sdc__names_not_among(columns, continuous), ordinal),
                                 sdc__names_among(columns, ordinal), sdc__names_among(columns, continuous))
        WHERE sdc__kinds_named(sdc__some_of(continuous, columns, 'continuous'), sdc__some_of(ordinal, columns, 'ordinal'))
    )
    SELECT sdc__k[1]::BIGINT AS records, sdc__k[3]::BIGINT AS copies, sdc__k[2] AS "close", sdc__k[4] AS dcr_minimum,
           sdc__k[5] AS dcr_p5, sdc__k[6] AS dcr_median, sdc__k[7] AS dcr_mean,
           sdc__k[8] AS nndr_minimum, sdc__k[9] AS nndr_p5, sdc__k[10] AS nndr_median, sdc__k[11] AS nndr_mean,
           sdc__k[12]::BIGINT AS original_copies,
           sdc__k[13] AS original_dcr_minimum, sdc__k[14] AS original_dcr_p5, sdc__k[15] AS original_dcr_median,
           sdc__k[16] AS original_dcr_mean,
           sdc__k[17] AS original_nndr_minimum, sdc__k[18] AS original_nndr_p5, sdc__k[19] AS original_nndr_median,
           sdc__k[20] AS original_nndr_mean
    FROM sdc__found;
