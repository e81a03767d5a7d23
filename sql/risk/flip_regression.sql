-- What an intruder infers of a binary attribute that masking may have flipped, from the other attributes and the released value.
--
--   q: the probability that a released value x is the true one Y
--   logit pi_i = b_0 + sum_j b_j x_ij,  pi_i = P(Y_i = 1 | the rest of record i)
--   b: by maximum likelihood of  log{ q^x (1 - q)^(1 - x) pi + q^(1 - x) (1 - q)^x (1 - pi) }   summed over the records
-- Of each record prior is pi_i, and posterior what the released value makes of it (flip_posterior.sql).
-- Source: Lambert (1993), Measures of disclosure risk and harm, Journal of Official Statistics 9, 313-331, section 6; as presented by
--   J. Lynch (slide 35).
--
--   answers: smokes x times   sdc_flip_regression('answers', 'smokes', ['x'], 0.9):
--            1      0 3       term        estimate
--            0      0 7       (intercept) -1.0986    no predictor tells them apart: s = 0.3 were released as 1, q pi + (1 - q)(1 - pi) = s,
--            1      1 3       x           0          so pi = (0.3 - 0.1) / 0.8 = 0.25 and b_0 = ln(0.25 / 0.75)
--            0      1 7
--
-- Without a maximum (the predictors tell the values apart, or one value is rarer than flips alone would make it) it is an error.
--
-- Scope: table.
-- Not compiled: the regression is fitted by numpy; measure the file in DuckDB.
-- Parameters:
--   tbl          table               the released file
--   column_name  column              the binary attribute, 0 and 1 or false and true
--   columns      columns             the attributes it is inferred from, numbers
--   id           column              identifies each record
--   q            number in (0.5, 1]  the probability that a released value is the true one

CREATE OR REPLACE MACRO sdc__kernel_flipped(columns, flipped, counts, q) AS
    sdc__needs_python('The regression on a flipped attribute')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__flip_value(v) AS
    CASE WHEN TRY_CAST(v::VARCHAR AS DOUBLE) = 1 OR v::VARCHAR = 'true' THEN true
         WHEN TRY_CAST(v::VARCHAR AS DOUBLE) = 0 OR v::VARCHAR = 'false' THEN false
    ELSE error('ColumnError: The attribute ' || alias(v)
               || ' holds NULL or a value that is neither 0 nor 1: give a binary one (recode it, and leave out'
               || ' records where it is missing).') END;
CREATE OR REPLACE MACRO sdc__predictor(v) AS
    CASE WHEN sdc__finite_number(v) IS NOT NULL THEN sdc__number(v)
         ELSE error('ColumnError: The column ' || alias(v) || ' holds NULL: leave these records or this column out.') END;

-- The predictors and the flipped value of each record; the kinds of records in one row, as lists, with the coefficients.
CREATE OR REPLACE MACRO sdc__flipped_records(tbl, column_name, columns) AS TABLE
    SELECT sdc__flip_value(COLUMNS(sdc__columns((*), [column_name]))) AS sdc__flipped,
           sdc__predictor(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0"
    FROM sdc__rows(tbl);
CREATE OR REPLACE MACRO sdc__flip_fit(tbl, column_name, columns, q) AS TABLE
    WITH sdc__kinds AS (SELECT *, count(*)::DOUBLE AS sdc__n FROM sdc__flipped_records(tbl, column_name, columns) GROUP BY ALL),
    sdc__lists AS (
        SELECT list(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0",
               list(CASE WHEN sdc__flipped THEN 1e0 ELSE 0e0 END) AS sdc__y, list(sdc__n) AS sdc__counts
        FROM sdc__kinds
    ),
    sdc__fitted AS (
        SELECT list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                              lambda n: substr(n, 8)) AS sdc__names,
               sdc__kernel_flipped([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))], sdc__y, sdc__counts, sdc__kept_probability(q)) AS sdc__k
        FROM sdc__lists
    )
    SELECT sdc__names, sdc__k FROM sdc__fitted;

-- term: (intercept), or a column; standard_error: from the information matrix.
-- sdc_flip_regression: the logistic regression of a binary attribute that may have been flipped.
-- Gives: term VARCHAR, estimate DOUBLE, standard_error DOUBLE.
-- Rows: terms.
-- Example: FROM sdc_flip_regression('answers', 'smokes', ['income'], 0.8);
CREATE OR REPLACE MACRO sdc_flip_regression(tbl, column_name, columns, q) AS TABLE
    SELECT unnest(list_prepend('(intercept)', sdc__names)) AS term, unnest(sdc__k[1]) AS estimate,
           unnest(sdc__k[2]) AS standard_error
    FROM sdc__flip_fit(tbl, column_name, columns, q);

-- record: the id; prior: the fitted probability of a true 1 from the other attributes; posterior: with the released value.
-- sdc_flip_posterior_records: for each record the probability that the true value is 1, with and without the released one.
-- Gives: record VARCHAR, prior DOUBLE, posterior DOUBLE.
-- Rows: records.
-- Example: FROM sdc_flip_posterior_records('answers', 'smokes', ['income'], 'id', 0.8);
CREATE OR REPLACE MACRO sdc_flip_posterior_records(tbl, column_name, columns, id, q) AS TABLE
    WITH sdc__all AS (
        SELECT COLUMNS(sdc__columns((*), [id]))::VARCHAR AS sdc__person,
               sdc__flip_value(COLUMNS(sdc__columns((*), [column_name]))) AS sdc__flipped,
               sdc__predictor(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0"
        FROM sdc__exact_rows(tbl, codes := [id])
    ),
    sdc__priors AS (
        SELECT sdc__person, sdc__flipped, 1 / (1 + exp(-list_dot_product(list_prepend(1e0, sdc__x), sdc__k[1]))) AS sdc__prior
        FROM (SELECT sdc__person, sdc__flipped, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__x FROM sdc__all),
             sdc__flip_fit(tbl, column_name, columns, q)
    )
    SELECT sdc__person AS record, sdc__prior AS prior,
           CASE WHEN sdc__kept_probability(q) = 1 THEN sdc__flipped::INTEGER::DOUBLE
                ELSE sdc__bayes_of_flip(sdc__prior, sdc__kept_probability(q), sdc__flipped) END AS posterior
    FROM sdc__priors;
