-- What suppression by household promises, counted anew where the records are masked beside one another and not in a table of DuckDB's
-- (sdc_sql/spark): an error where it does not hold.
--
-- The counts are those of a step in DuckDB (suppression_proof.sql and its like). tbl: the records; released: the id and the suppressed
-- keys; then the arguments of the mask. (Without columns of the household what is asked is that k households share a row, which is
-- 'identical' always.)
CREATE OR REPLACE MACRO sdc__local_suppression_held(tbl, released, keys, k, id, guarantee, importance, cost, max_share, stratum,
                                                    subset, ghosts, household, household_columns, unit) AS TABLE
    WITH sdc__by_record AS (SELECT below_identical FROM sdc__suppression_proof(tbl, released, keys, k)),
    sdc__by_household AS (
        SELECT below_identical
        FROM sdc__suppression_proof_by_household(tbl, released, keys, k, guarantee, id, household, household_columns)
    ),
    sdc__of_families AS (
        SELECT below_households
        FROM sdc__suppression_proof_of_families(tbl, released, keys, k, id, household, sdc__names_if_any(household_columns))
    ),
    sdc__not_asked AS (SELECT 0 AS below_households)
    SELECT below_identical, below_households
    FROM query_table(CASE WHEN household_columns IS NULL THEN 'sdc__by_record' ELSE 'sdc__by_household' END),
         query_table(CASE WHEN unit = 'household' THEN 'sdc__of_families' ELSE 'sdc__not_asked' END);

CREATE OR REPLACE MACRO sdc__suppress_combinations_held(tbl, released, keys, threshold, id, weight, dimension, levels, inclusive,
                                                        guarantee, combinations, importance, cost, small_weights, whole,
                                                        household_columns) AS TABLE
    SELECT sdc__p.below_wildcard
    FROM sdc__combinations_proof(tbl, released, keys, threshold, id, weight, dimension, levels, inclusive, guarantee, combinations,
                                 small_weights) AS sdc__p,
         sdc__kept_sizes(tbl, keys, id, whole, household_columns) AS sdc__s
    WHERE sdc__not_counted(sdc__p.suppressions, sdc__s.sdc__counted);

CREATE OR REPLACE MACRO sdc__suppress_risky_held(tbl, released, keys, max_risk, id, weight, household, variable, importance, cost,
                                                 small_weights, whole, household_columns) AS TABLE
    SELECT greatest_risk FROM sdc__risk_proof(tbl, released, keys, max_risk, id, weight, household, small_weights);
