-- Numeric quasi-identifiers drawn anew, given the confidential variables, so that regressions on these stay exactly as they are (IPSO).
--
--   A   y' = x B                       the fitted values, of the least squares B of y on x; x has a constant
--   B   y' = x B + r                   r: residuals of new normal draws on x; B is kept exactly
--   C   y' = x B + r (L_O^-1)' L'      and so is the covariance of the residuals, L L' = n Sigma, L_O L_O' = r' r
-- Without confidential variables x is the constant alone: the columns are wholly synthetic, and C keeps their means and
-- covariances exactly.
-- Source: SDC handbook, section 3.4.7.5 (methods A, B and C of Burridge 2003; Mateo-Sanz, Martinez-Balleste & Domingo-Ferrer 2004,
--   by Cholesky), Lemmas 3.3.7.1 and 2.
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_ipso('firms', ['employees', 'area'], ['turnover', 'profit'], 'id');
--
-- Exactly: to 1e-9 of their size, in columns of DOUBLE, which have all their bits (no grid): a released value is a function of B, of the
-- residuals' covariance (C), of the confidential columns and draws, and the first two are released anyhow. Whole numbers and decimals are
-- rounded to their type, and what is kept is kept to that rounding. What is not normal (skewness, zeros, bounds) is lost: released values
-- may be negative. The confidential columns are released as they are. A record's own y enters its y' by B alone, with the weight of its
-- leverage, at most a quarter (else it is an error); and where x explains more than 0.99 of a column its released values would nearly be
-- its own: an error. `explained` in the log is that share. The draws depend on all values: any change of the source draws everybody anew.
-- What it does not withstand: B is released exactly. Two releases of which one has a record more give B with and without it, and from
-- both its y follows exactly; so it does for whoever knows all records but one. Release it once (tests/mask/test_ipso.py shows it).
--
-- NULL and NaN are errors, and so are collinear columns and fewer than 2 |x| + |y| + 1 records (section 3.4.7.8), of each stratum.
--
-- Scope: table.
-- Keeps: B and C: the regression coefficients on the confidential variables, and the means; C: the covariances too.
-- Users: Regressions of the masked columns on the others hold. Relations that are not linear, and domains that are not in the model, do
--   not.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Households: as one record.
-- Loss: published.
-- Told: method.
-- Repeated: once (any change of the file draws all records anew, and the mean of independent draws comes near the prediction).
-- Series: refused (each release draws all records anew from a model of the file).
-- Publicly: values drawn anew, so that regressions on the columns that are not drawn stay what they are.
-- Parameters:
--   tbl           table             the table, view, common table expression or file
--   columns       columns           the columns to draw anew, numeric
--   confidential  columns           other numeric columns, which are released as they are, and regressions on which are kept; NULL or an
--                                   empty list: none
--   id            column            identifies each record
--   method        'A', 'B' or 'C'   what is kept
--   stratum       column            a column within whose values all is done
--   stream        text              names the pass of draws; give another one to mask a column a second time
--   release       text              names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_ipso(stratum, method, y, x, digests, names) AS
    sdc__needs_python('IPSO')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_ipso_explained(stratum, y, x, names) AS
    sdc__needs_python('IPSO')::DOUBLE[];

CREATE OR REPLACE MACRO sdc__ipso(tbl, columns, confidential, id, method, stratum, stream, release) AS TABLE
    WITH sdc__read AS MATERIALIZED (FROM sdc__numbers_beside(tbl, columns, id, confidential, 'confidential', stratum)),
    sdc__lists AS MATERIALIZED (FROM sdc__lists_beside('sdc__read', confidential)),
    sdc__draws AS (
        FROM sdc__digests_of_all('sdc__read', 'sdc__lists', columns, release, stream,
                                 'ipso ' || sdc__checked_choice(method, 'method', ['A', 'B', 'C']))
    ),
    sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_ipso(sdc__stratum::VARCHAR, method, sdc__y, sdc__x, sdc__digests,
                                sdc__lines(sdc__names)) AS sdc__masked
        FROM sdc__lists JOIN sdc__draws ON sdc__stratum IS NOT DISTINCT FROM sdc__drawn_in
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- What the log holds: of each column the share of its variance that the confidential variables explain, the greatest of all strata.
CREATE OR REPLACE MACRO sdc__ipso_explained(tbl, columns, id, confidential, stratum) AS TABLE
    WITH sdc__read AS (FROM sdc__numbers_beside(tbl, columns, id, confidential, 'confidential', stratum)),
    sdc__lists AS (FROM sdc__lists_beside('sdc__read', confidential)),
    sdc__shares AS (
        SELECT sdc__names,
               sdc__kernel_ipso_explained(sdc__stratum::VARCHAR, sdc__y, sdc__x, sdc__lines(sdc__names)) AS sdc__share
        FROM sdc__lists
    )
    FROM sdc__most_explained('sdc__shares');

-- sdc_ipso: numeric columns drawn anew given other ones, regressions on these kept exactly.
-- Example: FROM sdc_ipso('persons', ['age'], NULL, 'id');
CREATE OR REPLACE MACRO sdc_ipso(tbl, columns, confidential, id, method := 'C', stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__ipso(tbl, columns, confidential, id, method, stratum, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
