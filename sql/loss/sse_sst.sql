-- Information lost by masking numeric columns: the share of the sum of squares that was masked away.
--
--   SSE/SST = sum over columns and records of ((x - x') / sigma_j)^2 / sum of ((x - mean_j) / sigma_j)^2
-- For microaggregation by means it is the within-group share, 0 (nothing lost) to 1. NULL counts nowhere.
-- Source: SDC handbook, section 3.4.5.
--
--   FROM sdc_sse_sst('firms', 'released', ['turnover', 'profit'], 'id');    columns records sse_sst
--                                                                             2       11      0.34
--
-- Scope: moments.
-- Parameters:
--   tbl      table    the table before masking
--   masked   table    the table after masking
--   columns  columns  the masked columns
--   id       column   identifies each record

CREATE OR REPLACE MACRO sdc__numbers(tbl, columns, id) AS TABLE
    SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__person, sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0" FROM sdc__exact_rows(tbl, codes := [id]);

CREATE OR REPLACE MACRO sdc__finite_size(size) AS
    CASE WHEN size >= 'infinity'::DOUBLE THEN error('ColumnError: A column holds NaN or infinite values: its sum of squares is no number; replace them by NULL.')
         ELSE size END;

-- The union with no rows of the table puts the masked columns in the order of its own.
-- sdc_sse_sst: the share of the sum of squares that masking took away.
-- Gives: columns, records, sse_sst.
-- Example: FROM sdc_sse_sst('persons', 'released', ['income'], 'id');
CREATE OR REPLACE MACRO sdc_sse_sst(tbl, masked, columns, id) AS TABLE
    WITH sdc__pairs AS MATERIALIZED (
        SELECT unnest(range(len(sdc__before))) AS sdc__column, unnest(sdc__before) AS sdc__x, unnest(sdc__after) AS sdc__y
        FROM (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__before FROM sdc__numbers(tbl, columns, id)) AS sdc__o
        JOIN (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__after
              FROM ((FROM sdc__numbers(tbl, columns, id) LIMIT 0) UNION ALL BY NAME (FROM sdc__numbers(masked, columns, id)))) AS sdc__m
          ON sdc__o.sdc__person = sdc__m.sdc__person
    ),
    -- powers of two that bring the values, their range and the changes to the size of 1 (sums.sql)
    sdc__sizes AS (
        SELECT sdc__column, count(*) AS sdc__n, count(sdc__x) AS sdc__present, min(sdc__x) AS sdc__low, max(sdc__x) AS sdc__high,
               sdc__shift(sdc__finite_size(max(abs(sdc__x)))) AS sdc__s, sdc__shift(max(sdc__x) - min(sdc__x)) AS sdc__r, sdc__shift(sdc__finite_size(max(abs(sdc__x - sdc__y)))) AS sdc__e
        FROM sdc__pairs GROUP BY sdc__column
    ),
    sdc__totals AS (
        SELECT sdc__z.sdc__column, sdc__exact_sum(sdc__x * sdc__s, 88) AS sdc__total, sdc__exact_sum(((sdc__x - sdc__y) * sdc__e) ** 2, 88) AS sdc__sse
        FROM sdc__pairs AS sdc__p JOIN sdc__sizes AS sdc__z ON sdc__p.sdc__column = sdc__z.sdc__column GROUP BY sdc__z.sdc__column
    ),
    -- a constant is its own mean
    sdc__centres AS (
        SELECT sdc__z.*, sdc__sse, least(sdc__high, greatest(sdc__low, sdc__total / sdc__present / sdc__s)) AS sdc__mean
        FROM sdc__sizes AS sdc__z JOIN sdc__totals AS sdc__t ON sdc__z.sdc__column = sdc__t.sdc__column
    ),
    sdc__squares AS (
        SELECT sdc__c.sdc__column, sdc__exact_sum((sdc__x - sdc__mean) * sdc__r, 88) AS sdc__d, sdc__exact_sum(((sdc__x - sdc__mean) * sdc__r) ** 2, 88) AS sdc__dd
        FROM sdc__pairs AS sdc__p JOIN sdc__centres AS sdc__c ON sdc__p.sdc__column = sdc__c.sdc__column GROUP BY sdc__c.sdc__column
    ),
    sdc__shares AS (
        SELECT sdc__n, CASE WHEN sdc__high > sdc__low THEN sdc__sse / (sdc__dd - sdc__d * sdc__d / sdc__present) * (sdc__r / sdc__e) ** 2 END AS sdc__share
        FROM sdc__centres AS sdc__c JOIN sdc__squares AS sdc__q ON sdc__c.sdc__column = sdc__q.sdc__column
    )
    SELECT count(sdc__share) AS columns, max(sdc__n) AS records,
           CASE WHEN count(sdc__share) = 0 THEN 0 ELSE sdc__exact_sum(sdc__share * sdc__u, 88) / max(sdc__u) / count(sdc__share) END AS sse_sst
    FROM (SELECT *, sdc__shift(max(sdc__share) OVER ()) AS sdc__u FROM sdc__shares);
