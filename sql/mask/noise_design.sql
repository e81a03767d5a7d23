-- What noise is to be drawn, by stratum: the standard deviation of each column's noise, or the coefficients of each column's
-- noise in independent normal draws. These figures are applied, make up the draws, and are logged.
--
--   uncorrelated   s_j = sqrt(alpha) sigma_j, rounded up to three significant digits           12.3456 -> 12.4
--   correlated     e_j = sum_k a_jk z_k, with A A' near alpha Sigma (udfs/noise/root.py)
-- So a release neither changes with the last digits of a moment nor, nearly always, with one new record.

-- 123.4 -> 124; 0.1 -> 0.1. (Decimal digits, read as text, so that the figure is the same everywhere.)
CREATE OR REPLACE MACRO sdc__exponent(s) AS (floor(log10(s)) - 2)::INTEGER;
CREATE OR REPLACE MACRO sdc__rounded_up(s) AS CASE
    WHEN s = 0 THEN 0e0
    ELSE (ceil(s / ('1e' || sdc__exponent(s))::DOUBLE - 1e-9)::BIGINT || 'e' || sdc__exponent(s))::DOUBLE
END;

CREATE OR REPLACE MACRO sdc__checked_alpha(alpha) AS
    CASE WHEN TRY_CAST(alpha AS DOUBLE) >= 0 AND TRY_CAST(alpha AS DOUBLE) < 1e150 THEN TRY_CAST(alpha AS DOUBLE)
         ELSE error('ParameterError: alpha is ' || coalesce(alpha::VARCHAR, 'NULL')
                    || ': it must be a number, at least 0 and below 1e150.') END;
CREATE OR REPLACE MACRO sdc__two_or_more(n, name, stratum) AS
    CASE WHEN n = 1 THEN error('ColumnError: The column ' || name || ' has 1 value'
                               || CASE WHEN stratum IS NULL THEN '' ELSE ' in a stratum' END
                               || ': a single one would stay as it is; join strata, or leave the column out.')
         ELSE n END;

-- records: the name of a common table expression with sdc__stratum and "sdc__x_<name>".
-- sdc__steps: the grid of each column, by the noise's deviation.
CREATE OR REPLACE MACRO sdc__noise_uncorrelated(records, alpha, stratum) AS TABLE
    SELECT *, list_transform(sdc__sds, lambda s: sdc__grid_step(s)) AS sdc__steps
    FROM (SELECT sdc__stratum, sdc__names, sdc__means,
           list_transform(sdc__sds,
                          lambda s, i: CASE WHEN sdc__two_or_more(sdc__counts[i], sdc__names[i], sdc__stratum) > 0
                                                THEN sdc__rounded_up(sqrt(sdc__checked_alpha(alpha)) * s)
                                            ELSE 0 END) AS sdc__sds,
           NULL::DOUBLE[][] AS sdc__root
    FROM sdc__moments(records, stratum));

-- Kim's noise takes the column's own deviation: its alpha is not to be read off the grid. The coefficients are those of the
-- columns in the order of their names; sdc__order gives the places of these among the records' columns.
CREATE OR REPLACE MACRO sdc__noise_correlated(records, alpha, stratum, method) AS TABLE
    SELECT sdc__stratum, sdc__order, list_select(sdc__names, sdc__order) AS sdc__names,
           list_select(sdc__means, sdc__order) AS sdc__means, NULL::DOUBLE[] AS sdc__sds,
           CASE WHEN list_max(sdc__counts) > 0 THEN sdc__kernel_noise_root(
                    sdc__stratum::VARCHAR,
                    list_transform(list_select(sdc__covariances, sdc__order), lambda c: list_select(c, sdc__order)),
                    list_transform(sdc__order,
                                   lambda i: sdc__rounded_up(sqrt(sdc__checked_alpha(alpha))
                                                             * sqrt(sdc__covariances[i][i])))) END AS sdc__root,
           list_transform(sdc__order,
                          lambda i: CASE WHEN alpha > 0 THEN sdc__grid_step(
                                             sdc__rounded_up(sqrt(CASE WHEN method = 'linear' THEN 1 ELSE alpha END)
                                                             * sqrt(sdc__covariances[i][i])))
                                         ELSE 0 END) AS sdc__steps
    FROM (SELECT *, list_grade_up(list_transform(sdc__names, lambda n: sdc__folded(n)), 'ASC', 'NULLS FIRST') AS sdc__order
          FROM sdc__moments(records, stratum) AS sdc__m
          LEFT JOIN (SELECT sdc__stratum AS sdc__of, sdc__complete, sdc__covariances FROM sdc__covariances(records, stratum)) AS sdc__c
            ON sdc__m.sdc__stratum IS NOT DISTINCT FROM sdc__c.sdc__of);
