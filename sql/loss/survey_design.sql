-- The design of a sample, as estimates and their errors ask for it: records with their domain, stratum, cluster and weight; the variance of
-- sums over clusters that are drawn with replacement within strata (survey_estimate.sql, which has the formula and its source).
--
-- A survey is a relation with sdc__d (the domain, a list of texts as bytes, so that no collation joins them; NULL where one is
-- missing), sdc__h (the stratum), sdc__c (the
-- cluster; NULL: the record by itself, told apart by sdc__r), sdc__w (the weight) and the columns that are estimated as sdc__x_<name>.
-- Sums are of whole numbers (core/sums.sql), so that no bit hangs on threads or on the order of the records.

-- A value of a domain, behind the place of its column among the domains.
CREATE OR REPLACE MACRO sdc__placed_text(v, domains) AS
    lpad(list_position(list_transform(domains, lambda n: sdc__folded(n)), sdc__folded(alias(v)))::VARCHAR, 4, '0') || v::VARCHAR;

-- A number of the caller's column; the error tells his name for it.
CREATE OR REPLACE MACRO sdc__estimated_number(v) AS
    CASE WHEN sdc__is_whole(typeof(v)) OR typeof(v) IN ('FLOAT', 'DOUBLE') OR starts_with(typeof(v), 'DECIMAL')
             THEN sdc__not_nan(sdc__finite_number(v))
         ELSE error('ColumnError: The column ' || substr(alias(v), 8) || ' has type ' || sdc__type_told(typeof(v))
                    || ': this is estimated of numbers; give a numeric column, or ask for the ''count'' or ''share'' of categories.') END;

-- Each record with its domain (NULL where a value of it is missing), stratum, cluster, weight and the columns estimated.
CREATE OR REPLACE MACRO sdc__surveyed(tbl, columns, domains, codes, weight, strata, cluster) AS TABLE
    WITH sdc__picked AS (
        SELECT COLUMNS(sdc__columns((*), columns)) AS "sdc__x_\0", '' AS sdc__d_,
               CASE WHEN len(domains) > 0
                    THEN sdc__placed_text(COLUMNS(sdc__columns_if_any((*), domains, columns)), domains) END AS "sdc__d_\0",
               sdc__stratum_value(strata, COLUMNS(sdc__named_column((*), strata)))::VARCHAR AS sdc__h,
               sdc__stratum_value(cluster, COLUMNS(sdc__named_column((*), cluster)))::VARCHAR AS sdc__c,
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
           CASE WHEN len(domains) = 0 THEN []::BLOB[]
                WHEN len(list_filter(sdc__ds, lambda v: v IS NULL)) = 0
                    THEN list_transform(list_sort(sdc__ds), lambda v: encode(substr(v, 5))) END AS sdc__d
    FROM sdc__listed;

-- The clusters of each stratum; without clusters each record is one.
CREATE OR REPLACE MACRO sdc__stratum_sizes(survey, cluster) AS TABLE
    WITH sdc__of_records AS (SELECT sdc__h, count(*) AS sdc__m FROM query_table(survey) GROUP BY sdc__h),
    sdc__of_clusters AS (
        SELECT sdc__h, count(*) AS sdc__m FROM (SELECT DISTINCT sdc__h, sdc__c, sdc__r FROM query_table(survey)) GROUP BY sdc__h
    )
    FROM query_table(CASE WHEN cluster IS NULL THEN 'sdc__of_records' ELSE 'sdc__of_clusters' END);

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

-- The sums of sdc__v, which is centred, within clusters; as a part of the weights of the domain where relative.
CREATE OR REPLACE MACRO sdc__cluster_sums(centred, relative, cluster) AS TABLE
    WITH sdc__scale AS (SELECT sdc__shift(max(abs(sdc__w * sdc__v))) AS sdc__a FROM query_table(centred)),
    sdc__of_records AS (
        SELECT sdc__d, sdc__t, sdc__h, sdc__c, sdc__r,
               sdc__unfixed(sdc__fixed(sdc__w * sdc__v * sdc__a)) / sdc__a / CASE WHEN relative THEN sdc__all ELSE 1 END AS sdc__z
        FROM query_table(centred), sdc__scale
    ),
    sdc__of_clusters AS (
        SELECT sdc__d, sdc__t, sdc__h, sdc__c, sdc__r,
               sdc__exact_sum(sdc__w * sdc__v * sdc__a) / any_value(sdc__a)
                   / CASE WHEN relative THEN any_value(sdc__all) ELSE 1 END AS sdc__z
        FROM query_table(centred), sdc__scale
        GROUP BY sdc__d, sdc__t, sdc__h, sdc__c, sdc__r
    )
    FROM query_table(CASE WHEN cluster IS NULL THEN 'sdc__of_records' ELSE 'sdc__of_clusters' END);

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
