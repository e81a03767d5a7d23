-- Whether the released file tells that two parts of what is known belong to one person: linkability.
--
--   of an original record two parts are known, `columns` and `others`; a success: the released record that is nearest by the one part is
--   nearest by the other too. Where several are as near, the chance that two draws among them are the same record.
--   control_rate likewise of the holdout, records of the same population of which nothing was made; z by the confidence
--   rate = (successes + z^2/2) / (guesses + z^2)   error = z / (guesses + z^2) sqrt(successes (guesses - successes) / guesses + z^2/4)
--   risk = (rate - control_rate) / (1 - control_rate)
--   risk_error^2 = (error / (1 - control_rate))^2 + ((rate - 1) control_error / (1 - control_rate)^2)^2
-- What succeeds as often with records that had no part in the released file is learned of the population, and is no risk of those that had.
-- The risk and its bounds are held within 0 and 1.
-- The distance is Gower's: of numbers the difference by the range in all three files, of categories 0 or 1, a missing number away by 1 from
-- all others. Records at even steps of the file put in order are tried, at most `max_guesses`; the paper draws them.
-- Source: Giomi, Boenisch, Wehmeyer & Tasnadi (2022), A unified framework for quantifying privacy risk in synthetic data, PoPETs 2023(2),
--   312-328: section 4 (the attacks), 5.1 (rates with Wilson's interval, the risk beside a control); Wilson (1927), JASA 22, 209-212.
--
--   original: x y   released: x y   holdout: x y   FROM sdc_linkability('original', 'released', 'holdout', ['x'], ['y']):
--             a u             a u            a v   guesses successes control_guesses control_successes
--             b v             b v            b u   2       2         2               0
--
-- Scope: table.
-- Not compiled: the nearest records are searched by numpy; compare the tables in DuckDB.
-- Parameters:
--   original     table                      the table from which the released one was made, without the holdout
--   released     table                      the table to be released
--   holdout      table                      records of the same population of which nothing was made
--   columns      columns                    the first part of the variables
--   others       columns                    the second part, none of the first
--   continuous   columns                    those of either that are numbers; the others are categories
--   max_guesses  whole number in [1, ...)   the most records that are attacked in either file
--   confidence   number in (0, 1)           of the intervals

CREATE OR REPLACE MACRO sdc__kernel_link_parts(columns, categories, file, second, guesses) AS sdc__needs_python('Linkability')::DOUBLE[];

-- sdc_linkability: how often two parts of a record are linked by the released file, beside a holdout.
-- Gives: guesses BIGINT, successes DOUBLE (more risk), control_guesses BIGINT, control_successes DOUBLE, rate DOUBLE or NULL (more risk),
--   error DOUBLE or NULL, control_rate DOUBLE or NULL, control_error DOUBLE or NULL, risk DOUBLE or NULL (more risk),
--   risk_lower DOUBLE or NULL (more risk), risk_upper DOUBLE or NULL (more risk).
-- Rows: one.
-- Result: Linkability. The records attacked, the successes, and the risk beside the holdout. `rate` and `error` are the middle and half the
--   width of Wilson's interval.
-- Raises: InputError where the holdout holds the very records of the original; ColumnError where a number is none.
-- Notes: NULL is a value. No id is needed.
-- Example: FROM sdc_linkability('persons', 'released', 'held', ['age', 'sex'], ['region', 'income'], continuous := ['income']);
-- Limit: risk. The risk of linking two parts of a record, beside what succeeds with a holdout.
CREATE OR REPLACE MACRO sdc_linkability(original, released, holdout, columns, others, continuous := NULL, max_guesses := 2000,
                                        confidence := 0.95) AS TABLE
    WITH sdc__each AS (
        SELECT sdc__kernel_link_parts(sdc__values, sdc__categories, sdc__file,
                                      list_transform(sdc__names, lambda n: CASE WHEN sdc__is_among(n, others) THEN 1e0 ELSE 0e0 END),
                                      sdc__checked_whole(max_guesses, 'max_guesses', 1)::DOUBLE) AS sdc__k,
               sdc__interval_quantile(confidence) AS sdc__z, 1 AS sdc__part
        FROM sdc__attacked(original, released, holdout, list_concat(sdc__names(columns), sdc__names(others)),
                           sdc__names_not_among(list_concat(sdc__names(columns), sdc__names(others)), continuous),
                           sdc__names_among(list_concat(sdc__names(columns), sdc__names(others)), continuous))
        WHERE len(sdc__some_of(continuous, list_concat(sdc__names(columns), sdc__names(others)), 'continuous')) >= 0
    )
    SELECT guesses, successes, control_guesses, control_successes, rate, error, control_rate, control_error, risk,
           risk_lower, risk_upper
    FROM sdc__attack_figures('sdc__each');
