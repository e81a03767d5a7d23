-- (alpha, k)-anonymity: no cell is small, and in none does a sensitive value dominate.
--
--   a cell violates it where f < k, or where p_v > alpha for a value v (of all, or of the chosen ones)
-- Source: Wong, Li, Fu & Wang (2006), (alpha, k)-anonymity: an enhanced k-anonymity model for privacy
--   preserving data publishing, KDD, definitions 2 and 3.
--
--   persons: age illness    sdc_alpha_k_anonymity('persons', ['age'], 'illness', 0.5, 2):
--            30  flu        alpha k records cells records_above_alpha records_below_k
--            30  cancer     0.5   2 1       1     1                   1
--            41  flu
--
-- Scope: cells.
-- Parameters:
--   tbl        table                     the table, view, common table expression or file
--   keys       columns                   the key variables
--   sensitive  column                    the sensitive variable; NULL in it is a value of its own
--   alpha      number in (0, 1)          the greatest share of a sensitive value in a cell
--   k          whole number in [2, ...)  the least number of records of a cell
--   chosen     values                    the sensitive values that alpha regards; without it all

-- sdc_alpha_k_anonymity: the records and cells that violate (alpha, k)-anonymity.
-- Gives: alpha DOUBLE, k BIGINT, records BIGINT, cells BIGINT, records_above_alpha BIGINT (more risk),
--   records_below_k BIGINT (more risk).
-- Rows: one.
-- Result: AlphaKViolations. The records and cells that violate (alpha, k)-anonymity, and the records by which of the two.
-- Wildcards: refused.
-- Example: FROM sdc_alpha_k_anonymity('persons', ['age', 'sex'], 'region', 0.5, 2);
CREATE OR REPLACE MACRO sdc_alpha_k_anonymity(tbl, keys, sensitive, alpha, k, chosen := NULL) AS TABLE
    WITH sdc__limited AS (
        SELECT sdc__f, sdc__alpha, sdc__checked_fraction(alpha, 'alpha of (alpha, k)-anonymity') AS sdc__limit,
               sdc__checked_whole(k, 'k', 2) AS sdc__k
        FROM sdc__likeness(tbl, keys, sensitive, chosen)
    )
    SELECT any_value(sdc__limit) AS alpha, any_value(sdc__k) AS k,
           coalesce(sum(sdc__f) FILTER (sdc__f < sdc__k OR sdc__alpha > sdc__limit), 0)::BIGINT AS records,
           count(*) FILTER (sdc__f < sdc__k OR sdc__alpha > sdc__limit) AS cells,
           coalesce(sum(sdc__f) FILTER (sdc__alpha > sdc__limit), 0)::BIGINT AS records_above_alpha,
           coalesce(sum(sdc__f) FILTER (sdc__f < sdc__k), 0)::BIGINT AS records_below_k
    FROM sdc__limited;
