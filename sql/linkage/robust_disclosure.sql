-- Interval disclosure with intervals that grow with the distance of a record: how many, above all outlying, records are masked too little.
--
--   at risk (RMDID1)   |x_ij - x'_ij| <= width d_i S_j for any variable j      d_i: the robust distance (robust_distance.sql),
--                                                                             S_j: the standard deviation (n - 1) of the originals
--   alone (RMDID2)     at risk, and no other released record within near S'_j in every variable;
--                      S'_j: the standard deviation of the released
--   share = at risk / records,   weighted = sum of d_i at risk / sum of d_i,   and likewise of those alone
-- An outlying record is recognised after a change that would hide one in the bulk of the file: its interval is the wider, the farther
-- it is out. Where masking brought another record near it (microaggregation, rounding), that hides it. weighted
-- counts a record by how far out it is.
-- Source: Templ & Meindl (2008), Robust statistics meets SDC: new disclosure risk measures for continuous microdata masking, PSD 2008,
--   LNCS 5262, 113-126 (RMDID1, RMDID1w, RMDID2). dRiskRMD of sdcMicro takes distances from the classical mean, divided by 20, and
--   each file in its own standard deviations; so its k = 0.01 is a width of 0.0005. Its sum weighted by distances is of no bounded
--   size.
--
--   sdc_robust_disclosure('persons', 'released', ['age', 'income'], 'id'):
--   records at_risk share weighted alone alone_share alone_weighted outlying
--   8       8       1     1        8     1           1              1
--
-- A record with a NULL among its originals has no distance and is left out; a suppressed value is not near, and a record with one is
-- hidden by no other. Otherwise as robust_distance.sql.
--
-- Scope: table.
-- Not compiled: the distances are found by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original  table               the table before masking
--   released  table               the table after it
--   columns   columns             the numeric variables
--   id        column              identifies each record in both
--   width     number in (0, ...)  of the interval, on either side, for a record at the distance 1, in standard deviations
--   near      number in (0, ...)  how near another released record hides one, in standard deviations

-- before, after: of each variable its values. The result: distances, at risk, alone, and the distance from which a record is outlying.
CREATE OR REPLACE MACRO sdc__kernel_robust_disclosure(before, after, width, near) AS
    sdc__needs_python('Robust interval disclosure')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__robust_intervals(original, released, columns, id, width, near) AS TABLE
    WITH sdc__sides AS NOT MATERIALIZED (FROM sdc__both_numbers(original, released, columns, id)),
    sdc__paired AS (
        SELECT sdc__o.sdc__person, sdc__o.* EXCLUDE (sdc__person), sdc__r.* EXCLUDE (sdc__same)
        FROM (SELECT sdc__person, sdc__finite_number(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "sdc__o_\0"
              FROM sdc__sides
              WHERE sdc__first) AS sdc__o
        JOIN (SELECT sdc__person AS sdc__same,
                     sdc__finite_number(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "sdc__r_\0"
              FROM sdc__sides
              WHERE NOT sdc__first) AS sdc__r
          ON sdc__o.sdc__person = sdc__r.sdc__same
    ),
    sdc__lists AS (SELECT list(COLUMNS(*)) AS "\0" FROM sdc__paired),
    sdc__both AS (
        SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__o_'))] AS sdc__before,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__r_'))] AS sdc__after
        FROM sdc__lists
    ),
    sdc__found AS (
        SELECT sdc__person,
               sdc__kernel_robust_disclosure(sdc__before, sdc__after, sdc__checked_number(width, 'width'),
                                             sdc__checked_number(near, 'near')) AS sdc__k
        FROM sdc__both,  -- ids that do not pair are told before what the kernel says of the records that do
             (SELECT count(*) AS sdc__n FROM sdc__refused_pairs('sdc__sides', id)) AS sdc__refused
        WHERE sdc__n = 0
    )
    SELECT sdc__id, sdc__d, sdc__risky = 1 AS sdc__risky, sdc__alone = 1 AS sdc__alone, sdc__d > sdc__far AS sdc__out
    FROM (SELECT unnest(sdc__person) AS sdc__id, unnest(sdc__k[1]) AS sdc__d, unnest(sdc__k[2]) AS sdc__risky,
                 unnest(sdc__k[3]) AS sdc__alone, sdc__k[4][1] AS sdc__far
          FROM sdc__found)
    WHERE sdc__d IS NOT NULL;

-- sdc_robust_disclosure_records: each record's robust distance, whether it is at risk, alone there, and outlying.
-- Gives: id ANY, distance DOUBLE, at_risk BOOLEAN, alone BOOLEAN, outlying BOOLEAN.
-- Rows: records.
-- Example: FROM sdc_robust_disclosure_records('persons', 'released', ['income'], 'id');
CREATE OR REPLACE MACRO sdc_robust_disclosure_records(original, released, columns, id, width := 0.01, near := 0.05) AS TABLE
    WITH sdc__measured AS (
        SELECT sdc__id, sdc__d AS distance, sdc__risky AS at_risk, sdc__alone AS alone, sdc__out AS outlying
        FROM sdc__robust_intervals(original, released, columns, id, width, near)
    )
    FROM query('SELECT sdc__id AS ' || sdc__identifier(sdc__beside(id, ['distance', 'at_risk', 'alone', 'outlying']))
               || ', distance, at_risk, alone, outlying FROM sdc__measured');

-- sdc_robust_disclosure: how many records are within intervals that grow with their robust distance, and weighted by it.
-- Gives: records BIGINT, at_risk BIGINT (more risk), share DOUBLE (more risk), weighted DOUBLE (more risk), alone BIGINT (more risk),
--   alone_share DOUBLE (more risk), alone_weighted DOUBLE (more risk), outlying BIGINT.
-- Rows: one.
-- Example: FROM sdc_robust_disclosure('persons', 'released', ['income'], 'id');
-- Limit: weighted. The share of the records at risk, each counted by its robust distance.
CREATE OR REPLACE MACRO sdc_robust_disclosure(original, released, columns, id, width := 0.01, near := 0.05) AS TABLE
    WITH sdc__sums AS (
        SELECT count(*) AS sdc__n, count(*) FILTER (sdc__risky) AS sdc__risk, count(*) FILTER (sdc__alone) AS sdc__lone,
               count(*) FILTER (sdc__out) AS sdc__far,
               sdc__exact_sum(sdc__d) AS sdc__all, sdc__exact_sum(CASE WHEN sdc__risky THEN sdc__d END) AS sdc__weighed,
               sdc__exact_sum(CASE WHEN sdc__alone THEN sdc__d END) AS sdc__weighed_alone
        FROM sdc__robust_intervals(original, released, columns, id, width, near)
    )
    SELECT sdc__n AS records, sdc__risk AS at_risk, 1e0 * sdc__risk / sdc__n AS share,
           coalesce(sdc__weighed, 0) / sdc__all AS weighted, sdc__lone AS alone,
           1e0 * sdc__lone / sdc__n AS alone_share, coalesce(sdc__weighed_alone, 0) / sdc__all AS alone_weighted, sdc__far AS outlying
    FROM sdc__sums;
