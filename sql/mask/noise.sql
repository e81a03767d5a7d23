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
-- NULL stays NULL. Integer columns stay whole (rounded := true does the same to others). Bounds, rounded and discrete are one
-- for all columns or a list, one for each.
-- (Draws that a method does not use are not made: the CASE is decided before the query runs.)
--
-- Scope: moments where method is 'uncorrelated', 'correlated' or 'linear', else table.
-- Keeps: the means, in expectation; correlated: correlations; linear: means and covariances; nonlinear: distributions.
-- Parameters:
--   tbl        table                        the table, view, common table expression or file
--   columns    columns                      the columns to mask
--   alpha      number                       the variance of the noise over that of the variable, at least 0
--   id         column                       identifies each record
--   method     'uncorrelated', 'correlated', 'linear', 'nonlinear' or 'outliers'  how the noise is made
--   threshold  number                       of outliers: how many robust standard deviations from the median
--   lower      number or numbers            a bound that masked values keep by reflection
--   upper      number or numbers            a bound that masked values keep by reflection
--   rounded    truth value or truth values  whether masked values are whole numbers
--   discrete   truth value or truth values  of nonlinear: whether masked values are among the original ones
--   stratum    column                       a column within whose values moments are taken
--   stream     text                         names the pass of draws; give another one to mask a column a second time
--   release    text                         names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__noise_filled(gathered, columns, alpha, method, threshold, lower, upper, rounded, discrete) AS TABLE
    SELECT sdc__ids, sdc__names,
           sdc__kernel_noise(sdc__stratum::VARCHAR, method, sdc__x, sdc__z, CASE WHEN method = 'nonlinear' THEN sdc__u END, alpha::DOUBLE, threshold::DOUBLE,
               sdc__each(lower, columns, sdc__names)::DOUBLE[], sdc__each(upper, columns, sdc__names)::DOUBLE[],
               list_transform(list_zip(sdc__whole, sdc__each(rounded, columns, sdc__names)::BOOLEAN[]), lambda z: z[1] OR z[2]),
               sdc__each(discrete, columns, sdc__names)::BOOLEAN[], sdc__moments) AS sdc__masked
    FROM query_table(gathered);

CREATE OR REPLACE MACRO sdc__noise(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete, stratum, stream, release) AS TABLE
    WITH sdc__lists AS (SELECT *, NULL::DOUBLE[] AS sdc__moments FROM sdc__gathered(tbl, columns, id, stratum, sdc__pass(stream, release))),
    sdc__filled AS (FROM sdc__noise_filled('sdc__lists', columns, alpha, method, threshold, lower, upper, rounded, discrete))
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- A table that lies in parts (on Spark): the moments of each part, which are then pooled, and noise by the pooled ones.
-- moments: sdc_stratum (as text), sdc_moments. Nonlinear noise and outliers need more than moments: all records together.
CREATE OR REPLACE MACRO sdc__noise_moments(tbl, columns, id, method, stratum, stream, release) AS TABLE
    SELECT sdc__stratum::VARCHAR AS sdc_stratum,
           sdc__kernel_moments(sdc__stratum::VARCHAR, sdc__x, CASE WHEN method = 'linear' THEN sdc__z END) AS sdc_moments
    FROM sdc__gathered(tbl, columns, id, stratum, sdc__pass(stream, release));

CREATE OR REPLACE MACRO sdc__noise_by_moments(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete, stratum, stream, release, moments) AS TABLE
    WITH sdc__lists AS (
        SELECT sdc__g.*, sdc__m.sdc_moments AS sdc__moments FROM sdc__gathered(tbl, columns, id, stratum, sdc__pass(stream, release)) AS sdc__g
        JOIN query_table(moments) AS sdc__m ON row(sdc__g.sdc__stratum::VARCHAR) = row(sdc__m.sdc_stratum)
    ),
    sdc__filled AS (FROM sdc__noise_filled('sdc__lists', columns, alpha, method, threshold, lower, upper, rounded, discrete))
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- sdc_noise: noise added to numeric columns.
-- Example: FROM sdc_noise('persons', ['income'], 0.1, 'id');
CREATE OR REPLACE MACRO sdc_noise(tbl, columns, alpha, id, method := 'uncorrelated', threshold := 3, lower := NULL, upper := NULL,
                                  rounded := false, discrete := false, stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__noise(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete, stratum, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
