-- How well a model tells released records from original ones: the propensity score.
--
--   the files under one another, N records, c the share of the released ones; p_i the probability of being a released record, by a
--   logistic regression on the variables and, if pairs, on the products of every two of them
--   pMSE = 1/N sum (p_i - c)^2        0 (they cannot be told apart) to c (1 - c)
--   expected = (k - 1) (1 - c)^2 c / N, that of a synthetic file which the model fits exactly; k parameters;  ratio = pMSE / expected
-- The model has an indicator for each category but the most frequent one, and each continuous variable standardised; a missing number is
-- the mean, with an indicator of its own. What follows from other terms is not a parameter. A masked file repeats the original records,
-- so that its ratio may well be below 1; a ratio far above 1 says that distributions or connections have changed.
-- Source: Woo, Reiter, Oganian & Karr (2009), Global measures of data utility for microdata masked for disclosure limitation, Journal of
--   Privacy and Confidentiality 1(1); Snoke, Raab, Nowok, Dibben & Slavkovic (2018), General and specific utility measures for synthetic
--   data, JRSS A 181(3), theorem 1.
--
--   original: sex   released: sex   FROM sdc_propensity('original', 'released', ['sex']):
--             f               f     records parameters pmse    expected ratio  share
--             f               m     8       2          0.0167  0.0156   1.0667 0.0667  p = 1/3 for f, 3/5 for m
--             m               m
--             m               m
--
-- share: pMSE / (c (1 - c)), 0 to 1.
--
-- Scope: table.
-- Not compiled: its logistic regression is fitted by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original    table        the table before masking
--   released    table        the table after it
--   columns     columns      the variables; those that are not continuous are categories
--   continuous  columns      those of them that are numbers
--   pairs       truth value  whether the model has the products of every two variables

-- cells: the combinations of categories, their numbers and of each variable those of the categories; numbers: of each kind of records
-- its cell, and of each variable the number.
CREATE OR REPLACE MACRO sdc__kernel_propensity(cells, numbers, before, after, pairs) AS
    sdc__needs_python('The propensity score')::DOUBLE[];

CREATE OR REPLACE MACRO sdc__mixed_columns(tbl, columns, categories, numbers, first) AS TABLE
    SELECT * EXCLUDE (sdc__w) FROM sdc__weighed_columns(tbl, columns, categories, numbers, NULL, first);

-- The records of both files.
CREATE OR REPLACE MACRO sdc__mixed_files(original, released, columns, categories, numbers) AS TABLE
    FROM sdc__mixed_columns(original, columns, categories, numbers, true)
    UNION ALL BY NAME
    FROM sdc__mixed_columns(released, columns, categories, numbers, false);

-- The combinations of categories in columns "sdc__t_<name>" (texts), numbered as they come, with the records of either file.
CREATE OR REPLACE MACRO sdc__cells_of_files(original, released, columns, categories) AS TABLE
    WITH sdc__counted AS (
        SELECT COLUMNS(lambda c: starts_with(c, 'sdc__t_')), (count(*) FILTER (WHERE sdc__first))::DOUBLE AS sdc__b,
               (count(*) FILTER (WHERE NOT sdc__first))::DOUBLE AS sdc__a
        FROM sdc__mixed_files(original, released, columns, categories, []::VARCHAR[]) GROUP BY ALL
    )
    SELECT *, (row_number() OVER ())::DOUBLE AS sdc__cell FROM sdc__counted;

-- Those cells in one row: their numbers, a list for each variable of its categories, and the records of either file.
CREATE OR REPLACE MACRO sdc__lists_of_cells(cells) AS TABLE
    WITH sdc__coded AS (
        SELECT sdc__category_number(COLUMNS(lambda c: starts_with(c, 'sdc__t_'))) AS "\0", sdc__cell, sdc__b, sdc__a
        FROM query_table(cells)
    ),
    sdc__lists AS (
        SELECT list(COLUMNS(lambda c: starts_with(c, 'sdc__t_'))) AS "\0", list(sdc__cell) AS sdc__cells, list(sdc__b) AS sdc__before,
               list(sdc__a) AS sdc__after
        FROM sdc__coded
    )
    SELECT sdc__cells, [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__categories, sdc__before, sdc__after FROM sdc__lists;

-- The kinds of records in one row: the cell of each, a list for each number, and the records of either file. Without numbers these are
-- the cells, and no record is read.
CREATE OR REPLACE MACRO sdc__lists_of_kinds(cells, original, released, columns, categories, numbers) AS TABLE
    WITH sdc__records AS (
        SELECT row(*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))) AS sdc__own, COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__first
        FROM sdc__mixed_files(original, released, columns, categories, numbers) WHERE len(numbers) > 0
    ),
    sdc__keyed AS (SELECT row(*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))) AS sdc__key, sdc__cell FROM query_table(cells)),
    sdc__kinds AS (
        SELECT sdc__cell, COLUMNS(lambda c: starts_with(c, 'sdc__x_')), (count(*) FILTER (WHERE sdc__first))::DOUBLE AS sdc__b,
               (count(*) FILTER (WHERE NOT sdc__first))::DOUBLE AS sdc__a
        FROM sdc__records JOIN sdc__keyed ON sdc__own = sdc__key GROUP BY ALL
    ),
    sdc__lists AS (
        SELECT list(sdc__cell) AS sdc__cells, list(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0", list(sdc__b) AS sdc__before,
               list(sdc__a) AS sdc__after
        FROM sdc__kinds
    )
    SELECT [sdc__cells, *COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__numbers, sdc__before, sdc__after FROM sdc__lists;

CREATE OR REPLACE MACRO sdc__flag(pairs) AS
    CASE pairs WHEN true THEN 1e0
               WHEN false THEN 0e0
               ELSE error('ParameterError: pairs is NULL: it must be true or false.') END;

-- sdc_propensity: how well a model tells released records from original ones.
-- Gives: records BIGINT, parameters BIGINT, pmse DOUBLE (more loss), expected DOUBLE, ratio DOUBLE or NULL (more loss),
--   share DOUBLE (more loss).
-- Rows: one.
-- Words: pmse: propensity mean squared error; ratio: propensity error beside that of chance; share: propensity error, as a share of the
--   most that there can be.
-- Result: Propensity. pMSE, its expectation and their ratio; `share`: of the most that pMSE can be.
-- Told: share.
-- Example: FROM sdc_propensity('persons', 'released', ['sex', 'income'], continuous := ['income']);
-- Limit: share. The share of the most that the propensity score can differ from one that tells nothing.
CREATE OR REPLACE MACRO sdc_propensity(original, released, columns, continuous := NULL, pairs := true) AS TABLE
    WITH sdc__cells AS MATERIALIZED (FROM sdc__cells_of_files(original, released, columns, sdc__names_not_among(columns, continuous))),
    sdc__kinds AS (
        FROM sdc__lists_of_kinds('sdc__cells', original, released, columns, sdc__names_not_among(columns, continuous),
                                 sdc__names_among(columns, continuous))
    ),
    sdc__found AS (
        SELECT sdc__kernel_propensity(
                   CASE WHEN len(sdc__names_not_among(columns, continuous)) > 0 THEN list_prepend(sdc__c.sdc__cells, sdc__categories)
                        ELSE [sdc__c.sdc__cells] END,
                   CASE WHEN len(sdc__names_among(columns, continuous)) > 0 THEN sdc__numbers ELSE [sdc__c.sdc__cells] END,
                   coalesce(sdc__r.sdc__before, sdc__c.sdc__before), coalesce(sdc__r.sdc__after, sdc__c.sdc__after),
                   sdc__flag(pairs)) AS sdc__k
        FROM sdc__lists_of_cells('sdc__cells') AS sdc__c, sdc__kinds AS sdc__r
        WHERE len(sdc__some_of(continuous, columns, 'continuous')) >= 0
    )
    SELECT sdc__k[1]::BIGINT AS records, sdc__k[2]::BIGINT AS parameters, sdc__k[3] AS pmse, sdc__k[4] AS expected,
           CASE WHEN sdc__k[4] > 0 THEN sdc__k[3] / sdc__k[4] END AS ratio,
           sdc__k[3] / (sdc__k[5] * (1 - sdc__k[5])) AS share
    FROM sdc__found;
