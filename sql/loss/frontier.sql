-- The risk-utility frontier: which of many candidate releases no other one beats, and which one to choose.
--
--   R2 beats R1 where risk(R2) <= risk(R1) and loss(R2) <= loss(R1), and one of them is less                          (5)
--   undominated  no candidate beats it: the frontier, from which one is chosen
--   chosen       the least loss of those whose risk is at most max_risk                                               (4)
--                or, of the frontier, the highest utility (where max_risk is given too: within it)
-- Loss is the negative of the paper's data utility. Candidates of equal risk and loss do not beat one another, and are chosen together;
-- of equal utility the lower risk is chosen. A candidate whose risk or loss is NULL or NaN was not measured: undominated is NULL, it
-- beats none, and it is never chosen; nor is one whose utility is NULL or NaN. Without max_risk and utility none is chosen; no candidate
-- within max_risk: none.
-- Source: Karr & Sanil (2004), Data quality and data confidentiality for microdata, NISS technical report 149, (4) and (5).
--
--   candidates: retention risk loss  FROM sdc_frontier('candidates', 'risk', 'loss', max_risk := 0.2):
--               1.0       0.30 0.00  retention risk loss undominated chosen
--               0.9       0.20 0.04  0.7       0.10 0.09 true        false
--               0.8       0.20 0.06  0.9       0.20 0.04 true        true
--               0.7       0.10 0.09  0.8       0.20 0.06 false       false
--                                    1.0       0.30 0.00 true        false
--
-- Scope: table.
-- Parameters:
--   candidates  table   one row a candidate, of any columns
--   risk        column  its disclosure risk: the lower the better
--   loss        column  what it loses: the lower the better
--   max_risk    number  alpha, the most risk that is allowed
--   utility     column  what the release is worth, risk and loss weighed against each other: the higher the better

CREATE OR REPLACE MACRO sdc__figure(v) AS
    CASE WHEN v IS NULL OR isnan(TRY_CAST(v AS DOUBLE)) THEN NULL
         WHEN TRY_CAST(v AS DOUBLE) IS NULL
             THEN error('ColumnError: A risk, loss or utility of a candidate is no number: give columns of numbers.')
         ELSE TRY_CAST(v AS DOUBLE) END;

CREATE OR REPLACE MACRO sdc__bound(max_risk) AS
    CASE WHEN max_risk IS NULL THEN NULL
         WHEN isfinite(TRY_CAST(max_risk AS DOUBLE)) THEN TRY_CAST(max_risk AS DOUBLE)
         ELSE error('ParameterError: max_risk is ' || max_risk::VARCHAR
                    || ': it must be a finite number, the most risk that is allowed.') END;

-- sdc_frontier: which candidate releases are undominated in risk and loss, and the one to choose.
-- Gives: every column, undominated BOOLEAN, chosen BOOLEAN.
-- Rows: candidates.
-- Example: FROM sdc_frontier('candidates', 'risk', 'loss', max_risk := 0.2);
CREATE OR REPLACE MACRO sdc_frontier(candidates, risk, loss, max_risk := NULL, utility := NULL) AS TABLE
    WITH sdc__measured AS (
        SELECT COLUMNS(sdc__without((*), ['undominated', 'chosen'])), sdc__figure(COLUMNS(sdc__columns((*), [risk]))) AS sdc__r,
               sdc__figure(COLUMNS(sdc__columns((*), [loss]))) AS sdc__l,
               CASE WHEN utility IS NOT NULL
                        THEN sdc__figure(COLUMNS(sdc__columns((*), [coalesce(utility::VARCHAR, risk)]))) END AS sdc__u,
               sdc__bound(max_risk) AS sdc__most
        FROM sdc__rows(candidates)
    ),
    sdc__known AS (SELECT *, sdc__r IS NOT NULL AND sdc__l IS NOT NULL AS sdc__both FROM sdc__measured),
    -- none of no more risk loses less, and none that loses as much has less risk
    sdc__compared AS (
        SELECT *,
               CASE WHEN sdc__both THEN sdc__l = min(sdc__l) OVER (PARTITION BY sdc__both ORDER BY sdc__r ASC)
                                        AND sdc__r = min(sdc__r) OVER (PARTITION BY sdc__both, sdc__l) END AS undominated
        FROM sdc__known
    ),
    sdc__allowed AS (
        SELECT *,
               coalesce(undominated AND CASE WHEN max_risk IS NULL THEN utility IS NOT NULL ELSE sdc__r <= sdc__most END
                        AND (utility IS NULL OR sdc__u IS NOT NULL),
                        false) AS sdc__may
        FROM sdc__compared
    )
    SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')),
           sdc__may
           AND rank() OVER (PARTITION BY sdc__may
                            ORDER BY CASE WHEN utility IS NULL THEN -sdc__l ELSE sdc__u END DESC, sdc__r ASC, sdc__l ASC)
               = 1 AS chosen
    FROM sdc__allowed
    ORDER BY sdc__r ASC NULLS LAST, sdc__l ASC NULLS LAST;
