-- Whether the released file tells what is not known of a person, given what is: inference.
--
--   of an original record all but the target is known; the guess is the target of the released record that is nearest by the rest, and it
--   succeeds where it is the true one (of a number: within `tolerance` of it). Where several are as near, the share of them that are right.
--   control_rate likewise of the holdout, records of the same population of which nothing was made; z by the confidence
--   rate = (successes + z^2/2) / (guesses + z^2)   error = z / (guesses + z^2) sqrt(successes (guesses - successes) / guesses + z^2/4)
--   risk = (rate - control_rate) / (1 - control_rate)
--   risk_error^2 = (error / (1 - control_rate))^2 + ((rate - 1) control_error / (1 - control_rate)^2)^2
-- What succeeds as often with records that had no part in the released file is learned of the population, and is no risk of those that had.
-- The risk and its bounds are held within 0 and 1.
-- Distance and choice of records are those of sdc_linkability. Unlike sdc_correct_attribution it needs no equal keys, and what the
-- population tells of the target is taken off by the holdout.
-- Source: Giomi, Boenisch, Wehmeyer & Tasnadi (2022), A unified framework for quantifying privacy risk in synthetic data, PoPETs 2023(2),
--   312-328: section 4 (the attacks), 5.1 (rates with Wilson's interval, the risk beside a control); Wilson (1927), JASA 22, 209-212.
--
--   original: x y   released: x y   holdout: x y   FROM sdc_attribute_inference('original', 'released', 'holdout', ['x'], 'y'):
--             a u             a u            a v   guesses successes control_guesses control_successes
--             b v             b v            b v   2       2         2               1
--
-- Scope: table.
-- Not compiled: the nearest records are searched by numpy; compare the tables in DuckDB.
-- Parameters:
--   original     table                      the table from which the released one was made, without the holdout
--   released     table                      the table to be released
--   holdout      table                      records of the same population of which nothing was made
--   columns      columns                    the variables that are known
--   target       column                     the variable that is guessed
--   continuous   columns                    those of either that are numbers; the others are categories
--   tolerance    number in [0, ...)         how far a number may be from the true one, as a share of it
--   max_guesses  whole number in [1, ...)   the most records that are attacked in either file
--   confidence   number in (0, 1)           of the intervals

CREATE OR REPLACE MACRO sdc__kernel_infer_secret(columns, categories, file, secret, tolerance, guesses) AS
    sdc__needs_python('Inference')::DOUBLE[];

CREATE OR REPLACE MACRO sdc__checked_closeness(tolerance) AS
    CASE WHEN TRY_CAST(tolerance AS DOUBLE) >= 0 AND TRY_CAST(tolerance AS DOUBLE) < 'infinity'::DOUBLE THEN TRY_CAST(tolerance AS DOUBLE)
         ELSE error('ParameterError: tolerance is ' || coalesce(tolerance::VARCHAR, 'NULL')
                    || ': it must be a number of at least 0, as 0.05 for a twentieth.') END;

-- sdc_attribute_inference: how often the nearest released record tells the true value of a variable, beside a holdout.
-- Gives: guesses BIGINT, successes DOUBLE (more risk), control_guesses BIGINT, control_successes DOUBLE, rate DOUBLE or NULL (more risk),
--   error DOUBLE or NULL, control_rate DOUBLE or NULL, control_error DOUBLE or NULL, risk DOUBLE or NULL (more risk),
--   risk_lower DOUBLE or NULL (more risk), risk_upper DOUBLE or NULL (more risk).
-- Rows: one.
-- Result: AttributeInference. The records attacked, the successes, and the risk beside the holdout. `rate` and `error` are the middle and
--   half the width of Wilson's interval.
-- Raises: InputError where the holdout holds the very records of the original; ColumnError where a number is none.
-- Notes: NULL is a value. No id is needed.
-- Example: FROM sdc_attribute_inference('persons', 'released', 'held', ['age', 'sex'], 'income', continuous := ['income']);
-- Limit: risk. The risk of inferring the target, beside what succeeds with a holdout.
CREATE OR REPLACE MACRO sdc_attribute_inference(original, released, holdout, columns, target, continuous := NULL, tolerance := 0.05,
                                                max_guesses := 2000, confidence := 0.95) AS TABLE
    WITH sdc__each AS (
        SELECT sdc__kernel_infer_secret(sdc__values, sdc__categories, sdc__file,
                                        (list_position(sdc__names, sdc__folded(target::VARCHAR)) - 1)::DOUBLE,
                                        sdc__checked_closeness(tolerance),
                                        sdc__checked_whole(max_guesses, 'max_guesses', 1)::DOUBLE) AS sdc__k,
               sdc__interval_quantile(confidence) AS sdc__z, 1 AS sdc__part
        FROM sdc__attacked(original, released, holdout, list_append(sdc__names(columns), target::VARCHAR),
                           sdc__names_not_among(list_append(sdc__names(columns), target::VARCHAR), continuous),
                           sdc__names_among(list_append(sdc__names(columns), target::VARCHAR), continuous))
        WHERE len(sdc__some_of(continuous, list_append(sdc__names(columns), target::VARCHAR), 'continuous')) >= 0
    )
    SELECT guesses, successes, control_guesses, control_successes, rate, error, control_rate, control_error, risk,
           risk_lower, risk_upper
    FROM sdc__attack_figures('sdc__each');
