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
    SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__person, sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0" FROM sdc__exact_rows(tbl);

-- The union with no rows of the table puts the masked columns in the order of its own.
-- sdc_sse_sst: the share of the sum of squares that masking took away.
-- Gives: columns, records, sse_sst.
-- Example: FROM sdc_sse_sst('persons', 'released', ['income'], 'id');
CREATE OR REPLACE MACRO sdc_sse_sst(tbl, masked, columns, id) AS TABLE
    WITH sdc__pairs AS (
        SELECT unnest(range(len(sdc__before))) AS sdc__column, unnest(sdc__before) AS sdc__x, unnest(sdc__after) AS sdc__y
        FROM (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__before FROM sdc__numbers(tbl, columns, id)) AS sdc__o
        JOIN (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__after
              FROM ((FROM sdc__numbers(tbl, columns, id) LIMIT 0) UNION ALL BY NAME (FROM sdc__numbers(masked, columns, id)))) AS sdc__m
          ON sdc__o.sdc__person = sdc__m.sdc__person
    ),
    sdc__sums AS (
        SELECT count(*) AS sdc__n, sum((sdc__x - sdc__y) ** 2) AS sdc__sse, var_pop(sdc__x) * count(sdc__x) AS sdc__sst
        FROM sdc__pairs GROUP BY sdc__column
    )
    SELECT count(*) FILTER (WHERE sdc__sst > 0) AS columns, max(sdc__n) AS records,
           CASE WHEN count(*) FILTER (WHERE sdc__sst > 0) = 0 THEN 0 ELSE avg(sdc__sse / sdc__sst) FILTER (WHERE sdc__sst > 0) END AS sse_sst
    FROM sdc__sums;
