-- Dominance: totals, of the cells that a file lets one compute, that tell what one unit contributes to them.
--
--   X = sum w_i x_i of a cell, the greatest contributions first: x_1 >= x_2 >= ..., each counted w_i times (w_i = 1 without weights)
--   (n, k) rule   the n greatest contribute more than a share k of X                     dominated
--   p% rule       X - x_1 - x_2 < p x_1: who contributes x_2 knows x_1 to within p        estimable
-- A firm is found by its size, not by its keys: k of them may be alike and one of them nearly the whole total. Of a cell of one unit the
-- total is its value, of a cell of two each knows the other's: both rules say so.
-- Source: Cox (1981), Linear sensitivity measures in statistical disclosure control, Journal of Statistical Planning and Inference 5,
--   153-164; Robertson & Ethier (2002), Cell suppression: experience and theory, LNCS 2316, 8-20 (both rules). SDC handbook, sections
--   3.2.3 and 3.8.2, say why of firms (largest units, found by size).
--
--   firms: activity turnover   sdc_dominance('firms', ['activity'], 'turnover', n := 1, share := 0.8, p := 0.1):
--          food     900        records cells dominated estimable unsafe unsafe_records
--          food     60         8       3     2         2         2      5
--          food     25
--          food     15
--          wood     40
--          wood     35
--          wood     30
--          mines    70
-- (Of food 900 of 1,000, and 40 is less than a tenth of 900; of the one mine all is known.)
--
-- With weights, where a record stands for several units, its contribution is that of as many alike ones: of a sample the total tells
-- less. A weight of 1 says that the unit alone stands there, as the largest do. A record is a unit: of a firm that has several records
-- (its establishments) sum these up before, or each counts as another's and the firm seems smaller. Contributions that are NULL are in no
-- total that the file gives, and none of these; negative ones are an error: dominance is of parts of a whole. A cell is a combination of
-- all keys, NULL one of the values; a margin (fewer keys) whose total is estimable by p% has a cell that is. Ties are no excess: a share
-- of exactly k is not dominated. The rules of a house are seldom published: what a public report says of them tells where totals were
-- left alone.
--
-- Scope: cells.
-- Not compiled: contributions are ordered within cells by lists; measure the table in DuckDB.
-- Parameters:
--   tbl     table                     the table, view, common table expression or file
--   keys    columns                   the key variables, whose cells have totals
--   value   column                    the contributions: turnover, employees, expenditure
--   n       whole number in [1, 100]  of how many of the greatest contributions the share is taken
--   share   number in (0, 1)          k of the (n, k) rule: a greater share of the total dominates
--   p       number in (0, 1)          p of the p% rule: to within this share of it the greatest contribution must not be known
--   weight  column or number          expansion weights

-- A row a cell: sdc__key, its records, total, greatest contribution, and the sums of the two and of the n greatest (each in a fixed order).
CREATE OR REPLACE MACRO sdc__dominated_cells(tbl, keys, value, n, weight) AS TABLE
    WITH sdc__known AS (
        SELECT struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__key,
               sdc__finite_number(COLUMNS(sdc__columns((*), [value]))) AS sdc__x,
               CASE WHEN weight IS NULL THEN 1e0
                    ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__w
        FROM sdc__exact_rows(tbl, codes := keys)
    ),
    sdc__checked AS (
        SELECT sdc__key, sdc__w,
               CASE WHEN sdc__x >= 0 THEN sdc__x
                    ELSE error('ColumnError: ' || value || ' has values below 0: dominance is of parts of a whole.') END AS sdc__x
        FROM sdc__known
        WHERE sdc__x IS NOT NULL
    ),
    sdc__placed AS (
        SELECT *, coalesce(sum(sdc__w) OVER (PARTITION BY sdc__key ORDER BY sdc__x DESC, sdc__w DESC
                                             ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS sdc__before
        FROM sdc__checked
    ),
    sdc__asked AS (SELECT sdc__checked_whole(n, 'n', 1, most := 100)::DOUBLE AS sdc__n)
    SELECT sdc__key, count(*) AS sdc__records, max(sdc__x) AS sdc__largest,
           list_sum(list(sdc__x * sdc__w ORDER BY sdc__x DESC, sdc__w DESC)) AS sdc__total,
           list_sum(list(sdc__x * least(sdc__w, 2 - sdc__before) ORDER BY sdc__x DESC, sdc__w DESC) FILTER (sdc__before < 2)) AS sdc__two,
           list_sum(list(sdc__x * least(sdc__w, sdc__n - sdc__before) ORDER BY sdc__x DESC, sdc__w DESC)
                    FILTER (sdc__before < sdc__n)) AS sdc__top
    FROM sdc__placed, sdc__asked
    GROUP BY sdc__key;

-- The share of the greatest, what is left beside the two greatest in parts of the greatest, and whether a rule says that it is too much.
-- (A total of 0 has no parts. The last digits decide nothing.)
CREATE OR REPLACE MACRO sdc__judged_cells(tbl, keys, value, n, share, p, weight) AS TABLE
    WITH sdc__cells AS (FROM sdc__dominated_cells(tbl, keys, value, n, weight)),
    sdc__limits AS (
        SELECT sdc__checked_fraction_of(share, 'share', share) AS sdc__share, sdc__checked_fraction_of(p, 'p', p) AS sdc__p
    )
    SELECT sdc__cells.*, CASE WHEN sdc__total > 0 THEN least(sdc__top / sdc__total, 1) ELSE 0 END AS sdc__top_share,
           CASE WHEN sdc__total > 0 THEN greatest(sdc__total - sdc__two, 0) / sdc__largest END AS sdc__remainder,
           sdc__total > 0 AND sdc__top > sdc__share * sdc__total * (1 + 1e-12) AS sdc__dominated,
           sdc__total > 0 AND sdc__total - sdc__two < sdc__p * sdc__largest * (1 - 1e-12) AS sdc__estimable
    FROM sdc__cells, sdc__limits;

-- sdc_dominance: the cells whose totals tell too much of one unit, by the (n, k) rule and by the p% rule.
-- Gives: records BIGINT, cells BIGINT, dominated BIGINT (more risk), estimable BIGINT (more risk), unsafe BIGINT (more risk),
--   unsafe_records BIGINT (more risk).
-- Rows: one.
-- Words: dominated: cells that a few units dominate (n, k); estimable: cells whose largest unit can be estimated (p%); unsafe: cells whose
--   total tells too much of one unit; unsafe_records: records in cells whose total tells too much of one unit.
-- Result: Dominance. The cells that are dominated or estimable, beside all cells, and their records.
-- Notes: NULL in a key is a value of its own, however the table was described.
-- Raises: ColumnError where a contribution is negative or no number; TableError where there is none.
-- Example: FROM sdc_dominance('persons', ['region'], 'income');
CREATE OR REPLACE MACRO sdc_dominance(tbl, keys, value, n := 2, share := 0.85, p := 0.1, weight := NULL) AS TABLE
    WITH sdc__counted AS (
        SELECT sum(sdc__records)::BIGINT AS records, count(*) AS cells, count(*) FILTER (sdc__dominated) AS dominated,
               count(*) FILTER (sdc__estimable) AS estimable, count(*) FILTER (sdc__dominated OR sdc__estimable) AS unsafe,
               coalesce(sum(sdc__records) FILTER (sdc__dominated OR sdc__estimable), 0)::BIGINT AS unsafe_records
        FROM sdc__judged_cells(tbl, keys, value, n, share, p, weight)
    )
    FROM sdc__counted
    WHERE CASE WHEN cells > 0 THEN true
               ELSE error('TableError: ' || value || ' is NULL in all records of ' || tbl || ': there is no total to be told of.') END;

-- sdc_dominance_cells: each cell with its total, the share of its n greatest contributions, and what both rules say of it.
-- remainder: what is left of the total beside the two greatest contributions, in parts of the greatest (p% fails where it is below p).
-- Gives: the key columns, records BIGINT, total DOUBLE, top_share DOUBLE (more risk), remainder DOUBLE or NULL (less risk),
--   dominated BOOLEAN, estimable BOOLEAN.
-- Rows: cells.
-- Result: relation. A row a cell with a contribution; remainder is NULL where the total is 0.
-- Notes: It holds totals of few units: it is for the owner of the data.
-- Raises: ColumnError where a contribution is negative or no number.
-- Example: FROM sdc_dominance_cells('persons', ['region'], 'income');
CREATE OR REPLACE MACRO sdc_dominance_cells(tbl, keys, value, n := 2, share := 0.85, p := 0.1, weight := NULL) AS TABLE
    SELECT COLUMNS(sdc__without((*), ['records', 'total', 'top_share', 'remainder', 'dominated', 'estimable'])), sdc__records AS records,
           sdc__total AS total, sdc__top_share AS top_share, sdc__remainder AS remainder, sdc__dominated AS dominated,
           sdc__estimable AS estimable
    FROM (SELECT unnest(sdc__key), COLUMNS(lambda c: starts_with(c, 'sdc__') AND c <> 'sdc__key')
          FROM sdc__judged_cells(tbl, keys, value, n, share, p, weight));
