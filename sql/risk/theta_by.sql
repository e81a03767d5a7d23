-- theta within strata, each with its own sampling fraction: the intruder is taken to know in which
-- stratum the person is, and the cells are those of the stratum.
--
-- Source: Skinner & Elliot (2002), (7), (9) and section 7 (within strata, where the strata's
--   sampling fractions differ).
--
-- Formulas, edges and what sampling it rests on: theta.sql. In a stratum that is taken whole (fraction 1) every unique match is right:
-- theta = 1, without error, or 0 where nobody is unique.
--
--   persons: region job times   sdc_theta_by('persons', ['job'], 'region', 0.5):
--            north  a   1       stratum records cells n1 n2 n3 sampling_fraction theta
--            north  b   2       north   3       2     1  1  0  0.5               0.3333   0.5 / (0.5 + 2 x 0.5)
--            south  a   1       south   1       1     1  0  0  0.5               1
--
-- Scope: cells.
-- Parameters:
--   tbl                table                       the table, view, common table expression or file
--   keys               columns                     the key variables
--   stratum            column                      the strata; a NULL stratum is one of its own, and it must not be one of the keys
--   sampling_fraction  column or number in (0, 1)  pi, or a column of it that is constant in each stratum (1: taken whole)
--   confidence         number in (0, 1)            of the one-sided upper bound

-- The stratum's column, which must not be a key: within a stratum it tells nothing.
CREATE OR REPLACE MACRO sdc__stratum_column(have, keys, stratum) AS CASE
    WHEN sdc__is_among(stratum, keys)
        THEN [stratum || '" is a key variable as well as the stratum: take it out of the keys; so "' || stratum]
    ELSE sdc__columns(have, [stratum::VARCHAR])
END;

-- sdc_theta_by: theta within strata, each with its own sampling fraction.
-- Gives: stratum ANY, records BIGINT, cells BIGINT, n1 BIGINT (more risk), n2 BIGINT, n3 BIGINT, sampling_fraction DOUBLE,
--   theta DOUBLE (more risk), standard_error DOUBLE, upper_bound DOUBLE (more risk).
-- Rows: each stratum.
-- Words: theta: probability that a unique match is correct; upper_bound: upper bound of the probability that a unique match is correct.
-- Limit: upper_bound. In this stratum the upper bound of the probability that a unique match is correct.
-- Example: FROM sdc_theta_by('persons', ['age', 'sex'], 'region', 0.1);
CREATE OR REPLACE MACRO sdc_theta_by(tbl, keys, stratum, sampling_fraction, confidence := 0.99) AS TABLE
    WITH sdc__cells AS (
        SELECT COLUMNS(sdc__stratum_column((*), keys, stratum)) AS sdc__stratum,
               COLUMNS(sdc__columns((*), keys)),
               count(*) AS sdc__f,
               min(sdc__checked_inclusion(sampling_fraction,
                                          sdc__value(sampling_fraction,
                                                     COLUMNS(sdc__column((*), sampling_fraction))))) AS sdc__least,
               max(sdc__value(sampling_fraction, COLUMNS(sdc__column((*), sampling_fraction)))) AS sdc__most
        FROM sdc__exact_rows(tbl, codes := list_append(sdc__names(keys), stratum))
        GROUP BY ALL
    ),
    sdc__counts AS (
        SELECT sdc__stratum, sum(sdc__f)::BIGINT AS records, count(*) AS cells,
               count(*) FILTER (sdc__f = 1) AS n1,
               count(*) FILTER (sdc__f = 2) AS n2,
               count(*) FILTER (sdc__f = 3) AS n3,
               CASE WHEN min(sdc__least) = max(sdc__most) THEN min(sdc__least)
                    ELSE error('ParameterError: The sampling fraction varies within a stratum: it must be'
                               || ' constant in each stratum.') END AS sdc__pi
        FROM sdc__cells
        GROUP BY sdc__stratum
    )
    SELECT sdc__stratum AS stratum, records, cells, n1, n2, n3, sdc__pi AS sampling_fraction, theta, standard_error, upper_bound
    FROM sdc__theta_estimates('sdc__counts', confidence)
    ORDER BY sdc__stratum ASC NULLS LAST;
