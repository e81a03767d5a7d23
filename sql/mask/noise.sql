-- Additive noise on numeric columns, correlated or not, means and covariances kept or distributions kept.
--
--   uncorrelated   z_j = x_j + e_j, var(e_j) = alpha sigma_j^2                                (3.4.4.1)
--   correlated     z = x + e, cov(e) = alpha Sigma; cov(z) = (1 + alpha) Sigma                (3.4), 3.4.4.2
--   linear         (x + e) / sqrt(1 + alpha) + d: means and covariances kept (Kim)            3.4.4.3
--   nonlinear      noise on the normal scores, through the empirical distribution (Sullivan)  3.4.4.4
--   outliers       correlated noise on records beyond `threshold` robust s.d. only            3.4.2.1
-- Source: SDC handbook, section 3.4.4.
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_noise('persons', ['income'], 0.1, 'id');
--
-- alpha: variance of the noise over that of the variable. NULL stays NULL. Integer columns stay whole
-- (rounded := true does the same to others). lower, upper: bounds kept by reflection. rounded, lower,
-- upper, discrete: one for all columns or a list, one for each. stratum: a column; moments are then its own.
-- (Draws that a method does not use are not made: the CASE is decided before the query runs.)

CREATE OR REPLACE MACRO sdc__noise(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete, stratum, stream) AS TABLE
    WITH sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_noise(sdc__stratum::VARCHAR, method, sdc__x, sdc__z, CASE WHEN method = 'nonlinear' THEN sdc__u END, alpha::DOUBLE, threshold::DOUBLE,
                   sdc__each(lower, columns, sdc__names)::DOUBLE[], sdc__each(upper, columns, sdc__names)::DOUBLE[],
                   list_transform(list_zip(sdc__whole, sdc__each(rounded, columns, sdc__names)::BOOLEAN[]), lambda z: z[1] OR z[2]),
                   sdc__each(discrete, columns, sdc__names)::BOOLEAN[]) AS sdc__masked
        FROM sdc__gathered(tbl, columns, id, stratum, stream)
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- sdc_noise: noise added to numeric columns.
-- Example: FROM sdc_noise('persons', ['income'], 0.1, 'id');
CREATE OR REPLACE MACRO sdc_noise(tbl, columns, alpha, id, method := 'uncorrelated', threshold := 3, lower := NULL, upper := NULL,
                                  rounded := false, discrete := false, stratum := NULL, stream := 'noise') AS TABLE
    WITH sdc__done AS (FROM sdc__noise(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete, stratum, stream))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
