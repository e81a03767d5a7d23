-- What masking did to the variance of estimated means, and to the share of variance that categories explain.
--
--   mean_variance  s^2 / n, the variance of the mean of a simple random sample; growth: its relative change
--   explained      R^2 = 1 - within / total,  within = sum over the subdomains of (n_g - 1) s_g^2,  total = (n - 1) s^2
-- R^2 is that of the analysis of variance by the crossing of the categories, 0 to 1; NULL where the variable is constant. NULL is a
-- category of its own; a number that is NULL counts nowhere. What is recoded or suppressed among the categories is so in R^2 as well.
-- Source: SDC handbook, section 3.5.1, "Measures of impact on variance of estimation".
--
--   original: sex x    released: sex x
--             f   1              f   1
--             f   3              m   3
--             m   5              m   5
--             m   6              f   6
--   FROM sdc_explained_variance('original', 'released', ['x'], ['sex']):
--   variable mean_variance_before mean_variance_after growth explained_before explained_after difference
--   x        1.2292               1.2292              0      0.8305           0.0169          -0.8136
--     total 14.75; within 2 + 0.5 before, 12.5 + 2 after
--
-- Scope: moments.
-- Not compiled: it lists the moments of all subdomains, which other engines have no words for.
-- Parameters:
--   original  table    the table before masking
--   released  table    the table after it
--   columns   columns  the numeric variables
--   domains   columns  the categorical variables that explain them

CREATE OR REPLACE MACRO sdc__explained(side, whole) AS TABLE
    WITH sdc__total AS (
        SELECT unnest(range(1, len(sdc__names) + 1)) AS sdc__of, unnest(sdc__names) AS sdc__variable,
               unnest(sdc__counts) AS sdc__n, unnest(sdc__sds) AS sdc__sd
        FROM sdc__moments(whole, NULL)
    ),
    sdc__groups AS (
        SELECT unnest(range(1, len(sdc__names) + 1)) AS sdc__place, unnest(sdc__counts) AS sdc__ng,
               unnest(sdc__sds) AS sdc__s
        FROM sdc__moments(side, 'by')
    )
    SELECT sdc__of, any_value(sdc__variable) AS sdc__variable, any_value(sdc__sd * sdc__sd / sdc__n) AS sdc__mean_variance,
           CASE WHEN any_value(sdc__sd) > 0 THEN greatest(
                    0,
                    1 - sdc__exact_sum(coalesce((sdc__ng - 1) / (sdc__n - 1) * (sdc__s / nullif(sdc__sd, 0)) ** 2, 0),
                                       90)) END AS sdc__share
    FROM sdc__total JOIN sdc__groups ON sdc__place = sdc__of GROUP BY sdc__of;

-- sdc_explained_variance: the variance of the means and the share of variance that categories explain, before and after.
-- Gives: variable VARCHAR, mean_variance_before DOUBLE or NULL, mean_variance_after DOUBLE or NULL, growth DOUBLE or NULL,
--   explained_before DOUBLE or NULL, explained_after DOUBLE or NULL, difference DOUBLE or NULL.
-- Rows: each variable.
-- Result: ExplainedVariance. The variance of a variable's mean, its relative growth, and R squared of the categories, before and after.
-- Example: FROM sdc_explained_variance('persons', 'released', ['income'], ['sex', 'region']);
CREATE OR REPLACE MACRO sdc_explained_variance(original, released, columns, domains) AS TABLE
    WITH sdc__old AS (FROM sdc__in_subdomains(original, released, columns, domains, true)),
    sdc__new AS (FROM sdc__in_subdomains(original, released, columns, domains, false)),
    sdc__all_old AS (FROM sdc__one_side(original, released, columns, true)),
    sdc__all_new AS (FROM sdc__one_side(original, released, columns, false))
    SELECT sdc__b.sdc__variable AS variable, sdc__b.sdc__mean_variance AS mean_variance_before,
           sdc__a.sdc__mean_variance AS mean_variance_after,
           CASE WHEN sdc__a.sdc__mean_variance = sdc__b.sdc__mean_variance THEN 0
                WHEN sdc__b.sdc__mean_variance > 0
                    THEN sdc__a.sdc__mean_variance / sdc__b.sdc__mean_variance - 1 END AS growth,
           sdc__b.sdc__share AS explained_before, sdc__a.sdc__share AS explained_after, sdc__a.sdc__share - sdc__b.sdc__share AS difference
    FROM sdc__explained('sdc__old', 'sdc__all_old') AS sdc__b
    JOIN sdc__explained('sdc__new', 'sdc__all_new') AS sdc__a ON sdc__a.sdc__of = sdc__b.sdc__of
    ORDER BY sdc__b.sdc__of ASC;
