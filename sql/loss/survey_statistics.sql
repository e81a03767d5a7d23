-- The statistics of survey_estimate.sql, each with its standard error and interval: sums (totals, means, counts, shares), quantiles and
-- regressions, by domain.
--
-- Rows: sdc__d (the domain), sdc__t (the category or coefficient), sdc__n (the records), sdc__q (the estimate), sdc__s (its standard
-- error), sdc__l and sdc__u (the interval). z: half the width of an interval, in standard errors.

CREATE OR REPLACE MACRO sdc__kernel_survey_regression(columns, weights, response, design) AS
    sdc__needs_python('A regression')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__of_categories(statistic) AS statistic IN ('count', 'share');

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

-- Totals and means, counts and shares.
CREATE OR REPLACE MACRO sdc__sums_of(tbl, statistic, variable, domains, weight, strata, cluster, z) AS TABLE
    WITH sdc__survey AS MATERIALIZED (
        FROM sdc__surveyed(tbl, [variable], domains, [CASE WHEN sdc__of_categories(statistic) THEN variable END, strata, cluster],
                           weight, strata, cluster)
    ),
    sdc__sizes AS (FROM sdc__stratum_sizes('sdc__survey', cluster)),
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
    sdc__parts AS (FROM sdc__cluster_sums('sdc__about', statistic IN ('mean', 'share'), cluster)),
    sdc__each_weight AS (SELECT * REPLACE (NULL AS sdc__t, 1e0 AS sdc__v) FROM sdc__about),
    sdc__weighed AS (FROM sdc__cluster_sums('sdc__each_weight', true, cluster)),
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
    sdc__sizes AS (FROM sdc__stratum_sizes('sdc__survey', cluster)),
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
    sdc__clusters AS MATERIALIZED (FROM sdc__cluster_sums('sdc__about', true, cluster)),
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
    sdc__sizes AS (FROM sdc__stratum_sizes('sdc__survey', cluster)),
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
