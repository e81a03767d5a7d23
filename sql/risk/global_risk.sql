-- The risk of the whole file: how many re-identifications are to be expected.
--
--   expected_reidentifications = sum_k f_k r_k ,  reidentification_rate xi = (1/n) sum_k f_k r_k ,
--   percent psi = 100 xi
-- Source: SDC handbook, section 3.3.5, "Assessing the risk for the whole file".
--
-- What it does not say: it is the sum of individual risks, and as those too low where many records are sample uniques
-- (individual_risk.sql says by how much). Recode the keys first, until few of the records are (sdc_frequency_summary).
--
--   persons: age sex w    sdc_global_risk('persons', ['age', 'sex'], 'w'):
--            30  f   10   records expected_reidentifications reidentification_rate percent
--            30  f   15   3       0.293387                   0.097796              9.7796     2 x 0.067858 + 0.157670 (individual_risk.sql)
--            41  m   20
--
-- Underestimates: where at least a fifth of the records are sample uniques.
-- Scope: cells.
-- Parameters:
--   tbl            table                      the table, view, common table expression or file
--   keys           columns                    the key variables
--   weight         column or number           the expansion weights, or what every record weighs
--   nulls          'category' or 'wildcard'   NULL in a key is a value of its own, or agrees with every value
--   small_weights  'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or taken to stand for these

-- sdc_global_risk: how many re-identifications are to be expected in the whole file, and their rate.
-- Gives: records BIGINT, expected_reidentifications DOUBLE (more risk), reidentification_rate DOUBLE (more risk),
--   percent DOUBLE (more risk).
-- Rows: one.
-- Words: expected_reidentifications: expected number of re-identified records; reidentification_rate: expected share of re-identified
--   records; percent: expected re-identified records, in per cent.
-- Limit: reidentification_rate. The expected share of records that are re-identified.
-- Example: FROM sdc_global_risk('persons', ['age', 'sex'], 'w');
CREATE OR REPLACE MACRO sdc_global_risk(tbl, keys, weight, nulls := 'category', small_weights := 'error') AS TABLE
    SELECT sum(sdc__records)::BIGINT AS records,
           sdc__exact_sum(sdc__records * sdc__risk, 90) AS expected_reidentifications,
           sdc__exact_sum(sdc__records * sdc__risk, 90) / sum(sdc__records) AS reidentification_rate,
           100 * sdc__exact_sum(sdc__records * sdc__risk, 90) / sum(sdc__records) AS percent
    FROM sdc__cell_risk(tbl, keys, weight, nulls, small_weights := small_weights);
