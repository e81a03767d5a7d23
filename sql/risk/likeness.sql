-- How much more (or less) an intruder who finds the cell believes a sensitive value than before.
--
--   alpha = the greatest p_v of a cell; (alpha, k)-anonymity: p_v <= alpha and f >= k in every cell
--   beta  = the greatest (p_v - q_v) / q_v where p_v > q_v: basic beta-likeness
--   delta = the greatest |ln(p_v / q_v)|; infinite where the cell lacks a value that the file has
-- Source: Wong, Li, Fu & Wang (2006), (alpha, k)-anonymity, KDD; Cao & Karras (2012), Publishing
-- microdata with a robust privacy guarantee, PVLDB 5(11) (beta); Brickell & Shmatikov (2008), The
-- cost of privacy, KDD (delta-disclosure privacy demands delta strictly below the limit).
-- Here p is the cell's distribution and q the file's. NULL is a sensitive value like another.

CREATE OR REPLACE MACRO sdc__likeness(tbl, keys, sensitive) AS TABLE
    SELECT sdc__key, any_value(sdc__f) AS sdc__f, max(sdc__p) AS sdc__alpha,
           greatest(max((sdc__p - sdc__q) / sdc__q), 0) AS sdc__beta,
           CASE WHEN any_value(sdc__values) < any_value(sdc__m) THEN 'infinity'::DOUBLE ELSE max(abs(ln(sdc__p / sdc__q))) END AS sdc__delta
    FROM sdc__attribute_cells(tbl, keys, sensitive)
    GROUP BY sdc__key;

CREATE OR REPLACE MACRO sdc_likeness_cells(tbl, keys, sensitive) AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 'alpha', 'beta', 'delta'])),
           sdc__f AS sample_frequency, sdc__alpha AS alpha, sdc__beta AS beta, sdc__delta AS delta
    FROM (SELECT unnest(sdc__key), * EXCLUDE (sdc__key) FROM sdc__likeness(tbl, keys, sensitive));

-- The file: k is the least cell, the others the greatest of the cells.
CREATE OR REPLACE MACRO sdc_likeness(tbl, keys, sensitive) AS TABLE
    SELECT sum(sdc__f)::BIGINT AS records, count(*) AS cells, min(sdc__f) AS k,
           max(sdc__alpha) AS alpha, max(sdc__beta) AS beta, max(sdc__delta) AS delta
    FROM sdc__likeness(tbl, keys, sensitive);
