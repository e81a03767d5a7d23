-- Whether what is true of a single released record is true of a single person: singling out.
--
--   a guess says of one variable, or of several, what only one released record has; it succeeds where just one original record has it
--   control_rate likewise of the holdout, records of the same population of which nothing was made; z by the confidence
--   rate = (successes + z^2/2) / (guesses + z^2)   error = z / (guesses + z^2) sqrt(successes (guesses - successes) / guesses + z^2/4)
--   risk = (rate - control_rate) / (1 - control_rate)
--   risk_error^2 = (error / (1 - control_rate))^2 + ((rate - 1) control_error / (1 - control_rate)^2)^2
-- What succeeds as often with records that had no part in the released file is learned of the population, and is no risk of those that had.
-- The risk and its bounds are held within 0 and 1.
-- univariate: a value that one released record has; of the least and the greatest number also that it is at most, or at least, so great,
-- where one released record has it.
-- multivariate: `width` variables of a released record together, where no other released record has them: of a category that
-- it is the same, of a number that it is at least as great where it is above the median of the released ones, else that it is at most as
-- great. The paper draws records and variables; here each record in the order of their values has the next set of variables, until there
-- are `max_guesses`.
-- A missing value is a value. What is unique depends on how many records there are: the holdout must have as many as the original.
-- Source: Giomi, Boenisch, Wehmeyer & Tasnadi (2022), A unified framework for quantifying privacy risk in synthetic data, PoPETs 2023(2),
--   312-328: section 4 (the attacks), 5.1 (rates with Wilson's interval, the risk beside a control); Wilson (1927), JASA 22, 209-212.
--
--   original: x    released: x   holdout: x   FROM sdc_singling_out('original', 'released', 'holdout', ['x'], width := 1):
--             a              a            e   attack       guesses successes control_guesses control_successes risk
--             b              b            e   univariate   2       2         2               0                 0.5101
--             c              e            h   multivariate 2       2         2               0                 0.5101
--             d              e            f
--             e              e            g
--
-- Scope: table.
-- Not compiled: its guesses are made and tried by numpy; compare the tables in DuckDB.
-- Parameters:
--   original     table                      the table from which the released one was made, without the holdout
--   released     table                      the table to be released
--   holdout      table                      records of the same population of which nothing was made
--   columns      columns                    the variables; those that are not continuous are categories
--   continuous   columns                    those of them that are numbers
--   width        whole number in [1, ...)   the variables of a multivariate guess, or all where there are fewer
--   max_guesses  whole number in [1, ...)   the most guesses of either attack
--   confidence   number in (0, 1)           of the intervals

-- Three files as lists of numbers in one row (holdout_files.sql): the categories first, then the numbers, NULL where one is missing.
CREATE OR REPLACE MACRO sdc__attacked(original, released, holdout, columns, categories, numbers) AS TABLE
    SELECT list_transform(sdc__names, lambda n: sdc__folded(n)) AS sdc__names, sdc__values, len(categories)::DOUBLE AS sdc__categories,
           sdc__file
    FROM sdc__three_files_listed(original, released, holdout, columns, categories, []::VARCHAR[], numbers, NULL, NULL);

-- Wilson's interval, its middle and half its width; the risk beside the control.
CREATE OR REPLACE MACRO sdc__wilson_rate(s, n, z) AS CASE WHEN n > 0 THEN (s + z * z / 2) / (n + z * z) END;
CREATE OR REPLACE MACRO sdc__wilson_error(s, n, z) AS
    CASE WHEN n > 0 THEN z / (n + z * z) * sqrt(greatest(s * (n - s) / n, 0) + z * z / 4) END;
CREATE OR REPLACE MACRO sdc__within_one(v) AS greatest(least(v, 1), 0);

-- found: a relation with sdc__k, [guesses, successes, those of the holdout], and sdc__z; sdc__part in the order of its rows.
CREATE OR REPLACE MACRO sdc__attack_figures(found) AS TABLE
    WITH sdc__rates AS (
        SELECT sdc__part, sdc__k, sdc__wilson_rate(sdc__k[2], sdc__k[1], sdc__z) AS sdc__r,
               sdc__wilson_error(sdc__k[2], sdc__k[1], sdc__z) AS sdc__e, sdc__wilson_rate(sdc__k[4], sdc__k[3], sdc__z) AS sdc__c,
               sdc__wilson_error(sdc__k[4], sdc__k[3], sdc__z) AS sdc__f
        FROM query_table(found)
    ),
    sdc__risks AS (
        SELECT *, (sdc__r - sdc__c) / (1 - sdc__c) AS sdc__risk,
               sqrt((sdc__e / (1 - sdc__c)) ** 2 + ((sdc__r - 1) * sdc__f / (1 - sdc__c) ** 2) ** 2) AS sdc__off
        FROM sdc__rates
    )
    SELECT sdc__part, sdc__k[1]::BIGINT AS guesses, sdc__k[2] AS successes, sdc__k[3]::BIGINT AS control_guesses,
           sdc__k[4] AS control_successes, sdc__r AS rate, sdc__e AS error, sdc__c AS control_rate, sdc__f AS control_error,
           sdc__within_one(sdc__risk) AS risk, sdc__within_one(sdc__risk - sdc__off) AS risk_lower,
           sdc__within_one(sdc__risk + sdc__off) AS risk_upper
    FROM sdc__risks;

CREATE OR REPLACE MACRO sdc__kernel_single_out(columns, categories, file, width, guesses) AS
    sdc__needs_python('Singling out')::DOUBLE[][];

-- sdc_singling_out: how often what is true of one released record is true of one person, beside a holdout.
-- Gives: attack VARCHAR, guesses BIGINT, successes DOUBLE (more risk), control_guesses BIGINT, control_successes DOUBLE,
--   rate DOUBLE or NULL (more risk), error DOUBLE or NULL, control_rate DOUBLE or NULL, control_error DOUBLE or NULL,
--   risk DOUBLE or NULL (more risk), risk_lower DOUBLE or NULL (more risk), risk_upper DOUBLE or NULL (more risk).
-- Rows: each attack.
-- Result: SinglingOut. The attack (`univariate` or `multivariate`), its guesses, and the risk beside the holdout. `rate` and `error` are
--   the middle and half the width of Wilson's interval; None where there is no guess.
-- Raises: InputError where the holdout holds the very records of the original, or has not about as many;
--   ColumnError where a number is none.
-- Notes: NULL is a value. No id is needed.
-- Example: FROM sdc_singling_out('persons', 'released', 'held', ['age', 'sex', 'income'], continuous := ['income']);
-- Limit: risk. The risk of singling out, beside what succeeds with a holdout.
CREATE OR REPLACE MACRO sdc_singling_out(original, released, holdout, columns, continuous := NULL, width := 3, max_guesses := 2000,
                                         confidence := 0.95) AS TABLE
    WITH sdc__lists AS (
        SELECT sdc__kernel_single_out(sdc__values, sdc__categories, sdc__file, sdc__checked_whole(width, 'width', 1)::DOUBLE,
                                      sdc__checked_whole(max_guesses, 'max_guesses', 1)::DOUBLE) AS sdc__found,
               sdc__interval_quantile(confidence) AS sdc__z
        FROM sdc__attacked(original, released, holdout, columns, sdc__names_not_among(columns, continuous),
                           sdc__names_among(columns, continuous))
        WHERE len(sdc__some_of(continuous, columns, 'continuous')) >= 0
    ),
    sdc__each AS (
        SELECT unnest(range(1, 3)) AS sdc__part,
               unnest(list_transform(sdc__found, lambda f: [f[1], f[2], f[1], f[3]])) AS sdc__k, sdc__z
        FROM sdc__lists
    )
    SELECT ['univariate', 'multivariate'][sdc__part] AS attack, guesses, successes, control_guesses, control_successes, rate, error,
           control_rate, control_error, risk, risk_lower, risk_upper
    FROM sdc__attack_figures('sdc__each') ORDER BY sdc__part ASC;
