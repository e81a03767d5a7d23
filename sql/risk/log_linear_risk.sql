-- The risk of sample uniques under a Poisson log-linear model: are they unique in the population, and how many matches with them are correct?
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
-- Weights: pi = 1 / weight; where they differ, l^ is fitted to the sums of weights, and pi is the unique's own (Skinner & Shlomo, section 2.4).
-- A unique whose weight is below 1 (small_weights := 'at_least_one') has been drawn for certain: pi = 1, both probabilities are 1. The model is
-- fitted to the weights as they are: they estimate the population, whose size 1 in the place of each would overstate.
-- NULL in a key is a category of its own. sdcMicro's modRisk does not divide the fitted counts by pi, takes codes for numbers and texts for
-- missing values: its tau is up to forty times too high (1,255 and 1,495 where the truth is 32 and 212).
-- Which model to trust: sql/risk/README.md. Too simple a model gives too high a risk, too rich a one too low (sdc_log_linear_fit tells).
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
--   model          value                          'tree', 'independence', 'two_way' (all interactions of two keys), or a list of the interactions, each a list of keys
--   smoothing      'none' or 'negative_binomial'  whether the counts vary more than Poisson's (fitted over the whole crossing)
--   small_weights  'error' or 'at_least_one'      a cell whose weights sum to less than its records: refused, or counted with these weights (a unique's pi is 1 at most)

CREATE OR REPLACE MACRO sdc__is_smoothed(smoothing) AS CASE smoothing WHEN 'none' THEN false WHEN 'negative_binomial' THEN true
    ELSE error('ParameterError: smoothing is ' || coalesce(smoothing::VARCHAR, 'NULL') || ': it must be ''none'' or ''negative_binomial''.') END;

-- x = (1 - pi) l; d = 1 / alpha; t = -ln rho.
CREATE OR REPLACE MACRO sdc__pr_unique(x, d, t) AS CASE WHEN d > 0 THEN exp(-(1 + 1 / d) * t) ELSE exp(-x) END;
CREATE OR REPLACE MACRO sdc__unique_risk(x, d, t, lambda_hat) AS CASE WHEN NOT x > 0 THEN 1e0 WHEN d > 0 THEN -exp(-t) * sdc__expm1(-t / d) * (1 + lambda_hat * d) / x ELSE -sdc__expm1(-x) / x END;

-- The text of a query: its CTEs, then sdc__risks (the cells of sdc__fitted with sdc__pu and sdc__r).
CREATE OR REPLACE MACRO sdc__unique_risks_query(keys, weight, model, smoothing, which) AS
    sdc__model_query(keys, weight, model, sdc__is_smoothed(smoothing), which)
    || ', sdc__risks AS (SELECT *, CASE WHEN sdc__f = 1 THEN sdc__pr_unique(sdc__z, sdc__d, sdc__t) END AS sdc__pu, CASE WHEN sdc__f = 1 THEN sdc__unique_risk(sdc__z, sdc__d, sdc__t, sdc__lambda) END AS sdc__r'
    || ' FROM (SELECT *, sdc__ln1p(sdc__d * sdc__z / (1 + sdc__d * sdc__lambda / sdc__w)) AS sdc__t FROM (SELECT *, sdc__lambda * greatest(0, 1 - 1 / sdc__w) AS sdc__z, '
    || CASE WHEN smoothing = 'negative_binomial' THEN '(SELECT sdc__dispersion FROM sdc__model)' ELSE '0e0' END || ' AS sdc__d FROM sdc__fitted)))';

CREATE OR REPLACE MACRO sdc__names_of_places(keys, interactions) AS list_transform(interactions, lambda g: list_transform(g, lambda i: keys[i]));

-- interactions: those of the model (of the tree, those that it found).
-- Python: models whose interactions close a circle need it; a tree and independence are SQL alone.
-- sdc_log_linear_risk: the expected number of sample uniques that are unique in the population, and of correct matches with them.
-- Gives: interactions VARCHAR[][], records BIGINT, sample_uniques BIGINT (more risk), tau1 DOUBLE (more risk),
--   tau1_rate DOUBLE (more risk), tau2 DOUBLE (more risk), tau2_rate DOUBLE (more risk).
-- Rows: one.
-- Limit: tau2_rate. The expected share of matches with sample uniques that are correct.
-- Example: FROM sdc_log_linear_risk('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_log_linear_risk(tbl, keys, weight, model := 'tree', smoothing := 'none', small_weights := 'error') AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__cells_to_fit(tbl, keys, weight, small_weights))
    SELECT sdc__names_of_places(sdc__model_keys(keys), sdc__interactions) AS interactions, sdc__n::BIGINT AS records, sdc__n1 AS sample_uniques,
           sdc__tau1 AS tau1, CASE WHEN sdc__n1 > 0 THEN sdc__tau1 / sdc__n1 ELSE 0 END::DOUBLE AS tau1_rate,
           sdc__tau2 AS tau2, CASE WHEN sdc__n1 > 0 THEN sdc__tau2 / sdc__n1 ELSE 0 END::DOUBLE AS tau2_rate
    FROM query(sdc__unique_risks_query(keys, weight, model, smoothing, 'sdc__f = 1')
        || ' SELECT sdc__interactions, sdc__n, sdc__n1, sdc__tau1, sdc__tau2 FROM sdc__model, sdc__all, (SELECT count(*) AS sdc__n1, coalesce(sdc__exact_sum(sdc__pu, 90), 0) AS sdc__tau1, coalesce(sdc__exact_sum(sdc__r, 90), 0) AS sdc__tau2 FROM sdc__risks)');

-- Of records that are not unique in the file both are NULL: the model says nothing of them that sdc_individual_risk does not.
-- expected_frequency: the persons of the population that the model expects in the record's cell.
-- Python: models whose interactions close a circle need it; a tree and independence are SQL alone.
-- sdc_log_linear_risk_records: every record with the risk of a sample unique under a log-linear model.
-- Gives: every column, sample_frequency BIGINT (less risk), expected_frequency DOUBLE (less risk),
--   pr_population_unique DOUBLE (more risk), log_linear_risk DOUBLE (more risk).
-- Rows: records.
-- Example: FROM sdc_log_linear_risk_records('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_log_linear_risk_records(tbl, keys, weight, model := 'tree', smoothing := 'none', small_weights := 'error') AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__cells_to_fit(tbl, keys, weight, small_weights)),
    sdc__read AS (FROM sdc__rows(tbl))
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 'expected_frequency', 'pr_population_unique', 'log_linear_risk'])),
           sdc__found(sdc__f) AS sample_frequency, sdc__lambda AS expected_frequency, sdc__pu AS pr_population_unique, sdc__r AS log_linear_risk
    FROM query(sdc__unique_risks_query(keys, weight, model, smoothing, 'true')
        || ' SELECT r.* EXCLUDE (sdc__key), c.sdc__f, c.sdc__lambda, c.sdc__pu, c.sdc__r FROM (SELECT *, row(' || array_to_string(list_transform(sdc__model_keys(keys), lambda k, i: 'sdc__k' || i), ', ') || ') AS sdc__key FROM sdc__risks) AS c RIGHT JOIN (SELECT *, row(' || array_to_string(list_transform(sdc__model_keys(keys), lambda k: 'sdc__exact(' || sdc__identifier(k) || ')'), ', ')
        || ') AS sdc__key FROM sdc__read) AS r ON r.sdc__key = c.sdc__key');
