-- The risk of sample uniques under a Poisson log-linear model: are they unique in the population, and how many matches with
-- them are correct?
--
--   F_k ~ Poisson(l_k) , f_k | l_k ~ Poisson(pi l_k) , log(pi l_k) = x_k' b , the fitted sample counts by pi: l^_k = u^_k / pi
--   Pr(F_k = 1 | f_k = 1) = exp(-(1 - pi) l_k) ,  r_k = E(1/F_k | f_k = 1) = (1 - exp(-(1 - pi) l_k)) / ((1 - pi) l_k)
--   tau1 = sum_{k in SU} Pr(F_k = 1 | f_k = 1) ,  tau2 = sum_{k in SU} r_k ;  rates: by the number of sample uniques
-- Source: SDC handbook, section 3.3.6; Skinner & Shlomo (2008), Assessing identification risk in survey microdata using log-linear models,
--   JASA 103, 989-1001; Elamir & Skinner (2006). The models: log_linear_models.sql.
--
-- smoothing 'negative_binomial': l_k ~ Gamma(alpha, mean l^_k), so that the counts vary more than Poisson's; 1 / alpha =
--   sum_k ((f_k - u_k)^2 - f_k) / sum_k u_k^2, by moments, at least 0; with b = l^_k / alpha and rho = (1 + pi b) / (1 + b)
--   Pr(F_k = 1 | f_k = 1) = rho^(alpha + 1) ,  r_k = rho (1 - rho^alpha) / (alpha (1 - rho))     (the handbook prints (1 - rho)^alpha for
--   1 - rho^alpha, a slip: with alpha = 1 its r_k would be rho); the mean is the model's in place of the polynomial in neighbouring cells.
--
-- Weights: pi = 1 / weight; where they differ, l^ is fitted to the sums of weights, and pi is the unique's own (Skinner & Shlomo, section
-- 2.4). A unique whose weight is below 1 (small_weights := 'at_least_one') has been drawn for certain: pi = 1, both probabilities are 1.
-- The model is fitted to the weights as they are: they estimate the population, whose size 1 in the place of each would overstate. Keys
-- of many values (log_linear_models.sql says which; incomes, municipalities): a value that one record has would be credited with 1 / pi
-- persons. What a value's persons beyond the sample may be, M, is found instead from how many values have one record, two, three, ...
-- (udfs/log_linear/margins.py), or taken from known margins, and with p = l^_k by the persons expected of the value
--   Pr(F_k = 1 | f_k = 1) = E exp(-M p) , r_k = E (1 - exp(-M p)) / (M p) over it: of whole persons E (1 - p)^M , E (1 - (1 - p)^(M + 1))
--   / ((M + 1) p)
-- Where the counts do not tell either figure (a standard error above a tenth of it, and above 0.0025 of the uniques), it is NULL and reason
-- says so; likewise where the weights differ among uniques that are alike in all other keys (sdc__uneven): with a squared coefficient of
-- variation above 0.1 tau1, above 0.5 tau2 (below that both were within 0.8 to 1.3 of the truth on lognormal, Zipf and uniform margins;
-- strata with rates 0.02 and 0.2 gave 1.25 to 3.3 and 1.1 to 1.38 times the truth, with the stratum among the keys 0.97 to 1.2 and 0.98
-- to 1.03); likewise of a model with an interaction that such a key cannot bear, and of two keys of which one nearly determines the other
-- (equal but for one record in 250: what differs is unique, and credited with 1 / pi persons or more; log_linear_models.sql). NULL holds
-- no limit. NULL in a key is a category of its own. sdcMicro's modRisk does not divide the fitted counts by pi, takes codes for numbers
-- and texts for missing values: its tau is up to forty times too high (1,255 and 1,495 where the truth is 32 and 212). Which model to
-- trust: sql/risk/README.md. Too simple a model gives too high a risk, too rich a one too low (z1 and z2 tell: log_linear_fit.sql). No
-- model is a bound, independence neither: it is too low where keys go together and the uniques are those that do not.
--
--   persons: sex region    sdc_log_linear_risk('persons', ['sex', 'region'], 10, model := 'independence'):
--            f   north     sample_uniques tau1     tau1_rate tau2     tau2_rate
--            f   north     2              0.002342 0.001171  0.295949 0.147975
--            f   south       either unique: u = 3 x 1 / 4 = 0.75, l = 7.5, 0.9 l = 6.75, r = (1 - e^-6.75) / 6.75
--            m   north
--
-- Scope: cells.
-- Not compiled: the tree is found by a fold over lists and other models by numpy; measure a copy of the table in DuckDB.
-- Parameters:
--   tbl            table                          the table, view, common table expression or file
--   keys           columns                        the key variables
--   weight         column or number               the expansion weights, or what every record weighs (1 / the sampling fraction)
--   model          value                          'tree', 'independence', 'two_way' (all interactions of two keys), or a list of the
--                                                 interactions, each a list of keys
--   smoothing      'none' or 'negative_binomial'  whether the counts vary more than Poisson's (fitted over the whole crossing)
--   small_weights  'error' or 'at_least_one'      a cell whose weights sum to less than its records: refused, or counted with these
--                                                 weights (a unique's pi is 1 at most)
--   margins        table                          persons of the population by value of a key or several (key, value, persons), where
--                                                 they are known

CREATE OR REPLACE MACRO sdc__kernel_log_linear_margins(expected, own, records, known, frequencies, sparse, fraction, dispersion) AS
    sdc__needs_python('A key of many values, or a known margin, in a log-linear model')::DOUBLE[][];

-- (Nothing in a shell without Python: a forest needs none for its risk.)
CREATE OR REPLACE MACRO sdc__kernel_log_linear_forest(cells, generators, sparse) AS NULL::DOUBLE[];

CREATE OR REPLACE MACRO sdc__is_smoothed(smoothing) AS CASE smoothing WHEN 'none' THEN false WHEN 'negative_binomial' THEN true
    ELSE error('ParameterError: smoothing is ' || coalesce(smoothing::VARCHAR, 'NULL')
               || ': it must be ''none'' or ''negative_binomial''.') END;

-- x = (1 - pi) l; d = 1 / alpha; t = -ln rho.
CREATE OR REPLACE MACRO sdc__pr_unique(x, d, t) AS CASE WHEN d > 0 THEN exp(-(1 + 1 / d) * t) ELSE exp(-x) END;
CREATE OR REPLACE MACRO sdc__unique_risk(x, d, t, lambda_hat) AS
    CASE WHEN NOT x > 0 THEN 1e0
         WHEN d > 0 THEN -exp(-t) * sdc__expm1(-t / d) * (1 + lambda_hat * d) / x
         ELSE -sdc__expm1(-x) / x END;

-- sdc__known: the margins that are given, checked: the key, the value as text, its persons. Nothing where none are.
CREATE OR REPLACE MACRO sdc__checked_margin_key(name, keys) AS
    CASE WHEN list_contains(list_transform(sdc__names(keys), lambda k: sdc__folded(k)), sdc__folded(name))
             THEN sdc__folded(name)
    ELSE error('ColumnError: The known margins name the key ' || coalesce(name, 'NULL') || ', which is not among the keys, '
               || array_to_string(sdc__names(keys), ', ') || '.') END;
CREATE OR REPLACE MACRO sdc__known_persons(persons, name) AS
    coalesce(persons, error('TableError: The known margins lack a value that the file has of ' || name || '.'));
CREATE OR REPLACE MACRO sdc__known_margins(margins, keys) AS TABLE
    WITH sdc__none AS (SELECT NULL::VARCHAR AS sdc__key, NULL::VARCHAR AS sdc__value, NULL::DOUBLE AS sdc__persons WHERE false),
    sdc__read AS (
        SELECT "key"::VARCHAR AS sdc__key, "value"::VARCHAR AS sdc__value, persons::DOUBLE AS sdc__persons
        FROM (SELECT COLUMNS(sdc__columns((*), ['key', 'value', 'persons'])) AS "\0" FROM sdc__rows(margins))
    )
    SELECT sdc__checked_margin_key(sdc__key, keys) AS sdc__key, sdc__value,
           CASE WHEN count(*) > 1 THEN error('TableError: The known margins name a value of ' || any_value(sdc__key) || ' twice.')
                WHEN isfinite(any_value(sdc__persons)) AND any_value(sdc__persons) > 0 THEN any_value(sdc__persons)
                ELSE error('TableError: The known margins have a value of ' || coalesce(any_value(sdc__key), 'NULL')
                           || ' whose persons are no number above 0.') END AS sdc__persons
    FROM query_table(CASE WHEN margins IS NULL THEN 'sdc__none' ELSE 'sdc__read' END) GROUP BY ALL;

-- The sample uniques with what their values have: records and, where the margin is known, persons (known: whether any is). Python finds
-- their risks by the margins of keys of many values, or by known ones (udfs/log_linear).
CREATE OR REPLACE MACRO sdc__persons_query(k, i) AS
    ', CASE WHEN (SELECT count(*) FROM sdc__known WHERE sdc__key = sdc__folded(' || sdc__text(k)
    || ')) = 0 THEN NULL::DOUBLE'
    || ' ELSE sdc__known_persons(n' || i || '.sdc__persons, ' || sdc__text(k) || ') END AS sdc__n' || i;
CREATE OR REPLACE MACRO sdc__margins_query(keys, smoothing, known) AS
    ', sdc__alone AS MATERIALIZED (SELECT f.sdc__id, f.sdc__lambda, greatest(0, 1 - 1 / f.sdc__w) AS sdc__own'
    || array_to_string(
        list_transform(keys,
                       lambda k, i: ', o' || i || '.sdc__m AS sdc__m' || i
                                    || CASE WHEN known THEN sdc__persons_query(k, i)
                                            ELSE ', NULL::DOUBLE AS sdc__n' || i END),
        '')
    || ' FROM sdc__fitted AS f'
    || array_to_string(
        list_transform(
            keys,
            lambda k, i:
                ' JOIN sdc__o' || i || ' AS o' || i || ' ON f.sdc__k' || i || ' IS NOT DISTINCT FROM o' || i || '.sdc__x'
                || CASE WHEN known THEN ' LEFT JOIN sdc__known AS n' || i || ' ON n' || i || '.sdc__key = sdc__folded('
                                        || sdc__text(k) || ') AND n' || i || '.sdc__value IS NOT DISTINCT FROM f.sdc__k'
                                        || i || '::VARCHAR'
                        ELSE '' END),
        '')
    || ' WHERE f.sdc__f = 1 AND ' || CASE WHEN known THEN 'true' ELSE '(SELECT len(sdc__sparse) > 0 FROM sdc__sparsity)' END || ')'
    || ', sdc__sizes AS ('
       || array_to_string(
        list_transform(keys,
                       lambda k, i:
                           'SELECT ' || i
                           || '::DOUBLE AS sdc__i, sdc__m::DOUBLE AS sdc__m, count(*)::DOUBLE AS sdc__c FROM sdc__o' || i
                           || ' WHERE (SELECT list_contains(sdc__sparse, ' || i || ') FROM sdc__sparsity) GROUP BY ALL'),
        ' UNION ALL ')
       || ')'
    || ', sdc__spread AS MATERIALIZED (SELECT sdc__ids, CASE WHEN '
       || CASE WHEN known THEN 'a.sdc__persons > a.sdc__n' ELSE 'len(sdc__sparse) > 0' END
       || ' THEN sdc__kernel_log_linear_margins(sdc__lambdas, sdc__owns, sdc__ms, sdc__ns, sdc__all_sizes,'
       || ' sdc__sparse::DOUBLE[], a.sdc__n / a.sdc__persons, '
    || CASE WHEN smoothing = 'negative_binomial' THEN 'mo.sdc__dispersion' ELSE '0e0' END || ') END AS sdc__k, '
       || sdc__unborne_query() || ' AS sdc__unborne, sdc__sparse'
    || ' FROM sdc__sparsity, sdc__all AS a, sdc__model AS mo, (SELECT coalesce(list(sdc__id ORDER BY sdc__id ASC), []) AS'
    || ' sdc__ids, coalesce(list(sdc__lambda ORDER BY sdc__id ASC), []) AS sdc__lambdas, coalesce(list(sdc__own::DOUBLE'
    || ' ORDER BY sdc__id ASC), []) AS sdc__owns, ['
    || array_to_string(
        list_transform(keys, lambda k, i: 'coalesce(list(sdc__m' || i || '::DOUBLE ORDER BY sdc__id ASC), [])'), ', ')
       || '] AS sdc__ms, ['
       || array_to_string(list_transform(keys, lambda k, i: 'coalesce(list(sdc__n' || i || ' ORDER BY sdc__id ASC), [])'),
                          ', ')
    || '] AS sdc__ns FROM sdc__alone), (SELECT [coalesce(list(sdc__i ORDER BY sdc__i ASC, sdc__m ASC), []),'
    || ' coalesce(list(sdc__m ORDER BY sdc__i ASC, sdc__m ASC), []), coalesce(list(sdc__c ORDER BY sdc__i ASC, sdc__m ASC),'
    || ' [])] AS sdc__all_sizes FROM sdc__sizes))'
    || ', sdc__told AS MATERIALIZED (SELECT sdc__cv2 <= 0.1 AND len(sdc__unborne) + len(sdc__near) = 0 AND'
       || ' coalesce(sdc__k[3][1] = 1, true) AS sdc__tells1, sdc__cv2 <= 0.5 AND len(sdc__unborne) + len(sdc__near) = 0 AND'
       || ' coalesce(sdc__k[3][2] = 1, true) AS sdc__tells2, sdc__cv2, sdc__k[3][3] AS sdc__error1, sdc__k[3][4] AS'
       || ' sdc__error2, sdc__unborne, sdc__near, sdc__sparse, sdc__k IS NOT NULL AS sdc__by_margins FROM sdc__spread,'
       || ' sdc__nearly, (SELECT '
       || CASE WHEN known
                   THEN 'CASE WHEN list_has_all((SELECT coalesce(list(DISTINCT sdc__key), []) FROM sdc__known),'
                        || ' list_transform(sdc__sparse, lambda i: '
                        || sdc__texts(list_transform(keys, lambda k: sdc__folded(k))) || '[i])) THEN 0 ELSE sdc__cv2 END'
               ELSE 'sdc__cv2' END
       || ' AS sdc__cv2 FROM sdc__uneven, sdc__sparsity))';

-- Why there is no figure, or NULL where there is. unborne: interactions (pairs) that the counts do not bear; near: pairs of
-- which one key nearly determines the other.
CREATE OR REPLACE MACRO sdc__no_figure(keys, sparse, unborne, near, uneven, tells1, tells2, error1, error2) AS CASE
    WHEN len(near) > 0 THEN 'no figure: one of the keys '
                            || array_to_string(
        list_transform(near, lambda b: '"' || keys[b[1]] || '" and "' || keys[b[2]] || '"'), ', of ')
        || ' nearly determines the other, and the few records that differ are alone in their combination: no model says how'
        || ' many persons share it. Leave one of the two keys out, or make them coarser'
    WHEN len(unborne) > 0
        THEN 'no figure: ' || array_to_string(list_transform(sparse, lambda i: '"' || keys[i] || '"'), ', ')
             || CASE WHEN len(sparse) = 1 THEN ' has' ELSE ' have' END
             || ' too many values for the records, and the model has '
        || array_to_string(list_transform(unborne, lambda b: '"' || keys[b[1]] || '" with "' || keys[b[2]] || '"'), ', ')
           || ', which would take each value for as rare as it looks: leave that interaction out (model := ''tree'' does),'
           || ' or recode the key'
    WHEN uneven > 0.1 THEN 'no figure of ' || CASE WHEN tells2 THEN 'tau1' ELSE 'tau1 and tau2' END
                           || ': the weights differ among sample uniques that are alike but for '
                           || array_to_string(list_transform(sparse, lambda i: '"' || keys[i] || '"'), ', ')
        || ' (a squared coefficient of variation of ' || round(uneven, 2)
           || '), and how many values have one record, two, three, ... does not tell then how many persons share them: add'
           || ' the key by which the rates differ (the stratum), give the known margins, or recode the key'
    WHEN NOT (tells1 AND tells2)
        THEN 'no figure of '
             || CASE WHEN NOT tells1 AND NOT tells2 THEN 'tau1 and tau2' WHEN NOT tells1 THEN 'tau1' ELSE 'tau2' END
             || ': how many values of ' || array_to_string(list_transform(sparse, lambda i: '"' || keys[i] || '"'), ', ')
        || ' have one record, two, three, ... does not tell how many persons share them (a standard error of '
           || array_to_string(
            list_transform(list_filter([[tells1::DOUBLE, error1], [tells2::DOUBLE, error2]], lambda e: e[1] = 0),
                           lambda e: CASE WHEN e[2] < 10 THEN round(100 * e[2])::BIGINT || ' %' ELSE 'over 1000 %' END),
            ' and ')
        || '; 10 % is the most): give the known margins, or recode the key' END;

-- The text of a query: its CTEs, then sdc__risks (the cells of sdc__fitted with sdc__pu and sdc__r).
CREATE OR REPLACE MACRO sdc__unique_risks_query(keys, weight, model, smoothing, which, known) AS
    sdc__model_query(keys, weight, model, sdc__is_smoothed(smoothing), which)
    || ', sdc__counted AS (SELECT *, CASE WHEN sdc__f = 1 THEN sdc__pr_unique(sdc__z, sdc__d, sdc__t) END AS sdc__pu, CASE'
    || ' WHEN sdc__f = 1 THEN sdc__unique_risk(sdc__z, sdc__d, sdc__t, sdc__lambda) END AS sdc__r'
    || ' FROM (SELECT *, sdc__ln1p(sdc__d * sdc__z / (1 + sdc__d * sdc__lambda / sdc__w)) AS sdc__t FROM (SELECT *,'
    || ' sdc__lambda * greatest(0, 1 - 1 / sdc__w) AS sdc__z, '
    || CASE WHEN smoothing = 'negative_binomial' THEN '(SELECT sdc__dispersion FROM sdc__model)' ELSE '0e0' END
       || ' AS sdc__d FROM sdc__fitted)))'
    || list_transform([sdc__model_keys(keys)], lambda sdc__ks: sdc__margins_query(sdc__ks, smoothing, known))[1]
    || ', sdc__risks AS (SELECT c.* REPLACE (CASE WHEN sdc__tells1 THEN CASE WHEN sdc__by_margins THEN l.sdc__pu ELSE'
    || ' c.sdc__pu END END AS sdc__pu, CASE WHEN sdc__tells2 THEN CASE WHEN sdc__by_margins THEN l.sdc__r ELSE c.sdc__r END'
    || ' END AS sdc__r)'
    || ' FROM sdc__counted AS c CROSS JOIN sdc__told LEFT JOIN (SELECT unnest(sdc__ids) AS sdc__id, unnest(sdc__k[1]) AS'
    || ' sdc__pu, unnest(sdc__k[2]) AS sdc__r FROM sdc__spread WHERE sdc__k IS NOT NULL) AS l ON c.sdc__id = l.sdc__id)';

-- sdc__nearness: B1, z1, B2 and z2 of any model, of a forest over all cells that it allows (NULL where they are too many).
CREATE OR REPLACE MACRO sdc__nearness_query(m) AS
    ', sdc__nearness AS (SELECT CASE WHEN len(sdc__figures) > 0 THEN sdc__figures[5:8] ELSE (SELECT'
    || ' sdc__kernel_log_linear_forest(list(['
    || array_to_string(list_transform(range(1, m + 1), lambda i: 'sdc__r' || i || '::DOUBLE'), ', ')
    || ', sdc__f::DOUBLE, sdc__w]), ' || sdc__generators() || ', (SELECT sdc__sparse::DOUBLE[] FROM sdc__sparsity))'
    || ' FROM sdc__numbered WHERE (SELECT len(sdc__figures) = 0 FROM sdc__model) HAVING count(*) BETWEEN 1 AND 2000000)'
    || ' END AS sdc__v FROM sdc__model)';

CREATE OR REPLACE MACRO sdc__names_of_places(keys, interactions) AS
    list_transform(interactions, lambda g: list_transform(g, lambda i: keys[i]));

-- interactions: those of the model (of the tree, those that it found; pairs of which one key determines the other are in every model).
-- reason: why tau1 or tau2 is NULL. z1, z2: how far the model is from the counts (sdc_log_linear_fit); NULL in a shell without Python.
-- Python: models whose interactions close a circle need it, keys of many values and known margins; else a tree and independence are
--   SQL alone.
-- sdc_log_linear_risk: the expected number of sample uniques that are unique in the population, and of correct matches with them.
-- Gives: interactions VARCHAR[][], records BIGINT, sample_uniques BIGINT (more risk), tau1 DOUBLE (more risk),
--   tau1_rate DOUBLE (more risk), tau2 DOUBLE (more risk), tau2_rate DOUBLE (more risk), z1 DOUBLE, z2 DOUBLE, reason VARCHAR.
-- Rows: one.
-- Words: tau1: expected number of sample uniques that are population uniques; tau2: expected number of correct matches with sample
--   uniques; tau1_rate: expected share of sample uniques that are population uniques; tau2_rate: expected share of correct matches with
--   sample uniques.
-- Limit: tau2_rate. The expected share of matches with sample uniques that are correct.
-- Example: FROM sdc_log_linear_risk('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_log_linear_risk(tbl, keys, weight, model := 'tree', smoothing := 'none',
                                            small_weights := 'error', margins := NULL) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__cells_to_fit(tbl, keys, weight, small_weights)),
    sdc__known AS MATERIALIZED (FROM sdc__known_margins(margins, keys))
    SELECT sdc__names_of_places(sdc__model_keys(keys), sdc__interactions) AS interactions, sdc__n::BIGINT AS records,
           sdc__n1 AS sample_uniques,
           sdc__tau1 AS tau1, CASE WHEN sdc__n1 > 0 THEN sdc__tau1 / sdc__n1 ELSE 0 END::DOUBLE AS tau1_rate,
           sdc__tau2 AS tau2, CASE WHEN sdc__n1 > 0 THEN sdc__tau2 / sdc__n1 ELSE 0 END::DOUBLE AS tau2_rate,
           sdc__v[2] AS z1, sdc__v[4] AS z2,
           sdc__no_figure(sdc__model_keys(keys), sdc__sparse, sdc__unborne, sdc__near, sdc__cv2, sdc__tells1, sdc__tells2,
                          sdc__error1, sdc__error2) AS reason
    FROM query(sdc__unique_risks_query(keys, weight, model, smoothing, 'sdc__f = 1', margins IS NOT NULL)
               || sdc__nearness_query(len(sdc__model_keys(keys)))
               || ' SELECT sdc__interactions, sdc__n, sdc__n1, CASE WHEN sdc__tells1 THEN sdc__tau1 END AS sdc__tau1,'
               || ' CASE WHEN sdc__tells2 THEN sdc__tau2 END AS sdc__tau2, sdc__v, sdc__told.* FROM sdc__model, sdc__all,'
               || ' sdc__told, sdc__nearness, (SELECT count(*) AS sdc__n1, coalesce(sdc__exact_sum(sdc__pu, 90), 0) AS'
               || ' sdc__tau1, coalesce(sdc__exact_sum(sdc__r, 90), 0) AS sdc__tau2 FROM sdc__risks)');

-- Of records that are not unique in the file both are NULL: the model says nothing of them that sdc_individual_risk does not. So they are
-- of uniques where there is no figure (sdc_log_linear_risk says why).
-- expected_frequency: the persons of the population that the model expects in the record's cell.
-- Python: models whose interactions close a circle need it, keys of many values and known margins; else a tree and independence are
--   SQL alone.
-- sdc_log_linear_risk_records: every record with the risk of a sample unique under a log-linear model.
-- Gives: every column, sample_frequency BIGINT (less risk), expected_frequency DOUBLE (less risk),
--   pr_population_unique DOUBLE (more risk), log_linear_risk DOUBLE (more risk).
-- Rows: records.
-- Example: FROM sdc_log_linear_risk_records('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_log_linear_risk_records(tbl, keys, weight, model := 'tree', smoothing := 'none',
                                                    small_weights := 'error', margins := NULL) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__cells_to_fit(tbl, keys, weight, small_weights)),
    sdc__known AS MATERIALIZED (FROM sdc__known_margins(margins, keys)),
    sdc__read AS (FROM sdc__rows(tbl))
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 'expected_frequency', 'pr_population_unique', 'log_linear_risk'])),
           sdc__found(sdc__f) AS sample_frequency, sdc__lambda AS expected_frequency, sdc__pu AS pr_population_unique,
           sdc__r AS log_linear_risk
    FROM query(sdc__unique_risks_query(keys, weight, model, smoothing, 'true', margins IS NOT NULL)
        || ' SELECT r.* EXCLUDE (sdc__key), c.sdc__f, c.sdc__lambda, c.sdc__pu, c.sdc__r FROM (SELECT *, row('
           || array_to_string(list_transform(sdc__model_keys(keys), lambda k, i: 'sdc__k' || i), ', ')
           || ') AS sdc__key FROM sdc__risks) AS c RIGHT JOIN (SELECT *, row('
           || array_to_string(list_transform(sdc__model_keys(keys), lambda k: 'sdc__exact(' || sdc__identifier(k) || ')'),
                              ', ')
        || ') AS sdc__key FROM sdc__read) AS r ON r.sdc__key = c.sdc__key');
