-- Noise on outliers alone: correlated noise (noise_draws.sql), drawn and sized as for the file as a whole, left out of the other records.
--
--   outlier: |x_j - median_j| > threshold s_j in any column j
--   s_j = 1.4826 x median of |x - median_j|; where that is 0, as half the values are the same, 1.2533 x their mean
-- (For normal values both are the standard deviation: 1 / Phi^-1(3/4), sqrt(pi / 2).) A missing value is no outlier.

CREATE OR REPLACE MACRO sdc__checked_threshold(threshold) AS
    CASE WHEN TRY_CAST(threshold AS DOUBLE) >= 0 AND TRY_CAST(threshold AS DOUBLE) < 'infinity'::DOUBLE THEN TRY_CAST(threshold AS DOUBLE)
         ELSE error('ParameterError: threshold is ' || coalesce(threshold::VARCHAR, 'NULL')
                    || ': it must be a number, at least 0 (robust standard deviations from the median).') END;
CREATE OR REPLACE MACRO sdc__distance(x, medians, names) AS abs(x - sdc__of_column(medians, names, x));
CREATE OR REPLACE MACRO sdc__beyond(c, medians, limits, names) AS
    coalesce(abs(sdc__not_nan(struct_extract(c, 'x')) - sdc__of_column(medians, names, c)) > sdc__of_column(limits, names, c), false);
CREATE OR REPLACE MACRO sdc__noise_if(c, far) AS
    struct_pack(x := struct_extract(c, 'x'), e := CASE WHEN far THEN struct_extract(c, 'e') END);

-- The robust standard deviations of each stratum, times the threshold, in the order of sdc__own.
CREATE OR REPLACE MACRO sdc__outlier_limits(records, threshold, stratum) AS TABLE
    WITH sdc__values AS (FROM sdc__present(records)),
    sdc__medians_of AS (
        SELECT sdc__stratum AS sdc__of, median(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM sdc__values
        GROUP BY sdc__stratum
    ),
    sdc__middles AS (
        SELECT sdc__of, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__medians,
               list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))), lambda n: substr(n, 8)) AS sdc__own
        FROM sdc__medians_of
    ),
    sdc__distances AS (
        SELECT sdc__stratum, sdc__distance(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__medians, sdc__own) AS "\0"
        FROM sdc__values JOIN sdc__middles ON sdc__in_stratum(stratum, sdc__stratum, sdc__of)
    ),
    sdc__spreads AS (
        SELECT sdc__stratum AS sdc__in, median(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM sdc__distances
        GROUP BY sdc__stratum
    ),
    sdc__listed AS (SELECT sdc__in, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__spread FROM sdc__spreads)
    SELECT sdc__of, sdc__own, sdc__medians,
           list_transform(sdc__spread,
                          lambda s, i: sdc__checked_threshold(threshold)
                                       * CASE WHEN s > 0 THEN 1.482602218505602 * s
                                              ELSE 1.2533141373155003 * m.sdc__means[i] END) AS sdc__limits
    FROM sdc__middles JOIN sdc__listed ON sdc__of IS NOT DISTINCT FROM sdc__in
    JOIN sdc__centres('sdc__distances', stratum) AS m ON sdc__of IS NOT DISTINCT FROM m.sdc__stratum;

-- records, noisy: as noise_draws.sql gives them. Without noise (NULL) a value is released as it is.
CREATE OR REPLACE MACRO sdc__noise_on_outliers(records, noisy, threshold, stratum) AS TABLE
    WITH sdc__limits_of AS MATERIALIZED (FROM sdc__outlier_limits(records, threshold, stratum)),
    sdc__judged AS (
        SELECT sdc__n.*, sdc__beyond(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__medians, sdc__limits, sdc__own) AS "sdc__b_\0"
        FROM query_table(noisy) AS sdc__n JOIN sdc__limits_of ON sdc__in_stratum(stratum, sdc__n.sdc__stratum, sdc__of)
    ),
    sdc__marked AS (SELECT *, list_bool_or([*COLUMNS(lambda c: starts_with(c, 'sdc__b_'))]) AS sdc__far FROM sdc__judged)
    SELECT sdc__id, sdc__stratum, sdc__names, sdc__means, sdc__steps,
           sdc__noise_if(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__far) AS "\0"
    FROM sdc__marked;
