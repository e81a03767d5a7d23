-- What noise is to be drawn, by stratum: the standard deviation of each column's noise, or the coefficients of each column's
-- noise in independent normal draws. These figures are applied, make up the draws, and are logged.
--
--   uncorrelated   s_j = sqrt(alpha) sigma_j, rounded up to three significant digits           12.3456 -> 12.4
--   correlated     e_j = sum_k a_jk z_k, with A A' near alpha Sigma (udfs/noise/root.py)
--   given          e_C = B e_K + L z     B = S_CK S_KK^-1, L L' = S_CC - B S_KC, S = A A' (udfs/noise/given.py)
-- In a series the columns C of a record are new, and K keep what was released: then S holds of both together.
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


-- design: the rows of the first release of a series. sdc__slopes: B, by the columns in the order of their names; sdc__left: the least
-- share of a column's noise that is drawn (its deviation, given K); 1 where the design has no coefficients.
CREATE OR REPLACE MACRO sdc__noise_conditional(tbl, columns, kept, design) AS TABLE
    WITH sdc__named AS (
        SELECT struct_keys(struct_pack(*COLUMNS(sdc__columns((*), columns)))) AS sdc__new FROM sdc__rows(tbl) LIMIT 1
    ),
    sdc__solved AS (
        SELECT sdc__stratum, sdc__new, sdc__names, sdc__means, sdc__steps, sdc__root IS NULL AS sdc__apart,
               list_grade_up(list_transform(sdc__new, lambda n: sdc__folded(n)), 'ASC', 'NULLS FIRST') AS sdc__order,
               CASE WHEN sdc__root IS NOT NULL
                    THEN sdc__kernel_noise_given(
                             sdc__stratum::VARCHAR, sdc__root,
                             list_transform(sdc__names, lambda n: CASE WHEN sdc__is_among(n, sdc__new) THEN 1
                                                                       WHEN sdc__is_among(n, kept) THEN 0 ELSE -1 END)) END AS sdc__both
        FROM query_table(design), sdc__named
    )
    SELECT sdc__stratum, sdc__order, list_select(sdc__new, sdc__order) AS sdc__names,
           list_filter(sdc__means, lambda m, i: sdc__is_among(sdc__names[i], sdc__new)) AS sdc__means, NULL::DOUBLE[] AS sdc__sds,
           list_transform(sdc__both, lambda r: r[2 + len(sdc__names_if_any(kept)):]) AS sdc__root,
           list_transform(sdc__both, lambda r: r[2:1 + len(sdc__names_if_any(kept))]) AS sdc__slopes,
           coalesce(list_min(list_transform(sdc__both, lambda r: r[1])), 1e0) AS sdc__left,
           list_filter(sdc__steps, lambda s, i: sdc__is_among(sdc__names[i], sdc__new)) AS sdc__steps
    FROM sdc__solved;
