-- What masking did to an estimate that users make: before and after, and how far its intervals overlap.
--
--   difference = after - before;   relative_change = |difference| / |before|;   shift = |difference| / its standard error before
--   overlap J = 1/2 ( (min(u, u') - max(l, l')) / (u - l) + (min(u, u') - max(l, l')) / (u' - l') ), the intervals l to u
-- The estimates, standard errors and intervals are those of sdc_survey_estimate on each file: Taylor linearisation with the strata and
-- clusters that are named, or else of records drawn with replacement. The overlap is 1 where the intervals are the same, 0 where they
-- touch, and less the further they are apart. A domain, category or coefficient that one of the files lacks has no figure there, and no
-- limit on its change holds: recode the original alike to compare what was recoded.
-- Source: Karr, Kohnen, Oganian, Reiter & Sanil (2006), A framework for evaluating the utility of data altered to protect confidentiality,
--   The American Statistician 60(3), section 3.1 (the overlap); of the estimates, see sdc_survey_estimate.
--
--   original: x y     released: x y     FROM sdc_estimate_change('original', 'released', 'mean', 'y'):
--             0 0               0 1     domain term before error_before after error_after difference relative_change shift  overlap
--             1 1               1 1     NULL   NULL 2      0.9129       2.25  0.75        0.25       0.125           0.2739 0.9108
--             2 3               2 3
--             3 4               3 4
-- (Deviations -2, -1, 1, 2: the root of 10 / 12; -1.25, -1.25, 0.75, 1.75: that of 6.75 / 12.)
--
-- Scope: table.
-- Python: a regression needs it; the other statistics are SQL alone.
-- Not compiled: its statistics are of several kinds, and its regressions are solved by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original    table             the table before masking
--   released    table             the table after it
--   statistic   'total', 'mean', 'quantile', 'count', 'share' or 'regression'  what is estimated
--   variable    column            what it is estimated of: numbers, or of 'count' and 'share' categories; the response of a regression
--   domains     columns           an estimate for each combination of their values; NULL: one of all records
--   predictors  columns           the numeric variables that explain the response of a regression
--   quantile    number in (0, 1)  which quantile: 0.5 is the median
--   weight      column            of both tables; in Python that of the table by default; NULL: records count alike
--   strata      column            of both tables: the strata in which the sample was drawn; in Python that of the table by default
--   cluster     column            of both tables: the clusters that were drawn; in Python the table's households by default
--   confidence  number in (0, 1)  the probability of each interval

-- relative_change and shift: 0 where nothing changed.
CREATE OR REPLACE MACRO sdc__part_of(difference, whole) AS
    CASE WHEN difference = 0 THEN 0e0 WHEN whole <> 0 THEN abs(difference) / abs(whole) END;

-- The relative change of a mean, as below; its standard error would take five times as long.
CREATE OR REPLACE MACRO sdc__mean_of(tbl, variable, weight) AS TABLE
    WITH sdc__known AS MATERIALIZED (
        SELECT 0 AS sdc__d, NULL::VARCHAR AS sdc__t, sdc__w, sdc__y
        FROM (SELECT sdc__w, sdc__estimated_number(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS sdc__y
              FROM sdc__surveyed(tbl, [variable], sdc__names_if_any(NULL), [NULL], weight, NULL, NULL))
        WHERE sdc__y IS NOT NULL
    )
    FROM sdc__summed('sdc__known', true);
CREATE OR REPLACE MACRO sdc__mean_change(original, released, variable, weight) AS TABLE
    SELECT sdc__part_of(sdc__a.sdc__q - sdc__b.sdc__q, sdc__b.sdc__q) AS sdc__change
    FROM sdc__mean_of(original, variable, weight) AS sdc__b, sdc__mean_of(released, variable, weight) AS sdc__a;

-- sdc_estimate_change: an estimate that users make before and after masking, and how far its intervals overlap.
-- Gives: domain VARCHAR or NULL, term VARCHAR or NULL, records_before BIGINT or NULL, records_after BIGINT or NULL, before DOUBLE or NULL,
--   error_before DOUBLE or NULL, after DOUBLE or NULL, error_after DOUBLE or NULL, difference DOUBLE or NULL,
--   relative_change DOUBLE or NULL (more loss), shift DOUBLE or NULL (more loss), overlap DOUBLE or NULL (less loss, best 1).
-- Rows: each domain and term.
-- Words: overlap: least overlap of the confidence intervals before and after; relative_change: greatest relative change of the estimate;
--   shift: greatest change of the estimate, in standard errors.
-- Result: EstimateChange. An estimate before and after, and the overlap of its intervals. `domain`: the values of the domains, NULL for all
--   records; `term`: the category or the coefficient; `relative_change`, `shift`: the size of the difference as a part of the estimate
--   before, and of its standard error.
-- Raises: WeightError where a weight is NULL, zero or negative; ColumnError where a variable that has to be numeric is not.
-- Notes: What one of the files lacks has no figure there, and no change: limits on it do not hold.
-- Example: FROM sdc_estimate_change('persons', 'released', 'mean', 'income', domains := ['region'], weight := 'w');
CREATE OR REPLACE MACRO sdc_estimate_change(original, released, statistic, variable, domains := NULL, predictors := NULL, quantile := 0.5,
                                            weight := NULL, strata := NULL, cluster := NULL, confidence := 0.95) AS TABLE
    WITH sdc__before AS (
        FROM sdc__survey_estimates(original, statistic, variable, domains, predictors, quantile, weight, strata, cluster, confidence)
    ),
    sdc__after AS (
        FROM sdc__survey_estimates(released, statistic, variable, domains, predictors, quantile, weight, strata, cluster, confidence)
    )
    SELECT coalesce(sdc__b.sdc__domain, sdc__a.sdc__domain) AS domain, coalesce(sdc__b.sdc__t, sdc__a.sdc__t) AS term,
           sdc__b.sdc__n AS records_before, sdc__a.sdc__n AS records_after, sdc__b.sdc__q AS before, sdc__b.sdc__s AS error_before,
           sdc__a.sdc__q AS after, sdc__a.sdc__s AS error_after, sdc__a.sdc__q - sdc__b.sdc__q AS difference,
           sdc__part_of(sdc__a.sdc__q - sdc__b.sdc__q, sdc__b.sdc__q) AS relative_change,
           sdc__part_of(sdc__a.sdc__q - sdc__b.sdc__q, sdc__b.sdc__s) AS shift,
           sdc__interval_overlap(sdc__b.sdc__l, sdc__b.sdc__u, sdc__a.sdc__l, sdc__a.sdc__u) AS overlap
    FROM sdc__before AS sdc__b FULL JOIN sdc__after AS sdc__a
      ON sdc__by_bytes(sdc__a.sdc__domain) IS NOT DISTINCT FROM sdc__by_bytes(sdc__b.sdc__domain)
         AND sdc__by_bytes(sdc__a.sdc__t) IS NOT DISTINCT FROM sdc__by_bytes(sdc__b.sdc__t)
    ORDER BY sdc__by_bytes(domain) ASC NULLS FIRST, term <> '(intercept)' ASC, sdc__by_bytes(term) ASC;
