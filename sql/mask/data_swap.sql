-- Data swapping: some columns exchanged, as a whole, between pairs of records that are drawn.
--
--   columns    the swapped attributes: a pair exchanges all of them together
--   rate       the share of the records that are exchanged, two by two
--   equal      unswapped attributes in which partners agree (so that nothing is swapped across regions, say)
--   different  attributes in each of which partners differ; of a swapped one: each exchange then changes it
-- Source: Karr & Sanil, The risk-utility approach to statistical disclosure limitation, section 3 (Data Swapping); Dalenius & Reiss (1982),
--   Journal of Statistical Planning and Inference 6, 73-85; Gomatam, Karr & Sanil (2005), Journal of Official Statistics 21, 635-655;
--   SDC handbook, section 3.4.2.4.
--
--   persons: id sex region     sdc_data_swap('persons', ['region'], 0.5, 'id', equal := ['sex'])    id sex region
--            1  f   north      exchanges 1 and 3, say:                                              1  f   south
--            2  m   north                                                                           2  m   north
--            3  f   south                                                                           3  f   north
--            4  m   south                                                                           4  m   south
--
-- Kept exactly: the joint table of the swapped columns, that of all others, and that of the swapped with the `equal` ones. Not kept: every
-- table of a swapped with another column, by as much as the rate. The handbook: data swapping was made for categories, and to keep
-- low-order tables; here the tables are kept that the choice of columns keeps, and no others.
-- Partners are drawn whatever their values, so a pair may agree in what it exchanges: it counts as swapped, and what is released of it is
-- true (sdc_swapping_risk counts it so). `different` of a swapped column rules that out; at a high rate, in a column of two values, all
-- would then be turned round, and could be turned back.
-- Who is swapped hangs on the record's own draw, on its id and its swapped values: nightly releases swap nearly the same records;
-- partners change with the file. In two releases at other rates or constraints other records are swapped: what differs between them was
-- swapped in one. Release a file once. No more pairs can be found than the constraints allow: fewer than the rate asks for is an error,
-- or is counted (shortfall := 'report'). After it a count of uniques or of records below k takes every record for true: the risk that is
-- left is that of sdc_swapping_risk.
--
-- Scope: table.
-- Keeps: the joint table of the swapped columns and that of all other columns, exactly; not those between them.
-- Users: Counts of each swapped column by itself are exact. Its relations with other columns come out too weak, by how much is not told.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Loss: withheld (from it follows the rate, by which an intruder reckons how likely a record is the true one).
-- Told: nothing.
-- Repeated: once (partners are others in another file, and the difference of two releases' sets of values is that of the newcomers).
-- Series: values (what is new is swapped among itself, where each value may go to ten others, else it waits; the values of a batch are
--   told, and who knows all but one of them knows that one).
-- Matrix: unknown (who was swapped is not in the log).
-- Households: as one record.
-- Parameters:
--   tbl        table                 the table, view, common table expression or file
--   columns    columns               the columns that are swapped, all together
--   rate       number in (0, 1]      the share of the records that are swapped (rounded up to whole pairs)
--   id         column                identifies each record
--   equal      columns               other columns, in which two partners have the same values (NULL a value)
--   different  columns               columns in each of which two partners have different values (NULL a value)
--   shortfall  'refuse' or 'report'  where fewer partners are found than the rate asks for: an error, or as many as there are
--   stream     text                  names the pass of draws; give another one to mask a column a second time
--   release    text                  names the release; give another one for independent draws

-- The columns that pairs are drawn by, none of them twice.
CREATE OR REPLACE MACRO sdc__swap_roles(columns, equal, different) AS CASE
    WHEN len(list_filter(sdc__names_if_any(equal), lambda n: sdc__is_among(n, columns))) > 0
        THEN error('ColumnError: equal names '
                   || sdc__quoted(list_filter(sdc__names(equal), lambda n: sdc__is_among(n, columns)))
                   || ', which is swapped: partners who agree in it would change nothing.')
    WHEN len(list_filter(sdc__names_if_any(equal), lambda n: sdc__is_among(n, sdc__names_if_any(different)))) > 0
        THEN error('ColumnError: ' || sdc__quoted(list_filter(sdc__names(equal), lambda n: sdc__is_among(n, different)))
                   || ' stands in equal and in different: partners cannot both agree and differ in it.')
    ELSE true END;

CREATE OR REPLACE MACRO sdc__swap_units(tbl, columns, rate, id, equal, different, stream, release) AS TABLE
    WITH sdc__drawn AS MATERIALIZED (
        SELECT row_number() OVER () AS sdc__unit, sdc__id, struct_pack(*COLUMNS(sdc__to_mask((*), columns, id))) AS sdc__x,
               sdc__within_value(equal, COLUMNS(sdc__within((*), equal))) AS "sdc__g_\0",
               dense_rank() OVER (ORDER BY sdc__within_value(
                                      different, COLUMNS(sdc__within((*), different))) ASC NULLS FIRST) AS "sdc__p_\0",
               sdc__canonical(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__t_\0", sdc__subkey
        FROM sdc__identified_at_once(tbl, id, 370,
                                     codes := list_concat(sdc__names(columns), sdc__names(equal), sdc__names(different)),
                                     compared := list_concat(sdc__names(equal), sdc__names(different))),
             (SELECT sdc__subkey(sdc__secret_key(), release, stream, 'data swap', sdc__how, sdc__columns_part(columns)) AS sdc__subkey
              FROM (SELECT sdc__joined_parts([sdc__canonical_number(TRY_CAST(rate AS DOUBLE)), sdc__columns_part(equal),
                                              sdc__columns_part(different)]) AS sdc__how)
              WHERE sdc__swap_roles(columns, equal, different))
    ),
    sdc__grouped AS (
        SELECT sdc__unit, sdc__id, sdc__x, row(*COLUMNS(lambda c: starts_with(c, 'sdc__g_'))) AS sdc__same,
               sdc__digest(sdc__subkey, sdc__checked_id(sdc__id),
                           sdc__joined(struct_keys(sdc__x), [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))])) AS sdc__d,
               CASE WHEN coalesce(len(sdc__names(different)), 0) = 0 THEN []
                    ELSE [*COLUMNS(lambda c: starts_with(c, 'sdc__p_'))] END::BIGINT[] AS sdc__codes
        FROM sdc__drawn
    )
    SELECT sdc__unit, sdc__id, sdc__x,
           [sdc__uniform_of(sdc__d, 1), sdc__uniform_of(sdc__d, 2), sdc__uniform_of(sdc__d, 3)] AS sdc__draws,
           [dense_rank() OVER (ORDER BY sdc__same ASC NULLS FIRST)] AS sdc__alike,
           [list_transform(sdc__codes, lambda c, i: c * len(sdc__codes) + i)] AS sdc__apart, 0 AS sdc__need
    FROM sdc__grouped;

-- Each record with the number of its partner, NULL where it is not swapped, and what was asked.
CREATE OR REPLACE MACRO sdc__swapped_units(tbl, columns, rate, id, equal, different, stream, release) AS TABLE
    WITH sdc__units AS MATERIALIZED (FROM sdc__swap_units(tbl, columns, rate, id, equal, different, stream, release)),
    sdc__asked AS MATERIALIZED (SELECT sdc__pairs_asked(rate, count(*), 'record') AS sdc__asked FROM sdc__units),
    sdc__both AS MATERIALIZED (FROM sdc__swap_pairs('sdc__units', 'sdc__asked'))
    SELECT sdc__o.sdc__id, sdc__o.sdc__x AS sdc__own, sdc__p.sdc__id AS sdc__partner, sdc__p.sdc__x,
           sdc__p.sdc__unit IS NOT NULL AS sdc__swapped, sdc__asked.sdc__asked
    FROM sdc__units AS sdc__o
    LEFT JOIN sdc__both ON sdc__o.sdc__unit = sdc__a
    LEFT JOIN sdc__units AS sdc__p ON sdc__p.sdc__unit = sdc__b, sdc__asked;

CREATE OR REPLACE MACRO sdc__data_swap(tbl, columns, rate, id, equal, different, shortfall, stream, release) AS TABLE
    WITH sdc__done AS MATERIALIZED (FROM sdc__swapped_units(tbl, columns, rate, id, equal, different, stream, release))
    SELECT sdc__id, unnest(CASE WHEN sdc__swapped THEN sdc__x ELSE sdc__own END)
    FROM sdc__done,
         (SELECT sdc__swaps_enough(shortfall, any_value(sdc__asked), count(*) FILTER (sdc__swapped) // 2, 0,
                                   'records') AS sdc__enough
          FROM sdc__done)
    WHERE sdc__enough;

-- Of a batch of a series: how many partners each record may have at the least, in its cell of `equal` those that differ in each of
-- `different`; and whether somebody in its cell has fewer than ten (that whole cell waits: who has few tells his value by waiting).
CREATE OR REPLACE MACRO sdc__data_swap_batch(tbl, columns, rate, id, equal, different, shortfall, stream, release) AS TABLE
    WITH sdc__units AS MATERIALIZED (FROM sdc__swap_units(tbl, columns, rate, id, equal, different, stream, release)),
    sdc__coded AS (SELECT sdc__id, sdc__alike, unnest(list_append(sdc__apart[1], -1)) AS sdc__code FROM sdc__units),
    sdc__alike_ones AS (
        SELECT sdc__id, sdc__alike, sdc__code = -1 AS sdc__whole, count(*) OVER (PARTITION BY sdc__alike, sdc__code) AS sdc__m
        FROM sdc__coded
    ),
    sdc__each AS (
        SELECT sdc__id, sdc__alike, max(sdc__m) FILTER (sdc__whole) AS sdc__n,
               max(sdc__m) FILTER (sdc__whole) - coalesce(sum(sdc__m) FILTER (NOT sdc__whole), 1) AS sdc__others
        FROM sdc__alike_ones GROUP BY sdc__id, sdc__alike
    ),
    sdc__found AS (
        SELECT sdc__id, sdc__alike, sdc__n, greatest(min(sdc__others) OVER (PARTITION BY sdc__alike), 0)::BIGINT AS sdc__least
        FROM sdc__each
    ),
    sdc__cells AS (SELECT DISTINCT sdc__alike, sdc__n, sdc__least FROM sdc__found WHERE sdc__least >= 10),
    -- all wait where fewer pairs can be made of the cells that do not than the rate asks for, but for one of each cell
    sdc__short AS (
        SELECT coalesce(sum(least(sdc__n // 2, sdc__least))
                        < sdc__pairs_asked(rate, greatest(sum(sdc__n), 2), 'record') - count(*), false) AS sdc__few
        FROM sdc__cells
    )
    SELECT sdc__id, sdc__n AS records, sdc__least AS partners, sdc__least < 10 OR sdc__few AS waits
    FROM sdc__found, sdc__short
    WHERE CASE WHEN shortfall = 'refuse' THEN true
               ELSE error('ParameterError: In a series of releases shortfall must be ''refuse'': who finds no partner is seen as'
                          || ' he is.') END;

-- sdc_data_swap: columns exchanged as a whole between pairs of records that are drawn.
-- Example: FROM sdc_data_swap('persons', ['region'], 0.5, 'id', different := ['region']);
CREATE OR REPLACE MACRO sdc_data_swap(tbl, columns, rate, id, equal := NULL, different := NULL, shortfall := 'refuse',
                                      stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__data_swap(tbl, columns, rate, id, equal, different, shortfall, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');

-- Who exchanged with whom, for the data holder alone: whoever has it undoes the swap. Taken of the original table, with the arguments of
-- the swap. partner: NULL where the record keeps its own values.
-- sdc_data_swap_partners: each record's partner in a data swap; confidential.
-- Gives: id ANY, partner ANY, changed BOOLEAN.
-- Rows: records.
-- Example: FROM sdc_data_swap_partners('persons', ['region'], 0.5, 'id', different := ['region']);
CREATE OR REPLACE MACRO sdc_data_swap_partners(tbl, columns, rate, id, equal := NULL, different := NULL, stream := NULL,
                                               release := '') AS TABLE
    SELECT sdc__id AS id, sdc__partner AS partner, sdc__swapped AND sdc__x IS DISTINCT FROM sdc__own AS changed
    FROM sdc__swapped_units(tbl, columns, rate, id, equal, different, stream, release);

-- What the step says of it.
CREATE OR REPLACE MACRO sdc__data_swap_asked(tbl, rate) AS TABLE
    SELECT asked, asked AS swapped FROM (SELECT 2 * sdc__pairs_asked(rate, count(*), 'record') AS asked FROM sdc__rows(tbl));
CREATE OR REPLACE MACRO sdc__data_swap_counts(tbl, columns, rate, id, equal, different, stream, release) AS TABLE
    SELECT any_value(2 * sdc__asked)::BIGINT AS asked, count(*) FILTER (sdc__swapped) AS swapped
    FROM sdc__swapped_units(tbl, columns, rate, id, equal, different, stream, release);
