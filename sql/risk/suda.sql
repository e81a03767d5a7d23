-- SUDA: how special a sample unique is, from its minimal sample uniques (MSUs), and the intruder's
-- confidence in a match against it.
--
--   score    = sum over the record's MSUs of (m - k)! , m keys, k the size of the MSU     ('factorial')
--            = sum of (2^(m - k) - 1) k! (m - k)! / m!                                    ('superset')
--   DIS-SUDA = 1 / (1 + P (1 - f) / f / (s^Q sum s^-Q)) , Q = 1 + (8 - m)/20, 0 where the score s is 0
-- P: the records in pairs (cells of two records); f: the DIS fraction, as a rule the sampling fraction;
-- the sum is over the records whose score is above 0.
-- Source: Elliot, Manning, Mayes, Gurd & Bane (2005), SUDA; Elliot (2005); SDC handbook, section 3.3.7.
-- Both scorings and DIS-SUDA as sdcMicro computes them (`original_scores` TRUE and FALSE).
--
--   persons: age sex   sdc_suda('persons', ['age', 'sex']):   age sex msu_count suda_score dis_suda
--            30  f                                            30  f   0         0          0
--            30  m                                            30  m   1         1          0.01
--            30  f                                            30  f   0         0          0
--            41  f                                            41  f   1         1          0.01
--
--   FROM sdc_suda_summary('persons', ['age', 'sex']):
--   records records_with_msu msus total_score max_score max_dis_suda mean_dis_suda
--   4       2                2    2           1         0.01         0.005
--
--   FROM sdc_suda_contributions('persons', ['age', 'sex']):    FROM sdc_suda_value_contributions('persons', ['age', 'sex']):
--   variable msus contribution                                 variable value msus contribution
--   age      1    50                                           age      30    0    0
--   sex      1    50                                           age      41    1    100
--                                                              sex      f     0    0
--                                                              sex      m     1    100
--
-- Edges: an MSU of all keys weighs 0 by 'superset'; without pairs DIS-SUDA is 1 where s > 0. Sizes above
-- max_msu are not looked for, so a small max_msu lowers scores: NULL looks for every size.
--
-- Scope: cells.
-- Parameters:
--   tbl           table                      the table, view, common table expression or file
--   keys          columns                    the key variables
--   max_msu       whole number in [1, ...)   the largest size of a minimal sample unique to look for; NULL: every size
--   dis_fraction  number in (0, 1)           the DIS fraction f, as a rule the sampling fraction
--   scoring       'factorial' or 'superset'  how an MSU is weighed
--   nulls         'category' or 'excluded'   NULL in a key is a value of its own, or no minimal unique uses it

-- sdc_suda: every record with its count of minimal sample uniques, its score, and the intruder's confidence in a match.
-- Gives: every column, msu_count BIGINT (more risk), suda_score DOUBLE (more risk), dis_suda DOUBLE (more risk).
-- Rows: records.
-- Words: dis_suda: greatest confidence in a match (DIS-SUDA); suda_score: greatest SUDA score of a record; msu_count: most minimal sample
--   uniques of a record.
-- Limit: dis_suda. The confidence in a match against this record.
-- Example: FROM sdc_suda('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_suda(tbl, keys, max_msu := 3, dis_fraction := 0.01, scoring := 'factorial', nulls := 'category') AS TABLE
    WITH sdc__numbered AS MATERIALIZED (FROM sdc__numbered_cells(tbl, keys)),
    sdc__found AS (FROM sdc__msu_search('sdc__numbered', keys, max_msu, nulls))
    FROM sdc__suda(tbl, keys, 'sdc__numbered', 'sdc__found', dis_fraction, scoring);

-- mean_dis_suda is over all records.
-- sdc_suda_summary: SUDA of the file in one row.
-- Gives: records BIGINT, records_with_msu BIGINT (more risk), msus BIGINT (more risk), total_score DOUBLE (more risk),
--   max_score DOUBLE (more risk), max_dis_suda DOUBLE (more risk), mean_dis_suda DOUBLE (more risk).
-- Rows: one.
-- Words: records_with_msu: records with a minimal sample unique; msus: minimal sample uniques; max_dis_suda: greatest confidence in a
--   match (DIS-SUDA); mean_dis_suda: mean confidence in a match (DIS-SUDA); total_score: sum of the SUDA scores; max_score: greatest SUDA
--   score.
-- Example: FROM sdc_suda_summary('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_suda_summary(tbl, keys, max_msu := 3, dis_fraction := 0.01, scoring := 'factorial',
                                         nulls := 'category') AS TABLE
    WITH sdc__numbered AS MATERIALIZED (FROM sdc__numbered_cells(tbl, keys)),
    sdc__found AS (FROM sdc__msu_search('sdc__numbered', keys, max_msu, nulls))
    FROM sdc__suda_summary(keys, 'sdc__numbered', 'sdc__found', dis_fraction, scoring);

-- contribution: in percent. An MSU counts for each of its keys, so the percentages sum to more than 100.
-- sdc_suda_contributions: how much of the file's total score is due to minimal sample uniques that hold a key.
-- Gives: variable VARCHAR, msus BIGINT (more risk), contribution DOUBLE.
-- Rows: each variable.
-- Example: FROM sdc_suda_contributions('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_suda_contributions(tbl, keys, max_msu := 3, scoring := 'factorial', nulls := 'category') AS TABLE
    WITH sdc__numbered AS MATERIALIZED (FROM sdc__numbered_cells(tbl, keys)),
    sdc__found AS (FROM sdc__msu_search('sdc__numbered', keys, max_msu, nulls))
    FROM sdc__suda_contributions(keys, 'sdc__numbered', 'sdc__found', scoring);

-- value: as text, NULL for NULL; each that occurs.
-- sdc_suda_value_contributions: of what is due to a key, the percentage that is due to each of its values.
-- Gives: variable VARCHAR, value VARCHAR, msus BIGINT (more risk), contribution DOUBLE.
-- Rows: each variable and value.
-- Example: FROM sdc_suda_value_contributions('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_suda_value_contributions(tbl, keys, max_msu := 3, scoring := 'factorial', nulls := 'category') AS TABLE
    WITH sdc__numbered AS MATERIALIZED (FROM sdc__numbered_cells(tbl, keys)),
    sdc__found AS (FROM sdc__msu_search('sdc__numbered', keys, max_msu, nulls))
    FROM sdc__suda_value_contributions(keys, 'sdc__numbered', 'sdc__found', scoring);
