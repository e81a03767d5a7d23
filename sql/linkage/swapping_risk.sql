-- The risk that is left after data swapping: true records in small cells of the released file.
--
--   DR = the number of unswapped records in the cells C_1, C_2 of D_post, with 1 and 2 records / the number of unswapped records    (1)
-- D_post: the contingency table of all attributes of the released file. A record is unswapped where it has its original values in all
-- swapped attributes: one that got the values of a partner like itself counts, since what an intruder finds of it is true.
-- NULL is a category of its own; categories are compared by their texts, so what was recoded after the swap must be recoded alike in the
-- original first: a swapped attribute without a value in both tables is an error. Where every record is swapped DR is 0.
-- Source: Karr & Sanil, The risk-utility approach to statistical disclosure limitation, (1); Gomatam, Karr & Sanil (2005), Data swapping as
--   a decision problem, Journal of Official Statistics 21, 635-655 (the n-rule).
--
--   original: id sex region  released: id sex region
--             1  f   north             1  f   north
--             2  f   north             2  f   north
--             3  f   north             3  f   south
--             4  m   south             4  m   south
--             5  m   south             5  m   north
--             6  m   south             6  m   south
--             7  m   east              7  m   east
--             8  f   north             8  f   north
--   FROM sdc_swapping_risk('original', 'released', ['sex', 'region'], 'id', swapped := ['region']):
--   unswapped unswapped_in_ones unswapped_in_twos risk
--   6         1                 2                 0.5
--     3 and 5 were swapped; released cells: (f, north) 3, (f, south) 1,
--     (m, north) 1, (m, south) 2, (m, east) 1. Unswapped in cells of 1:
--     record 7; of 2: 4 and 6; (1 + 2) / 6
--
-- Scope: cells.
-- Parameters:
--   original   table                     the table before swapping
--   released   table                     the table after it
--   columns    columns                   the attributes of the contingency table: all categorical ones of the file
--   id         column                    identifies each record in both
--   swapped    columns                   those of them that were swapped; without it, all
--   threshold  whole number in [1, ...)  the most records of a small cell

CREATE OR REPLACE MACRO sdc__swapped_columns(swapped, columns) AS
    CASE WHEN len(list_filter(sdc__names_if_any(swapped), lambda n: sdc__is_among(n, columns))) > 0 THEN swapped ELSE columns END;

-- The columns of the released file (cell), and those that were swapped before and after, as lists.
CREATE OR REPLACE MACRO sdc__swapped_cells(sides, id, chosen) AS TABLE
    SELECT sdc__cell, sum(sdc__n)::BIGINT AS sdc__f, coalesce(sum(sdc__n) FILTER (sdc__before = sdc__after), 0)::BIGINT AS sdc__kept
    FROM (SELECT sdc__n, [*COLUMNS(lambda c: starts_with(c, 'sdc__r_'))] AS sdc__cell,
                 [*COLUMNS(lambda c: starts_with(c, 'sdc__o_') AND sdc__is_among(substr(c, 15), chosen))] AS sdc__before,
                 [*COLUMNS(lambda c: starts_with(c, 'sdc__r_') AND sdc__is_among(substr(c, 15), chosen))] AS sdc__after
          FROM sdc__paired_cells(sides, id))
    GROUP BY sdc__cell;

-- cells_of_one, cells_of_two: the released cells of that size; unswapped_in_small: unswapped records in cells of up to
-- `threshold`; risk: of all unswapped.
-- sdc_swapping_risk: the share of the unswapped records that lie in small cells of the released file.
-- Gives: records BIGINT, unswapped BIGINT (more risk), cells_of_one BIGINT, cells_of_two BIGINT, unswapped_in_ones BIGINT (more risk),
--   unswapped_in_twos BIGINT (more risk), threshold BIGINT, unswapped_in_small BIGINT (more risk), risk DOUBLE (more risk).
-- Rows: one.
-- Result: SwappingRisk. The share (`risk`) of the unswapped records that lie in released cells of up to `threshold` records. `cells_of_one`
--   and `cells_of_two`: the released cells of that size; `unswapped_in_ones` and `unswapped_in_twos`: the unswapped records in them.
-- Notes: A record is unswapped where it has its original values in all swapped columns.
-- Example: FROM sdc_swapping_risk('persons', 'released', ['age', 'sex', 'region'], 'id', swapped := ['region']);
-- Limit: risk. The share of the unswapped records that lie in small cells.
CREATE OR REPLACE MACRO sdc_swapping_risk(original, released, columns, id, swapped := NULL, threshold := 2) AS TABLE
    WITH sdc__both AS NOT MATERIALIZED (FROM sdc__both_labels(original, released, columns, id)),
    sdc__exchanged AS (
        SELECT DISTINCT sdc__first,
                        COLUMNS(lambda c: starts_with(c, 'sdc__x_')
                                          AND sdc__is_among(substr(c, 8), sdc__swapped_columns(swapped, columns)))
        FROM sdc__both
    ),
    sdc__sums AS (
        SELECT sum(sdc__f)::BIGINT AS records, sum(sdc__kept)::BIGINT AS unswapped,
               count(*) FILTER (sdc__f = 1) AS cells_of_one, count(*) FILTER (sdc__f = 2) AS cells_of_two,
               coalesce(sum(sdc__kept) FILTER (sdc__f = 1), 0)::BIGINT AS unswapped_in_ones,
               coalesce(sum(sdc__kept) FILTER (sdc__f = 2), 0)::BIGINT AS unswapped_in_twos,
               any_value(sdc__most) AS threshold, coalesce(sum(sdc__kept) FILTER (sdc__f <= sdc__most), 0)::BIGINT AS unswapped_in_small
        FROM sdc__swapped_cells('sdc__both', id, sdc__swapped_columns(swapped, columns)),
             (SELECT sdc__wrong FROM sdc__coded_alike('sdc__exchanged') WHERE sdc__wrong = 0) AS sdc__alike,
             (SELECT sdc__checked_whole(threshold, 'threshold', 1) AS sdc__most WHERE len(sdc__some_of(swapped, columns, 'swapped')) >= 0)
    )
    SELECT *, CASE WHEN unswapped > 0 THEN 1e0 * unswapped_in_small / unswapped ELSE 0 END::DOUBLE AS risk FROM sdc__sums;
