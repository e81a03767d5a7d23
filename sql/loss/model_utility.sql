-- How well the log-linear model that describes the original best still describes the released file.
--
--   DU(R) = L_M*(D_post) - L_M*(D_pre),  L_M*(D) = sum over the cells of n_D ln p                                       (3)
-- M* is the best, by BIC or AIC, of the models with main effects and two-way interactions of the variables (of up to four variables by
-- trying them all, of more by adding the interaction that betters the criterion most until none does, then dropping likewise, in turn); p
-- its probabilities, fitted to the original by iterative proportional fitting; they stay the same for the released file. Higher values
-- say that M* remains a good model; permuting or perturbing lowers them. A cell to which M* gives no probability counts as one with half
-- an original record, p = 0.5 / n (`outside`: the released records in such cells).
--   BIC = -2 L + d ln n,  AIC = -2 L + 2 d,  d = the sum of (k_i - 1) over the variables and of (k_i - 1)(k_j - 1) over the interactions
-- NULL is a category of its own; categories are compared by their texts. mean_utility: per record, where the files differ in size.
-- Source: Karr & Sanil, The risk-utility approach to statistical disclosure limitation, (3); the search: Edwards (2000), Introduction to
--   graphical modelling, section 6.1.
--
--   original: a b times    released: a b times    FROM sdc_model_utility('original', 'released', ['a', 'b']):
--             x y 5                  x y 3        interactions parameters criterion log_likelihood_before log_likelihood_after utility
--             u v 5                  u v 3        [[a, b]]     3          20.77     -6.93                 -16.14               -9.21
--                                    x v 2          p = 1/2 for the two cells that there were, 0.05 for the others:
--                                    u y 2          6 ln 0.5 + 4 ln 0.05 - 10 ln 0.5
--
-- Scope: table.
-- Not compiled: its models are fitted by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original   table           the table before masking
--   released   table           the table after it
--   columns    columns         the categorical variables, at least two
--   criterion  'bic' or 'aic'  the criterion by which the model is the best

-- codes: of each variable the numbers of its categories in the cells that either file has.
CREATE OR REPLACE MACRO sdc__kernel_model_utility(codes, before, after, criterion) AS sdc__needs_python('A log-linear model')::DOUBLE[][];

-- interactions: the pairs of variables.
-- sdc_model_utility: the log-likelihood ratio of the best log-linear model of the original.
-- Gives: interactions VARCHAR[][], parameters BIGINT, criterion DOUBLE, log_likelihood_before DOUBLE,
--   log_likelihood_after DOUBLE (less loss), utility DOUBLE (less loss, best 0), mean_utility DOUBLE (less loss, best 0),
--   outside BIGINT (more loss).
-- Rows: one.
-- Result: ModelUtility. The model's interactions and parameters, its criterion, and the log-likelihoods whose difference is the utility.
--   `mean_utility` is per record; `outside` counts the released records in cells that the model holds impossible.
-- Notes: The utility is 0, or less for what is lost.
-- Example: FROM sdc_model_utility('persons', 'released', ['sex', 'region']);
CREATE OR REPLACE MACRO sdc_model_utility(original, released, columns, criterion := 'bic') AS TABLE
    WITH sdc__cells AS (FROM sdc__cells_of_files(original, released, columns, sdc__names(columns))),
    sdc__kinds AS (FROM sdc__lists_of_cells('sdc__cells')),
    sdc__found AS (
        SELECT sdc__kernel_model_utility(sdc__categories, sdc__before, sdc__after,
                                         sdc__checked_choice(criterion, 'criterion', ['bic', 'aic'])) AS sdc__k,
               list_sum(sdc__before) AS sdc__n, list_sum(sdc__after) AS sdc__m
        FROM sdc__kinds
    )
    SELECT list_transform(range(1, len(sdc__k[2]) + 1),
                          lambda i: [sdc__names[sdc__k[2][i]::BIGINT], sdc__names[sdc__k[3][i]::BIGINT]]) AS interactions,
           sdc__k[1][1]::BIGINT AS parameters,
           sdc__k[1][2] AS criterion, sdc__k[1][3] AS log_likelihood_before, sdc__k[1][4] AS log_likelihood_after,
           sdc__k[1][4] - sdc__k[1][3] AS utility,
           sdc__k[1][4] / sdc__m - sdc__k[1][3] / sdc__n AS mean_utility, sdc__k[1][5]::BIGINT AS outside
    FROM sdc__found, sdc__names_of(original, columns);
