-- The neighbourhood of a record in continuous keys: how many records an intruder who knows the values about, not exactly, confuses it with.
--
--   N_i = the records j with the same categories and |x_j - x_i| <= d_i in each continuous key,  i itself among them
--   d_i = width times |x_i| (relative), the standard deviation (standardised), the range, or 1 (none)
--   share = records with N_i < k / records;   expected_correct_matches = sum 1 / N_i
-- It is for continuous keys what the sample frequency is for categories (with width 0 it is that): a record in a dense part of
-- the file is confused with many, one that is isolated stands out. With weights the sum of the weights of the N_i estimates how many
-- of the population lie in the neighbourhood.
-- Source: SDC handbook, section 3.2.3 ("the (expected) number of units for which a value of the given continuous variable falls into the
--   respectively defined (using established threshold of deviation) neighborhood of a given observation ... some variation of
--   k-anonymity") and 3.8.2 (units at risk of the Community Innovation Survey: Ichim 2006, 2009, density).
--
--   firms: id x     sdc_neighbourhood_records('firms', ['x'], 'id', width := 0.1):
--          1  100   id neighbours
--          2  108   1  2           90 to 110
--          3  150   2  2           97.2 to 118.8
--          4  500   3  1           135 to 165
--                   4  1           450 to 550
--   sdc_neighbourhood('firms', ['x'], width := 0.1, k := 2):
--   records k below_k share expected_correct_matches
--   4       2 2       0.5   3
--
-- The width says what an intruder knows; it is yours to choose, of each key. A relative one fits amounts (turnover, income), where 0 is
-- near to 0 alone; the others fit what has an origin of no meaning. NULL is a value of its own, in the keys as in the continuous ones: so
-- suppressed values are near one another, and to no others. Distances are compared to nine digits. Of one or two continuous keys all is
-- counted at once, of more by blocks of near records: with wide neighbourhoods that takes longer.
--
-- Scope: table.
-- Not compiled: the neighbours are counted by numpy; measure the table in DuckDB.
-- Parameters:
--   tbl         table                          the table, view, common table expression or file
--   continuous  columns                        the continuous keys, numeric
--   id          column                         identifies each record
--   keys        columns                        the categorical keys, in which neighbours agree; NULL for none
--   width       number or numbers in [0, ...)  how far a neighbour may be: one for each of the continuous keys, or one for all
--   scaling     'relative', 'standardised', 'range' or 'none'  what the width is a part of
--   weight      column or number               expansion weights
--   k           whole number in [2, ...)       the number of neighbours that is enough

-- columns: of each continuous key its values. The result: neighbours, and their weights where there are any.
CREATE OR REPLACE MACRO sdc__kernel_neighbourhood(columns, cells, weights, width, scaling) AS
    sdc__needs_python('The neighbourhood of continuous keys')::DOUBLE[][];

-- A row a record: sdc__id (NULL where no id is given), sdc__n (the neighbours), sdc__w (their weights, NULL without a weight).
CREATE OR REPLACE MACRO sdc__neighbours(tbl, continuous, id, keys, width, scaling, weight) AS TABLE
    WITH sdc__known AS (
        SELECT CASE WHEN id IS NOT NULL THEN COLUMNS(sdc__named_column((*), id)) END AS sdc__id,
               CASE WHEN weight IS NOT NULL THEN sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__own,
               CASE WHEN len(sdc__names(keys)) > 0
                        THEN COLUMNS(sdc__columns_if_any((*), sdc__names_if_any(keys), continuous)) END AS "sdc__k_\0",
               sdc__finite_number(COLUMNS(sdc__columns((*), continuous))) AS "sdc__x_\0"
        FROM sdc__exact_rows(tbl, codes := list_append(sdc__names_if_any(keys), id))
    ),
    sdc__celled AS (
        SELECT row(*COLUMNS(lambda c: starts_with(c, 'sdc__k_'))) AS sdc__cell,
               COLUMNS(lambda c: NOT starts_with(c, 'sdc__k_'))
        FROM sdc__known
    ),
    sdc__numbered AS (
        SELECT sdc__cell AS sdc__of, (row_number() OVER ())::DOUBLE AS sdc__number
        FROM (SELECT DISTINCT sdc__cell FROM sdc__celled)
    ),
    sdc__lists AS (
        SELECT list(sdc__id) AS sdc__ids, list(sdc__number) AS sdc__cells, list(sdc__own) AS sdc__weights,
               list(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM sdc__celled JOIN sdc__numbered ON sdc__cell = sdc__of
    ),
    sdc__named AS (
        SELECT sdc__ids, sdc__cells, sdc__weights, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__values,
               list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))), lambda n: substr(n, 8)) AS sdc__names
        FROM sdc__lists
    ),
    sdc__found AS (
        SELECT sdc__ids,
               sdc__kernel_neighbourhood(sdc__values, sdc__cells, CASE WHEN weight IS NOT NULL THEN sdc__weights END,
                                         list_transform(sdc__each(width, continuous, sdc__names),
                                                        lambda w: coalesce(TRY_CAST(w AS DOUBLE), -1e0)),
                                         scaling) AS sdc__k
        FROM sdc__named
    )
    SELECT unnest(sdc__ids) AS sdc__id, unnest(sdc__k[1])::BIGINT AS sdc__n,
           unnest(CASE WHEN weight IS NOT NULL THEN sdc__k[2] END) AS sdc__w
    FROM sdc__found;

-- neighbours: the records in the neighbourhood, itself one of them; population_neighbours: the sum of their weights.
-- sdc_neighbourhood_records: how many records lie in the neighbourhood of each.
-- Gives: id ANY, neighbours BIGINT (less risk), population_neighbours DOUBLE (less risk).
-- Rows: records.
-- Example: FROM sdc_neighbourhood_records('persons', ['income'], 'id', keys := ['sex'], width := 0.2);
CREATE OR REPLACE MACRO sdc_neighbourhood_records(tbl, continuous, id, keys := NULL, width := 0.1, scaling := 'relative',
                                                  weight := NULL) AS TABLE
    WITH sdc__counted AS (
        SELECT sdc__id, sdc__n AS neighbours, sdc__w AS population_neighbours
        FROM sdc__neighbours(tbl, continuous, id, keys, width, scaling, weight)
    )
    FROM query('SELECT sdc__id AS ' || sdc__identifier(sdc__beside(id, ['neighbours', 'population_neighbours']))
               || ', neighbours, population_neighbours FROM sdc__counted');

-- alone: records with no neighbour but themselves; below_k: with fewer than k neighbours, population_below_k with fewer than k
-- in the population.
-- sdc_neighbourhood: how many records have few others in their neighbourhood in continuous keys.
-- Gives: records BIGINT, alone BIGINT (more risk), k BIGINT, below_k BIGINT (more risk), share DOUBLE (more risk),
--   population_below_k BIGINT (more risk), expected_correct_matches DOUBLE (more risk), rate DOUBLE (more risk).
-- Rows: one.
-- Words: alone: records with nobody near them; below_k: records with too few near them; share: share of the records with too few near
--   them; expected_correct_matches: expected number of correct matches; rate: expected share of correct matches.
-- Example: FROM sdc_neighbourhood('persons', ['income'], keys := ['sex'], width := 0.2);
-- Limit: share. The share of the records with fewer than k in their neighbourhood.
CREATE OR REPLACE MACRO sdc_neighbourhood(tbl, continuous, keys := NULL, width := 0.1, scaling := 'relative',
                                          weight := NULL, k := 3) AS TABLE
    SELECT count(*) AS records, count(*) FILTER (sdc__n = 1) AS alone, any_value(sdc__least) AS k,
           count(*) FILTER (sdc__n < sdc__least) AS below_k,
           1e0 * count(*) FILTER (sdc__n < sdc__least) / count(*) AS share,
           CASE WHEN weight IS NOT NULL THEN count(*) FILTER (sdc__w < sdc__least) END AS population_below_k,
           sdc__exact_sum(1e0 / sdc__n, 90) AS expected_correct_matches, sdc__exact_sum(1e0 / sdc__n, 90) / count(*) AS rate
    FROM sdc__neighbours(tbl, continuous, NULL, keys, width, scaling, weight), (SELECT sdc__checked_whole(k, 'k', 2) AS sdc__least);
