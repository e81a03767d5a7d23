-- Means and covariances within subdomains, before and after masking.
--
--   mean_j = sum x / n;   s_ij = sum (x_i - mean_i)(x_j - mean_j) / (n - 1)
-- A file is analytically valid if it approximately preserves them on a small set of subdomains. Means are of the values that there are,
-- covariances of the records that miss none. A subdomain that one of the files lacks has no figure there; NULL is a value of its own.
-- Source: SDC handbook, section 3.5.1 (Winkler 1998).
--
--   original: sex x    released: sex x    FROM sdc_subdomain_moments('original', 'released', ['x'], ['sex']):
--             f   1              f   2    subdomain statistic  variable other before after difference
--             f   3              f   4    [f]       mean       x        NULL  2      3     1
--             m   5              m   5    [f]       covariance x        x     2      2     0
--                                         [m]       mean       x        NULL  5      5     0
--                                         [m]       covariance x        x     NULL   NULL  NULL        of one record
-- subdomain: the values of the variables that make it, as texts and in the order of the table.
--
-- Scope: moments.
-- Not compiled: it lists the moments of all subdomains, which other engines have no words for.
-- Parameters:
--   original  table    the table before masking
--   released  table    the table after it
--   columns   columns  the numeric variables
--   domains   columns  the variables whose crossing makes the subdomains

-- The values of one file with the subdomain as a list of texts.
CREATE OR REPLACE MACRO sdc__in_subdomains(original, released, columns, domains, first) AS TABLE
    SELECT [*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))] AS sdc__stratum, COLUMNS(lambda c: starts_with(c, 'sdc__x_'))
    FROM ((SELECT true AS sdc__first, COLUMNS(sdc__columns((*), domains))::VARCHAR AS "sdc__d_\0",
                  sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0"
           FROM sdc__exact_rows(original, codes := domains))
          UNION ALL BY NAME (SELECT false AS sdc__first, COLUMNS(sdc__columns((*), domains))::VARCHAR AS "sdc__d_\0",
                                    sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0"
                             FROM sdc__exact_rows(released, codes := domains)))
    WHERE sdc__first = first;

-- sdc__column: 0 for a mean. ('by': there are strata.)
CREATE OR REPLACE MACRO sdc__listed_moments(side) AS TABLE
    SELECT sdc__stratum, sdc__names[sdc__i] AS sdc__variable, NULL AS sdc__other, sdc__i AS sdc__row, 0 AS sdc__column,
           sdc__means[sdc__i] AS sdc__value
    FROM (SELECT sdc__stratum, sdc__names, sdc__means, unnest(range(1, len(sdc__names) + 1)) AS sdc__i FROM sdc__moments(side, 'by'))
    UNION ALL
    SELECT sdc__stratum, sdc__names[sdc__i], sdc__names[sdc__j], sdc__i, sdc__j, sdc__covariances[sdc__i][sdc__j]
    FROM (SELECT sdc__stratum, sdc__names, sdc__covariances, sdc__i, unnest(range(1, sdc__i + 1)) AS sdc__j
          FROM (SELECT *, unnest(range(1, len(sdc__names) + 1)) AS sdc__i FROM sdc__covariances(side, 'by')));

-- sdc_subdomain_moments: means and covariances within subdomains, before and after masking.
-- Gives: subdomain VARCHAR[], statistic VARCHAR, variable VARCHAR, other VARCHAR, before DOUBLE, after DOUBLE, difference DOUBLE.
-- Rows: each subdomain, statistic, variable and other.
-- Example: FROM sdc_subdomain_moments('persons', 'released', ['income', 'w'], ['sex']);
CREATE OR REPLACE MACRO sdc_subdomain_moments(original, released, columns, domains) AS TABLE
    WITH sdc__old AS (FROM sdc__in_subdomains(original, released, columns, domains, true)),
    sdc__new AS (FROM sdc__in_subdomains(original, released, columns, domains, false)),
    sdc__paired AS (
        SELECT coalesce(sdc__b.sdc__stratum, sdc__a.sdc__stratum) AS sdc__stratum,
               coalesce(sdc__b.sdc__variable, sdc__a.sdc__variable) AS sdc__variable,
               coalesce(sdc__b.sdc__other, sdc__a.sdc__other) AS sdc__other,
               coalesce(sdc__b.sdc__row, sdc__a.sdc__row) AS sdc__row,
               coalesce(sdc__b.sdc__column, sdc__a.sdc__column) AS sdc__column, sdc__b.sdc__value AS sdc__before,
               sdc__a.sdc__value AS sdc__after
        FROM sdc__listed_moments('sdc__old') AS sdc__b FULL JOIN sdc__listed_moments('sdc__new') AS sdc__a
          ON sdc__a.sdc__stratum IS NOT DISTINCT FROM sdc__b.sdc__stratum AND sdc__a.sdc__row = sdc__b.sdc__row
             AND sdc__a.sdc__column = sdc__b.sdc__column
    )
    SELECT sdc__stratum AS subdomain, CASE WHEN sdc__column = 0 THEN 'mean' ELSE 'covariance' END AS statistic,
           sdc__variable AS variable, sdc__other AS other,
           sdc__before AS before, sdc__after AS after, sdc__after - sdc__before AS difference
    FROM sdc__paired ORDER BY sdc__stratum ASC, sdc__column > 0 ASC, sdc__row ASC, sdc__column ASC;
