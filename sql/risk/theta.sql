-- theta: the probability that a unique match is correct. An intruder takes a person of the
-- population at random until one matches exactly one record of the file on the keys: is it the
-- same person?
--
--   theta   = sum_j I(f_j = 1) / sum_j F_j I(f_j = 1)                                         (2)
--   theta^  = pi n_1 / (pi n_1 + 2 (1 - pi) n_2)                                              (7)
--   v^      = theta^^2 2 (1 - pi) (3 (1 - pi) n_3 + (2 - pi) n_2) / (pi n_1 + 2 (1 - pi) n_2)^2  (9)
--   bound   = theta^ + z_confidence sqrt(v^), at most 1 (one-sided; section 3)
-- Source: Skinner & Elliot (2002), A measure of disclosure risk for microdata, JRSS B 64, 855-867.
--
--   n1 = 40, n2 = 30, n3 = 20 and pi = 0.1:   theta 0.0689655, standard_error 0.0168074
--
--   persons: job times   sdc_theta('persons', ['job'], 0.5):
--            a   1       records cells n1 n2 n3 theta
--            b   1       4       3     2  1  0  0.5     (0.5 x 2) / (0.5 x 2 + 2 x 0.5 x 1)
--            c   2
--
-- Edges: n1 = 0 gives 0, 0, 0 (no unique match can be made); n2 = 0 < n1 gives theta = 1.
-- NULL in a key is a category of its own, since frequencies of frequencies need every record to lie in one cell.
--
-- It rests on persons who are sampled with equal probability and each by himself: simple random or Bernoulli samples, also
-- proportionately within strata. That all have the same chance is not enough: where persons with equal keys enter the sample
-- together, n_2 is too large, and estimate and bound are too low. So with households taken whole, above all where the keys
-- are the household's (section 5.4: theta = 1, and theta^ as near to 0 as one likes); and with a systematic sample whose step falls in
-- with the order of the file (in one such order the 99 % bound held for 1 sample of 10; households taken whole: 94 to 98 % on one
-- population). In an order that has nothing to do with the step it is good (section 6). Nothing in the file tells which holds.
--
-- Scope: cells.
-- Parameters:
--   tbl                table             the table, view, common table expression or file
--   keys               columns           the key variables
--   sampling_fraction  number in (0, 1)  pi, the fraction of the population in the file
--   confidence         number in (0, 1)  of the one-sided upper bound

CREATE OR REPLACE MACRO sdc__theta(n1, n2, pi) AS
    CASE WHEN pi * n1 > 0 THEN pi * n1 / (pi * n1 + 2 * (1 - pi) * n2) ELSE 0 END::DOUBLE;  -- (7)

CREATE OR REPLACE MACRO sdc__theta_variance(n1, n2, n3, pi) AS
    CASE WHEN n1 = 0 THEN 0::DOUBLE
         ELSE power(sdc__theta(n1, n2, pi), 2)                                         -- (9)
              * 2 * (1 - pi) * (3 * (1 - pi) * n3 + (2 - pi) * n2)
              / power(pi * n1 + 2 * (1 - pi) * n2, 2) END;

-- z_confidence, computed once; with a confidence below 1/2 the bound is the estimate itself.
CREATE OR REPLACE MACRO sdc__one_sided(confidence) AS TABLE
    SELECT greatest(0, sdc__normal_at(sdc__confidence, sdc__square, sdc__root)) AS sdc__z
    FROM (SELECT *, sdc__normal_square(sdc__confidence) AS sdc__square, sdc__normal_root(sdc__confidence) AS sdc__root
          FROM (SELECT sdc__checked_fraction(confidence, 'confidence') AS sdc__confidence));

CREATE OR REPLACE MACRO sdc__theta_bound(theta, standard_error, z) AS
    CASE WHEN theta = 0 THEN 0::DOUBLE ELSE least(1, theta + z * standard_error) END;

-- counts: a CTE with n1, n2, n3 and sdc__pi; each of its rows with theta, standard_error and upper_bound.
CREATE OR REPLACE MACRO sdc__theta_estimates(counts, confidence) AS TABLE
    WITH sdc__estimates AS (
        SELECT *, sdc__theta(n1, n2, sdc__pi) AS theta, sqrt(sdc__theta_variance(n1, n2, n3, sdc__pi)) AS standard_error
        FROM query_table(counts)
    )
    SELECT sdc__estimates.*, sdc__theta_bound(theta, standard_error, sdc__z) AS upper_bound
    FROM sdc__estimates, sdc__one_sided(confidence);

-- sdc_theta: the probability that a unique match is correct, its standard error and upper bound.
-- Gives: records BIGINT, cells BIGINT, n1 BIGINT (more risk), n2 BIGINT, n3 BIGINT, theta DOUBLE (more risk), standard_error DOUBLE,
--   upper_bound DOUBLE (more risk).
-- Rows: one.
-- Words: theta: probability that a unique match is correct; standard_error: standard error of that probability; upper_bound: upper bound
--   of the probability that a unique match is correct; n1: records that are alone with their keys; n3: combinations of keys that three
--   records share.
-- Limit: upper_bound. The upper bound of the probability that a unique match is correct.
-- Example: FROM sdc_theta('persons', ['age', 'sex'], 0.1);
CREATE OR REPLACE MACRO sdc_theta(tbl, keys, sampling_fraction, confidence := 0.99) AS TABLE
    WITH sdc__counts AS (
        SELECT sum(sdc__f)::BIGINT AS records, count(*) AS cells,
               count_if(sdc__f = 1)::BIGINT AS n1,
               count_if(sdc__f = 2)::BIGINT AS n2,
               count_if(sdc__f = 3)::BIGINT AS n3,
               sdc__checked_fraction(sampling_fraction, 'sampling fraction') AS sdc__pi
        FROM sdc__category_cells(tbl, keys, NULL)
    )
    SELECT * EXCLUDE (sdc__pi) FROM sdc__theta_estimates('sdc__counts', confidence);
