-- Whether a log-linear model is good enough for the risk: what tau1 and tau2 are expected to be too great by, and the search for a model.
--
--   u_k = pi l^_k ,  x = (1 - pi) l^_k ,  r = (1 - e^-x) / x , the sums over all cells of the crossing
--   B1 = sum_k a1 (f_k - u_k) + b1 ((f_k - u_k)^2 - f_k) ,  a1 = (1 - pi) l e^-l ,  b1 = (1 - pi)^2 l e^-l / (2 pi)
--   B2 = sum_k a2 (f_k - u_k) + b2 ((f_k - u_k)^2 - f_k) ,  a2 = e^-u r - e^-l ,    b2 = (e^-u r - e^-l (1 + x / 2)) / u
--   V  = sum_k a^2 u_k + 2 b^2 u_k^2 ,  z = B / sqrt V , about standard normal where the model holds
-- With keys of many values E (f_k - u_k)^2 is less, since u_k is fitted to the value's own records m: f_k (1 - u_k / m) is
-- taken from it, and
--   exp and r are means over what the value's persons may be (log_linear_risk.sql; udfs/log_linear/criteria.py).
-- z far above 0: underfitting, tau is too high; far below 0: overfitting, too low (which it shows less clearly: begin from below).
-- Source: Skinner & Shlomo (2008), sections 3.3 and 3.4; SDC handbook, section 3.3.6 (forward search). With weights that differ, pi
--   is their mean's inverse here. tau1 and tau2 are those of sdc_log_linear_risk. Which to trust, with figures: sql/risk/README.md.
--
--   persons: sex region times   sdc_log_linear_fit('persons', ['sex', 'region'], 2, model := 'independence'):
--            f   north  9       cells parameters b1
--            f   south  1       4     3          0.004994
--            m   north  1         pi = 1/2, l = 10 in each cell, u = 5, all f - u = +-4; a1 = 5 e^-10,
--            m   south  9         b1 = 2.5 e^-10 (4 x 16 - 20)
--
-- Scope: table.
-- Not compiled: the models are fitted by numpy over the whole crossing; measure a copy of the table in DuckDB.
-- Parameters:
--   tbl            table                      the table, view, common table expression or file
--   keys           columns                    the key variables
--   weight         column or number           the expansion weights, or what every record weighs (1 / the sampling fraction)
--   model          value                      'tree', 'independence', 'two_way' (all interactions of two keys), or a list of the
--                                             interactions, each a list of keys
--   enough         number                     the z of B2 at which the search ends, a quantile of the normal distribution
--   max_keys       whole number in [2, 64]   how many keys an interaction has at most
--   small_weights  'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or counted with these weights
--                                             (a unique's pi is 1 at most)

-- cells: of the crossing; dispersion: 1 / alpha, by which the counts vary more than Poisson's (log_linear_risk.sql); reason:
-- why tau1 or tau2 is NULL.
-- sdc_log_linear_fit: by how much the risk under a log-linear model is expected to be too great.
-- Gives: interactions VARCHAR[][], cells BIGINT, parameters BIGINT, tau1 DOUBLE (more risk), tau2 DOUBLE (more risk), b1 DOUBLE,
--   z1 DOUBLE, b2 DOUBLE, z2 DOUBLE, dispersion DOUBLE, reason VARCHAR.
-- Rows: one.
-- Example: FROM sdc_log_linear_fit('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_log_linear_fit(tbl, keys, weight, model := 'tree', small_weights := 'error') AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__cells_to_fit(tbl, keys, weight, small_weights))
    SELECT sdc__names_of_places(sdc__model_keys(keys), sdc__interactions) AS interactions, v[1]::BIGINT AS cells,
           v[2]::BIGINT AS parameters, CASE WHEN sdc__tells1 THEN v[3] END AS tau1,
           CASE WHEN sdc__tells2 THEN v[4] END AS tau2,
           v[5] AS b1, v[6] AS z1, v[7] AS b2, v[8] AS z2, v[9] AS dispersion,
           sdc__no_figure(sdc__model_keys(keys), sdc__sparse, sdc__unborne, sdc__near, sdc__cv2, sdc__tells1, sdc__tells2,
                          v[12], v[13]) AS reason
    FROM (SELECT sdc__interactions, sdc__figures AS v, sdc__unborne, sdc__near, sdc__cv2, sdc__sparse,
                 sdc__cv2 <= 0.1 AND len(sdc__unborne) + len(sdc__near) = 0 AND sdc__figures[10] = 1 AS sdc__tells1,
                 sdc__cv2 <= 0.5 AND len(sdc__unborne) + len(sdc__near) = 0 AND sdc__figures[11] = 1 AS sdc__tells2
          FROM query(sdc__model_query(keys, weight, model, true, 'true')
                     || ' SELECT sdc__interactions, sdc__figures, sdc__sparse, ' || sdc__unborne_query()
                     || ' AS sdc__unborne, sdc__near, sdc__cv2 FROM sdc__model, sdc__sparsity, sdc__nearly, sdc__uneven'));

CREATE OR REPLACE MACRO sdc__checked_enough(enough) AS
    CASE WHEN TRY_CAST(enough AS DOUBLE) >= 0 AND TRY_CAST(enough AS DOUBLE) < 100 THEN TRY_CAST(enough AS DOUBLE)::VARCHAR
         ELSE error('ParameterError: enough is ' || coalesce(enough::VARCHAR, 'NULL')
                    || ': it must be a number from 0 to 100, a quantile of the normal distribution.') END;

-- From independence on, a row a step: the interaction that brings z2 nearest to 0 is added, until z2 is at most `enough` (then the last
-- row's interactions are the model to use: model := ...). Three keys together only where each two of them are.
-- sdc_log_linear_search: a forward search for the log-linear model whose risk is right.
-- Gives: step BIGINT, added VARCHAR[], interactions VARCHAR[][], parameters BIGINT, tau1 DOUBLE (more risk), tau2 DOUBLE (more risk),
--   b1 DOUBLE, z1 DOUBLE, b2 DOUBLE, z2 DOUBLE, reason VARCHAR.
-- Rows: steps.
-- Example: FROM sdc_log_linear_search('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_log_linear_search(tbl, keys, weight, enough := 1.96, max_keys := 3, small_weights := 'error') AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__cells_to_fit(tbl, keys, weight, small_weights)),
    sdc__steps AS MATERIALIZED (
        SELECT unnest(sdc__k) AS v, unnest(range(len(sdc__k))) AS sdc__step, sdc__first, sdc__sparse, sdc__near, sdc__cv2
        FROM query(list_transform(
                       [sdc__model_keys(keys)],
                       lambda sdc__ks:
                           sdc__margins(sdc__ks, sdc__key_pairs(len(sdc__ks)), sdc__margin_unit(weight))
                           || sdc__rules_query(len(sdc__ks)) || sdc__chosen_query(len(sdc__ks), []::BIGINT[][], true)
                           || sdc__numbered_query(len(sdc__ks)) || ' SELECT sdc__kernel_log_linear_search('
                           || sdc__arguments_of_crossing(len(sdc__ks)) || ', ' || sdc__generators()
                           || ', (SELECT sdc__sparse::DOUBLE[] FROM sdc__sparsity), (SELECT'
                           || ' array_to_string(list_transform(sdc__barred, lambda g: array_to_string(g, '','')), '';'')'
                           || ' FROM sdc__sparsity), '
                           || sdc__checked_enough(enough) || ', ' || sdc__checked_whole(max_keys, 'max_keys', 2, 64)
                           || ') AS sdc__k, (SELECT sdc__interactions FROM sdc__chosen) AS sdc__first, (SELECT'
                           || ' sdc__sparse FROM sdc__sparsity) AS sdc__sparse, (SELECT sdc__near FROM sdc__nearly) AS'
                           || ' sdc__near, (SELECT sdc__cv2 FROM sdc__uneven) AS sdc__cv2 FROM sdc__numbered')[1])
    ),
    sdc__added AS (
        SELECT *, v[9] = 1 AND sdc__cv2 <= 0.1 AND len(sdc__near) = 0 AS sdc__tells1,
               v[10] = 1 AND sdc__cv2 <= 0.5 AND len(sdc__near) = 0 AS sdc__tells2,
               list_filter(sdc__model_keys(keys), lambda k, i: v[1]::BIGINT >> (i - 1) & 1 = 1) AS sdc__names
        FROM sdc__steps
    )
    SELECT sdc__step AS step, sdc__names AS added,
           list_concat(sdc__names_of_places(sdc__model_keys(keys), sdc__first),
                       coalesce(list(sdc__names) FILTER (WHERE sdc__step > 0) OVER (
                                    ORDER BY sdc__step ASC ROWS UNBOUNDED PRECEDING),
                                []::VARCHAR[][])) AS interactions,
           v[2]::BIGINT AS parameters, CASE WHEN sdc__tells1 THEN v[3] END AS tau1,
           CASE WHEN sdc__tells2 THEN v[4] END AS tau2, v[5] AS b1, v[6] AS z1, v[7] AS b2, v[8] AS z2,
           sdc__no_figure(sdc__model_keys(keys), sdc__sparse, []::BIGINT[][], sdc__near, sdc__cv2, sdc__tells1, sdc__tells2,
                          v[11], v[12]) AS reason
    FROM sdc__added ORDER BY sdc__step ASC;
