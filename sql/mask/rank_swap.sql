-- Rank swapping: values exchanged in pairs between records whose ranks differ by at most p percent.
-- Source: SDC handbook, section 3.4.2.4; Moore (1996).
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_rank_swap('persons', 'income', 5, 'id');
--
-- One column of any type that can be ordered (ENUM in its own order). Equal values are ranked by a draw. NULL and
-- NaN stay where they are. The values as a whole are kept exactly.
--
-- Values are swapped from the highest down, so one new record draws anew nearly all that lie below it: releases of a file that changes
-- are independent, and average. Known within p/10 percent of the ranks (4,000 records, p = 5, tests/mask/test_nightly.py): by one
-- release 7 % of the records; by ten nightly ones, 1 % of the records new each night, 65 % (each night the true rank lies within p
-- percent of the released one: what all nights allow). Release a file once.
--
-- Scope: table.
-- Keeps: the values of the column as a whole, exactly.
-- Users: The distribution of each column by itself is exact. Its relations with other columns come out too weak, and domains too much
--   alike.
-- Values: numbers.
-- Bits: exact.
-- Coarsens: no.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (below a new value all are swapped anew, and the difference of two releases' sets of values is that of the newcomers).
-- Series: values (what is new is swapped among itself, where each value may go to ten others, else it waits; the values of a batch are
--   told, and who knows all but one of them knows that one).
-- Strata: apart.
-- Households: as one record.
-- Publicly: values exchanged between records of near ranks.
-- Parameters:
--   tbl          table                       the table, view, common table expression or file
--   column_name  column                      the column to mask; of any type that can be ordered
--   p            number in (0, 100] or NULL  how far the ranks of two swapped values may lie apart, in percent of the stratum's values
--   correlation  number in (0, 1)            in place of p: the least correlation of the column, a number, with its swapped self
--   id           column                      identifies each record
--   stratum      column                      a column within whose values values are swapped
--   stream       text                        names the pass of draws; give another one to mask a column a second time
--   release      text                        names the release; give another one for independent draws

-- The records of each stratum as lists, their values in ascending order; those that stay as they are apart.
CREATE OR REPLACE MACRO sdc__rank_swap_ordered(tbl, columns, id, p, correlation, stratum, stream, release) AS TABLE
    WITH sdc__records AS (
        SELECT sdc__id,
               sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
               COLUMNS(sdc__to_mask((*), columns, id)) AS sdc__x,
               CASE WHEN correlation IS NULL THEN 0 ELSE sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) END AS sdc__d,
               sdc__digest(sdc__subkeys[sdc__folded(columns[1])], sdc__checked_id(sdc__id),
                           sdc__part(sdc__canonical(COLUMNS(sdc__to_mask((*), columns, id))))) AS sdc__drawn
        FROM sdc__identified_at_once(tbl, id, 140, codes := [stratum]),
             sdc__column_subkeys(columns, release, stream, 'rank swap',
                                 concat(sdc__part(sdc__canonical_number(sdc__checked_number(p, 'p'))),
                                        sdc__part(sdc__canonical_number(sdc__checked_number(correlation, 'correlation')))))
    ),
    sdc__marked AS (
        SELECT *, sdc__uniform_of(sdc__drawn, 1) AS sdc__u, sdc__uniform_of(sdc__drawn, 2) AS sdc__choice,
               sdc__x IS NULL OR sdc__d IS NULL
               OR (typeof(sdc__x) IN ('FLOAT', 'DOUBLE') AND isnan(TRY_CAST(sdc__x AS DOUBLE))) AS sdc__stays
        FROM sdc__records
    ),
    -- the records of a stratum, in whatever order: what is drawn for them goes to the pairing, which returns for each the
    -- record it takes the value of
    sdc__listed AS (
        SELECT sdc__stratum,
               list({'x': sdc__x, 'u': sdc__u, 'id': sdc__id, 'choice': sdc__choice}) FILTER (WHERE NOT sdc__stays) AS sdc__entries,
               list({'x': sdc__x, 'id': sdc__id}) FILTER (WHERE sdc__stays) AS sdc__kept
        FROM sdc__marked GROUP BY sdc__stratum
    )
    SELECT *, list_transform(sdc__entries, lambda e: e.x) AS sdc__values,
           sdc__ascending(sdc__stratum, list_transform(sdc__entries, lambda e: e.x),
                          list_transform(sdc__entries, lambda e: e.u), sdc__entries) AS sdc__order
    FROM sdc__listed;

CREATE OR REPLACE MACRO sdc__rank_swap(tbl, columns, id, p, correlation, stratum, stream, release) AS TABLE
    WITH sdc__ordered AS (FROM sdc__rank_swap_ordered(tbl, columns, id, p, correlation, stratum, stream, release)),
    sdc__paired AS (
        SELECT list_transform(sdc__entries, lambda e: e.id) AS sdc__ids, sdc__values, sdc__kept,
               sdc__kernel_swap(sdc__stratum::VARCHAR, sdc__order,
                                CASE WHEN correlation IS NULL THEN NULL
                                     ELSE list_transform(sdc__entries, lambda e: TRY_CAST(e.x AS DOUBLE)) END,
                                list_transform(sdc__entries, lambda e: e.choice), sdc__checked_number(p, 'p'),
                                sdc__checked_number(correlation, 'correlation')) AS sdc__partners
        FROM sdc__ordered
    ),
    sdc__exchanged AS (
        SELECT unnest(list_concat(sdc__ids, list_transform(sdc__kept, lambda e: e.id))) AS sdc__id,
               unnest(list_concat(list_select(sdc__values, sdc__partners), list_transform(sdc__kept, lambda e: e.x))) AS sdc__x
        FROM sdc__paired
    )
    SELECT sdc__id, unnest(cast_to_type(row(sdc__x), sdc__type))
    FROM sdc__exchanged
    LEFT JOIN (SELECT struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__type FROM sdc__unasked(tbl) LIMIT 0) ON true;

-- Of a batch of a series, by stratum: in how many ranks a value finds its partner, floor(p n / 100), or what the correlation leaves; and
-- whether that is fewer than ten. 20 values at p = 5 are swapped with a neighbour, and all are found; at ten ranks 14 % are.
CREATE OR REPLACE MACRO sdc__rank_swap_batch(tbl, columns, id, p, correlation, stratum, stream, release) AS TABLE
    WITH sdc__ordered AS (FROM sdc__rank_swap_ordered(tbl, columns, id, p, correlation, stratum, stream, release)),
    sdc__windows AS (
        SELECT *, coalesce(len(sdc__entries), 0) AS sdc__n,
               CASE WHEN correlation IS NULL
                        THEN least(floor(sdc__checked_number(p, 'p') * sdc__n / 100 + 1e-6), sdc__n - 1)::BIGINT
                    ELSE sdc__kernel_swap_range(sdc__stratum::VARCHAR, sdc__order,
                                                list_transform(sdc__entries, lambda e: TRY_CAST(e.x AS DOUBLE)),
                                                list_transform(sdc__entries, lambda e: e.choice), correlation)[1] END AS sdc__window
        FROM sdc__ordered
    )
    SELECT unnest(list_transform(sdc__entries, lambda e: e.id)) AS sdc__id, sdc__n AS records, sdc__window AS partners,
           sdc__window < 10 AS waits
    FROM sdc__windows;

-- sdc_rank_swap: values of a column exchanged between records whose ranks differ by at most p percent.
-- Example: FROM sdc_rank_swap('persons', 'income', 25, 'id');
CREATE OR REPLACE MACRO sdc_rank_swap(tbl, column_name, p, id, stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__rank_swap(tbl, [column_name], id, p, NULL, stratum, stream, release))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');

-- The widest range that keeps the correlation of a column with its swapped self at `correlation` or a little more.
-- Verb: rank_swap
-- Guarantees: the column correlates with its swapped self by at least `correlation`.
-- sdc_rank_swap_correlated: a column rank-swapped as widely as its correlation with itself allows.
-- Example: FROM sdc_rank_swap_correlated('persons', 'income', 0.5, 'id');
CREATE OR REPLACE MACRO sdc_rank_swap_correlated(tbl, column_name, correlation, id, stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__rank_swap(tbl, [column_name], id, NULL, correlation, stratum, stream, release))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
