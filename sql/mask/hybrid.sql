-- Hybrid data: of each confidential number a share alpha, of its expectation given other columns the rest, and noise, so that
-- means and covariances stay exactly.
--
--   x' = gamma + x alpha + y beta + e,   beta = S_yy^-1 S_yx (I - alpha),   gamma = (I - alpha) mean(x) - beta mean(y)
--   cov(e) = S - alpha S alpha,          S = S_xx - S_xy S_yy^-1 S_yx                                          (alpha diagonal)
-- The noise is orthogonal to x and y in the records themselves. alpha = 0 is IPSO's method C: nothing of the own value; alpha near 1 the
-- value itself. One alpha serves all columns, or each has one; then cov(e) can have a negative variance, which no noise has: an error
-- that names the largest alphas in these ratios (to a thousandth of them) that do not.
-- Source: SDC handbook, section 3.4.7.7 (Muralidhar & Sarathy 2008, Generating sufficiency-based non-synthetic perturbed data,
--   Transactions on Data Privacy 1, 17-33).
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_hybrid('firms', ['turnover', 'profit'], 0.3, 'id', given := ['employees']);
--
-- Exactly: to 1e-9 of their size, in columns of DOUBLE, which lie on a grid of 2^-34 of the power of two by the column's deviation, so
-- that the last bits tell nothing (grid.sql). Whole numbers and decimals are rounded to their type. What is not normal is kept as far as
-- alpha goes; released values may be negative. The given columns are released as they are. Given them, a released value correlates with
-- its own by alpha (all columns alike): regression leaves 1 - alpha^2 of the variance that was left, in one release. Of m releases with
-- draws of their own (other names, or a source that was changed: any change draws everybody anew) the mean leaves (1 - alpha^2) / (1 + (m
-- - 1) alpha^2) of it: nothing in the end. Release it once (tests/mask/test_hybrid.py shows it). And means and covariances are kept
-- exactly: two releases of which one has a record more give that record's deviations, as with IPSO.
--
-- NULL and NaN are errors, and so are collinear columns, a record with more than a quarter of the weight in its own expectation, more
-- than 0.99 of a column explained by the given ones, and fewer than 2 |x| + |y| + 1 records, of each stratum.
--
-- Scope: table.
-- Keeps: means and covariances, of the columns and with the given ones.
-- Users: Means and covariances of all records are the original ones, those of domains and relations that are not linear are not.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Households: as one record.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (any change of the file draws all records anew, and the mean of independent draws comes near the original).
-- Series: refused (each release draws all records anew from a model of the file).
-- Publicly: values of which a part is drawn anew, so that means and covariances stay what they are.
-- Parameters:
--   tbl      table                       the table, view, common table expression or file
--   columns  columns                     the columns to mask, numeric
--   alpha    number or numbers in [0, 1)  the share of the own value: one, or one for each column
--   id       column                      identifies each record
--   given    columns                     other numeric columns, which are released as they are; NULL or an empty list: none
--   stratum  column                      a column within whose values all is done
--   stream   text                        names the pass of draws; give another one to mask a column a second time
--   release  text                        names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_hybrid(stratum, y, x, alpha, digests, names) AS
    sdc__needs_python('Hybrid data')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__own_share(alpha) AS
    CASE WHEN TRY_CAST(alpha AS DOUBLE) >= 0 AND TRY_CAST(alpha AS DOUBLE) < 1 THEN TRY_CAST(alpha AS DOUBLE)
         ELSE error('ParameterError: alpha is ' || coalesce(alpha::VARCHAR, 'NULL')
                    || ': it must be a number, at least 0 and less than 1.') END;
CREATE OR REPLACE MACRO sdc__alphas(alpha, columns, names) AS
    list_transform(coalesce(sdc__each(alpha, columns, names), [NULL::VARCHAR]), lambda a: sdc__own_share(a));

-- Of the draws all alphas are a part: two releases at different ones are not functions of the same noise.
CREATE OR REPLACE MACRO sdc__hybrid(tbl, columns, alpha, id, given, stratum, stream, release) AS TABLE
    WITH sdc__read AS MATERIALIZED (FROM sdc__numbers_beside(tbl, columns, id, given, 'given', stratum)),
    sdc__lists AS MATERIALIZED (SELECT *, sdc__alphas(alpha, columns, sdc__names) AS sdc__alpha FROM sdc__lists_beside('sdc__read', given)),
    sdc__part_of AS (
        SELECT sdc__joined_parts(list_transform(any_value(sdc__alpha), lambda a: sdc__canonical(a))) AS sdc__drawn_by
        FROM sdc__lists
    ),
    sdc__draws AS (
        FROM sdc__digests_of_all('sdc__read', 'sdc__lists', columns, release, stream,
                                 'hybrid ' || (SELECT sdc__drawn_by FROM sdc__part_of))
    ),
    sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_hybrid(sdc__stratum::VARCHAR, sdc__y, sdc__x, sdc__alpha, sdc__digests,
                                  sdc__lines(sdc__names)) AS sdc__masked
        FROM sdc__lists JOIN sdc__draws ON sdc__stratum IS NOT DISTINCT FROM sdc__drawn_in
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- sdc_hybrid: numeric columns of which a share is drawn anew given other ones, means and covariances kept exactly.
-- Example: FROM sdc_hybrid('persons', ['income'], 0.5, 'id');
CREATE OR REPLACE MACRO sdc_hybrid(tbl, columns, alpha, id, given := NULL, stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__hybrid(tbl, columns, alpha, id, given, stratum, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
