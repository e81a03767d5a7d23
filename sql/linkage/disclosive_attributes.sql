-- How many original records have a sensitive value that the released file tells with certainty, and rightly.
--
--   iS     = sum (d_q | s_q > 0) / N_d                whose cell of the keys is in the released file                  (in_released)
--   Dorig  = sum (d_tq | d_tq = d_q) / N_d            disclosive in the original: all records of the cell alike      (disclosive_original)
--   Dsyn   = sum (s_tq | s_tq = s_q) / N_s            the same of the released file, of its own records               (disclosive_released)
--   DiS    = sum (d_q | s_tq = s_q for some t) / N_d  whose cell is disclosive in the released file, right or wrong   (disclosive)
--   DiSCO  = sum (d_tq | s_tq = s_q) / N_d            disclosive in the released file and correct in the original     (disco)
--   DiSDiO = sum (d_tq | s_tq = s_q, d_tq = d_q) / N_d     and disclosive in the original too                                      (disdio)
-- d and s as in attribution_cells.sql, which also says how files must be coded alike. N_d, N_s: the records of the original and of the
-- released file. Shares; the package gives them times 100. The original released as it is has DiSCO = DiS = Dsyn = Dorig.
-- Source: Raab, Nowok & Dibben (2024), Practical privacy metrics for synthetic data, arXiv:2406.16826, section 3.3 and the
--   appendix, as the vignette of the R package synthpop 1.9 has them (equations of Dorig to DiSDiO) and its function disclosure(),
--   without its exclusions. The paper itself was not at hand.
--
--   original: age sex income   released: age sex income
--             30  f   low                30  f   low
--             30  f   low                30  f   high
--             41  m   low                41  m   low
--             41  m   high               41  m   low
--             52  f   high               67  f   high
--   FROM sdc_disclosive_attributes('original', 'released', ['age', 'sex'], ['income']):
--   target records in_released disclosive_original disclosive_released disclosive disco disdio
--   income 5       0.8         0.6                 0.6                 0.4        0.2   0
--     All released men of 41 have a low income: told of two, right of one.
--
-- largest: the most original records of one value and cell that DiSCO counts: many are a sign of a value that most records have, or of a
-- relation that everybody knows (max_denom of the package).
--
-- Scope: cells.
-- Parameters:
--   original  table    the table before masking, or from which the synthetic one was made
--   released  table    the masked or synthetic table; its records need not be those of the original
--   keys      columns  the key variables
--   targets   columns  the sensitive variables, each by itself; NULL in them is a value of its own
--   nulls     'higher', 'category' or 'wildcard'  NULL in a released key is a value of its own ('category'), or agrees with every value
--       ('wildcard'); of each figure the higher of both ('higher')

-- A row a target.
-- sdc_disclosive_attributes: the share of the original's records whose sensitive value the released file tells with certainty.
-- Gives: target VARCHAR, records BIGINT, in_released DOUBLE, disclosive_original DOUBLE, disclosive_released DOUBLE (more risk),
--   disclosive DOUBLE (more risk), disco DOUBLE (more risk), disdio DOUBLE (more risk), largest BIGINT (more risk).
-- Rows: each target.
-- Result: DisclosiveAttributes. Of a target, shares of the original's records (`disclosive_released`: of the released ones), 0 to 1.
-- Raises: TableError where no value of a key or a target occurs in both tables: they were not coded alike.
-- Notes: The records need not be the original's: files of synthetic records are compared too. What was recoded must be recoded alike in the
--   original first; `in_released` is the share of its records whose keys the released file has.
-- Example: FROM sdc_disclosive_attributes('persons', 'released', ['age', 'sex'], ['region']);
-- Limit: disco. The share of the original's records whose value of this target the released file tells with certainty, and rightly.
CREATE OR REPLACE MACRO sdc_disclosive_attributes(original, released, keys, targets, nulls := 'higher') AS TABLE
    WITH sdc__cells AS (FROM sdc__attribution_cells(original, released, keys, targets, nulls)),
    sdc__sums AS (
        SELECT sdc__place, any_value(sdc__target) AS sdc__target,
               sum(CASE WHEN sdc__of THEN sdc__n ELSE 0 END)::BIGINT AS sdc__all,
               sum(CASE WHEN sdc__of THEN 0 ELSE sdc__n END)::BIGINT AS sdc__m,
               coalesce(sum(CASE WHEN sdc__of AND sdc__sq > 0 THEN sdc__n END), 0)::BIGINT AS sdc__in,
               coalesce(sum(CASE WHEN sdc__of AND sdc__n = sdc__dq THEN sdc__n END), 0)::BIGINT AS sdc__original,
               coalesce(sum(CASE WHEN NOT sdc__of AND sdc__s = sdc__sq THEN sdc__n END), 0)::BIGINT AS sdc__released,
               coalesce(sum(CASE WHEN sdc__of AND sdc__sq > 0 AND sdc__most = sdc__sq THEN sdc__n END), 0)::BIGINT AS sdc__told,
               coalesce(sum(CASE WHEN sdc__of AND sdc__s > 0 AND sdc__s = sdc__sq THEN sdc__n END), 0)::BIGINT AS sdc__right,
               coalesce(sum(CASE WHEN sdc__of AND sdc__s > 0 AND sdc__s = sdc__sq AND sdc__n = sdc__dq THEN sdc__n END),
                        0)::BIGINT AS sdc__known,
               coalesce(max(CASE WHEN sdc__of AND sdc__s > 0 AND sdc__s = sdc__sq THEN sdc__n END), 0)::BIGINT AS sdc__largest
        FROM sdc__cells GROUP BY sdc__wild, sdc__place
    )
    SELECT any_value(sdc__target) AS target, max(sdc__all) AS records, max(1e0 * sdc__in / sdc__all) AS in_released,
           max(1e0 * sdc__original / sdc__all) AS disclosive_original,
           max(1e0 * sdc__released / sdc__m) AS disclosive_released,
           max(1e0 * sdc__told / sdc__all) AS disclosive, max(1e0 * sdc__right / sdc__all) AS disco,
           max(1e0 * sdc__known / sdc__all) AS disdio, max(sdc__largest) AS largest
    FROM sdc__sums GROUP BY sdc__place ORDER BY sdc__place ASC;
