-- Robust distances: how far each record is from the bulk of the file, in several numeric variables together.
--
--   d_i^2 = (x_i - m)' V^-1 (x_i - m),   outlying where d_i^2 > the 0.975 quantile of chi squared, degrees of freedom: the variables
-- m, V: mean and covariance of the half of the records whose covariance has the least determinant (MCD), made consistent for
-- normal records, then of those within the 0.975 quantile, made consistent for their share. Outlying records do not move them, however
-- far out they are: among classical distances they hide one another. An outlying record stands out by its numbers, and is
-- the one that an intruder knows.
-- The half is found without draws: from five first estimates (of hyperbolic tangents, ranks, normal scores, spatial signs, and the
-- nearest half by the norm) two steps each, to the nearest half by the distances, and from the best one until the determinant
-- stays. So the figures are always the same; they may differ from those of a search with draws in the third digit. No correction for small
-- files is made. Distances have nine digits.
-- Source: Rousseeuw & Van Driessen (1999), A fast algorithm for the minimum covariance determinant estimator, Technometrics 41, 212-223;
--   Hubert, Rousseeuw & Verdonck (2012), A deterministic algorithm for robust location and scatter, JCGS 21, 618-637.
--
--   sdc_robust_distance_records('persons', ['age', 'income'], 'id'):   id distance outlying
--                                                                      1  1.2559   false
--                                                                      7  5.0917   true       67 years old
--                                                                      ...
--
-- A record in which a variable is NULL has no distance. Where half of the records or more lie on a plane (a variable that is 0 in half of
-- them) there is none, which is an error: leave out that variable, or these records.
--
-- Scope: table.
-- Not compiled: the half of the records is found by numpy; measure the table in DuckDB.
-- Parameters:
--   tbl      table    the table, view, common table expression or file
--   columns  columns  the numeric variables
--   id       column   identifies each record

-- columns: of each variable its values. The result: distances, and that from which a record is outlying.
CREATE OR REPLACE MACRO sdc__kernel_robust_distances(columns) AS sdc__needs_python('A robust distance')::DOUBLE[][];

-- sdc_robust_distance_records: each record's robust distance from the bulk of the file.
-- Gives: id ANY, distance DOUBLE, outlying BOOLEAN.
-- Rows: records.
-- Example: FROM sdc_robust_distance_records('persons', ['income'], 'id');
CREATE OR REPLACE MACRO sdc_robust_distance_records(tbl, columns, id) AS TABLE
    WITH sdc__lists AS (
        SELECT list(sdc__id) AS sdc__ids, list(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM (SELECT sdc__id, sdc__finite_number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0" FROM sdc__identified(tbl, id))
    ),
    sdc__found AS (
        SELECT sdc__ids, sdc__kernel_robust_distances([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))]) AS sdc__k
        FROM sdc__lists
    ),
    sdc__measured AS (
        SELECT sdc__id, distance, distance > sdc__far AS outlying
        FROM (SELECT unnest(sdc__ids) AS sdc__id, unnest(sdc__k[1]) AS distance, sdc__k[2][1] AS sdc__far FROM sdc__found)
    )
    FROM query('SELECT sdc__id AS ' || sdc__identifier(sdc__beside(id, ['distance', 'outlying']))
               || ', distance, outlying FROM sdc__measured');
