-- The threshold r* on the individual risk that keeps the re-identification rate of the released
-- file at most max_rate, when every record above it is protected down to it.
--
--   bound(r) = (1/n) sum_k f_k min(r_k, r) ,   r* = the largest r with bound(r) <= max_rate
-- Source: SDC handbook, section 3.3.5, "Threshold setting using the re-identification rate".
--
-- The keys in increasing order of risk r_(1) <= ... <= r_(K); the safe ones, up to k*, count their
-- risk and each unsafe one counts r*. Solved exactly on the stretch where the bound crosses
-- max_rate, so no more records are called unsafe than the rule asks for:
--   r* = (n max_rate - sum_{k <= k*} f_(k) r_(k)) / sum_{k > k*} f_(k)
-- Edges: a file whose rate is at most max_rate as it is needs no threshold: r* = 1, nothing above. The bound at a risk is equal to
-- max_rate where it is so but for its last digits (a part in 1e12): r* is then that risk, and cells of that risk are not above.
--
--   persons: age sex w
--            30  f   10
--            30  f   15
--            41  m   20
--   sdc_risk_threshold('persons', ['age', 'sex'], 'w', 0.09):
--   threshold records_above keys_above records keys rate     rate_after
--   0.134283  1             1          3       2    0.097796 0.09         3 x 0.09 - 2 x 0.067858 (individual_risk.sql)
--
-- Scope: cells.
-- Parameters:
--   tbl            table                      the table, view, common table expression or file
--   keys           columns                    the key variables
--   weight         column or number           the expansion weights, or what every record weighs
--   max_rate       number in (0, 1)           the greatest re-identification rate
--   nulls          'category' or 'wildcard'   NULL in a key is a value of its own, or agrees with every value
--   small_weights  'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or taken to stand for these

-- (ASC is spelled out, since `SET default_order = 'DESC'` would turn a bare ORDER BY round.)
-- threshold is r*; records_above and keys_above have r_k > r*; rate is the
-- file's present rate and rate_after the bound at r*.
-- sdc_risk_threshold: the individual risk above which records must be protected to keep the rate at max_rate.
-- Gives: threshold DOUBLE, records_above BIGINT (more risk), keys_above BIGINT (more risk), records BIGINT, keys BIGINT,
--   rate DOUBLE (more risk), rate_after DOUBLE (more risk).
-- Rows: one.
-- Example: FROM sdc_risk_threshold('persons', ['age', 'sex'], 'w', 0.05);
CREATE OR REPLACE MACRO sdc_risk_threshold(tbl, keys, weight, max_rate, nulls := 'category', small_weights := 'error') AS TABLE
    WITH sdc__levels AS (
        SELECT sdc__risk, sum(sdc__records)::BIGINT AS sdc__records, count(*) AS sdc__keys
        FROM sdc__cell_risk(tbl, keys, weight, nulls, small_weights := small_weights)
        GROUP BY sdc__risk
    ),
    sdc__running AS (
        SELECT *, sum(sdc__records) OVER () AS sdc__n, coalesce(max(sdc__risk) OVER sdc__below, 0) AS sdc__last,
               coalesce(sdc__unfixed(sum(sdc__fixed(sdc__records * sdc__risk, 90)) OVER sdc__below, 90), 0) AS sdc__safe,
               sum(sdc__records) OVER (ORDER BY sdc__risk DESC) AS sdc__unsafe
        FROM sdc__levels
        WINDOW sdc__below AS (ORDER BY sdc__risk ASC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
    ),
    -- the first level whose own risk would carry the bound over max_rate
    sdc__crossing AS (
        SELECT greatest(sdc__last, (sdc__checked_fraction(max_rate, 'maximum rate') * sdc__n - sdc__safe) / sdc__unsafe) AS sdc__threshold
        FROM sdc__running
        WHERE NOT sdc__at_most(sdc__safe + sdc__unsafe * sdc__risk, sdc__checked_fraction(max_rate, 'maximum rate') * sdc__n)
        ORDER BY sdc__risk ASC
        LIMIT 1
    ),
    sdc__chosen AS (SELECT coalesce((SELECT sdc__threshold FROM sdc__crossing), 1)::DOUBLE AS threshold)
    SELECT threshold,
           coalesce(sum(sdc__records) FILTER (sdc__risk > threshold), 0)::BIGINT AS records_above,
           coalesce(sum(sdc__keys) FILTER (sdc__risk > threshold), 0)::BIGINT AS keys_above,
           sum(sdc__records)::BIGINT AS records,
           sum(sdc__keys)::BIGINT AS keys,
           sdc__exact_sum(sdc__records * sdc__risk, 90) / sum(sdc__records) AS rate,
           sdc__exact_sum(sdc__records * least(sdc__risk, threshold), 90) / sum(sdc__records) AS rate_after
    FROM sdc__levels, sdc__chosen
    GROUP BY threshold;
