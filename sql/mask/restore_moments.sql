-- Post-masking optimisation: a masked table gets the means and covariances of the original one back, and no more records are linked to
-- their originals than before.
--
--   Z' = mean(X) + (Z - mean(Z)) A,   A = S^-1 (S C_X S)^(1/2) S^-1,   S = C_Z^(1/2)            A C_Z A = C_X: the map that moves Z least
--   while sum_i P(X_i is taken for the nearest to Z'_i) is greater than it was of Z: whole masked records are exchanged between records
--   that are linked, which changes no mean and no covariance
-- X: the original columns, Z: the masked ones; the probabilities are those of sdc_distance_linkage (standardised).
-- Source: SDC handbook, section 3.4.7.9 (Sebe, Domingo-Ferrer, Mateo-Sanz & Torra 2002, Post-masking optimization of the tradeoff between
--   information loss and disclosure risk in masked microdata sets, LNCS 2316, 163-171, by hill climbing; here the moments are exact, and
--   only the exchanges climb); A: Olkin & Pukelsheim (1982), The distance between two random vectors with given dispersion matrices,
--   Linear Algebra and its Applications 48, 257-263.
--
--   CREATE TABLE noisy AS FROM sdc_noise('firms', ['turnover', 'profit'], 0.3, 'id');
--   CREATE TABLE released AS FROM sdc_restore_moments('noisy', ['turnover', 'profit'], 'firms', 'id');
--
-- Exactly: to 1e-9 of the columns' deviations in columns of DOUBLE, which lie on a grid of 2^-34 of the power of two by the column's
-- deviation. Whole numbers and decimals are rounded, and risk and moments hold to that rounding. The expected_correct_matches of
-- sdc_distance_linkage with these columns are not above those of the masked table, or it is an error. Relations with other columns are
-- those of the masked records, but for records that were exchanged.
-- What it does not withstand: the map is linear, and what the masked table would have told by itself it tells still: noise is not made
-- less, and another figure of risk may rise (measure it). Means and covariances are released exactly: two releases of which one has a
-- record more give its values, as with sdc_ipso. Nothing is drawn.
--
-- NULL and NaN of these records in either table are errors, and so are ids that are not in the original one, and columns that are
-- constant or that others determine.
--
-- Scope: table.
-- Keeps: means and covariances of the original columns, exactly.
-- Guarantees: no more correct links by distance than before.
-- Users: Means and covariances of all records are the original ones, those of domains are not.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Repeated: once (it releases exact totals: of two releases the difference is a newcomer's value).
-- Series: refused (it releases exact totals: of two releases the difference is a newcomer's value).
-- Loss: published.
-- Told: nothing.
-- Publicly: masked values moved so that means and covariances are those of the original ones.
-- Parameters:
--   tbl       table    the masked table: a table, view, common table expression or file
--   columns   columns  its masked columns, numeric
--   original  table    the table before masking, with these columns and ids; of a release file its source
--   id        column   identifies each record in both

CREATE OR REPLACE MACRO sdc__kernel_restore_moments(stratum, masked, original, names) AS
    sdc__needs_python('Post-masking optimisation')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__same_ids(ids, others, id) AS
    CASE WHEN ids = others THEN true
         ELSE error('ColumnError: The id (' || id || ') is not the same in both tables: of ' || len(ids) || ' masked records '
                    || len(coalesce(others, [])) || ' are in the original one; name the table before the same masking.') END;

-- (Records that were left out before, as of a sample, are none of those whose moments are released.)
CREATE OR REPLACE MACRO sdc__restore_moments(tbl, columns, original, id) AS TABLE
    WITH sdc__read AS (FROM sdc__numbers_beside(tbl, columns, id, NULL, 'given', NULL)),
    sdc__all AS (FROM sdc__numbers_beside(original, columns, id, NULL, 'given', NULL)),
    sdc__before AS (FROM sdc__all SEMI JOIN sdc__read USING (sdc__id)),
    sdc__lists AS (FROM sdc__lists_beside('sdc__read', NULL)),
    sdc__own AS (SELECT sdc__ids AS sdc__others, sdc__y AS sdc__x_of FROM sdc__lists_beside('sdc__before', NULL)),
    sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_restore_moments(NULL::VARCHAR, sdc__y, sdc__x_of, sdc__lines(sdc__names)) AS sdc__masked
        FROM sdc__lists LEFT JOIN sdc__own ON true WHERE sdc__same_ids(sdc__ids, sdc__others, id)
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- sdc_restore_moments: masked numeric columns moved so that their means and covariances are those of the original ones.
-- Example: FROM sdc_restore_moments('persons', ['income'], 'released', 'id');
CREATE OR REPLACE MACRO sdc_restore_moments(tbl, columns, original, id) AS TABLE
    WITH sdc__done AS (FROM sdc__restore_moments(tbl, columns, original, id))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
