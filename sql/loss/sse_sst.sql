-- Information lost by masking numeric columns: the share of the sum of squares that was masked away.
--
--   SSE/SST = sum over columns and records of ((x - x') / sigma_j)^2 / sum of ((x - mean_j) / sigma_j)^2
-- For microaggregation by means it is the within-group share, 0 (nothing lost) to 1. NULL counts nowhere.
-- Source: SDC handbook, section 3.4.5.
--
--   FROM sdc_sse_sst('firms', 'released', ['turnover', 'profit'], 'id');    columns records sse_sst
--                                                                             2       11      0.34

CREATE OR REPLACE MACRO sdc__long_numbers(tbl, columns, id) AS TABLE
    FROM (SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__id, sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0" FROM sdc__rows(tbl))
    UNPIVOT (sdc__x FOR sdc__name IN (COLUMNS(lambda c: starts_with(c, 'sdc__x_'))));

CREATE OR REPLACE MACRO sdc_sse_sst(tbl, masked, columns, id) AS TABLE
    SELECT count(*) FILTER (WHERE sdc__sst > 0) AS columns, max(sdc__n) AS records,
           CASE WHEN count(*) FILTER (WHERE sdc__sst > 0) = 0 THEN 0 ELSE avg(sdc__sse / sdc__sst) FILTER (WHERE sdc__sst > 0) END AS sse_sst
    FROM (SELECT o.sdc__name, count(*) AS sdc__n, sum((o.sdc__x - m.sdc__x) ** 2) AS sdc__sse, var_pop(o.sdc__x) * count(*) AS sdc__sst
          FROM sdc__long_numbers(tbl, columns, id) AS o
          JOIN sdc__long_numbers(masked, columns, id) AS m ON o.sdc__id = m.sdc__id AND sdc__folded(o.sdc__name) = sdc__folded(m.sdc__name)
          GROUP BY o.sdc__name);
