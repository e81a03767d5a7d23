-- How far the distributions of numbers are apart before and after: Kolmogorov-Smirnov and Wasserstein.
--
--   F, G the weighted shares of the records with a value of at most x, of the original and of the released file, missing ones left out
--   kolmogorov_smirnov = max over x of |F(x) - G(x)|                    0 (the same) to 1 (no value of one is above any of the other)
--   wasserstein = integral of |F(x) - G(x)| dx                          in units of the variable: how far its values moved at the least
--   standardised = wasserstein / the original's standard deviation      (of the weighted distribution, by the sum of the weights)
-- NULL and NaN are missing: their shares stand beside, and how far these are apart. No id is needed, and files may be of any sizes. Margins
-- of categories, and of several variables together, are compared by distribution_distance.sql (total variation).
-- Source: Massey (1951), The Kolmogorov-Smirnov test for goodness of fit, JASA 46, 68-78; Vallender (1974), Calculation of the Wasserstein
--   distance between probability distributions on the line, Theory of Probability and its Applications 18(4), 784-786.
--
--   original: x w   released: x w   FROM sdc_number_distance('original', 'released', ['x'], weight := 'w'):
--             0 1             0 2   variable kolmogorov_smirnov wasserstein standardised
--             1 1             2 1   x        0.25               0.5         0.3849
--             3 2             3 1
--
-- F is 1/4, 1/2, 1/2, 1 and G 1/2, 1/2, 3/4, 1 at 0, 1, 2, 3: 1/4 + 0 + 1/4 is the area; the deviation is 1.299, the root of 1.6875.
--
-- Scope: table.
-- Not compiled: it lists the values of all variables under one another, which other engines have no words for.
-- Parameters:
--   original  table    the table before masking
--   released  table    the table after it
--   columns   columns  the numeric variables
--   weight    column   of both tables, whose sums are the shares; NULL: the records are counted

-- The values of one file under one another.
CREATE OR REPLACE MACRO sdc__values_weighed(tbl, columns, weight, first) AS TABLE
    SELECT first AS sdc__first, unnest(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))))) AS sdc__name,
           unnest([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))]) AS sdc__x, sdc__w
    FROM (SELECT sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0",
                 CASE WHEN weight IS NULL THEN 1e0
                      ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__w
          FROM sdc__rows(tbl));

-- sdc_number_distance: how far the distributions of numbers are apart, before and after.
-- Gives: variable VARCHAR, kolmogorov_smirnov DOUBLE or NULL (more loss), wasserstein DOUBLE or NULL (more loss),
--   standardised DOUBLE or NULL (more loss), missing_before DOUBLE, missing_after DOUBLE, missing_change DOUBLE (more loss).
-- Rows: each variable.
-- Result: NumberDistance. The distances of a variable's distributions, and the shares of missing values.
--   The distances are NULL where all values of a file are missing. `standardised` is NULL too where the original is constant.
--   `missing_change` is the size of the change.
-- Notes: An infinite number is missing, as NaN is.
-- Told: kolmogorov_smirnov, standardised.
-- Example: FROM sdc_number_distance('persons', 'released', ['income'], weight := 'w');
-- Limit: kolmogorov_smirnov. The greatest difference of the distribution functions of a number, before and after.
CREATE OR REPLACE MACRO sdc_number_distance(original, released, columns, weight := NULL) AS TABLE
    WITH sdc__listed AS (
        FROM sdc__values_weighed(original, columns, weight, true)
        UNION ALL
        FROM sdc__values_weighed(released, columns, weight, false)
    ),
    sdc__values AS (SELECT * REPLACE (CASE WHEN isfinite(sdc__x) THEN sdc__x END AS sdc__x) FROM sdc__listed),
    sdc__points AS (
        SELECT sdc__folded(sdc__name) AS sdc__of, sdc__x, min(CASE WHEN sdc__first THEN sdc__name END) AS sdc__name,
               sum(CASE WHEN sdc__first THEN sdc__fixed(sdc__w) ELSE 0 END) AS sdc__p,
               sum(CASE WHEN sdc__first THEN 0 ELSE sdc__fixed(sdc__w) END) AS sdc__q
        FROM sdc__values GROUP BY ALL
    ),
    sdc__steps AS (
        SELECT sdc__of, sdc__x, sdc__p, lead(sdc__x) OVER sdc__up AS sdc__next,
               sdc__unfixed(sum(sdc__p) OVER sdc__up) AS sdc__f, sdc__unfixed(sum(sdc__q) OVER sdc__up) AS sdc__g,
               sdc__unfixed(sum(sdc__p) OVER sdc__all) AS sdc__n, sdc__unfixed(sum(sdc__q) OVER sdc__all) AS sdc__m
        FROM sdc__points WHERE sdc__x IS NOT NULL
        WINDOW sdc__up AS (PARTITION BY sdc__of ORDER BY sdc__x ASC), sdc__all AS (PARTITION BY sdc__of)
    ),
    sdc__means AS (
        SELECT sdc__of AS sdc__at, list_sum(list(sdc__unfixed(sdc__p) / sdc__n * sdc__x ORDER BY sdc__x ASC)) AS sdc__mean
        FROM sdc__steps WHERE sdc__n > 0 GROUP BY sdc__of
    ),
    sdc__apart AS (
        SELECT sdc__of AS sdc__about, max(abs(sdc__f / sdc__n - sdc__g / sdc__m)) AS sdc__ks,
               coalesce(list_sum(list(abs(sdc__f / sdc__n - sdc__g / sdc__m) * (sdc__next - sdc__x) ORDER BY sdc__x ASC)), 0) AS sdc__area,
               sqrt(list_sum(list(sdc__unfixed(sdc__p) / sdc__n * (sdc__x - sdc__mean) ** 2 ORDER BY sdc__x ASC))) AS sdc__sd
        FROM sdc__steps JOIN sdc__means ON sdc__at = sdc__of
        WHERE sdc__n > 0 AND sdc__m > 0
        GROUP BY sdc__of
    ),
    sdc__missing AS (
        SELECT sdc__of, min(sdc__name) AS sdc__name,
               coalesce(sdc__unfixed(sum(sdc__p) FILTER (WHERE sdc__x IS NULL)) / sdc__unfixed(sum(sdc__p)), 0) AS sdc__b,
               coalesce(sdc__unfixed(sum(sdc__q) FILTER (WHERE sdc__x IS NULL)) / sdc__unfixed(sum(sdc__q)), 0) AS sdc__a
        FROM sdc__points GROUP BY sdc__of
    )
    SELECT substr(sdc__name, 8) AS variable, sdc__ks AS kolmogorov_smirnov, sdc__area AS wasserstein,
           sdc__area / nullif(sdc__sd, 0) AS standardised, sdc__b AS missing_before, sdc__a AS missing_after,
           abs(sdc__a - sdc__b) AS missing_change
    FROM sdc__missing LEFT JOIN sdc__apart ON sdc__about = sdc__of
    ORDER BY list_position(list_transform(sdc__names(columns), lambda n: sdc__folded(n)), sdc__folded(substr(sdc__name, 8))) ASC;
