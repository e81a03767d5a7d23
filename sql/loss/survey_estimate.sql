-- Estimates as users of the file make them, with standard errors: totals, quantiles, tables, regressions.
--
--   total sum w y;   mean m = sum w y / sum w;   count sum w and share p = sum w [category] / sum w of each category;
--   quantile q = the least y with F(y) >= p, F the distribution by weights;   regression: b of the least sum w (y - x'b)^2
--   V = sum over strata h of n_h / (n_h - 1) sum over its clusters c of (z_hc - mean z_h)^2, z_hc the sum of z over the records of c
--   z   of a total w y;   of a mean w (y - m) / sum w;   of a share w ([category] - p) / sum w;   of b (X'WX)^-1 x w (y - x'b)
--   quantile: the interval is q(F(q) - z s) to q(F(q) + z s), s the standard error of F(q); its standard error the width / 2 z  (Woodruff)
-- Taylor linearisation, the clusters drawn with replacement within strata. Without strata there is one, without clusters each record is
-- one, without weights each weighs 1: with neither strata nor clusters V is that of records drawn with replacement. What a domain lacks
-- counts as 0, and n_h are the clusters of the whole file. A stratum of one cluster has no variance of its own, and counts with z^2: too
-- much rather than too little. No finite population correction: V is too large where much of the population is in the file.
-- A record without a value of the variable or of the domains is in no estimate, and in the file all the same: it stands for nobody else, so
-- totals and counts fall with each suppressed value. A record without a cluster is one by itself; without a stratum, of one more stratum.
-- The figures are those of svytotal, svymean, svyquantile, svyby and svyglm of R's survey, version 4.1, with the normal quantile.
-- Source: Binder (1983), On the variances of asymptotically normal estimators from complex surveys, International Statistical Review 51,
--   279-292; Woodruff (1952), Confidence intervals for medians and other position measures, JASA 47, 635-646; Lumley (2010), Complex
--   Surveys, chapters 2 and 5 (domains; the stratum of one cluster as its option "adjust").
--
--   firms: area size turnover w   FROM sdc_survey_estimate('firms', 'total', 'turnover', weight := 'w', strata := 'area'):
--          a    s    1        2   domain term records estimate standard_error lower  upper
--          a    l    3        2   NULL   NULL 4       44       12.6491        19.208 68.792
--          b    s    4        3
--          b    l    8        3
--   FROM sdc_survey_estimate('firms', 'mean', 'turnover', domains := ['size'], weight := 'w'):
--   domain term records estimate standard_error lower  upper
--   l      NULL 2       6        1.9596         2.1593 9.8407
--   s      NULL 2       2.8      1.1758         0.4956 5.1044
--   FROM sdc_survey_estimate('firms', 'share', 'size', weight := 'w'):
--   domain term records estimate standard_error lower   upper
--   NULL   l    2       0.5      0.2944         -0.0770 1.0770
--   NULL   s    2       0.5      0.2944         -0.0770 1.0770
-- (z of the total: 2 and 6 about 4 in a, 12 and 24 about 18 in b, the root of 2 (4 + 4) + 2 (36 + 36). Of the mean of l: -1.2, 1.2 and two
-- of 0, the root of 4 / 3 (1.44 + 1.44).)
--
-- Scope: table.
-- Python: a regression needs it; the other statistics are SQL alone.
-- Not compiled: its statistics are of several kinds, and its regressions are solved by numpy; estimate in DuckDB.
-- Parameters:
--   tbl         table             the table, view, common table expression or file
--   statistic   'total', 'mean', 'quantile', 'count', 'share' or 'regression'  what is estimated
--   variable    column            what it is estimated of: numbers, or of 'count' and 'share' categories; the response of a regression
--   domains     columns           an estimate for each combination of their values; NULL: one of all records
--   predictors  columns           the numeric variables that explain the response of a regression
--   quantile    number in (0, 1)  which quantile: 0.5 is the median
--   weight      column or number  expansion weights
--   strata      column            the strata in which the sample was drawn; in Python that of the table by default
--   cluster     column            the clusters that were drawn; in Python the table's households by default
--   confidence  number in (0, 1)  the probability of each interval

CREATE OR REPLACE MACRO sdc__checked_predictors(statistic, predictors) AS CASE
    WHEN statistic = 'regression' AND len(predictors) = 0
        THEN error('ParameterError: A regression needs predictors: name the numeric variables that explain the response.')
    WHEN statistic <> 'regression' AND len(predictors) > 0
        THEN error('ParameterError: predictors go with the statistic ''regression'' only.')
    ELSE predictors END;

-- (A common table expression that is not read is not bound.)
CREATE OR REPLACE MACRO sdc__survey_estimates(tbl, statistic, variable, domains, predictors, quantile, weight, strata, cluster,
                                              confidence) AS TABLE
    WITH sdc__of_sums AS (
        FROM sdc__sums_of(tbl, statistic, variable, sdc__names_if_any(domains), weight, strata, cluster, sdc__interval_quantile(confidence))
    ),
    sdc__of_quantiles AS (
        FROM sdc__quantiles_of(tbl, variable, sdc__names_if_any(domains), sdc__checked_fraction(quantile, 'quantile'), weight, strata,
                               cluster, sdc__interval_quantile(confidence))
    ),
    sdc__of_regressions AS (
        FROM sdc__regressions_of(tbl, variable, sdc__names_if_any(predictors),
                                 sdc__names_if_any(domains), weight, strata, cluster, sdc__interval_quantile(confidence))
    )
    SELECT CASE WHEN len(sdc__d) > 0 THEN array_to_string(list_transform(sdc__d, lambda v: decode(v)), ', ') END AS sdc__domain, sdc__t,
           sdc__n::BIGINT AS sdc__n, sdc__q, sdc__s, sdc__l, sdc__u
    FROM query_table(CASE sdc__checked_choice(statistic, 'statistic', ['total', 'mean', 'quantile', 'count', 'share', 'regression'])
                         WHEN 'quantile' THEN 'sdc__of_quantiles' WHEN 'regression' THEN 'sdc__of_regressions' ELSE 'sdc__of_sums' END)
    WHERE len(sdc__checked_predictors(statistic, sdc__names_if_any(predictors))) >= 0;

-- domain: the values of the domains, in their order; term: the category, or the coefficient.
-- sdc_survey_estimate: an estimate that a user of the file makes, with its standard error and interval.
-- Gives: domain VARCHAR or NULL, term VARCHAR or NULL, records BIGINT, estimate DOUBLE or NULL, standard_error DOUBLE or NULL,
--   lower DOUBLE or NULL, upper DOUBLE or NULL.
-- Rows: each domain and term.
-- Result: SurveyEstimate. An estimate by domain and term, with its standard error and interval. `domain`: the values of the domains, NULL
--   for all records; `term`: the category or the coefficient.
-- Raises: WeightError where a weight is NULL, zero or negative; ColumnError where a variable that has to be numeric is not.
-- Notes: An estimate is None where a regression cannot be made in a domain: too few records, or a predictor that follows from others.
-- Example: FROM sdc_survey_estimate('persons', 'mean', 'income', domains := ['region'], weight := 'w', cluster := 'household');
CREATE OR REPLACE MACRO sdc_survey_estimate(tbl, statistic, variable, domains := NULL, predictors := NULL, quantile := 0.5,
                                            weight := NULL, strata := NULL, cluster := NULL, confidence := 0.95) AS TABLE
    SELECT sdc__domain AS domain, sdc__t AS term, sdc__n AS records, sdc__q AS estimate, sdc__s AS standard_error, sdc__l AS lower,
           sdc__u AS upper
    FROM sdc__survey_estimates(tbl, statistic, variable, domains, predictors, quantile, weight, strata, cluster, confidence)
    ORDER BY sdc__by_bytes(sdc__domain) ASC NULLS FIRST, sdc__t <> '(intercept)' ASC, sdc__by_bytes(sdc__t) ASC;
