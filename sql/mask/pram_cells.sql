-- PRAM without a matrix: a record stays in its cell with a probability, or moves to another cell of its group, each alike.
--
--   retention     p_ii = retention, p_ji = (1 - retention) / (k - 1)
--   guaranteed    p_ii = 1 - theta / T_i, p_ji = theta / ((k - 1) T_i), with theta in (0, 2/3] the root of
--                 (1 - theta) / (1 - theta + theta^2) = xi: no intruder's match to any record is right with a
--                 probability above xi, and frequencies are kept in expectation (invariant)
-- k: the non-empty cells of the group, T_i: the records of cell i. Cells are numbered and looked up: no k x k matrix is
-- built, and millions of cells are no trouble.
-- Source: Nayak, Identity disclosure risk control in microdata release via post-randomization, Results 1 and 2.
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_pram_guaranteed('persons', ['age', 'sex', 'region'], 0.8, 'id', within := ['sex']);
--
-- A column that is constant in each cell, such as a group that bars illogical changes, may stand in `within`.
--
-- Scope: cells.
-- Users: Tables with the masked columns come out blurred, since their relations with other columns are too weak before they are corrected.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Loss: published.
-- Repeated: once (the matrix is made of the categories of the file: another one draws all records anew).
-- Series: refused (the matrix is made of the categories of a file; give sdc_pram a matrix of all categories that there may be).
-- Parameters:
--   tbl        table                     the table, view, common table expression or file
--   columns    columns                   the columns to mask together
--   keys       columns                   the key variables, whose crossing is masked
--   retention  number in [0, 1]          the probability to stay
--   xi         number in [3/7, 1)        the greatest probability of a correct match
--   id         column                    identifies each record
--   stratum    column                    a column within whose values records move
--   within     columns                   whose values a record keeps: keys, whose counts are then kept, or columns constant in each cell
--   most       whole number in [1, ...)  the largest number of records in a released cell for which the probability is given
--   stream     text                      names the pass of draws; give another one to mask a column a second time
--   release    text                      names the release; give another one for independent draws
--   unit       'record' or 'household'   whose draws: with 'household' (never of guaranteed), members who share a cell go on sharing it
--   household  column                    the household of a record, where unit is 'household'
--   categories  names                    all categories that there may be: the matrix is then of these, in every file

CREATE OR REPLACE MACRO sdc__within(have, within) AS
    CASE WHEN coalesce(len(sdc__names(within)), 0) = 0 THEN have[1:1] ELSE sdc__columns(have, within) END;
CREATE OR REPLACE MACRO sdc__within_value(within, column_value) AS
    CASE WHEN coalesce(len(sdc__names(within)), 0) = 0 THEN NULL ELSE column_value END;

CREATE OR REPLACE MACRO sdc__pram_grouped(tbl, columns, id, within, unit, household) AS TABLE
    SELECT sdc__id, sdc__named, sdc__x, list_bool_or([*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))]) AS sdc__lacking,
           struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__g_'))) AS sdc__g
    FROM (SELECT sdc__id, sdc__named, struct_pack(*COLUMNS(sdc__to_mask((*), columns, id))) AS sdc__x,
                 COLUMNS(sdc__to_mask((*), columns, id)) IS NULL AS "sdc__n_\0",
                 sdc__within_value(within, COLUMNS(sdc__within((*), within))) AS "sdc__g_\0"
          FROM sdc__named_records(tbl, columns, id, unit, household, list_concat(sdc__names(columns), sdc__names(within))));

-- The cells of a table of records, T; then the number of each in its group, how many are in it, and which (as a digest).
CREATE OR REPLACE MACRO sdc__pram_tallied(records) AS TABLE
    SELECT sdc__g, sdc__x, count(*) AS sdc__t FROM query_table(records) GROUP BY sdc__g, sdc__x;
CREATE OR REPLACE MACRO sdc__pram_cells(tallied) AS TABLE
    WITH sdc__named AS MATERIALIZED (FROM sdc__category_texts(tallied)),
    sdc__groups AS MATERIALIZED (  -- or the digest would be taken again for each cell
        SELECT sdc__g, count(*) AS sdc__k, sha256(string_agg(sdc__part(sdc__text), '' ORDER BY encode(sdc__text) ASC)) AS sdc__cells_of
        FROM sdc__named GROUP BY sdc__g
    )
    SELECT sdc__n.sdc__g, sdc__n.sdc__x, sdc__n.sdc__t, sdc__n.sdc__text, sdc__o.sdc__k, sdc__o.sdc__cells_of,
           row_number() OVER (PARTITION BY sdc__n.sdc__g ORDER BY encode(sdc__n.sdc__text) ASC) - 1 AS sdc__i
    FROM sdc__named AS sdc__n JOIN sdc__groups AS sdc__o ON row(sdc__n.sdc__g) = row(sdc__o.sdc__g);

-- A cell's row of the matrix: its probability to stay, and the cells of its group, each alike.
CREATE OR REPLACE MACRO sdc__pram_keyed(staying, columns, stream, release) AS TABLE
    SELECT sdc__g, sdc__x, sdc__i, sdc__k, sdc__stay,
           sdc__subkey(sdc__secret, release, stream, 'pram by cells',
               concat(sdc__part(sdc__text), sdc__steps(sdc__stay), ';', sdc__cells_of), sdc__columns_part(columns)) AS sdc__subkey
    FROM query_table(staying), (SELECT sdc__secret_key() AS sdc__secret);

-- Groups of one cell have nowhere to go.
CREATE OR REPLACE MACRO sdc__pram_lonely(cells, within) AS (
    SELECT CASE WHEN count(*) = 0 THEN true
                WHEN coalesce(len(sdc__names(within)), 0) = 0
                    THEN error('ParameterError: The table has one cell only: PRAM needs another to move to.')
                ELSE error('ParameterError: Groups of one cell have no other cell to move to: ' || count(*) || ' groups of '
                         || sdc__quoted(within) || '. Join them with others, or leave them out.') END
    FROM (SELECT sdc__g FROM query_table(cells) WHERE sdc__k = 1)
);

-- cells: with the probability to stay and a subkey. A second draw chooses the other cell, by its number.
CREATE OR REPLACE MACRO sdc__pram_jumps(records, cells) AS TABLE
    SELECT sdc__u.sdc__id, unnest(CASE WHEN sdc__c.sdc__x IS NULL THEN sdc__u.sdc__x ELSE sdc__c.sdc__x END)
    FROM (SELECT sdc__id, sdc__x, sdc__g, sdc__i,
                 CASE WHEN sdc__uniform_of(sdc__drawn, 1) >= sdc__stay
                          THEN floor(sdc__uniform_of(sdc__drawn, 2) * (sdc__k - 1))::BIGINT END AS sdc__jump
          FROM (SELECT sdc__r.sdc__id, sdc__r.sdc__x, sdc__r.sdc__g, sdc__p.sdc__i, sdc__p.sdc__k, sdc__p.sdc__stay,
                       sdc__digest(sdc__p.sdc__subkey, sdc__r.sdc__named, '') AS sdc__drawn
                FROM query_table(records) AS sdc__r
                LEFT JOIN query_table(cells) AS sdc__p ON row(sdc__r.sdc__g, sdc__r.sdc__x) = row(sdc__p.sdc__g, sdc__p.sdc__x))) AS sdc__u
    LEFT JOIN query_table(cells) AS sdc__c
      ON CASE WHEN sdc__u.sdc__jump IS NOT NULL
              THEN row(sdc__u.sdc__g, sdc__u.sdc__jump + (sdc__u.sdc__jump >= sdc__u.sdc__i)::INTEGER) END
                   = row(sdc__c.sdc__g, sdc__c.sdc__i);

-- Records with NULL in one of the variables stay, and nobody moves to their cell.
CREATE OR REPLACE MACRO sdc__pram_staying(tallied, retention, stratum) AS TABLE
    WITH sdc__cells AS MATERIALIZED (FROM sdc__pram_cells(tallied))
    SELECT *, CASE WHEN TRY_CAST(retention AS DOUBLE) >= 0 AND TRY_CAST(retention AS DOUBLE) <= 1 THEN TRY_CAST(retention AS DOUBLE)
                   ELSE error('ParameterError: The retention is ' || coalesce(retention::VARCHAR, 'NULL')
                              || ': it must be a probability, from 0 to 1.') END AS sdc__stay
    FROM sdc__cells WHERE sdc__pram_lonely('sdc__cells', CASE WHEN stratum IS NULL THEN NULL ELSE [stratum] END);

CREATE OR REPLACE MACRO sdc__pram_retention(tbl, columns, retention, id, stratum, stream, release, unit, household) AS TABLE
    WITH sdc__all AS (FROM sdc__pram_grouped(tbl, columns, id, CASE WHEN stratum IS NULL THEN NULL ELSE [stratum] END, unit, household)),
    sdc__full AS (FROM sdc__all WHERE NOT sdc__lacking),
    sdc__tallied AS MATERIALIZED (FROM sdc__pram_tallied('sdc__full')),
    sdc__staying AS (FROM sdc__pram_staying('sdc__tallied', retention, stratum)),
    sdc__keyed AS MATERIALIZED (FROM sdc__pram_keyed('sdc__staying', columns, stream, release))
    FROM sdc__pram_jumps('sdc__all', 'sdc__keyed');

-- Of declared categories the matrix is that of one column, whichever of them a file has: the draws are those of sdc_pram by it.
CREATE OR REPLACE MACRO sdc__checked_categories(categories, columns, stratum) AS CASE
    WHEN len(sdc__names(columns)) > 1 OR stratum IS NOT NULL
        THEN error('ParameterError: categories are those of one column, without a stratum: mask each column by its own.')
    WHEN len(list_distinct(categories)) < 2 OR len(list_distinct(categories)) < len(categories)
        THEN error('ParameterError: categories must be two or more, each of them once, and none of them NULL.')
    ELSE categories END;
CREATE OR REPLACE MACRO sdc__pram_declared_matrix(categories, retention) AS TABLE
    SELECT a."from", b."from" AS "to",
           CASE WHEN NOT coalesce(TRY_CAST(retention AS DOUBLE) BETWEEN 0 AND 1, false)
                    THEN error('ParameterError: The retention is ' || coalesce(retention::VARCHAR, 'NULL')
                               || ': it must be a probability, from 0 to 1.')
                WHEN a."from" = b."from" THEN TRY_CAST(retention AS DOUBLE)
                ELSE (1 - TRY_CAST(retention AS DOUBLE)) / (len(categories) - 1) END AS probability
    FROM (SELECT unnest(categories) AS "from") AS a CROSS JOIN (SELECT unnest(categories) AS "from") AS b;

-- Keeps: which combinations there are; of declared categories no more than these.
-- Told: retention.
-- Repeated: once (the matrix is made of the categories of the file, and another one draws all records anew: give categories).
-- Series: parameters (of one column, with categories: it is then pram, by one matrix for all releases).
-- Matrix: by retention.
-- Households: by unit.
-- Title: PRAM by a probability to stay; PRAM of {} by a probability to stay.
-- sdc_pram_retention: categories stay with a probability, or move to any other alike.
-- Example: FROM sdc_pram_retention('persons', ['sex', 'region'], 0.9, 'id');
CREATE OR REPLACE MACRO sdc_pram_retention(tbl, columns, retention, id, stratum := NULL, stream := NULL, release := '',
                                           unit := 'record', household := NULL, categories := NULL) AS TABLE
    WITH sdc__declared AS (
        FROM sdc__pram_declared_matrix(sdc__checked_categories(categories::VARCHAR[], columns, stratum), retention)
    ),
    sdc__of_the_file AS (FROM sdc__pram_retention(tbl, columns, retention, id, stratum, stream, release, unit, household)),
    sdc__of_declared AS (FROM sdc__pram(tbl, columns, 'sdc__declared', id, NULL, stream, release, unit, household)),
    sdc__done AS (FROM query_table(CASE WHEN categories IS NULL THEN 'sdc__of_the_file' ELSE 'sdc__of_declared' END))
    FROM sdc__released(tbl, columns, id, 'sdc__done');

-- theta of xi, the root without cancellation: xi theta^2 + (1 - xi) theta - (1 - xi) = 0.
-- sdc_pram_theta: the parameter theta of the guaranteed design with bound xi.
-- Example: SELECT sdc_pram_theta(0.8);
CREATE OR REPLACE MACRO sdc_pram_theta(xi) AS
    CASE WHEN TRY_CAST(xi AS DOUBLE) >= 3e0 / 7 AND TRY_CAST(xi AS DOUBLE) < 1
         THEN 2 * (1e0 - TRY_CAST(xi AS DOUBLE)) / (
             (1e0 - TRY_CAST(xi AS DOUBLE)) + sqrt((1e0 - TRY_CAST(xi AS DOUBLE)) * (1e0 - TRY_CAST(xi AS DOUBLE))
                                                   + 4e0 * TRY_CAST(xi AS DOUBLE) * (1e0 - TRY_CAST(xi AS DOUBLE))))
         ELSE error('ParameterError: xi is ' || coalesce(xi::VARCHAR, 'NULL')
                    || ': it must lie in [3/7, 1); below 3/7 this design guarantees nothing.') END;

-- The probability of a cell of t records to stay.
CREATE OR REPLACE MACRO sdc__pram_stay(xi, t) AS 1 - sdc_pram_theta(xi) / t;

-- The cells with their design: theta, the probability to stay. A NULL key is a category like any other.
CREATE OR REPLACE MACRO sdc__pram_design(tallied, xi, within) AS TABLE
    WITH sdc__cells AS MATERIALIZED (FROM sdc__pram_cells(tallied))
    SELECT *, sdc__pram_stay(xi, sdc__t) AS sdc__stay,
           CASE WHEN TRY_CAST(xi AS DOUBLE) < 0.5 AND sdc__k < 3
                    THEN error('ParameterError: With xi = ' || xi::VARCHAR
                               || ' below 1/2 each group needs three cells or more; one has ' || sdc__k
                               || ': raise xi or join groups.')
                WHEN count(*) OVER (PARTITION BY sdc__x) > 1 THEN error(
                    'ParameterError: A cell lies in several groups: a column of within must be constant in each cell.')
                ELSE true END AS sdc__sound
    FROM sdc__cells WHERE sdc__pram_lonely('sdc__cells', within);

CREATE OR REPLACE MACRO sdc__record_alone(unit) AS CASE
    WHEN unit = 'record' THEN true
    WHEN unit = 'household' THEN error('ParameterError: unit is household, and guaranteed PRAM draws for each record by'
                                       || ' itself: its bound xi, by (8) of Nayak, holds for records that move'
                                       || ' independently. Take pram with a matrix or a retention.')
    ELSE error('ParameterError: unit is ' || coalesce(unit::VARCHAR, 'NULL') || ': it must be ''record''.')
END;
CREATE OR REPLACE MACRO sdc__pram_guaranteed(tbl, keys, xi, id, within, stream, release, unit) AS TABLE
    WITH sdc__all AS (FROM sdc__pram_grouped(tbl, keys, id, within, 'record', NULL)),
    sdc__tallied AS MATERIALIZED (FROM sdc__pram_tallied('sdc__all')),
    sdc__design AS MATERIALIZED (FROM sdc__pram_design('sdc__tallied', xi, within)),
    sdc__staying AS (FROM sdc__design WHERE sdc__sound AND sdc__record_alone(unit)),
    sdc__keyed AS MATERIALIZED (FROM sdc__pram_keyed('sdc__staying', keys, stream, release))
    FROM sdc__pram_jumps('sdc__all', 'sdc__keyed');

-- In a series of releases. given has the records with a new value: sdc_id, sdc_place, sdc_changed ('101': which columns are new), and
-- sdc_kept, a list of what was released of the columns, NULL where they are new. Records are drawn in the group of those that changed in
-- the same columns, with the same released values in the others; their cells there are the new values. The design is that of the group
-- (Nayak's bound holds within it, and records of other groups, which are independent, lower it).
CREATE OR REPLACE MACRO sdc__pram_batch(tbl, id, given, columns, within) AS TABLE
    WITH sdc__texts AS (
        SELECT sdc__id, [*COLUMNS(lambda c: starts_with(c, 'sdc__o_'))] AS sdc__own,
               array_to_string([*COLUMNS(lambda c: starts_with(c, 'sdc__g_'))], '') AS sdc__inside
        FROM (SELECT sdc__id, sdc__part(sdc__canonical(COLUMNS(sdc__columns((*), columns)))) AS "sdc__o_\0",
                     sdc__part(sdc__canonical(sdc__within_value(within, COLUMNS(sdc__within((*), within))))) AS "sdc__g_\0"
              FROM sdc__with_id(tbl, id, codes := list_concat(sdc__names(columns), sdc__names(within))))
    )
    SELECT sdc__g.sdc_id, sdc__g.sdc_place, sdc__g.sdc_changed,
           concat(sdc__g.sdc_changed, ' ', array_to_string(list_transform(sdc__g.sdc_kept, lambda t: sdc__part(t)), ''), ' ',
                  sdc__t.sdc__inside) AS sdc_group,
           array_to_string(list_transform(sdc__t.sdc__own, lambda t, j: CASE substr(sdc__g.sdc_changed, j::BIGINT, 1) WHEN '1' THEN t
                                                                             ELSE '' END), '') AS sdc_cell
    FROM query_table(given) AS sdc__g
    JOIN sdc__texts AS sdc__t ON sdc__by_bytes(sdc__t.sdc__id) = sdc__by_bytes(sdc__g.sdc_id);

-- batch: rows of the former, with the same sdc_changed. The values drawn of these columns, by id.
CREATE OR REPLACE MACRO sdc__pram_batch_drawn(tbl, id, batch, columns, xi, stream, release) AS TABLE
    WITH sdc__all AS (
        SELECT sdc__r.sdc__id, sdc__r.sdc__named, sdc__r.sdc__x, {'sdc__of': sdc__b.sdc_group} AS sdc__g
        FROM sdc__pram_grouped(tbl, columns, id, NULL, 'record', NULL) AS sdc__r
        JOIN query_table(batch) AS sdc__b ON sdc__by_bytes(sdc__r.sdc__id) = sdc__by_bytes(sdc__b.sdc_id)
    ),
    sdc__tallied AS MATERIALIZED (FROM sdc__pram_tallied('sdc__all')),
    sdc__cells AS MATERIALIZED (FROM sdc__pram_cells('sdc__tallied')),
    sdc__staying AS (SELECT *, sdc__pram_stay(xi, sdc__t) AS sdc__stay FROM sdc__cells WHERE sdc__pram_lonely('sdc__cells', ['a batch'])),
    sdc__keyed AS MATERIALIZED (FROM sdc__pram_keyed('sdc__staying', columns, stream, release))
    FROM sdc__pram_jumps('sdc__all', 'sdc__keyed');

-- Keeps: the frequencies of the cells, in expectation; the counts of the keys in `within`, exactly.
-- Series: values (each batch is drawn by a design of its own, with the bound xi; of a record that changes in some columns the others keep
--   what was released. Who left weakens it, and who knows both states of a changed record is not held by it).
-- Guarantees: no intruder's match to any record is right with a probability above xi.
-- Told: nothing.
-- Matrix: withheld (from it follows how many persons share each combination).
-- Households: as one record.
-- Publicly: categories changed at random; the expected frequencies are kept.
-- Title: PRAM by a bound on the probability of a right match; PRAM of {} by a bound on right matches.
-- sdc_pram_guaranteed: keys changed so that no match to any record is right with a probability above xi.
-- Example: FROM sdc_pram_guaranteed('persons', ['age', 'region'], 0.8, 'id');
CREATE OR REPLACE MACRO sdc_pram_guaranteed(tbl, keys, xi, id, within := NULL, stream := NULL, release := '', unit := 'record') AS TABLE
    WITH sdc__done AS (FROM sdc__pram_guaranteed(tbl, keys, xi, id, within, stream, release, unit))
    FROM sdc__released(tbl, keys, id, 'sdc__done');

-- The proof that goes with a guaranteed release, to be taken of the original table: for every cell its records T, the cells of its
-- group k, the probability to stay, the bound psi(T, theta) of (10) on a unique match, and for a = 1 .. most the exact
-- probability that a match is right, given that the released cell has a records, P(CM | S = a, T) of (8);
-- `maximum` is the largest of these. For a > most it is at most 1 / a. 0 where no release has a records there.
-- sdc_pram_proof: the exact probability of a correct match for every cell, to be filed with a guaranteed release.
-- Gives: the key columns, frequency BIGINT, cells BIGINT, theta DOUBLE, probability_to_stay DOUBLE, bound DOUBLE, maximum DOUBLE,
--   released_frequency BIGINT, correct_match DOUBLE.
-- Rows: cells.
-- Example: FROM sdc_pram_proof('persons', ['age', 'region'], 0.8, 'id');
CREATE OR REPLACE MACRO sdc_pram_proof(tbl, keys, xi, id, within := NULL, most := 5) AS TABLE
    WITH sdc__all AS (FROM sdc__pram_grouped(tbl, keys, id, within, 'record', NULL)),
    sdc__tallied AS MATERIALIZED (FROM sdc__pram_tallied('sdc__all')),
    sdc__design AS MATERIALIZED (FROM sdc__pram_design('sdc__tallied', xi, within)),
    sdc__alike AS (SELECT sdc__g, sdc__t, count(*) AS sdc__n FROM sdc__design WHERE sdc__sound GROUP BY sdc__g, sdc__t),
    sdc__lists AS (
        SELECT sdc__g, list(sdc__t ORDER BY sdc__t ASC) AS sdc__ts,
               sdc__kernel_correct_match(list(sdc__t::DOUBLE ORDER BY sdc__t ASC), list(sdc__n::DOUBLE ORDER BY sdc__t ASC),
                                         sdc_pram_theta(xi), most::DOUBLE) AS sdc__cms
        FROM sdc__alike GROUP BY sdc__g
    ),
    sdc__proved AS (SELECT sdc__g, unnest(sdc__ts) AS sdc__t, unnest(sdc__cms) AS sdc__cm FROM sdc__lists)
    SELECT unnest(d.sdc__x), d.sdc__t AS frequency, d.sdc__k AS cells, sdc_pram_theta(xi) AS theta, d.sdc__stay AS probability_to_stay,
           (d.sdc__t - sdc_pram_theta(xi)) / (d.sdc__t * (d.sdc__t - sdc_pram_theta(xi)) + sdc_pram_theta(xi) ** 2) AS bound,
           list_max(p.sdc__cm) AS maximum, unnest(range(1, 1 + len(p.sdc__cm))) AS released_frequency, unnest(p.sdc__cm) AS correct_match
    FROM sdc__design AS d JOIN sdc__proved AS p ON row(d.sdc__g, d.sdc__t) = row(p.sdc__g, p.sdc__t);

-- A table that lies in parts (on Spark): its cells are counted there, the design is made once of all of them, and each part
-- is masked by it. cells: one row a cell, under an id; numbers: sdc_id, sdc_count, for how many records it stands.
CREATE OR REPLACE MACRO sdc__pram_tallied_before(cells, columns, id, within, numbers, lacking) AS TABLE
    SELECT sdc__c.sdc__g, sdc__c.sdc__x, sum(sdc__n.sdc_count)::BIGINT AS sdc__t
    FROM sdc__pram_grouped(cells, columns, id, within, 'record', NULL) AS sdc__c
    JOIN query_table(numbers) AS sdc__n ON sdc__c.sdc__id = sdc__n.sdc_id
    WHERE lacking OR NOT sdc__c.sdc__lacking
    GROUP BY sdc__c.sdc__g, sdc__c.sdc__x;

CREATE OR REPLACE MACRO sdc__pram_by_design(tbl, columns, design, id, within, unit, household) AS TABLE
    WITH sdc__all AS (FROM sdc__pram_grouped(tbl, columns, id, within, unit, household))
    FROM sdc__pram_jumps('sdc__all', design);
