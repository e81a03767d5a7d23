-- An estimate, its variance and its interval from the copies of a synthetic file.
--
--   of copy l the estimate q_l and its variance u_l (the squared standard error), as if the copy were a sample; m copies
--   q = mean q_l,   u = mean u_l,   b = sum (q_l - q)^2 / (m - 1)
--   'partial'   T = u + b / m                nu = (m - 1) (1 + u / (b / m))^2                                       (Reiter 2003)
--   'full'      T = (1 + 1 / m) b - u        nu = (m - 1) (1 - u / ((1 + 1 / m) b))^2, at least 1                   (Raghunathan et al.)
--               where T <= 0, T = ratio u and the normal quantile, and adjusted is true                             (Reiter 2002)
--   'complete'  T = (ratio + 1 / m) u        the normal quantile                                                    (Raab et al.)
--   interval    q -+ t_nu(confidence) sqrt(T);   ratio: records of a copy / records of the original file
-- 'partial': some columns, or some records, were drawn, each given the others, and the rest is the original. 'full': each copy is a sample
-- of another synthetic population, of records that were never asked. 'complete': every value of every record was drawn, from the model that
-- was fitted to the file itself; its estimates are of the population too, and one copy suffices. Which it is the copies cannot tell: their
-- maker must. One copy of a partially or fully synthetic file tells nothing of b, and is an error. With the rule of 'complete' it would
-- give intervals that are too wide (97.6 % for 95 % where 30 % of the values were drawn), and with the rule of a sample, T = u, ones that
-- are too narrow (83 % where all were drawn: 1.96 / sqrt(2) standard errors).
-- Where half of the records were drawn from a model of all of them, and the others kept, an interval of 'partial' covers 91 % for 95 % (the
-- kept half then counts more than the model says; tests/validation/simulations/combining.py).
-- The variance of 'full' can be negative: in a fifth of all runs at m = 5 where a copy has as many records as the file. T = ratio u is
-- then Reiter's max(0, T) + delta ratio u, delta = 1: too wide rather than too narrow. Below nu = 1 an interval has no bounds to speak of;
-- nu is at least 1, with which 95 % intervals cover 92 % at m = 2, 96 to 99 % from m = 3 on (tests/loss/test_synthetic_estimate.py).
-- Student's quantile, for nu that is no whole number: w with C int_0^w cosh(v)^-nu dv = p - 1/2 by Newton's steps and Simpson's rule,
-- t = sqrt(nu) sinh(w), C = Gamma((nu + 1) / 2) / (sqrt(pi) Gamma(nu / 2)); beyond nu = 1e5, z + (z^3 + z) / (4 nu).
-- Source: Reiter (2003), Inference for partially synthetic, public use microdata sets, Survey Methodology 29(2), 181-188; Raghunathan,
--   Reiter & Rubin (2003), Multiple imputation for statistical disclosure limitation, Journal of Official Statistics 19(1), 1-16; Reiter
--   (2002), Satisfying disclosure restrictions with synthetic data sets, Journal of Official Statistics 18(4), 531-543; Raab, Nowok &
--   Dibben (2016), Practical data synthesis for large samples, Journal of Privacy and Confidentiality 7(3), 67-97.
--
--   copies: q  u     FROM sdc_synthetic_estimate('copies', 'q', 'u', 'partial'):
--           10 3     copies estimate within between variance degrees lower  upper   adjusted
--           12 4     3      12       4      4       5.3333   32      7.2959 16.7041 false        5.3333 = 4 + 4 / 3;  32 = 2 (1 + 3)^2
--           14 5
--   FROM sdc_synthetic_estimate('copies', 'q', 'u', 'full'):
--   copies estimate within between variance degrees lower   upper   adjusted
--   3      12       4      4       1.3333   1       -2.6719 26.6719 false        1.3333 = 4 / 3 * 4 - 4;  2 (1 - 3 / 4)^2 is below 1
--   FROM sdc_synthetic_estimate('copies', 'q', 'u', 'complete'):
--   copies estimate within between variance degrees lower  upper   adjusted
--   3      12       4      4       5.3333   NULL    7.4737 16.5263 false        5.3333 = (1 + 1 / 3) 4
--
-- Scope: table.
-- Not compiled: Student's quantile is found in lists, which other engines have no words for; estimate in DuckDB.
-- Parameters:
--   tbl         table                            the estimates, a record for each copy (and quantity)
--   estimate    column                           the estimate from a copy
--   variance    column                           its variance from that copy alone: the squared standard error
--   synthesis   'partial', 'full' or 'complete'  what was drawn
--   quantity    column                           names what is estimated, where there are several quantities; NULL: there is one
--   ratio       number in (0, ...)               the records of a copy / the records of the original file
--   confidence  number in (0, 1)                 the probability of the interval

-- The quantile p > 1/2 of Student's distribution with nu >= 1 degrees of freedom; whole or not. z: the normal one.
CREATE OR REPLACE MACRO sdc__student_constant(nu) AS exp(lgamma((nu + 1) / 2) - lgamma(nu / 2)) / sqrt(pi());
CREATE OR REPLACE MACRO sdc__student_area(w, nu) AS w / 768 * list_sum(list_transform(range(257), lambda i:
    CASE WHEN i IN (0, 256) THEN 1 WHEN i % 2 = 1 THEN 4 ELSE 2 END * pow(cosh(w * i / 256), -nu)));
CREATE OR REPLACE MACRO sdc__student_root(p, nu, c) AS list_reduce(list_transform(range(40), lambda i: 0e0), lambda w, i:
    w + ((p - 0.5) / c - sdc__student_area(w, nu)) * pow(cosh(w), nu));
CREATE OR REPLACE MACRO sdc__student_quantile(p, nu, z) AS
    CASE WHEN nu <= 1e5 THEN sqrt(nu) * sinh(sdc__student_root(p, nu, sdc__student_constant(nu)))
         ELSE z + (pow(z, 3) + z) / 4 / coalesce(nu, 'infinity'::DOUBLE) END;

CREATE OR REPLACE MACRO sdc__checked_estimate(q) AS
    CASE WHEN sdc__finite_number(q) IS NOT NULL THEN q::DOUBLE
         ELSE error('ColumnError: The column ' || alias(q) || ' holds NULL or NaN: each copy needs an estimate and a variance.') END;
CREATE OR REPLACE MACRO sdc__checked_variance(u) AS
    CASE WHEN sdc__checked_estimate(u) >= 0 THEN u::DOUBLE
         ELSE error('ColumnError: The column ' || alias(u) || ' holds negative values: the variance of an estimate, its squared standard'
                    || ' error, is at least 0.') END;
CREATE OR REPLACE MACRO sdc__checked_copies(m, least_m, most_m, synthesis) AS
    CASE WHEN least_m < most_m
             THEN error('TableError: One quantity has ' || least_m || ' records and another ' || most_m
                        || ': every copy gives one estimate of each quantity.')
         WHEN m > 1 OR synthesis = 'complete' THEN m
         ELSE error('ParameterError: There is one copy, and the variance between copies is what tells how far the drawn values may be'
                    || ' off: give the estimates of two copies or more; of a file of which every value was drawn (synthesis ''complete'')'
                    || ' one suffices. Where there are several quantities, name the column quantity.') END;

-- T before it is adjusted, and its degrees of freedom: NULL is the normal distribution.
CREATE OR REPLACE MACRO sdc__combined_variance(synthesis, m, u, b, ratio) AS
    CASE synthesis WHEN 'partial' THEN u + b / m WHEN 'full' THEN (1 + 1 / m) * b - u ELSE (ratio + 1 / m) * u END;
CREATE OR REPLACE MACRO sdc__combined_degrees(synthesis, m, u, b) AS
    CASE WHEN synthesis = 'complete' OR b = 0 THEN NULL
         WHEN synthesis = 'partial' THEN (m - 1) * pow(1 + u / (b / m), 2)
         WHEN (1 + 1 / m) * b > u THEN greatest((m - 1) * pow(1 - u / ((1 + 1 / m) * b), 2), 1) END;

-- sdc_synthetic_estimate: estimates, variances and intervals from the copies of a synthetic file.
-- Gives: quantity VARCHAR or NULL, copies BIGINT, estimate DOUBLE, within DOUBLE, between DOUBLE or NULL, variance DOUBLE,
--   degrees DOUBLE or NULL, lower DOUBLE, upper DOUBLE, adjusted BOOLEAN.
-- Rows: each quantity.
-- Result: SyntheticEstimate. The estimate, the variances within and between copies, what they combine to, and the interval.
-- Raises: InputError where there is one copy of a file that is not completely synthetic, or an estimate or variance is missing.
-- Notes: ``degrees`` None: the interval is by the normal quantile. ``adjusted``: the combined variance of a fully synthetic file was
--   not positive, and the variance within copies stands in its place. In a fully synthetic file the degrees are at least 1.
-- Example: FROM sdc_synthetic_estimate('estimates', 'mean_income', 'squared_error', 'partial');
CREATE OR REPLACE MACRO sdc_synthetic_estimate(tbl, estimate, variance, synthesis, quantity := NULL, ratio := 1,
    confidence := 0.95) AS TABLE
    WITH sdc__read AS (
        SELECT sdc__stratum_value(quantity, COLUMNS(sdc__named_column((*), quantity)))::VARCHAR AS sdc__k,
               sdc__checked_estimate(COLUMNS(sdc__columns((*), [estimate]))) AS sdc__q,
               sdc__checked_variance(COLUMNS(sdc__columns((*), [variance]))) AS sdc__u
        FROM sdc__exact_rows(tbl, codes := [quantity])
    ),
    -- (Sums of lists that are in order: the same for any order of the records.)
    sdc__listed AS (
        SELECT sdc__k, count(*) AS sdc__m, list(sdc__q ORDER BY sdc__q ASC) AS sdc__qs,
               list_sum(list(sdc__q ORDER BY sdc__q ASC)) / count(*) AS sdc__mean,
               list_sum(list(sdc__u ORDER BY sdc__u ASC)) / count(*) AS sdc__w
        FROM sdc__read GROUP BY sdc__k
    ),
    sdc__moments_of AS (
        SELECT sdc__k, sdc__mean, sdc__w, sdc__checked_choice(synthesis, 'synthesis', ['partial', 'full', 'complete']) AS sdc__kind,
               sdc__checked_copies(sdc__m, min(sdc__m) OVER (), max(sdc__m) OVER (), synthesis) AS sdc__copies,
               CASE WHEN sdc__m > 1
                    THEN list_sum(list_transform(sdc__qs, lambda q: pow(q - sdc__mean, 2))) / (sdc__m - 1) END AS sdc__b,
               sdc__checked_positive(ratio, 'ratio') AS sdc__ratio, sdc__checked_fraction(confidence, 'confidence') AS sdc__p
        FROM sdc__listed
    ),
    sdc__combined AS (
        SELECT *, sdc__combined_variance(sdc__kind, sdc__copies, sdc__w, sdc__b, sdc__ratio) AS sdc__t,
               sdc__combined_degrees(sdc__kind, sdc__copies, sdc__w, sdc__b) AS sdc__nu,
               sdc__kind = 'full' AND sdc__t <= 0 AND sdc__w > 0 AS sdc__off,
               CASE WHEN sdc__off THEN sdc__ratio * sdc__w ELSE greatest(sdc__t, 0) END AS sdc__taken
        FROM sdc__moments_of
    ),
    sdc__bounded AS (
        SELECT *, sqrt(sdc__taken) * sdc__student_quantile(0.5 + sdc__p / 2, sdc__nu, sdc__z) AS sdc__half
        FROM sdc__combined, (SELECT sdc__interval_quantile(confidence) AS sdc__z)
    )
    SELECT sdc__k AS quantity, sdc__copies AS copies, sdc__mean AS estimate, sdc__w AS within, sdc__b AS between,
           sdc__taken AS variance, sdc__nu AS degrees, sdc__mean - sdc__half AS lower, sdc__mean + sdc__half AS upper,
           sdc__off AS adjusted
    FROM sdc__bounded ORDER BY sdc__k ASC NULLS FIRST;
