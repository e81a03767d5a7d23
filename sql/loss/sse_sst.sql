-- Information lost by masking numeric columns: the share of the sum of squares that was masked away.
--
--   SSE/SST = sum over columns and records of ((x - x') / sigma_j)^2 / sum of ((x - mean_j) / sigma_j)^2
-- For microaggregation by means it is the within-group share, 0 (nothing lost) to 1. NULL counts nowhere.
-- Source: SDC handbook, section 3.4.5.
--
--   original: id x   released: id x     FROM sdc_sse_sst('original', 'released', ['x'], 'id'):
--             1  0             1  0.5   columns records sse_sst
--             2  1             2  0.5   1       4       0.3571    (0.25 + 0.25 + 2.25 + 2.25) / (4 + 1 + 0 + 9)
--             3  2             3  3.5
--             4  5             4  3.5
--
-- Scope: moments.
-- Parameters:
--   original  table    the table before masking
--   released  table    the table after it
--   columns   columns  the masked columns, numeric
--   id        column   identifies each record

-- The union with no rows of the table puts the masked columns in the order of its own.
-- sdc_sse_sst: the share of the sum of squares that masking took away.
-- Gives: columns BIGINT, records BIGINT, sse_sst DOUBLE (more loss).
-- Rows: one.
-- Result: SseSst. The number of columns that vary, the records compared, and the share of the sum of squares that was lost.
-- Notes: For microaggregation by means it is the share within groups, 0 (nothing lost) to 1.
-- Example: FROM sdc_sse_sst('persons', 'released', ['income'], 'id');
CREATE OR REPLACE MACRO sdc_sse_sst(original, released, columns, id) AS TABLE
    WITH sdc__pairs AS MATERIALIZED (
        SELECT unnest(range(len(sdc__before))) AS sdc__column, unnest(sdc__before) AS sdc__x, unnest(sdc__after) AS sdc__y
        FROM (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__before
              FROM sdc__numbers(original, columns, id)) AS sdc__o
        JOIN (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__after
              FROM ((FROM sdc__numbers(original, columns, id) LIMIT 0)
                    UNION ALL BY NAME (FROM sdc__numbers(released, columns, id)))) AS sdc__m
          ON sdc__o.sdc__person = sdc__m.sdc__person
    ),
    -- powers of two that bring the values, their range and the changes to the size of 1 (sums.sql)
    sdc__sizes AS (
        SELECT sdc__column, count(*) AS sdc__n, count(sdc__x) AS sdc__present, min(sdc__x) AS sdc__low, max(sdc__x) AS sdc__high,
               sdc__shift(sdc__finite_size(max(abs(sdc__x)))) AS sdc__s, sdc__shift(max(sdc__x) - min(sdc__x)) AS sdc__r,
               sdc__shift(sdc__finite_size(max(abs(sdc__x - sdc__y)))) AS sdc__e
        FROM sdc__pairs GROUP BY sdc__column
    ),
    sdc__totals AS (
        SELECT sdc__z.sdc__column, sdc__exact_sum(sdc__x * sdc__s, 88) AS sdc__total,
               sdc__exact_sum(((sdc__x - sdc__y) * sdc__e) ** 2, 88) AS sdc__sse
        FROM sdc__pairs AS sdc__p JOIN sdc__sizes AS sdc__z ON sdc__p.sdc__column = sdc__z.sdc__column GROUP BY sdc__z.sdc__column
    ),
    -- a constant is its own mean
    sdc__centres AS (
        SELECT sdc__z.*, sdc__sse, least(sdc__high, greatest(sdc__low, sdc__total / sdc__present / sdc__s)) AS sdc__mean
        FROM sdc__sizes AS sdc__z JOIN sdc__totals AS sdc__t ON sdc__z.sdc__column = sdc__t.sdc__column
    ),
    sdc__squares AS (
        SELECT sdc__c.sdc__column, sdc__exact_sum((sdc__x - sdc__mean) * sdc__r, 88) AS sdc__d,
               sdc__exact_sum(((sdc__x - sdc__mean) * sdc__r) ** 2, 88) AS sdc__dd
        FROM sdc__pairs AS sdc__p JOIN sdc__centres AS sdc__c ON sdc__p.sdc__column = sdc__c.sdc__column GROUP BY sdc__c.sdc__column
    ),
    sdc__shares AS (
        SELECT sdc__n,
               CASE WHEN sdc__high > sdc__low THEN sdc__sse / (sdc__dd - sdc__d * sdc__d / sdc__present)
                                                   * (sdc__r / sdc__e) ** 2 END AS sdc__share
        FROM sdc__centres AS sdc__c JOIN sdc__squares AS sdc__q ON sdc__c.sdc__column = sdc__q.sdc__column
    )
    SELECT count(sdc__share) AS columns, max(sdc__n) AS records,
           CASE WHEN count(sdc__share) = 0 THEN 0
                ELSE sdc__exact_sum(sdc__share * sdc__u, 88) / max(sdc__u) / count(sdc__share) END AS sse_sst
    FROM (SELECT *, sdc__shift(max(sdc__share) OVER ()) AS sdc__u FROM sdc__shares);

-- The same for masked values that stand beside the records already (sdc_sql/db/masking/masked_values.py): each column is a struct of its
-- value x before and y after, and nothing is joined, unnested or kept, which takes a third of the time. (It does not compile for other
-- engines.)
CREATE OR REPLACE MACRO sdc__first(c) AS struct_extract(c, 'x');
CREATE OR REPLACE MACRO sdc__change(c) AS struct_extract(c, 'x') - struct_extract(c, 'y');
CREATE OR REPLACE MACRO sdc__first_shifted(c, shifts, names) AS struct_extract(c, 'x') * sdc__of_column(shifts, names, c);
CREATE OR REPLACE MACRO sdc__change_shifted(c, shifts, names) AS sdc__change(c) * sdc__of_column(shifts, names, c);
CREATE OR REPLACE MACRO sdc__deviation_before(c, means, shifts, names) AS
    (struct_extract(c, 'x') - sdc__of_column(means, names, c)) * sdc__of_column(shifts, names, c);
CREATE OR REPLACE MACRO sdc__lost_share(n, low, high, sse, d, dd, r, e) AS
    CASE WHEN high > low THEN sse / (dd - d * d / n) * (r / e) ** 2 END;

-- pairs: the name of a relation with such columns "sdc__x_<name>"; it is read three times.
CREATE OR REPLACE MACRO sdc__share_lost(pairs) AS TABLE
    WITH sdc__ranges AS (
        SELECT count(*) AS sdc__records, count(sdc__first(COLUMNS(lambda c: starts_with(c, 'sdc__x_')))) AS "sdc__n_\0",
               min(sdc__first(COLUMNS(lambda c: starts_with(c, 'sdc__x_')))) AS "sdc__low_\0",
               max(sdc__first(COLUMNS(lambda c: starts_with(c, 'sdc__x_')))) AS "sdc__high_\0",
               max(abs(sdc__first(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))))) AS "sdc__size_\0",
               max(abs(sdc__change(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))))) AS "sdc__far_\0"
        FROM query_table(pairs)
    ),
    -- powers of two that bring the values, their range and the changes to the size of 1 (sums.sql)
    sdc__sizes AS MATERIALIZED (
        SELECT sdc__records,
               list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__n_')))),
                              lambda n: substr(n, 15)) AS sdc__names,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))] AS sdc__counts,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__low_'))] AS sdc__lows,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__high_'))] AS sdc__highs,
               list_transform([*COLUMNS(lambda c: starts_with(c, 'sdc__size_'))], lambda s: sdc__shift(sdc__finite_size(s))) AS sdc__s,
               list_transform([*COLUMNS(lambda c: starts_with(c, 'sdc__far_'))], lambda s: sdc__shift(sdc__finite_size(s))) AS sdc__e
        FROM sdc__ranges
    ),
    sdc__sums AS (
        SELECT sdc__exact_sum(sdc__first_shifted(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__s, sdc__names), 88) AS "sdc__t_\0",
               sdc__exact_sum(
                   sdc__squared(sdc__change_shifted(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__e, sdc__names)),
                   88) AS "sdc__e_\0"
        FROM query_table(pairs), sdc__sizes
    ),
    -- a constant is its own mean
    sdc__centres AS MATERIALIZED (
        SELECT sdc__z.*, sdc__sse,
               list_transform(sdc__totals,
                              lambda t, i: least(sdc__highs[i],
                                                 greatest(sdc__lows[i], t / sdc__counts[i] / sdc__s[i]))) AS sdc__means,
               list_transform(sdc__highs, lambda h, i: sdc__shift(h - sdc__lows[i])) AS sdc__r
        FROM sdc__sizes AS sdc__z,
             (SELECT [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__totals,
                     [*COLUMNS(lambda c: starts_with(c, 'sdc__e_'))] AS sdc__sse
              FROM sdc__sums)
    ),
    sdc__apart AS (
        SELECT sdc__deviation_before(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__means, sdc__r, sdc__names) AS "\0"
        FROM query_table(pairs), sdc__centres
    ),
    sdc__squares AS (
        SELECT sdc__exact_sum(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), 88) AS "sdc__d_\0",
               sdc__exact_sum(sdc__squared(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))), 88) AS "sdc__dd_\0"
        FROM sdc__apart
    ),
    sdc__shares AS (
        SELECT sdc__records,
               unnest(list_transform(sdc__sse,
                                     lambda s, i: sdc__lost_share(sdc__counts[i], sdc__lows[i], sdc__highs[i], s, sdc__d[i],
                                                                  sdc__dd[i], sdc__r[i], sdc__e[i]))) AS sdc__share
        FROM sdc__centres,
             (SELECT [*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))] AS sdc__d,
                     [*COLUMNS(lambda c: starts_with(c, 'sdc__dd_'))] AS sdc__dd
              FROM sdc__squares)
    )
    SELECT count(sdc__share) AS columns, max(sdc__records) AS records,
           CASE WHEN count(sdc__share) = 0 THEN 0
                ELSE sdc__exact_sum(sdc__share * sdc__u, 88) / max(sdc__u) / count(sdc__share) END AS sse_sst
    FROM (SELECT *, sdc__shift(max(sdc__share) OVER ()) AS sdc__u FROM sdc__shares);
