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

CREATE OR REPLACE MACRO sdc__kernel_survey_regression(columns, weights, response, design) AS
    sdc__needs_python('A regression')::DOUBLE[][];

-- A value of a domain, behind the place of its column among the domains.
CREATE OR REPLACE MACRO sdc__placed_text(v, domains) AS
    lpad(list_position(list_transform(domains, lambda n: sdc__folded(n)), sdc__folded(alias(v)))::VARCHAR, 4, '0') || v::VARCHAR;

-- A number of the caller's column; the error tells his name for it.
CREATE OR REPLACE MACRO sdc__estimated_number(v) AS
    CASE WHEN sdc__is_whole(typeof(v)) OR typeof(v) IN ('FLOAT', 'DOUBLE') OR starts_with(typeof(v), 'DECIMAL')
             THEN sdc__not_nan(sdc__finite_number(v))
         ELSE error('ColumnError: The column ' || substr(alias(v), 8) || ' has type ' || sdc__type_told(typeof(v))
                    || ': this is estimated of numbers; give a numeric column, or ask for the ''count'' or ''share'' of categories.') END;

CREATE OR REPLACE MACRO sdc__of_categories(statistic) AS statistic IN ('count', 'share');

-- Each record with its domain (NULL where a value of it is missing), stratum, cluster, weight and the columns estimated.
CREATE OR REPLACE MACRO sdc__surveyed(tbl, columns, domains, codes, weight, strata, cluster) AS TABLE
    WITH sdc__picked AS (
        SELECT COLUMNS(sdc__columns((*), columns)) AS "sdc__x_\0", '' AS sdc__d_,
               CASE WHEN len(domains) > 0
                    THEN sdc__placed_text(COLUMNS(sdc__columns_if_any((*), domains, columns)), domains) END AS "sdc__d_\0",
               sdc__stratum_value(strata, COLUMNS(sdc__column((*), strata)))::VARCHAR AS sdc__h,
               sdc__stratum_value(cluster, COLUMNS(sdc__column((*), cluster)))::VARCHAR AS sdc__c,
               CASE WHEN weight IS NULL THEN 1e0
                    ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__w
        FROM sdc__exact_rows(tbl, codes := list_concat(domains, codes))
    ),
    sdc__listed AS (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__d_')),
               list_filter([*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))], lambda v: coalesce(v <> '', true)) AS sdc__ds
        FROM sdc__picked
    )
    SELECT * EXCLUDE (sdc__ds), CASE WHEN sdc__c IS NULL THEN row_number() OVER () END AS sdc__r,
           CASE WHEN len(domains) = 0 THEN []::VARCHAR[]
                WHEN len(list_filter(sdc__ds, lambda v: v IS NULL)) = 0
                    THEN list_transform(list_sort(sdc__ds), lambda v: substr(v, 5)) END AS sdc__d
    FROM sdc__listed;

-- The clusters of each stratum.
CREATE OR REPLACE MACRO sdc__stratum_sizes(survey) AS TABLE
    SELECT sdc__h, count(*) AS sdc__m FROM (SELECT DISTINCT sdc__h, sdc__c, sdc__r FROM query_table(survey)) GROUP BY sdc__h;

-- The variance of sums of sdc__z, by domain and term: clusters holds a row for each cluster that is in them.
CREATE OR REPLACE MACRO sdc__linearised(clusters, sizes) AS TABLE
    WITH sdc__scaled AS (
        SELECT sdc__d, sdc__t, sdc__k.sdc__h, sdc__m, sdc__z, sdc__unit
        FROM query_table(clusters) AS sdc__k
        JOIN query_table(sizes) AS sdc__b ON sdc__k.sdc__h IS NOT DISTINCT FROM sdc__b.sdc__h,
             (SELECT sdc__shift(max(abs(sdc__z))) AS sdc__unit FROM query_table(clusters)) AS sdc__all
    ),
    sdc__centred AS (
        SELECT sdc__d, sdc__t, sdc__h, any_value(sdc__m) AS sdc__m, count(*) AS sdc__k, any_value(sdc__unit) AS sdc__unit,
               CASE WHEN any_value(sdc__m) > 1 THEN sdc__exact_sum(sdc__z * sdc__unit) / any_value(sdc__m) ELSE 0 END AS sdc__mean
        FROM sdc__scaled GROUP BY ALL
    ),
    sdc__squared AS (
        SELECT sdc__s.sdc__d, sdc__s.sdc__t, any_value(sdc__c.sdc__unit) AS sdc__unit,
               sdc__exact_sum(pow(sdc__z * sdc__s.sdc__unit - sdc__mean, 2)) AS sdc__q, any_value(sdc__c.sdc__m) AS sdc__m,
               any_value((sdc__c.sdc__m - sdc__k) * pow(sdc__mean, 2)) AS sdc__rest
        FROM sdc__scaled AS sdc__s JOIN sdc__centred AS sdc__c
          ON sdc__s.sdc__d = sdc__c.sdc__d AND sdc__s.sdc__t IS NOT DISTINCT FROM sdc__c.sdc__t
             AND sdc__s.sdc__h IS NOT DISTINCT FROM sdc__c.sdc__h
        GROUP BY sdc__s.sdc__d, sdc__s.sdc__t, sdc__s.sdc__h
    )
    SELECT sdc__d, sdc__t,
           sqrt(list_sum(list_sort(list((sdc__q + sdc__rest) * CASE WHEN sdc__m > 1 THEN sdc__m / (sdc__m - 1) ELSE 1 END))))
               / any_value(sdc__unit) AS sdc__s
    FROM sdc__squared GROUP BY sdc__d, sdc__t;

-- known: the records with sdc__d, sdc__t, sdc__y; whole: their weights by domain. relative: by the sum of the weights of the domain.
CREATE OR REPLACE MACRO sdc__summed(known, relative) AS TABLE
    WITH sdc__units AS (
        SELECT sdc__shift(max(abs(sdc__w * sdc__y))) AS sdc__a, sdc__shift(max(sdc__w)) AS sdc__b FROM query_table(known)
    ),
    sdc__wholes AS (
        SELECT sdc__d, sdc__exact_sum(sdc__w * sdc__b) / any_value(sdc__b) AS sdc__all FROM query_table(known), sdc__units GROUP BY sdc__d
    )
    SELECT sdc__k.sdc__d, sdc__t, count(*) AS sdc__n, any_value(sdc__all) AS sdc__all,
           sdc__exact_sum(sdc__w * sdc__y * sdc__a) / any_value(sdc__a) / CASE WHEN relative THEN any_value(sdc__all) ELSE 1 END AS sdc__q
    FROM query_table(known) AS sdc__k, sdc__units, sdc__wholes WHERE sdc__k.sdc__d = sdc__wholes.sdc__d
    GROUP BY sdc__k.sdc__d, sdc__t;

-- The sums of sdc__v, which is centred, within clusters; as a part of the weights of the domain where relative.
CREATE OR REPLACE MACRO sdc__cluster_sums(centred, relative) AS TABLE
    SELECT sdc__d, sdc__t, sdc__h, sdc__c, sdc__r,
           sdc__exact_sum(sdc__w * sdc__v * sdc__a) / any_value(sdc__a) / CASE WHEN relative THEN any_value(sdc__all) ELSE 1 END AS sdc__z
    FROM query_table(centred), (SELECT sdc__shift(max(abs(sdc__w * sdc__v))) AS sdc__a FROM query_table(centred))
    GROUP BY sdc__d, sdc__t, sdc__h, sdc__c, sdc__r;

-- The same of shares. Each cluster of a domain has its part in each of them, z = a - p b, where a is 0 in most: without listing these,
--   sum z^2 = sum over clusters with the category (a - p b)^2 + p^2 (sum b^2 - sum over these b^2)
CREATE OR REPLACE MACRO sdc__linearised_shares(parts, weighed, sums, sizes) AS TABLE
    WITH sdc__unit AS (SELECT sdc__shift(max(sdc__z)) AS sdc__a FROM query_table(weighed)),
    sdc__every AS (
        SELECT sdc__d, sdc__h, sdc__exact_sum(sdc__z * sdc__a) AS sdc__b, sdc__exact_sum(pow(sdc__z * sdc__a, 2)) AS sdc__bb
        FROM query_table(weighed), sdc__unit GROUP BY sdc__d, sdc__h
    ),
    sdc__having AS (
        SELECT sdc__p.sdc__d, sdc__p.sdc__t, sdc__p.sdc__h,
               sdc__exact_sum((sdc__p.sdc__z - sdc__q * sdc__o.sdc__z) * sdc__a) AS sdc__s,
               sdc__exact_sum(pow((sdc__p.sdc__z - sdc__q * sdc__o.sdc__z) * sdc__a, 2)) AS sdc__ss,
               sdc__exact_sum(sdc__o.sdc__z * sdc__a) AS sdc__b, sdc__exact_sum(pow(sdc__o.sdc__z * sdc__a, 2)) AS sdc__bb
        FROM query_table(parts) AS sdc__p
        JOIN query_table(weighed) AS sdc__o
          ON sdc__p.sdc__d = sdc__o.sdc__d AND sdc__p.sdc__h IS NOT DISTINCT FROM sdc__o.sdc__h
             AND sdc__p.sdc__c IS NOT DISTINCT FROM sdc__o.sdc__c AND sdc__p.sdc__r IS NOT DISTINCT FROM sdc__o.sdc__r
        JOIN query_table(sums) AS sdc__e ON sdc__p.sdc__d = sdc__e.sdc__d AND sdc__p.sdc__t = sdc__e.sdc__t, sdc__unit
        GROUP BY sdc__p.sdc__d, sdc__p.sdc__t, sdc__p.sdc__h
    ),
    sdc__both AS (
        SELECT sdc__e.sdc__d, sdc__e.sdc__t, sdc__m, sdc__a,
               coalesce(sdc__w.sdc__s, 0) - sdc__q * (sdc__v.sdc__b - coalesce(sdc__w.sdc__b, 0)) AS sdc__s,
               coalesce(sdc__w.sdc__ss, 0) + pow(sdc__q, 2) * (sdc__v.sdc__bb - coalesce(sdc__w.sdc__bb, 0)) AS sdc__ss
        FROM sdc__every AS sdc__v JOIN query_table(sums) AS sdc__e ON sdc__v.sdc__d = sdc__e.sdc__d
        JOIN query_table(sizes) AS sdc__z ON sdc__z.sdc__h IS NOT DISTINCT FROM sdc__v.sdc__h
        LEFT JOIN sdc__having AS sdc__w ON sdc__w.sdc__d = sdc__v.sdc__d AND sdc__w.sdc__t = sdc__e.sdc__t
                                           AND sdc__w.sdc__h IS NOT DISTINCT FROM sdc__v.sdc__h, sdc__unit
    )
    SELECT sdc__d, sdc__t,
           sqrt(greatest(list_sum(list_sort(list(
               CASE WHEN sdc__m > 1 THEN (sdc__ss - pow(sdc__s, 2) / sdc__m) * sdc__m / (sdc__m - 1) ELSE sdc__ss END))), 0))
               / any_value(sdc__a) AS sdc__s
    FROM sdc__both GROUP BY sdc__d, sdc__t;

-- Totals and means, counts and shares.
CREATE OR REPLACE MACRO sdc__sums_of(tbl, statistic, variable, domains, weight, strata, cluster, z) AS TABLE
    WITH sdc__survey AS MATERIALIZED (
        FROM sdc__surveyed(tbl, [variable], domains, [CASE WHEN sdc__of_categories(statistic) THEN variable END, strata, cluster],
                           weight, strata, cluster)
    ),
    sdc__sizes AS (FROM sdc__stratum_sizes('sdc__survey')),
    sdc__numbers AS (
        SELECT sdc__d, NULL::VARCHAR AS sdc__t, sdc__h, sdc__c, sdc__r, sdc__w,
               sdc__estimated_number(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS sdc__y
        FROM sdc__survey
    ),
    sdc__categories AS (
        SELECT sdc__d, COLUMNS(lambda c: starts_with(c, 'sdc__x_'))::VARCHAR AS sdc__t, sdc__h, sdc__c, sdc__r, sdc__w,
               CASE WHEN COLUMNS(lambda c: starts_with(c, 'sdc__x_')) IS NOT NULL THEN 1e0 END AS sdc__y
        FROM sdc__survey
    ),
    sdc__known AS MATERIALIZED (
        FROM query_table(CASE WHEN sdc__of_categories(statistic) THEN 'sdc__categories' ELSE 'sdc__numbers' END)
        WHERE sdc__d IS NOT NULL AND sdc__y IS NOT NULL
    ),
    sdc__sums AS MATERIALIZED (FROM sdc__summed('sdc__known', statistic IN ('mean', 'share'))),
    sdc__about AS (
        SELECT sdc__k.*, sdc__all, sdc__y - CASE WHEN statistic = 'mean' THEN sdc__q ELSE 0 END AS sdc__v
        FROM sdc__known AS sdc__k JOIN sdc__sums AS sdc__e
          ON sdc__k.sdc__d = sdc__e.sdc__d AND sdc__k.sdc__t IS NOT DISTINCT FROM sdc__e.sdc__t
    ),
    sdc__parts AS (FROM sdc__cluster_sums('sdc__about', statistic IN ('mean', 'share'))),
    sdc__each_weight AS (SELECT * REPLACE (NULL AS sdc__t, 1e0 AS sdc__v) FROM sdc__about),
    sdc__weighed AS (FROM sdc__cluster_sums('sdc__each_weight', true)),
    sdc__of_sums AS (FROM sdc__linearised('sdc__parts', 'sdc__sizes')),
    sdc__of_shares AS (FROM sdc__linearised_shares('sdc__parts', 'sdc__weighed', 'sdc__sums', 'sdc__sizes')),
    sdc__errors AS (FROM query_table(CASE WHEN statistic = 'share' THEN 'sdc__of_shares' ELSE 'sdc__of_sums' END))
    SELECT sdc__e.sdc__d, sdc__e.sdc__t, sdc__n, sdc__q, sdc__s, sdc__q - z * sdc__s AS sdc__l, sdc__q + z * sdc__s AS sdc__u
    FROM sdc__sums AS sdc__e JOIN sdc__errors AS sdc__v
      ON sdc__e.sdc__d = sdc__v.sdc__d AND sdc__e.sdc__t IS NOT DISTINCT FROM sdc__v.sdc__t;

-- The least value up to which a share of the weights lies.
CREATE OR REPLACE MACRO sdc__value_at(share) AS TABLE
    SELECT sdc__d, min(sdc__y) FILTER (sdc__at_least(sdc__f, sdc__p)) AS sdc__y FROM query_table(share) GROUP BY sdc__d;

CREATE OR REPLACE MACRO sdc__quantiles_of(tbl, variable, domains, quantile, weight, strata, cluster, z) AS TABLE
    WITH sdc__survey AS MATERIALIZED (FROM sdc__surveyed(tbl, [variable], domains, [strata, cluster], weight, strata, cluster)),
    sdc__sizes AS (FROM sdc__stratum_sizes('sdc__survey')),
    sdc__known AS MATERIALIZED (
        SELECT sdc__d, NULL::VARCHAR AS sdc__t, sdc__h, sdc__c, sdc__r, sdc__w, sdc__y
        FROM (SELECT *, sdc__estimated_number(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS sdc__y FROM sdc__survey)
        WHERE sdc__d IS NOT NULL AND sdc__y IS NOT NULL
    ),
    sdc__unit AS (SELECT sdc__shift(max(sdc__w)) AS sdc__b FROM sdc__known),
    sdc__distribution AS MATERIALIZED (  -- the distribution at each value; exact: by whole numbers
        SELECT sdc__d, sdc__y, sdc__weight::DOUBLE / sum(sdc__weight) OVER (PARTITION BY sdc__d) AS sdc__own,
               (sum(sdc__weight) OVER (PARTITION BY sdc__d ORDER BY sdc__y ASC))::DOUBLE
                   / (sum(sdc__weight) OVER (PARTITION BY sdc__d))::DOUBLE AS sdc__f,
               sdc__weight::DOUBLE / pow(2e0, 72) / sdc__b AS sdc__all, sdc__m
        FROM (SELECT sdc__d, sdc__y, any_value(sdc__b) AS sdc__b, count(*) AS sdc__m, sum(sdc__fixed(sdc__w * sdc__b)) AS sdc__weight
              FROM sdc__known, sdc__unit GROUP BY sdc__d, sdc__y)
    ),
    sdc__asked AS (SELECT *, quantile AS sdc__p FROM sdc__distribution),
    sdc__found AS MATERIALIZED (
        SELECT sdc__q.sdc__d, any_value(sdc__q.sdc__y) AS sdc__q, max(sdc__f) FILTER (sdc__g.sdc__y <= sdc__q.sdc__y) AS sdc__at,
               sum(sdc__m)::BIGINT AS sdc__n
        FROM sdc__value_at('sdc__asked') AS sdc__q JOIN sdc__distribution AS sdc__g ON sdc__q.sdc__d = sdc__g.sdc__d
        GROUP BY sdc__q.sdc__d
    ),
    sdc__wholes AS (
        SELECT sdc__d, sdc__exact_sum(sdc__w * sdc__b) / any_value(sdc__b) AS sdc__all FROM sdc__known, sdc__unit GROUP BY sdc__d
    ),
    sdc__about AS (
        SELECT sdc__k.*, sdc__all, CASE WHEN sdc__y <= sdc__q THEN 1 ELSE 0 END - sdc__at AS sdc__v
        FROM sdc__known AS sdc__k JOIN sdc__found AS sdc__e ON sdc__k.sdc__d = sdc__e.sdc__d
        JOIN sdc__wholes AS sdc__o ON sdc__k.sdc__d = sdc__o.sdc__d
    ),
    sdc__clusters AS MATERIALIZED (FROM sdc__cluster_sums('sdc__about', true)),
    sdc__bounds AS MATERIALIZED (
        SELECT sdc__e.*, least(greatest(sdc__at - z * sdc__s, 0), 1) AS sdc__low, least(greatest(sdc__at + z * sdc__s, 0), 1) AS sdc__high
        FROM sdc__found AS sdc__e JOIN sdc__linearised('sdc__clusters', 'sdc__sizes') AS sdc__v ON sdc__e.sdc__d = sdc__v.sdc__d
    ),
    sdc__lower AS (SELECT sdc__g.*, sdc__low AS sdc__p FROM sdc__distribution AS sdc__g JOIN sdc__bounds USING (sdc__d)),
    sdc__upper AS (SELECT sdc__g.*, sdc__high AS sdc__p FROM sdc__distribution AS sdc__g JOIN sdc__bounds USING (sdc__d))
    SELECT sdc__b.sdc__d, NULL::VARCHAR AS sdc__t, sdc__n, sdc__q, (sdc__h.sdc__y - sdc__o.sdc__y) / (2 * z) AS sdc__s,
           sdc__o.sdc__y AS sdc__l, sdc__h.sdc__y AS sdc__u
    FROM sdc__bounds AS sdc__b JOIN sdc__value_at('sdc__lower') AS sdc__o ON sdc__b.sdc__d = sdc__o.sdc__d
    JOIN sdc__value_at('sdc__upper') AS sdc__h ON sdc__b.sdc__d = sdc__h.sdc__d;

CREATE OR REPLACE MACRO sdc__regressions_of(tbl, response, predictors, domains, weight, strata, cluster, z) AS TABLE
    WITH sdc__survey AS MATERIALIZED (
        FROM sdc__surveyed(tbl, list_prepend(response, predictors), domains, [strata, cluster], weight, strata, cluster)
    ),
    sdc__sizes AS (FROM sdc__stratum_sizes('sdc__survey')),
    sdc__coded AS (
        SELECT sdc__d, sdc__k.sdc__w, sdc__m::DOUBLE AS sdc__m,
               (dense_rank() OVER (ORDER BY sdc__k.sdc__h ASC NULLS LAST))::DOUBLE AS sdc__hs,
               (dense_rank() OVER (ORDER BY sdc__k.sdc__h ASC NULLS LAST, sdc__c ASC NULLS LAST, sdc__r ASC))::DOUBLE AS sdc__cs,
               sdc__estimated_number(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM sdc__survey AS sdc__k JOIN sdc__sizes AS sdc__b ON sdc__k.sdc__h IS NOT DISTINCT FROM sdc__b.sdc__h
    ),
    sdc__known AS (
        SELECT *, struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS sdc__all
        FROM (SELECT * FROM sdc__coded WHERE COLUMNS(lambda c: starts_with(c, 'sdc__x_')) IS NOT NULL)
        WHERE sdc__d IS NOT NULL
    ),
    sdc__lists AS (
        SELECT sdc__d, count(*) AS sdc__n,
               list_transform(struct_keys(any_value(sdc__all)), lambda n: sdc__folded(substr(n, 8))) AS sdc__names,
               list(sdc__w ORDER BY sdc__all ASC, sdc__w ASC, sdc__hs ASC, sdc__cs ASC) AS sdc__ws,
               list(sdc__hs ORDER BY sdc__all ASC, sdc__w ASC, sdc__hs ASC, sdc__cs ASC) AS sdc__hs,
               list(sdc__cs ORDER BY sdc__all ASC, sdc__w ASC, sdc__hs ASC, sdc__cs ASC) AS sdc__cs,
               list(sdc__m ORDER BY sdc__all ASC, sdc__w ASC, sdc__hs ASC, sdc__cs ASC) AS sdc__ms,
               list(COLUMNS(lambda c: starts_with(c, 'sdc__x_')) ORDER BY sdc__all ASC, sdc__w ASC, sdc__hs ASC, sdc__cs ASC)
        FROM sdc__known GROUP BY sdc__d
    ),
    sdc__fitted AS (
        SELECT sdc__d, sdc__n, list_filter(sdc__names, lambda n: n <> sdc__folded(response)) AS sdc__others,
               sdc__kernel_survey_regression([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))], sdc__ws,
                                             list_position(sdc__names, sdc__folded(response))::DOUBLE,
                                             [sdc__hs, sdc__cs, sdc__ms]) AS sdc__k
        FROM sdc__lists
    ),
    sdc__each AS (
        SELECT sdc__d, sdc__n, sdc__i, sdc__not_nan(sdc__k[1][sdc__i]) AS sdc__q, sdc__not_nan(sdc__k[2][sdc__i]) AS sdc__s,
               CASE WHEN sdc__i = 1 THEN '(intercept)'
                    ELSE predictors[list_position(list_transform(predictors, lambda n: sdc__folded(n)), sdc__others[sdc__i - 1])]
                    END AS sdc__t
        FROM (SELECT *, unnest(range(1, len(sdc__others) + 2)) AS sdc__i FROM sdc__fitted)
    )
    SELECT sdc__d, sdc__t, sdc__n, sdc__q, sdc__s, sdc__q - z * sdc__s AS sdc__l, sdc__q + z * sdc__s AS sdc__u FROM sdc__each;

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
    SELECT CASE WHEN len(sdc__d) > 0 THEN list_aggregate(sdc__d, 'string_agg', ', ') END AS sdc__domain, sdc__t, sdc__n::BIGINT AS sdc__n,
           sdc__q, sdc__s, sdc__l, sdc__u
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
    ORDER BY sdc__domain ASC NULLS FIRST, sdc__t <> '(intercept)' ASC, sdc__t ASC;
