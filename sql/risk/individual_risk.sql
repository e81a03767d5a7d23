-- Individual risk: the posterior mean of 1/F for a record in a cell of sample frequency f, where
-- F | f is negative binomial with f successes and success probability p = f / F-hat.
--
--   r_f(p) = E(1/F | f) = sum_{h >= f} (1/h) C(h-1, f-1) p^f q^(h-f),   q = 1 - p
-- Source: SDC handbook, (3.2) and (3.3); Benedetti & Franconi (1998); Franconi & Polettini (2004).
--
-- What it does not say: how rare a cell is that has one record. F-hat, the sum of its weights, is unbiased over all cells of the
-- population, those that the sample missed among them; a record comes from the larger ones the less often the more cells were missed.
-- Where many records are sample uniques, many cells were missed, and the estimate may be far too low: in 24 simulated populations of
-- 60,000 persons with keys of uneven categories (tests/studies/test_many_uniques.py) truth, sum 1/F over the records of the sample, was
-- 2.2 to 30 times the estimate where half of the records or more were sample uniques, 1.3 to 3.2 times from a fifth to a half, and 0.6
-- to 1.3 times below that. Where all cells of the population are about as large it errs the other way. Python, the reports, the command
-- line and the window warn from a fifth on (sdc_sql/risk/many_uniques.py); sdc_frequency_summary has the share (uniques_rate).
--
-- (1e0 is the DOUBLE 1: with `SET integer_division = true`, 1 / 3 would be 0.)
--
-- Exact, not the usual approximation p / (f - q). With u = p s / (1 - q s) in E(1/F) = integral of
-- E(s^F) / s over (0, 1):
--   r_f = p integral_0^1 u^(f-1) / (p + q u) du,   so   q r_{f+1} + p r_f = p / f,
--   r_1 = (p/q) ln(1/p),   and   r_f = (p/f) 2F1(1, 1; f+1; q) = (p/f) sum_j q^j / C(f+j, j).
-- Three regions, each free of cancellation; relative error below 1e-14 or so in each:
--   f = 1               the closed form (ln p and 1 - p are exact to the last digit near p = 1)
--   f < 16, p < 1/2     the recurrence unrolled, x = p/q < 1 (an error shrinks by x in each step):
--                       r_f = x (1/(f-1) - x (1/(f-2) - ... - x (1/1 - x (-ln p))))
--   otherwise           40 terms of the series; the rest is below 1e-13 of the sum
--                       (2^-40 / 41 at q = 1/2, f = 1; 1 / C(56, 40) at q = 1, f = 16)
--
--   persons: age sex w
--            30  f   10
--            30  f   15
--            41  m   20
--   sdc_individual_risk('persons', ['age', 'sex'], 'w'):
--   age sex sample_frequency population_frequency individual_risk
--   30  f   2                25                   0.067858         r_1 = (8 / 92) ln 12.5, r_2 = 0.08 (1 - r_1) / 0.92
--   30  f   2                25                   0.067858
--   41  m   1                20                   0.157670         r_1 = (5 / 95) ln 20
--
--   FROM sdc_cell_risk('persons', ['age', 'sex'], 'w'):
--   age sex sample_frequency population_frequency individual_risk
--   30  f   2                25                   0.067858
--   41  m   1                20                   0.157670
--
-- Underestimates: where at least a fifth of the records are sample uniques.
-- Scope: cells.
-- Parameters:
--   tbl            table                      the table, view, common table expression or file
--   keys           columns                    the key variables
--   weight         column or number           the expansion weights, or what every record weighs
--   nulls          'category' or 'wildcard'   NULL in a key is a value of its own, or agrees with every value
--   small_weights  'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or taken to stand for these

-- Both by Horner's scheme, from the innermost term outwards. (Written out as one expression, forty levels deep, it takes DuckDB ten
-- times as long to plan as a call on a small file takes to run; where a query is compiled, it is written out.)

-- The series: 1 + q j/(f+j) (the rest).
CREATE OR REPLACE MACRO sdc__risk_series(f, p) AS
    p / f * list_reduce(range(40, 0, -1), lambda rest, j: 1 + (1 - p) * j / (f + j) * rest, 1e0);

-- The recurrence, m steps below f: 1/(f-1-m) - x (the rest), ending at m = f - 1.
CREATE OR REPLACE MACRO sdc__risk_recurrence(f, p) AS
    p / (1 - p) * list_reduce(range(14, -1, -1),
        lambda rest, m: CASE WHEN m < f - 1 THEN 1e0 / (f - 1 - m) - p / (1 - p) * rest WHEN m = f - 1 THEN -ln(p) ELSE 0 END, 0e0);

-- Parameters:
--   f  whole number in [1, ...)  the sample frequency
--   p  number in (0, 1]          the probability of success
-- sdc_posterior_risk: E(1/F) of a cell with f records, where p = f / F-hat.
-- Example: SELECT sdc_posterior_risk(1, 0.05);
CREATE OR REPLACE MACRO sdc_posterior_risk(f, p) AS CASE
    -- (NaN sorts above every number)
    WHEN NOT coalesce(f >= 1 AND f < 'infinity'::DOUBLE AND f = floor(f) AND p > 0 AND p <= 1, false)
        THEN error('ParameterError: Individual risk needs a sample frequency f = 1, 2, ... and p = f/F in (0, 1].')
    WHEN p = 1 THEN 1e0 / f
    WHEN f = 1 THEN -p * ln(p) / (1 - p)
    WHEN f < 16 AND p < 0.5 THEN sdc__risk_recurrence(f, p::DOUBLE)
    ELSE sdc__risk_series(f, p::DOUBLE)
END;

-- Cells with their frequencies and risk: as sdc__cells, and sdc__risk.
CREATE OR REPLACE MACRO sdc__cell_risk(tbl, keys, weight, nulls, small_weights := 'error', asked := true) AS TABLE
    SELECT * EXCLUDE (sdc__w),
           CASE WHEN small_weights = 'at_least_one' THEN greatest(sdc__w, sdc__f) ELSE sdc__w END AS sdc__w,
           sdc_posterior_risk(sdc__f, sdc__p) AS sdc__risk
    FROM (SELECT *, sdc__f / sdc__checked_population(sdc__w, sdc__f, small_weights := small_weights) AS sdc__p
          FROM sdc__cells(tbl, keys, weight, nulls, asked := asked));

-- The share of sample uniques among the records, or the error of the first cell whose weights cannot be used: what
-- Python asks before it hands out records.
CREATE OR REPLACE MACRO sdc__check_cells(tbl, keys, weight, nulls, small_weights := 'error') AS TABLE
    SELECT 1e0 * count(*) FILTER (sdc__f = 1) / sum(sdc__records) AS uniques_rate,
           bool_and(sdc__w <= sdc__f) AS whole -- the population, of which nothing is estimated
    FROM sdc__cells(tbl, keys, weight, nulls)
    WHERE sdc__checked_population(sdc__w, sdc__f, small_weights := small_weights) IS NOT NULL;

-- Every column of the table, sdc__f, sdc__w and sdc__risk. codes: the keys, and whatever other columns are compared.
CREATE OR REPLACE MACRO sdc__record_risk(tbl, keys, weight, nulls, codes, small_weights := 'error') AS TABLE
    SELECT r.* EXCLUDE (sdc__key), c.sdc__f, c.sdc__w, sdc__found(c.sdc__risk) AS sdc__risk
    FROM sdc__keyed_beside(tbl, keys, codes) AS r
    LEFT JOIN sdc__cell_risk(tbl, keys, weight, nulls, small_weights := small_weights, asked := false) AS c ON r.sdc__key = c.sdc__key;

-- Cell by cell.
-- sdc_cell_risk: every cell with the individual risk of its records.
-- Gives: the key columns, sample_frequency BIGINT (less risk), population_frequency DOUBLE (less risk),
--   individual_risk DOUBLE (more risk).
-- Rows: cells.
-- Words: individual_risk: greatest risk of a record.
-- Limit: individual_risk as sdc_individual_risk_below. The risk of each record of this cell.
-- Example: FROM sdc_cell_risk('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_cell_risk(tbl, keys, weight, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 'population_frequency', 'individual_risk'])),
           sdc__f AS sample_frequency, sdc__w AS population_frequency, sdc__risk AS individual_risk
    FROM (SELECT unnest(sdc__key), sdc__f, sdc__w, sdc__risk FROM sdc__cell_risk(tbl, keys, weight, nulls, small_weights := small_weights));

-- Record by record.
-- sdc_individual_risk: every record with its individual risk, the expected 1/F of its cell.
-- Gives: every column, sample_frequency BIGINT (less risk), population_frequency DOUBLE (less risk), individual_risk DOUBLE (more risk).
-- Rows: records.
-- Words: individual_risk: greatest risk of a record.
-- Example: FROM sdc_individual_risk('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_individual_risk(tbl, keys, weight, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 'population_frequency', 'individual_risk'])),
           sdc__f AS sample_frequency, sdc__w AS population_frequency, sdc__risk AS individual_risk
    FROM sdc__record_risk(tbl, keys, weight, nulls, keys, small_weights := small_weights);
