-- How much more (or less) an intruder who finds the cell believes a sensitive value than before.
--
--   alpha         = the greatest p_v of a cell, of all values or of the chosen ones
--   beta          = the greatest (p_v - q_v) / q_v where p_v > q_v: basic beta-likeness
--   enhanced_beta = the least beta with (p_v - q_v) / q_v <= min(beta, -ln q_v) for each p_v > q_v:
--                   beta itself, or infinite where a value exceeds -ln q_v (then no beta will do)
--   delta         = the greatest |ln(p_v / q_v)|; infinite where the cell lacks a value that the file has
-- Source: Wong, Li, Fu & Wang (2006), (alpha, k)-anonymity, KDD; Cao & Karras (2012), Publishing
--   microdata with a robust privacy guarantee, PVLDB 5(11) (beta); Brickell & Shmatikov (2008), The
--   cost of privacy, KDD (delta-disclosure privacy demands delta strictly below the limit).
-- Here p is the cell's distribution and q the file's. NULL is a sensitive value like another.
--
--   persons: age illness    sdc_likeness_cells('persons', ['age'], 'illness'):
--            30  flu        age sample_frequency alpha beta enhanced_beta delta
--            30  cancer     30  2                0.5   0.5  0.5           0.4055   p 1/2 and 1/2, q 2/3 and 1/3; delta = ln 1.5
--            41  flu        41  1                1     0.5  inf           inf      p 1: beta 0.5 > -ln 2/3; no cancer
--
--   FROM sdc_likeness('persons', ['age'], 'illness'):
--   records cells k alpha beta enhanced_beta delta
--   3       2     1 1     0.5  inf           inf
--
-- Scope: cells.
-- Wildcards: refused.
-- Parameters:
--   tbl        table    the table, view, common table expression or file
--   keys       columns  the key variables
--   sensitive  column   the sensitive variable; NULL in it is a value of its own
--   chosen     values   the sensitive values that alpha regards; without it all

-- Of the sensitive values, those that alpha regards: all, where none are chosen.
CREATE OR REPLACE MACRO sdc__is_chosen(value, chosen) AS
    chosen IS NULL OR list_contains(sdc__names(chosen), value::VARCHAR);

CREATE OR REPLACE MACRO sdc__likeness(tbl, keys, sensitive, chosen) AS TABLE
    WITH sdc__seen AS MATERIALIZED (FROM sdc__attribute_cells(tbl, keys, sensitive)),
    -- a chosen value that the file lacks is a slip of the pen, and would make alpha 0
    sdc__unknown AS (
        SELECT CASE WHEN chosen IS NULL THEN true
                    WHEN len(sdc__names(chosen)) = 0 THEN error('ParameterError: The list of chosen values is empty: name'
                                                                || ' at least one, or leave it out for all of them.')
                    WHEN list_count(sdc__names(chosen)) < len(sdc__names(chosen)) OR sdc__there < len(list_distinct(sdc__names(chosen)))
                        THEN error('ParameterError: Of the chosen values ' || sdc__names(chosen)::VARCHAR
                                   || ' not every one is a value of the sensitive variable "' || sensitive || '".')
                    ELSE true END AS sdc__known
        FROM (SELECT count(DISTINCT sdc__by_bytes(sdc__value::VARCHAR)) FILTER (
                  coalesce(sdc__is_chosen(sdc__value, chosen), false)) AS sdc__there
              FROM sdc__seen)
    )
    SELECT sdc__key, any_value(sdc__f) AS sdc__f,
           coalesce(max(sdc__p) FILTER (coalesce(sdc__is_chosen(sdc__value, chosen), false)), 0)::DOUBLE AS sdc__alpha,
           greatest(max((sdc__p - sdc__q) / sdc__q), 0) AS sdc__beta,
           CASE WHEN bool_or(sdc__p > sdc__q AND (sdc__p - sdc__q) / sdc__q > -ln(sdc__q)) THEN 'infinity'::DOUBLE
                ELSE greatest(max((sdc__p - sdc__q) / sdc__q), 0) END AS sdc__enhanced,
           CASE WHEN any_value(sdc__values) < any_value(sdc__m) THEN 'infinity'::DOUBLE ELSE max(abs(ln(sdc__p / sdc__q))) END AS sdc__delta
    FROM sdc__seen, sdc__unknown
    WHERE sdc__known
    GROUP BY sdc__key;

-- sdc_likeness_cells: the cells of the keys, and how far each one's distribution exceeds the file's.
-- Gives: the key columns, sample_frequency BIGINT (less risk), alpha DOUBLE (more risk), beta DOUBLE (more risk),
--   enhanced_beta DOUBLE (more risk), delta DOUBLE (more risk).
-- Rows: cells.
-- Result: relation. The key columns, `sample_frequency`, `alpha`, `beta`, `enhanced_beta`, `delta`.
-- Example: FROM sdc_likeness_cells('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_likeness_cells(tbl, keys, sensitive, chosen := NULL) AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 'alpha', 'beta', 'enhanced_beta', 'delta'])),
           sdc__f AS sample_frequency, sdc__alpha AS alpha, sdc__beta AS beta, sdc__enhanced AS enhanced_beta, sdc__delta AS delta
    FROM (SELECT unnest(sdc__key), * EXCLUDE (sdc__key) FROM sdc__likeness(tbl, keys, sensitive, chosen));

-- k is the least cell, the others the greatest of the cells.
-- sdc_likeness: the k, alpha, beta and delta to which a file is (alpha, k)-anonymous, beta-like and delta-private.
-- Gives: records BIGINT, cells BIGINT, k BIGINT (less risk), alpha DOUBLE (more risk), beta DOUBLE (more risk),
--   enhanced_beta DOUBLE (more risk), delta DOUBLE (more risk).
-- Rows: one.
-- Words: k: records that share the rarest keys; alpha: greatest share of one sensitive value in a cell; beta: greatest gain in belief in a
--   sensitive value (beta-likeness).
-- Result: Likeness. The smallest cell k, and the greatest alpha, beta, enhanced beta and delta of the cells.
-- Example: FROM sdc_likeness('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_likeness(tbl, keys, sensitive, chosen := NULL) AS TABLE
    SELECT sum(sdc__f)::BIGINT AS records, count(*) AS cells, min(sdc__f) AS k, max(sdc__alpha) AS alpha,
           max(sdc__beta) AS beta, max(sdc__enhanced) AS enhanced_beta, max(sdc__delta) AS delta
    FROM sdc__likeness(tbl, keys, sensitive, chosen);
