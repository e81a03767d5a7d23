-- Targeted record swapping: households exchange the area they live in, those at risk first.
--
--   columns       the areas, from the widest to the narrowest (region, district): cells of each are counted within those before it
--   risk_keys, k  a household is at risk in an area where a member is one of fewer than k persons of that area with these keys;
--   risk, max_risk  or where a member's given risk is above max_risk (a column for each of `columns`)
--   profiles       what two households that exchange have in common: the same number of members, always, and the same values of
--                  these columns on
--                 them; of several lists the first for which there is a partner
-- Level by level from the widest area, a household at risk in it exchanges with one that is not and lives in another such area, drawn
-- evenly from those; where there is none left, with another at risk. What the draws leave is settled by a maximum matching: of those at
-- risk in the widest areas as few as can be are without a partner from another one, then of those of the next level, beside the partners
-- of these, and so on. Who has none changes place with one from another narrower area, and counts as left at risk. Then more exchange at
-- random, between the narrowest areas, until `rate` of all households have. No household is swapped twice, none into its own area.
-- Source: the targeted record swapping of the European census 2021 and sdcMicro's recordSwap: Gussenbauer, de Wolf et al. (2024),
--   sdcMicro 5.7.7; Shlomo, Tudor & Groom (2010), Data swapping for protecting census tables, PSD 2010, LNCS 6344, 41-51; SDC
--   handbook, section 3.4.2.4 (data swapping).
--
--   persons: id household age region
--            1  1         30  north
--            2  1         41  north
--            3  2         52  south
--            4  2         41  south
--   sdc_record_swap('persons', ['region'], 0.5, 'id', household := 'household', risk_keys := ['age'], k := 2)
--   household 1 lives in the south, 2 in the north, or 3 and another:
--   two areas, two households in each before and after
--
-- Kept exactly: in each area, of every width, the households of each size, and the persons by the crossing of the columns of `profiles`
-- (of the list by which they exchanged); all tables without an area. Not kept: tables of an area with anything else, the more the higher
-- the rate. It is meant for tables that are made of the file (a census), where it puts doubt on every small count: a table of the area
-- with the size, or with a column of `profiles`, stays as it was, exact, and its small cells show. A file of records that is handed out
-- needs more: a person who is one of few by the keys alone, in no matter which area, is found as before, in another place: take
-- local_suppression or recode, and rank or data swapping of single columns. A count of records below k after it takes every area for
-- true: it is naive, and so is the risk that is made of it. Who sees the release and knows the method takes a swapped household to come
-- from each other area with the share that this area has of the households of the same size (and profile) that live elsewhere: 1/9 in ten
-- areas that are alike. It is more where counts force it: where one area has half of them, all others' partners come from there. Where
-- nearly all are at risk, nearly all are swapped whatever the rate, and who is said to live in an area does not (Python warns). Who is
-- swapped hangs on the household's own draw, its number and its area. Release a file once, and publish neither k nor the rate.
--
-- Scope: table.
-- Keeps: in each area the households of each size and the persons by what partners have in common, exactly; all tables without an area.
-- Users: Counts of the whole file are exact. Relations of the swapped columns with the others come out too weak, by how much is not told.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Loss: withheld (from it follows the rate, by which an intruder reckons how likely a record is the true one).
-- Told: nothing.
-- Repeated: once (partners are others in another file, and who moves from area to area is seen to be swapped).
-- Series: refused (a partner once found leaves or changes, and who then moves back is seen to have been swapped).
-- Matrix: unknown (who was swapped is not in the log).
-- Parameters:
--   tbl          table                     the table of persons, view, common table expression or file
--   columns      columns                   the areas, from the widest to the narrowest: the same for all members of a household
--   rate         number in (0, 1]          the share of the households that are swapped, those at risk among them
--   id           column                    identifies each person
--   household    column                    the number of the household: it must be given (the id, where every record is one by itself)
--   risk_keys    columns                   the key variables of the cells in which persons are counted, area by area
--   k            whole number in [2, ...)  households with a member in a cell of fewer than k persons are at risk; NULL: none by their
--                                          counts
--   profiles     combinations              the columns in which partners are alike: one list or several, tried one after another; NULL:
--                                          the size alone
--   carry_along  columns                   other columns that go with the area (a finer code): the same for all members of a household
--   risk         columns                   of the risk of each person, given: one for each of `columns`, in their order
--   max_risk     number in [0, 1]          households with a member whose risk is above it are at risk
--   shortfall    'refuse' or 'report'      where households at risk find no partner, or fewer than the rate asks for: an error, or they
--                                          stay and are counted
--   stream       text                      names the pass of draws; give another one to mask a column a second time
--   release      text                      names the release; give another one for independent draws

-- What cannot be asked together.
CREATE OR REPLACE MACRO sdc__listed_among(names, others) AS list_filter(sdc__names_if_any(names), lambda n: sdc__is_among(n, others));
CREATE OR REPLACE MACRO sdc__swap_asks(columns, household, risk_keys, k, profiles, carry_along, risk, max_risk) AS CASE
    WHEN (k IS NULL) <> (coalesce(len(sdc__names(risk_keys)), 0) = 0)
        THEN error('ParameterError: k and risk_keys go together: households are at risk where a member is one of fewer'
                   || ' than k persons with these keys; give both, or neither.')
    WHEN k IS NOT NULL AND sdc__checked_whole(k, 'k', 2) IS NULL THEN false
    WHEN (max_risk IS NULL) <> (coalesce(len(sdc__names(risk)), 0) = 0)
        THEN error('ParameterError: risk and max_risk go together: the columns of the risks that are given, and the'
                   || ' greatest that is no reason to swap.')
    WHEN max_risk IS NOT NULL AND NOT coalesce(isfinite(TRY_CAST(max_risk AS DOUBLE)), false)
        THEN error('ParameterError: max_risk is ' || max_risk::VARCHAR || ': it must be a number.')
    WHEN max_risk IS NOT NULL AND len(sdc__names(risk)) <> len(sdc__names(columns))
        THEN error('ParameterError: risk names ' || len(sdc__names(risk)) || ' columns, and areas are '
                   || len(sdc__names(columns)) || ': give one for each, in their order.')
    WHEN len(sdc__listed_among(list_concat([household]::VARCHAR[], sdc__names(risk_keys), flatten(profiles::VARCHAR[][]),
                                           sdc__names(risk)),
                               list_concat(sdc__names(columns), sdc__names(carry_along)))) > 0
        THEN error('ColumnError: '
                   || sdc__quoted(sdc__listed_among(list_concat([household]::VARCHAR[], sdc__names(risk_keys),
                                                                flatten(profiles::VARCHAR[][]), sdc__names(risk)),
                                                    list_concat(sdc__names(columns), sdc__names(carry_along))))
                   || ' is swapped, and cannot be household, risk key, risk or what partners have in common as well.')
    ELSE true END;

-- The first level at which a given risk is too great; NULL: none.
CREATE OR REPLACE MACRO sdc__level_above(risks, max_risk) AS
    CASE WHEN list_bool_or(list_transform(risks, lambda r: r IS NULL OR isnan(r)))
             THEN error('ColumnError: A risk is NULL, NaN or no number: every person needs one in each area.')
         ELSE nullif(list_position(list_transform(risks, lambda r: r > TRY_CAST(max_risk AS DOUBLE)), true), 0) END;

CREATE OR REPLACE MACRO sdc__in_order(named, names, found) AS
    list_transform(sdc__names(named), lambda w: found[list_position(list_transform(names, lambda n: sdc__folded(n)), sdc__folded(w))]);

-- The persons: sdc__of (the household), sdc__x (what is swapped, as a struct), sdc__key, sdc__like (the columns of `profiles`),
-- sdc__given (the level of a given risk).
CREATE OR REPLACE MACRO sdc__swap_persons(tbl, columns, household, id, risk_keys, k, profiles, carry_along, risk, max_risk) AS TABLE
    WITH sdc__chosen AS (
        SELECT sdc__id, struct_pack(*COLUMNS(sdc__to_mask((*), list_concat(sdc__names(columns), sdc__names(carry_along)), id))) AS sdc__x,
               coalesce(
                   sdc__exact(COLUMNS(CASE WHEN household IS NULL THEN [
                                               '(none)": record swapping needs the column of household numbers (the id,'
                                               || ' where every record is one by itself): give household := ''name''; so "']
                                           ELSE sdc__columns((*), [household]) END)),
                   error('ColumnError: A household number is NULL: every person must belong to a household'
                         || ' (give persons living alone a number of their own).')) AS sdc__of,
               sdc__within_value(risk_keys, COLUMNS(sdc__within((*), risk_keys))) AS "sdc__k_\0",
               sdc__within_value(
                   flatten(profiles::VARCHAR[][]),
                   COLUMNS(sdc__within((*),
                                       list_distinct(list_transform(flatten(profiles::VARCHAR[][]),
                                                                    lambda n: sdc__folded(n)))))) AS "sdc__l_\0",
               CASE WHEN max_risk IS NOT NULL THEN TRY_CAST(COLUMNS(sdc__within((*), risk)) AS DOUBLE) END AS "sdc__r_\0"
        FROM sdc__identified_at_once(tbl, id, 420 + 20 * len(sdc__names(columns)),
                                     codes := list_concat(sdc__names(columns), sdc__names(carry_along), sdc__names(risk_keys),
                                                          flatten(profiles::VARCHAR[][]), [household]::VARCHAR[]),
                                     compared := list_concat(sdc__names(columns), sdc__names(risk_keys),
                                                             flatten(profiles::VARCHAR[][]), [household]::VARCHAR[]))
        WHERE sdc__swap_asks(columns, household, risk_keys, k, profiles, carry_along, risk, max_risk)
    ),
    sdc__risks AS (
        SELECT sdc__id, sdc__of, sdc__x, row(*COLUMNS(lambda c: starts_with(c, 'sdc__k_'))) AS sdc__key,
               struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__l_'))) AS sdc__like,
               struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__r_'))) AS sdc__rs,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__r_'))] AS sdc__r
        FROM sdc__chosen
    )
    SELECT sdc__id, sdc__of, sdc__x, sdc__key, sdc__like,
           CASE WHEN max_risk IS NOT NULL THEN sdc__level_above(
                    sdc__in_order(risk, list_transform(struct_keys(sdc__rs), lambda n: substr(n, 8)), sdc__r),
                    max_risk) END AS sdc__given
    FROM sdc__risks;

-- Each place (a value of what is swapped) with the number of its area at each level; a narrower area is one within the wider ones.
CREATE OR REPLACE MACRO sdc__swap_places(persons, columns) AS TABLE
    WITH sdc__distinct AS MATERIALIZED (SELECT sdc__x, row_number() OVER () AS sdc__no
                                        FROM (SELECT DISTINCT sdc__x FROM query_table(persons))),
    sdc__each AS (SELECT sdc__no, struct_keys(sdc__x) AS sdc__names, unnest(sdc__x) FROM sdc__distinct),
    sdc__texts AS (
        SELECT sdc__no, sdc__names, sdc__canonical(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__t_\0"
        FROM sdc__each
    ),
    sdc__ordered AS (
        SELECT sdc__no,
               list_transform(sdc__in_order(columns, sdc__names, [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))]),
                              lambda t: sdc__part(t)) AS sdc__parts
        FROM sdc__texts
    ),
    sdc__paths AS (
        SELECT sdc__no, sdc__level, array_to_string(sdc__parts[1:sdc__level], '') AS sdc__path
        FROM sdc__ordered, LATERAL (SELECT unnest(range(1, len(sdc__parts) + 1)) AS sdc__level)
    ),
    sdc__codes AS (
        SELECT sdc__no, list(sdc__code ORDER BY sdc__level ASC) AS sdc__areas, arg_max(sdc__path, sdc__level) AS sdc__path
        FROM (SELECT *, dense_rank() OVER (PARTITION BY sdc__level ORDER BY encode(sdc__path) ASC) AS sdc__code
              FROM sdc__paths)
        GROUP BY sdc__no
    )
    SELECT sdc__no, sdc__x, sdc__areas, sdc__areas[-1] AS sdc__area, sdc__path FROM sdc__distinct JOIN sdc__codes USING (sdc__no);

-- The cells of the narrowest area and the keys in which fewer than k persons are, at some level: the widest such. (Sums over
-- the cells, level by level.)
CREATE OR REPLACE MACRO sdc__swap_cells(placed, places, k) AS TABLE
    SELECT sdc__area, sdc__key, min(sdc__level) AS sdc__rare
    FROM (SELECT sdc__area, sdc__key, sdc__level,
                 sum(sdc__n) OVER (PARTITION BY sdc__level, sdc__areas[sdc__level], sdc__key) AS sdc__f
          FROM (SELECT sdc__area, sdc__key, count(*) AS sdc__n FROM query_table(placed) WHERE k IS NOT NULL GROUP BY ALL)
          JOIN (SELECT DISTINCT sdc__area, sdc__areas FROM query_table(places)) USING (sdc__area),
               LATERAL (SELECT unnest(range(1, len(sdc__areas) + 1)) AS sdc__level))
    WHERE sdc__f < k GROUP BY ALL;

-- What members have in common, as numbers: of each list of `profiles` one.
CREATE OR REPLACE MACRO sdc__swap_likes(persons, profiles) AS TABLE
    WITH sdc__distinct AS MATERIALIZED (SELECT sdc__like, row_number() OVER () AS sdc__no
                                        FROM (SELECT DISTINCT sdc__like FROM query_table(persons))),
    sdc__texts AS (
        SELECT sdc__no, struct_keys(sdc__like) AS sdc__names,
               sdc__canonical(COLUMNS(lambda c: starts_with(c, 'sdc__l_'))) AS "sdc__t_\0"
        FROM (SELECT sdc__no, sdc__like, unnest(sdc__like) FROM sdc__distinct)
    ),
    sdc__lists AS (
        SELECT sdc__no, list_transform(sdc__names, lambda n: substr(n, 8)) AS sdc__names,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__all
        FROM sdc__texts
    ),
    sdc__profiles AS (
        SELECT sdc__no, sdc__p,
               array_to_string(list_transform(sdc__in_order(profiles[sdc__p], sdc__names, sdc__all),
                                              lambda t: sdc__part(t)),
                               '') AS sdc__text
        FROM sdc__lists, (SELECT unnest(range(1, len(profiles::VARCHAR[][]) + 1)) AS sdc__p)
    )
    SELECT sdc__like, list(sdc__code ORDER BY sdc__p ASC) AS sdc__alike
    FROM (SELECT sdc__no, sdc__p, dense_rank() OVER (PARTITION BY sdc__p ORDER BY encode(sdc__text) ASC) AS sdc__code
          FROM sdc__profiles)
    JOIN sdc__distinct USING (sdc__no)
    GROUP BY sdc__like;

CREATE OR REPLACE MACRO sdc__one_place(same, what) AS
    CASE WHEN same THEN true
         ELSE error('ColumnError: The members of a household differ in ' || sdc__quoted(what)
                    || ': a household has one area, and goes there as a whole with what is carried along.') END;

-- The households as units of the pairing (swap_pairs.sql).
CREATE OR REPLACE MACRO sdc__swap_homes(persons, places, columns, rate, risk_keys, k, profiles, carry_along, risk, max_risk,
                                        stream, release) AS TABLE
    WITH sdc__placed AS MATERIALIZED (SELECT sdc__of, sdc__no, sdc__area, sdc__key, sdc__like, sdc__given
                                      FROM query_table(persons) AS sdc__p
                                      JOIN query_table(places) AS sdc__q ON sdc__p.sdc__x = sdc__q.sdc__x),
    sdc__rarest AS MATERIALIZED (FROM sdc__swap_cells('sdc__placed', places, k)),
    sdc__likes AS MATERIALIZED (FROM sdc__swap_likes(persons, profiles)),
    sdc__members AS (
        SELECT sdc__p.sdc__of, sdc__p.sdc__no, least(sdc__rare, sdc__given) AS sdc__from, sdc__l.sdc__alike
        FROM sdc__placed AS sdc__p
        LEFT JOIN sdc__rarest AS sdc__c ON sdc__p.sdc__area = sdc__c.sdc__area AND sdc__p.sdc__key = sdc__c.sdc__key
        LEFT JOIN sdc__likes AS sdc__l ON profiles IS NOT NULL AND sdc__p.sdc__like = sdc__l.sdc__like
    ),
    sdc__homes AS MATERIALIZED (
        SELECT sdc__of, row_number() OVER () AS sdc__unit, sdc__no, coalesce(sdc__from, 0) AS sdc__need, sdc__size, sdc__all
        FROM (SELECT sdc__of, count(*) AS sdc__size, any_value(sdc__no) AS sdc__no,
                     sdc__one_place(min(sdc__no) = max(sdc__no),
                                    list_concat(sdc__names(columns), sdc__names(carry_along))) AS sdc__whole,
                     min(sdc__from) AS sdc__from, CASE WHEN profiles IS NOT NULL THEN list(sdc__alike) END AS sdc__all
              FROM sdc__members
              GROUP BY sdc__of)
        WHERE sdc__whole
    ),
    sdc__lists AS (
        SELECT sdc__unit, sdc__p, sdc__size, list_sort(list_transform(sdc__all, lambda a: a[sdc__p]), 'ASC', 'NULLS FIRST') AS sdc__profile
        FROM sdc__homes, (SELECT unnest(range(1, len(profiles::VARCHAR[][]) + 1)) AS sdc__p) WHERE profiles IS NOT NULL
    ),
    sdc__profiles AS (
        SELECT sdc__unit, list(sdc__code ORDER BY sdc__p ASC) AS sdc__alike
        FROM sdc__lists
        JOIN (SELECT sdc__p, sdc__profile, row_number() OVER () AS sdc__code
              FROM sdc__lists
              GROUP BY ALL) USING (sdc__p, sdc__profile)
        GROUP BY sdc__unit
    )
    SELECT sdc__of, sdc__h.sdc__unit, sdc__no, sdc__need,
           [sdc__uniform_of(sdc__d, 1), sdc__uniform_of(sdc__d, 2), sdc__uniform_of(sdc__d, 3)] AS sdc__draws,
           CASE WHEN profiles IS NULL THEN [sdc__size] ELSE sdc__f.sdc__alike END AS sdc__alike,
           list_transform(sdc__areas, lambda a: [a]) AS sdc__apart
    FROM (SELECT sdc__h.*, sdc__areas, sdc__digest(sdc__subkey, sdc__checked_id(sdc__of), sdc__part(sdc__path)) AS sdc__d
          FROM sdc__homes AS sdc__h
          JOIN query_table(places) AS sdc__q ON sdc__h.sdc__no = sdc__q.sdc__no,
               (SELECT sdc__subkey(sdc__secret_key(), release, stream, 'record swap', sdc__how,
                                   sdc__joined_parts(list_transform(sdc__names(columns), lambda c: sdc__folded(c)))) AS sdc__subkey
                FROM (SELECT sdc__joined_parts([
                          sdc__canonical_number(TRY_CAST(rate AS DOUBLE)), sdc__canonical_number(TRY_CAST(k AS DOUBLE)),
                          sdc__columns_part(risk_keys), sdc__folded(profiles::VARCHAR), sdc__columns_part(risk),
                          sdc__canonical_number(TRY_CAST(max_risk AS DOUBLE))]) AS sdc__how))) AS sdc__h
    LEFT JOIN sdc__profiles AS sdc__f ON sdc__h.sdc__unit = sdc__f.sdc__unit;

-- Each household with its partner, and the place of the partner. sdc__left: it stays in the area where it is at risk (perhaps
-- in another district of the region).
CREATE OR REPLACE MACRO sdc__swapped_homes(persons, columns, rate, risk_keys, k, profiles, carry_along, risk, max_risk,
                                           stream, release) AS TABLE
    WITH sdc__places AS MATERIALIZED (FROM sdc__swap_places(persons, columns)),
    sdc__units AS MATERIALIZED (FROM sdc__swap_homes(persons, 'sdc__places', columns, rate, risk_keys, k, profiles,
                                                     carry_along, risk, max_risk, stream, release)),
    sdc__asked AS MATERIALIZED (SELECT sdc__pairs_asked(rate, count(*), 'household') AS sdc__asked FROM sdc__units),
    sdc__both AS MATERIALIZED (FROM sdc__swap_pairs('sdc__units', 'sdc__asked'))
    SELECT sdc__o.sdc__of, sdc__o.sdc__need, sdc__p.sdc__of AS sdc__partner, sdc__q.sdc__x AS sdc__there,
           sdc__b IS NOT NULL AS sdc__swapped, sdc__asked.sdc__asked,
           sdc__o.sdc__need > 0
           AND (sdc__b IS NULL OR sdc__o.sdc__apart[sdc__o.sdc__need] = sdc__p.sdc__apart[sdc__o.sdc__need]) AS sdc__left
    FROM sdc__units AS sdc__o LEFT JOIN sdc__both ON sdc__o.sdc__unit = sdc__a LEFT JOIN sdc__units AS sdc__p ON sdc__p.sdc__unit = sdc__b
    LEFT JOIN sdc__places AS sdc__q ON sdc__q.sdc__no = sdc__p.sdc__no, sdc__asked;

CREATE OR REPLACE MACRO sdc__record_swap(tbl, columns, rate, id, household, risk_keys, k, profiles, carry_along, risk,
                                         max_risk, shortfall, stream, release) AS TABLE
    WITH sdc__persons AS MATERIALIZED (
        FROM sdc__swap_persons(tbl, columns, household, id, risk_keys, k, profiles, carry_along, risk, max_risk)),
    sdc__done AS MATERIALIZED (FROM sdc__swapped_homes('sdc__persons', columns, rate, risk_keys, k, profiles, carry_along,
                                                       risk, max_risk, stream, release)),
    sdc__gone AS (SELECT sdc__of, sdc__there FROM sdc__done WHERE sdc__swapped)
    SELECT sdc__id, unnest(CASE WHEN sdc__g.sdc__of IS NULL THEN sdc__x ELSE sdc__there END)
    FROM sdc__persons AS sdc__p LEFT JOIN sdc__gone AS sdc__g ON sdc__p.sdc__of = sdc__g.sdc__of,
         (SELECT sdc__swaps_enough(shortfall, any_value(sdc__asked), count(*) FILTER (sdc__swapped) // 2,
                                   count(*) FILTER (sdc__left), 'households') AS sdc__enough
          FROM sdc__done)
    WHERE sdc__enough;

-- In the example every person is a household.
-- sdc_record_swap: households exchange their areas, those at risk first.
-- Example: FROM sdc_record_swap('persons', ['region'], 0.5, 'id', household := 'id');
CREATE OR REPLACE MACRO sdc_record_swap(tbl, columns, rate, id, household := NULL, risk_keys := NULL, k := NULL,
                                        profiles := NULL, carry_along := NULL, risk := NULL, max_risk := NULL,
                                        shortfall := 'refuse', stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (
        FROM sdc__record_swap(tbl, columns, rate, id, household, risk_keys, k, profiles, carry_along, risk, max_risk,
                              shortfall, stream, release)
    )
    FROM sdc__released(tbl, list_concat(sdc__names(columns), sdc__names(carry_along)), id, 'sdc__done');

-- Who exchanged with whom, for the data holder alone: whoever has it undoes the swap. Taken of the original table, with the
-- arguments of the swap.
-- partner: NULL where the household stays. risk_level: the first of `columns` in which it is at risk, by its number, from 1;
-- NULL where in none.
-- sdc_record_swap_partners: each household's partner in a record swap, and whether it is at risk; confidential.
-- Gives: household ANY, partner ANY, risk_level BIGINT.
-- Rows: households.
-- Example: FROM sdc_record_swap_partners('persons', ['region'], 0.5, 'id', household := 'id');
CREATE OR REPLACE MACRO sdc_record_swap_partners(tbl, columns, rate, id, household := NULL, risk_keys := NULL, k := NULL,
                                                 profiles := NULL, carry_along := NULL, risk := NULL, max_risk := NULL,
                                                 stream := NULL, release := '') AS TABLE
    WITH sdc__persons AS MATERIALIZED (
        FROM sdc__swap_persons(tbl, columns, household, id, risk_keys, k, profiles, carry_along, risk, max_risk))
    SELECT sdc__of AS household, sdc__partner AS partner, nullif(sdc__need, 0) AS risk_level
    FROM sdc__swapped_homes('sdc__persons', columns, rate, risk_keys, k, profiles, carry_along, risk, max_risk, stream, release);

-- What the step says of it: with the pairs drawn again; or as seen in the released values, where nobody at risk is left.
CREATE OR REPLACE MACRO sdc__record_swap_counts(tbl, columns, rate, id, household, risk_keys, k, profiles, carry_along,
                                                risk, max_risk, stream, release) AS TABLE
    WITH sdc__persons AS MATERIALIZED (
        FROM sdc__swap_persons(tbl, columns, household, id, risk_keys, k, profiles, carry_along, risk, max_risk))
    SELECT count(*) AS households, any_value(2 * sdc__asked)::BIGINT AS asked, count(*) FILTER (sdc__swapped) AS swapped,
           count(*) FILTER (sdc__need > 0) AS at_risk,
           count(*) FILTER (sdc__left) AS left_at_risk
    FROM sdc__swapped_homes('sdc__persons', columns, rate, risk_keys, k, profiles, carry_along, risk, max_risk, stream, release);
CREATE OR REPLACE MACRO sdc__record_swap_seen(tbl, released, columns, rate, id, household) AS TABLE
    WITH sdc__before AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id,
               sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__of,
               struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__x
        FROM sdc__rows(tbl)
    ),
    sdc__after AS (
        SELECT sdc__exact(COLUMNS(sdc__columns((*), [id]))) AS sdc__id,
               struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__y
        FROM query_table(released)
    )
    SELECT count(DISTINCT sdc__of) AS households, 2 * sdc__pairs_asked(rate, count(DISTINCT sdc__of), 'household') AS asked,
           count(DISTINCT sdc__of) FILTER (sdc__x IS DISTINCT FROM sdc__y) AS swapped
    FROM sdc__before JOIN sdc__after USING (sdc__id);
