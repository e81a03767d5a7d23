-- Record linkage after rank swapping: the nearest original record within the range of the swap.
-- An intruder who knows the range p of the swap takes those records alone that a released one can have come from.
--
--   candidates of r = the original records s with |rank(s_j) - rank(r_j)| <= p n / 100 in every variable j   n: the values (of a stratum)
--   r is linked to the nearest of them, by the sum over j of w_j ((rank(s_j) - rank(r_j)) / (n - 1))^2, one of those as near at random
-- A swap within p percent moves no rank further, so that the true original is always a candidate: with many variables it is soon the only
-- one. That is why rank swapping protects less than the distance between the files tells. 4,000 records, 8 normal variables that
-- correlate by 0.5, each swapped by itself: share linked truly to the nearest with all ranks within p, and by distance alone
-- (sdc_distance_linkage)
--   p                          5      10     15     20
--   within p                   0.996  0.925  0.668  0.322
--   distance (standardised)    0.924  0.720  0.385  0.162
-- A swap always moves a value, so that with one or two variables the nearest candidate is seldom the true one: random_rate is the share
-- linked truly by one of the candidates taken at random, sum of 1 / candidates. rate is the higher of the two.
-- Source: Nin, Herranz & Torra (2008), Rethinking rank swapping to decrease disclosure risk, Data & Knowledge Engineering 64,
--   346-364 (rank swapping record linkage); SDC handbook, sections 3.3.8.1 and 3.4.2.4.
--
-- Equal values share their ranks: whether one is a candidate is asked of the nearest of these, the distance is taken between their
-- middles. NULL and NaN stay where they are in a swap: they agree with nothing else. Where values were suppressed as well, NULL is read
-- in both ways, as this and as no information, and the one with more correct links counts. A variable that was not swapped has the range
-- 0 by itself. Without p it is, of each variable (of a stratum), the widest distance of two ranks that belong together: the least p for
-- which every true record is a candidate, as an intruder would guess or be told. A smaller p than that of the swap understates:
-- own_among_candidates then is less than records. Values in a stratum are ranked in it, and swapped there. The candidates are the
-- originals that were released; a released record without an original is an error.
--
--   original: id x    released: id x
--             1  10             1  20
--             2  20             2  10
--             3  30             3  40
--             4  40             4  30
--   FROM sdc_rank_linkage('original', 'released', ['x'], 'id', p := 25):
--   records own_among_candidates single_candidate p  unique_correct tied expected_correct_matches rate
--   4       4                    0                25 0              0    0                        0.4167
--     one rank of four: 1 and 2 changed places, so did 3 and 4; the record that had the value is a candidate
--     too, and nearer; at random 1/3 + 1/2 + 1/2 + 1/3 of four, the rate
--
-- Scope: table.
-- Not compiled: the nearest candidates are searched by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original  table                          the table before the swap
--   released  table                          the table after it
--   columns   columns                        the variables that were swapped, and others that were kept; of types that can be ordered
--   id        column                         identifies each record in both
--   p         number or numbers in (0, 100]  the range of the swap, in percent: one, or one for each of the columns; without it,
--       as far as ranks lie apart that belong together
--   stratum   column                         a column within whose values values were swapped
--   weights   number or numbers in [0, ...)  what each variable counts in the squared distance of ranks: one number,
--       or one for each of the columns

-- columns: of each variable numbers in the order of its values.
CREATE OR REPLACE MACRO sdc__kernel_rank_linkage(columns, person, first, stratum, ranges, weights) AS
    sdc__needs_python('Record linkage by ranks')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__none_for_nan(x) AS
    CASE WHEN NOT (typeof(x) IN ('FLOAT', 'DOUBLE') AND coalesce(isnan(TRY_CAST(x AS DOUBLE)), false)) THEN x END;

CREATE OR REPLACE MACRO sdc__records_ranked(tbl, columns, id, stratum, first) AS TABLE
    SELECT first AS sdc__first, COLUMNS(sdc__columns((*), [id])) AS sdc__person,
           sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum)))::VARCHAR AS sdc__stratum,
           sdc__none_for_nan(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0"
    FROM sdc__exact_rows(tbl, codes := list_append(sdc__names(columns), id), compared := [id]);

-- p as a number a column; NULL: as the tables tell.
CREATE OR REPLACE MACRO sdc__ranges(p, columns, names) AS
    list_transform(sdc__each(p, columns, names),
                   lambda v: CASE WHEN p IS NULL THEN NULL
                                  WHEN isfinite(TRY_CAST(v AS DOUBLE)) THEN TRY_CAST(v AS DOUBLE)
                                  ELSE -1e0 END);

-- Of each released record: the distance of its own, how many candidates are nearer (2: or more, or it is none itself) and how many as
-- near, whether it is a candidate, how many there are, and the widest range in percent.
CREATE OR REPLACE MACRO sdc__ranks_linked(original, released, columns, id, p, stratum, weights) AS TABLE
    WITH sdc__files AS MATERIALIZED (FROM sdc__records_ranked(original, columns, id, stratum, true)
                                     UNION ALL BY NAME
                                     FROM sdc__records_ranked(released, columns, id, stratum, false)),
    sdc__ordered AS (
        SELECT DISTINCT sdc__first,
                        CASE WHEN typeof(COLUMNS('(?s)^sdc__x_(.*)$')) = 'VARCHAR'
                                 THEN COLUMNS('(?s)^sdc__x_(.*)$')::VARCHAR END AS "sdc__x_\1"
        FROM sdc__files
    ),
    sdc__coded AS (
        SELECT sdc__person, CASE WHEN sdc__first THEN 1e0 ELSE 0e0 END AS sdc__of,
               sdc__category_number(sdc__person) AS sdc__number, sdc__category_number(sdc__stratum) AS sdc__group,
               sdc__rank_or_null(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM sdc__files
    ),
    sdc__lists AS (
        SELECT list(sdc__person) AS sdc__persons, list(sdc__number) AS sdc__people, list(sdc__of) AS sdc__firsts,
               list(sdc__group) AS sdc__groups, list(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM sdc__coded
    ),
    sdc__found AS (
        SELECT sdc__persons, sdc__firsts,
               sdc__kernel_rank_linkage(sdc__values, sdc__people, sdc__firsts, sdc__groups,
                                        sdc__ranges(p, columns, sdc__names),
                                        sdc__distance_weights(weights, columns, sdc__names)) AS sdc__k
        FROM (SELECT sdc__persons, sdc__people, sdc__firsts, sdc__groups,
                     [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__values,
                     list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                    lambda n: substr(n, 8)) AS sdc__names
              FROM sdc__lists),
             (FROM sdc__coded_alike('sdc__ordered')) AS sdc__alike,
             (SELECT count(*) AS sdc__n FROM sdc__refused_pairs('sdc__files', id)) AS sdc__refused,
             (SELECT count(*) AS sdc__texts FROM sdc__ranked_alike(original, released, sdc__names(columns), columns)) AS sdc__typed
        WHERE sdc__wrong = 0 AND sdc__n = 0 AND sdc__texts = 0
    )
    SELECT * EXCLUDE (sdc__first)
    FROM (SELECT unnest(sdc__persons) AS sdc__person, unnest(sdc__firsts) = 1 AS sdc__first, unnest(sdc__k[1]) AS sdc__d,
                 unnest(sdc__k[2]) AS sdc__nearer, unnest(sdc__k[3]) AS sdc__near, unnest(sdc__k[4]) = 1 AS sdc__own,
                 unnest(sdc__k[5]) AS sdc__many, unnest(sdc__k[6]) AS sdc__p
          FROM sdc__found)
    WHERE NOT sdc__first;

-- candidate: its own record is one; candidates: how many there are; distance: of its own; nearer: candidates that are nearer, 2 for two
-- or more; as_near: as near as its own, it among them, where fewer than 2 are nearer; probability: that its own is taken. NULL where its
-- own is no candidate, and a chance of 0.
-- sdc_rank_linkage_records: for each rank-swapped record whether the nearest original one within the range of the swap is its own.
-- Gives: id ANY, candidate BOOLEAN, candidates BIGINT, distance DOUBLE, nearer BIGINT, as_near BIGINT, probability DOUBLE (more risk).
-- Rows: records.
-- Result: relation. The id; whether its own record is a candidate, and how many there are; the distance of its own, how many candidates are
--   nearer (2 for two or more) and how many as near; the probability that its own is taken.
-- Example: FROM sdc_rank_linkage_records('persons', 'released', ['income'], 'id', p := 50);
CREATE OR REPLACE MACRO sdc_rank_linkage_records(original, released, columns, id, p := NULL, stratum := NULL, weights := NULL) AS TABLE
    WITH sdc__said AS (
        SELECT sdc__person, sdc__own AS candidate, CASE WHEN sdc__own THEN sdc__many::BIGINT END AS candidates,
               CASE WHEN sdc__own THEN sdc__d END AS distance, CASE WHEN sdc__own THEN sdc__nearer::BIGINT END AS nearer,
               CASE WHEN sdc__nearer < 2 THEN sdc__near::BIGINT END AS as_near, sdc__chance_nearest(sdc__nearer, sdc__near) AS probability
        FROM sdc__ranks_linked(original, released, columns, id, p, stratum, weights)
    )
    FROM query(
        'SELECT sdc__person AS '
        || sdc__identifier(sdc__beside(id, ['candidate', 'candidates', 'distance', 'nearer', 'as_near', 'probability']))
        || ', * EXCLUDE (sdc__person) FROM sdc__said');

-- own_among_candidates: records whose own is a candidate; single_candidate: whose own is the only one; p: the widest range of a variable,
-- in percent of the values; unique_correct: of the candidates their own is the nearest, and no other as near; tied: as near as others;
-- expected_correct_matches: the nearest, ties at random;
-- random_rate: the share linked truly by taking any candidate; rate: this, or expected_correct_matches / records where that is higher.
-- sdc_rank_linkage: how many rank-swapped records an intruder links correctly who knows the range of the swap.
-- Gives: records BIGINT, own_among_candidates BIGINT, single_candidate BIGINT (more risk), p DOUBLE, unique_correct BIGINT (more risk),
--   tied BIGINT, expected_correct_matches DOUBLE (more risk), rate DOUBLE (more risk), random_rate DOUBLE (more risk).
-- Rows: one.
-- Words: rate: share of the records that are linked correctly within the range of a swap.
-- Result: RankLinkage. How many rank-swapped records an intruder links correctly who knows the range of the swap, and its rate.
--   `own_among_candidates`: records whose own is a candidate; `single_candidate`: whose own is the only one; `p`: the widest range of a
--   variable, in percent; `unique_correct`: of the candidates their own is the nearest, alone; `tied`: others are as near as their own,
--   none nearer; `random_rate`: the share linked correctly by taking any of the candidates; `rate`: this or that of the nearest, the higher
--   one (`random_rate` where few variables were swapped).
-- Raises: InputError where records cannot be paired by the id, or p is no percentage.
-- Example: FROM sdc_rank_linkage('persons', 'released', ['income'], 'id', p := 50);
-- Limit: rate. The share of the released records that are linked truly within the range of a rank swap, to the nearest record or to
--   any there.
CREATE OR REPLACE MACRO sdc_rank_linkage(original, released, columns, id, p := NULL, stratum := NULL, weights := NULL) AS TABLE
    SELECT * EXCLUDE (sdc__nearest, random_rate), greatest(sdc__nearest, random_rate) AS rate, random_rate
    FROM (SELECT count(*) AS records, count(*) FILTER (sdc__own) AS own_among_candidates,
                 count(*) FILTER (sdc__own AND sdc__many = 1) AS single_candidate, max(sdc__p) AS p,
                 count(*) FILTER (sdc__nearer = 0 AND sdc__near = 1) AS unique_correct,
                 count(*) FILTER (sdc__nearer = 0 AND sdc__near > 1) AS tied,
                 coalesce(sdc__exact_sum(sdc__chance_nearest(sdc__nearer, sdc__near), 90), 0) AS expected_correct_matches,
                 coalesce(sdc__exact_sum(sdc__chance_nearest(sdc__nearer, sdc__near), 90), 0) / count(*) AS sdc__nearest,
                 coalesce(sdc__exact_sum(CASE WHEN sdc__own THEN 1 / sdc__many END, 90), 0) / count(*) AS random_rate
          FROM sdc__ranks_linked(original, released, columns, id, p, stratum, weights));
