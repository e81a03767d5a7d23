-- How many records that are unique in the original, by the keys, are unique in the released file too.
--
--   UiO   = sum (d_q | d_q = 1) / N_d               unique in the original                                             (unique_original)
--   UiS   = sum (s_q | s_q = 1) / N_s               unique in the released file, of its own records                    (unique_released)
--   UiOiS = sum (d_q | d_q = 1, s_q > 0) / N_d      unique in the original and found in the released file              (found)
--   repU  = sum (d_q | d_q = 1, s_q = 1) / N_d      unique in both: the replicated uniques                             (replicated)
-- d and s as in attribution_cells.sql, which also says how files must be coded alike. Shares; the package gives them times 100.
-- The original released as it is has all of them equal.
-- Source: Raab, Nowok & Dibben (2024), Practical privacy metrics for synthetic data, arXiv:2406.16826, section 3.2 and the
--   appendix, (1) to (4) in the vignette of the R package synthpop 1.9; the paper itself was not at hand. The vignette prints UiS
--   and UiOiS with other conditions in the appendix than it describes in section 3.2; they are here as described there, and as its
--   function disclosure() reckons them.
--
--   original: age sex   released: age sex   FROM sdc_replicated_uniques('original', 'released', ['age', 'sex']):
--             30  f               30  f     records in_released unique_original unique_released found replicated
--             30  f               41  m     4       1           0.5             0.5             0.5   0.25
--             41  m               52  f
--             52  f               52  f       Only the man of 41 is unique in both.
--
-- Scope: cells.
-- Parameters:
--   original  table    the table before masking, or from which the synthetic one was made
--   released  table    the masked or synthetic table; its records need not be those of the original
--   keys      columns  the key variables

-- in_released: the share of the original's records whose cell of the keys the released file has.
-- sdc_replicated_uniques: the share of the original's records that are unique in it and in the released file.
-- Gives: records BIGINT, in_released DOUBLE, unique_original DOUBLE, unique_released DOUBLE (more risk), found DOUBLE (more risk),
--   replicated DOUBLE (more risk).
-- Rows: one.
-- Result: ReplicatedUniques. Shares of the original's records (`unique_released`: of the released ones), 0 to 1.
-- Raises: TableError where no value of a key occurs in both tables: they were not coded alike.
-- Wildcards: refused.
-- Notes: The records need not be the original's: files of synthetic records are compared too. What was recoded must be recoded alike in the
--   original first; `in_released` is the share of its records whose keys the released file has.
-- Example: FROM sdc_replicated_uniques('persons', 'released', ['age', 'sex']);
-- Limit: replicated. The share of the original's records that are unique in it and in the released file.
CREATE OR REPLACE MACRO sdc_replicated_uniques(original, released, keys) AS TABLE
    WITH sdc__files AS MATERIALIZED (FROM sdc__two_files(original, released, keys)),
    sdc__cells AS (
        SELECT COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sum(CASE WHEN sdc__first THEN sdc__records ELSE 0 END)::BIGINT AS sdc__d,
               sum(CASE WHEN sdc__first THEN 0 ELSE sdc__records END)::BIGINT AS sdc__s
        FROM sdc__files, (FROM sdc__coded_alike('sdc__files')) AS sdc__alike
        WHERE sdc__wrong = 0 GROUP BY ALL
    ),
    sdc__sums AS (
        SELECT sum(sdc__d)::BIGINT AS sdc__n, sum(sdc__s)::BIGINT AS sdc__m,
               coalesce(sum(CASE WHEN sdc__s > 0 THEN sdc__d END), 0)::BIGINT AS sdc__in,
               count(CASE WHEN sdc__d = 1 THEN 1 END) AS sdc__o, count(CASE WHEN sdc__s = 1 THEN 1 END) AS sdc__r,
               count(CASE WHEN sdc__d = 1 AND sdc__s > 0 THEN 1 END) AS sdc__f,
               count(CASE WHEN sdc__d = 1 AND sdc__s = 1 THEN 1 END) AS sdc__u
        FROM sdc__cells
    )
    SELECT sdc__n AS records, 1e0 * sdc__in / sdc__n AS in_released, 1e0 * sdc__o / sdc__n AS unique_original,
           1e0 * sdc__r / sdc__m AS unique_released,
           1e0 * sdc__f / sdc__n AS found, 1e0 * sdc__u / sdc__n AS replicated
    FROM sdc__sums;
