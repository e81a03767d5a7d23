-- Means, standard deviations and covariances of numeric columns by stratum, the same to the bit for any number of threads
-- and any order of the rows: exact sums (sums.sql) of values that a power of two brought to the size of 1.
--
--   mean_j = sum x / n;   s_ij = (sum d_i d_j - sum d_i sum d_j / n) / (n - 1),   d = x - mean
-- The second term is what the rounding of the means leaves. A value counts to within 2^-88 of the column's greatest, a product of
-- deviations to within 2^-86 of the ranges'; what remains is the rounding of x - mean and of products, 2^-51 of a variance.
-- Source: Chan, Golub & LeVeque (1983), Algorithms for computing the sample variance, The American Statistician 37, 242-247, (1.7).
--
-- tbl: the name of a relation with sdc__stratum (NULL is one too) and columns "sdc__x_<name>" of DOUBLE. NULL and NaN are missing. The
-- relation is read three times; it must give the same rows each time. Lists are in the order of its columns.
-- stratum: NULL where sdc__stratum is NULL throughout.

-- Whether a record is of a stratum. Without strata (NULL) this is true before the query runs: what one row holds then stands beside
-- every record as a constant, where a join would look it up for each.
CREATE OR REPLACE MACRO sdc__in_stratum(stratum, its, of_stratum) AS stratum IS NULL OR its IS NOT DISTINCT FROM of_stratum;

CREATE OR REPLACE MACRO sdc__not_nan(x) AS CASE WHEN NOT isnan(x) THEN x END;
CREATE OR REPLACE MACRO sdc__present(tbl) AS TABLE
    SELECT sdc__stratum, sdc__not_nan(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0" FROM query_table(tbl);

-- The element of a list, one for each name of a column, that belongs to the column x.
CREATE OR REPLACE MACRO sdc__of_column(listed, names, x) AS listed[list_position(names, substr(alias(x), 8))];

CREATE OR REPLACE MACRO sdc__checked_size(low, high, name) AS
    CASE WHEN greatest(-low, high) > 1e150 OR (high > low AND high - low < 1e-150)
             THEN error('ColumnError: The column ' || name
                        || ' holds infinite values, values beyond 1e150, or values within 1e-150 of one another, '
                        || 'whose squares are no numbers: replace or rescale them.')
         ELSE greatest(-low, high) END;

CREATE OR REPLACE MACRO sdc__shifted(x, shifts, names) AS x * sdc__of_column(shifts, names, x);

-- By stratum: how many values each column has, their mean, and the shift of their deviations from it.
CREATE OR REPLACE MACRO sdc__centres(tbl, stratum) AS TABLE
    WITH sdc__ranges AS (
        SELECT sdc__stratum, count(*) AS sdc__records,
               count(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "sdc__n_\0",
               min(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "sdc__low_\0",
               max(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "sdc__high_\0"
        FROM query_table(tbl) GROUP BY sdc__stratum
    ),
    sdc__listed AS (
        SELECT sdc__stratum, sdc__records,
               list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__n_')))),
                              lambda n: substr(n, 15)) AS sdc__names,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))] AS sdc__counts,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__low_'))] AS sdc__lows,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__high_'))] AS sdc__highs
        FROM sdc__ranges
    ),
    sdc__sizes AS (
        SELECT *,
               list_transform(sdc__names,
                              lambda n, i: sdc__shift(sdc__checked_size(sdc__lows[i], sdc__highs[i], n))) AS sdc__shifts
        FROM sdc__listed
    ),
    sdc__sums AS (
        SELECT sdc__s.sdc__stratum AS sdc__of,
               sdc__exact_sum(sdc__shifted(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__shifts, sdc__names),
                              88) AS "\0"
        FROM query_table(tbl) AS sdc__t JOIN sdc__sizes AS sdc__s ON sdc__in_stratum(stratum, sdc__t.sdc__stratum, sdc__s.sdc__stratum)
        GROUP BY sdc__s.sdc__stratum
    ),
    sdc__totals AS (SELECT sdc__of, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__total FROM sdc__sums)
    SELECT sdc__stratum, sdc__records, sdc__names, sdc__counts,
           -- between the least and the greatest value, so that a constant is its own mean
           list_transform(sdc__total,
                          lambda t, i: least(sdc__highs[i],
                                             greatest(sdc__lows[i], t / sdc__counts[i] / sdc__shifts[i]))) AS sdc__means,
           list_transform(sdc__total, lambda t, i: sdc__shift(sdc__highs[i] - sdc__lows[i])) AS sdc__shifts
    FROM sdc__sizes JOIN sdc__totals ON sdc__stratum IS NOT DISTINCT FROM sdc__of;

CREATE OR REPLACE MACRO sdc__deviation(x, means, shifts, names) AS (x - sdc__of_column(means, names, x)) * sdc__of_column(shifts, names, x);

-- The deviations of each record, as columns "sdc__x_<name>", with the lists of sdc__centres.
CREATE OR REPLACE MACRO sdc__deviations(tbl, stratum, centres) AS TABLE
    SELECT sdc__c.*, sdc__deviation(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__means, sdc__shifts, sdc__names) AS "\0"
    FROM query_table(tbl) AS sdc__t
    JOIN query_table(centres) AS sdc__c ON sdc__in_stratum(stratum, sdc__t.sdc__stratum, sdc__c.sdc__stratum);

CREATE OR REPLACE MACRO sdc__squared(x) AS x * x;

-- Of each column by itself, over its own values: sdc__stratum, sdc__records, and lists sdc__names, sdc__counts, sdc__means (NULL for a
-- column without values) and sdc__sds (NULL for a column with fewer than two, exactly 0 for a constant).
CREATE OR REPLACE MACRO sdc__moments(tbl, stratum) AS TABLE
    WITH sdc__values AS (FROM sdc__present(tbl)),
    sdc__found AS (FROM sdc__centres('sdc__values', stratum)),
    sdc__apart AS (FROM sdc__deviations('sdc__values', stratum, 'sdc__found')),
    sdc__sums AS (
        SELECT sdc__stratum AS sdc__of, sdc__exact_sum(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), 88) AS "sdc__d_\0",
               sdc__exact_sum(sdc__squared(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))), 88) AS "sdc__dd_\0"
        FROM sdc__apart GROUP BY sdc__stratum
    ),
    sdc__totals AS (
        SELECT sdc__of, [*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))] AS sdc__d,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__dd_'))] AS sdc__dd
        FROM sdc__sums
    )
    SELECT sdc__stratum, sdc__records, sdc__names, sdc__counts, sdc__means,
           list_transform(sdc__counts,
                          lambda n, i: CASE WHEN n > 1 THEN sqrt(greatest(sdc__dd[i] - sdc__d[i] * sdc__d[i] / n, 0)
                                                                 / (n - 1)) / sdc__shifts[i] END)
               AS sdc__sds
    FROM sdc__found JOIN sdc__totals ON sdc__stratum IS NOT DISTINCT FROM sdc__of;

-- Of all columns together, over the records that miss none (a stratum without such a record has no row): sdc__stratum, sdc__complete (their
-- number), sdc__names and sdc__covariances, a list for each column, of the columns in the same order (NULL where there is one record).
-- A record is taken once for each column: a row of the matrix is the sum of its deviations times that of the column.
CREATE OR REPLACE MACRO sdc__covariances(tbl, stratum) AS TABLE
    WITH sdc__values AS (SELECT * FROM sdc__present(tbl) WHERE COLUMNS(lambda c: starts_with(c, 'sdc__x_')) IS NOT NULL),
    sdc__found AS (FROM sdc__centres('sdc__values', stratum)),
    sdc__apart AS (FROM sdc__deviations('sdc__values', stratum, 'sdc__found')),
    sdc__products AS (
        SELECT sdc__stratum, sdc__j, sdc__exact_sum(COLUMNS(lambda c: starts_with(c, 'sdc__x_')) * sdc__y, 88) AS "\0"
        FROM (
            SELECT sdc__stratum, COLUMNS(lambda c: starts_with(c, 'sdc__x_')),
                   unnest(range(len(sdc__names) + 1)) AS sdc__j, unnest([1e0, *COLUMNS(lambda c: starts_with(c, 'sdc__x_'))]) AS sdc__y
            FROM sdc__apart
        ) GROUP BY sdc__stratum, sdc__j
    ),
    -- row 0: the sums of the deviations; row j: of their products with those of column j
    sdc__matrix AS (
        SELECT sdc__stratum AS sdc__of, list(sdc__row ORDER BY sdc__j ASC) AS sdc__rows
        FROM (SELECT sdc__stratum, sdc__j, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__row FROM sdc__products)
        GROUP BY sdc__stratum
    )
    SELECT sdc__stratum, sdc__records AS sdc__complete, sdc__names,
           CASE WHEN sdc__records > 1 THEN list_transform(
                    sdc__rows[2:],
                    lambda r, i: list_transform(
                        r,
                        lambda p, j: (p - sdc__rows[1][i] * sdc__rows[1][j] / sdc__records) / (sdc__records - 1)
                                     / sdc__shifts[i] / sdc__shifts[j])) END AS sdc__covariances
    FROM sdc__found JOIN sdc__matrix ON sdc__stratum IS NOT DISTINCT FROM sdc__of;
