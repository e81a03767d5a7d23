-- What an intruder infers of a binary attribute that masking may have flipped, of a person whose record he has found.
--
--   q: the probability that the released value is the true one;  pi = P(Y = 1 | the rest of the record), before looking at the value
--   P(Y = 1 | released 1) = q pi / (q pi + (1 - q)(1 - pi)),    P(Y = 1 | released 0) = (1 - q) pi / ((1 - q) pi + q (1 - pi))
--   (the slide has (1 - q) twice in the last denominator, so that the value would tell nothing: a slip)
-- Source: Lambert (1993), Measures of disclosure risk and harm, Journal of Official Statistics 9, 313-331, section 6; as presented by
--   J. Lynch (slides 33 and 34).
--
--   sdc_flip_posterior(0.1, 0.8, 1) = 0.08 / (0.08 + 0.18) = 0.3077: of a rare attribute a released 1 is more likely false than true
--   sdc_flip_posterior(0.1, 0.8, 0) = 0.02 / (0.02 + 0.72) = 0.0270

CREATE OR REPLACE MACRO sdc__kept_probability(q) AS
    CASE WHEN TRY_CAST(q AS DOUBLE) > 0.5 AND TRY_CAST(q AS DOUBLE) <= 1 THEN TRY_CAST(q AS DOUBLE)
    ELSE error('ParameterError: q is ' || coalesce(q::VARCHAR, 'NULL')
               || ': it must be a number above 0.5 and at most 1, the probability that a released value is the true'
               || ' one (at 0.5 it tells nothing).') END;
CREATE OR REPLACE MACRO sdc__bayes_of_flip(prior, q, released) AS CASE
    WHEN released THEN q * prior / (q * prior + (1 - q) * (1 - prior)) ELSE (1 - q) * prior / ((1 - q) * prior + q * (1 - prior)) END;
-- Parameters:
--   q         number in (0.5, 1]      the probability that a released value is the true one
--   prior     number in [0, 1]        the probability of a true 1 before the value is looked at
--   released  whole number in [0, 1]  the released value, 1 or 0
-- sdc_flip_posterior: the probability that the true value is 1, of a binary attribute that may have been flipped.
-- Example: SELECT sdc_flip_posterior(0.1, 0.8, 1);
CREATE OR REPLACE MACRO sdc_flip_posterior(prior, q, released) AS CASE
    WHEN NOT coalesce(prior >= 0 AND prior <= 1, false) THEN error(
        'ParameterError: prior is ' || coalesce(prior::VARCHAR, 'NULL') || ': it must be a probability from 0 to 1.')
    WHEN NOT coalesce(released IN (0, 1), false)
        THEN error('ParameterError: released is ' || coalesce(released::VARCHAR, 'NULL') || ': it must be 1 or 0.')
    WHEN sdc__kept_probability(q) = 1 AND prior = 1 - released
        THEN error('ParameterError: prior is ' || prior || ', q is 1 and released is ' || released
                   || ': by the prior the true value is ' || prior::INTEGER
                   || ' for certain, by q it is the released one. One of them is wrong.')
    WHEN sdc__kept_probability(q) = 1 THEN released::DOUBLE
    ELSE sdc__bayes_of_flip(prior::DOUBLE, q::DOUBLE, released = 1) END;
