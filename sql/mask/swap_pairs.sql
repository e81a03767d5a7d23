-- Pairs for swapping: who exchanges values with whom (data_swap.sql, record_swap.sql). Inner; sets only, no row after another.
--
-- units (of the name of a common table expression): sdc__unit (a number), sdc__u and sdc__v (uniform draws), sdc__alike (a list: the code
-- in which partners agree, of each profile in turn), sdc__apart (of each level a list of codes: partners share none of them), sdc__need
-- (the level at which the unit must find a partner; 0: it need not). asked: one row with sdc__asked, the pairs that are asked for.
--
-- One step after another, each with the units that are left (sdc__kind):
--   1, 2  each seeker, by its rank in the order of u, has a run of partners of its own profile, by their ranks: the first it may swap with. The
--         partners are those of least v, as many as there are seekers (1) or eight times as many (2)
--   3     seekers from the profile's most frequent place with partners from elsewhere, the others with partners from there: all that are left
--   4     seekers with each other: in the order of their places, the most frequent first, one half with the other, so that no place meets itself
--   5     as 4, of all units: the pairs of least v
-- Seekers: units in need, level by level (profiles in turn; then 4), then those of least v, until there are as many pairs as asked.
-- Who is swapped thus depends on the unit's own draw first: the same units in a file that is changed a little, partners that may be others.
CREATE OR REPLACE MACRO sdc__swap_pairs(units, asked) AS TABLE
    WITH RECURSIVE sdc__steps AS MATERIALIZED (
        SELECT row_number() OVER (ORDER BY sdc__rate ASC, sdc__level ASC, sdc__kind = 4 ASC, sdc__profile ASC, sdc__kind ASC, sdc__turn ASC) AS sdc__at, *
        FROM (SELECT max(len(sdc__apart)) AS sdc__levels, max(len(sdc__alike)) AS sdc__profiles, max(len(sdc__apart[1])) AS sdc__codes,
                     min(sdc__need) FILTER (sdc__need > 0) AS sdc__first FROM query_table(units)) AS sdc__size,
             (SELECT unnest([false, false, false, false, true, true, true]) AS sdc__rate, unnest([1, 2, 3, 4, 1, 2, 5]) AS sdc__kind),
             LATERAL (SELECT unnest(range(1, sdc__profiles + 1)) AS sdc__profile),
             LATERAL (SELECT unnest(range(CASE WHEN sdc__rate THEN sdc__levels ELSE sdc__first END, sdc__levels + 1)) AS sdc__level),
             LATERAL (SELECT unnest(range(1, 1 + CASE WHEN sdc__kind = 5 THEN greatest(sdc__codes, 1) ELSE 1 END)) AS sdc__turn)
    ),
    sdc__pairs AS (
        SELECT 0::BIGINT AS sdc__at, NULL::BIGINT AS sdc__a, NULL::BIGINT AS sdc__b
        UNION ALL
        (WITH sdc__used AS (SELECT unnest([sdc__a, sdc__b]) AS sdc__done FROM sdc__pairs WHERE sdc__a IS NOT NULL),
        sdc__now AS (
            SELECT sdc__s.*, sdc__asked - (SELECT count(sdc__a) FROM sdc__pairs) AS sdc__left,
                   (SELECT min(sdc__need) FROM query_table(units) ANTI JOIN sdc__used ON sdc__unit = sdc__done WHERE sdc__need > 0) AS sdc__widest
            FROM sdc__steps AS sdc__s JOIN sdc__pairs AS sdc__p ON sdc__s.sdc__at = sdc__p.sdc__at + 1, query_table(asked) WHERE sdc__p.sdc__a IS NULL
        ),
        sdc__open AS (FROM sdc__now WHERE CASE WHEN sdc__rate THEN sdc__left > 0 ELSE sdc__widest <= sdc__level END),
        sdc__drawn AS (
            SELECT sdc__unit AS sdc__chosen FROM query_table(units) ANTI JOIN sdc__used ON sdc__unit = sdc__done, sdc__open WHERE sdc__rate AND sdc__kind < 5
            QUALIFY row_number() OVER (ORDER BY sdc__v ASC) <= sdc__left
        ),
        sdc__free AS (
            SELECT sdc__unit, sdc__u, sdc__v, sdc__need, sdc__alike[sdc__profile] AS sdc__g, sdc__apart[sdc__level] AS sdc__far, sdc__apart[sdc__level][sdc__turn] AS sdc__place,
                   sdc__kind, sdc__left, sdc__level, sdc__rate,
                   CASE WHEN NOT sdc__rate THEN sdc__need BETWEEN 1 AND sdc__level ELSE sdc__kind = 5 OR sdc__chosen IS NOT NULL END AS sdc__seeks
            FROM query_table(units) ANTI JOIN sdc__used ON sdc__unit = sdc__done LEFT JOIN sdc__drawn ON sdc__unit = sdc__chosen, sdc__open
        ),
        sdc__seekers AS (
            SELECT *, row_number() OVER (PARTITION BY sdc__g ORDER BY sdc__u ASC, sdc__v ASC) - 1 AS sdc__i, count(*) OVER (PARTITION BY sdc__g) AS sdc__n
            FROM sdc__free WHERE sdc__seeks
        ),
        sdc__sought AS (  -- the partners of those profiles that have a seeker
            SELECT sdc__f.*, sdc__n, sdc__modal, row_number() OVER (PARTITION BY sdc__f.sdc__g ORDER BY sdc__v ASC, sdc__u ASC) AS sdc__r
            FROM sdc__free AS sdc__f JOIN (
                SELECT sdc__g, sum(sdc__t)::BIGINT AS sdc__n, arg_max(sdc__place, (sdc__t, sdc__place)) AS sdc__modal
                FROM (SELECT sdc__g, sdc__place, count(*) AS sdc__t FROM sdc__seekers GROUP BY ALL) GROUP BY sdc__g
            ) AS sdc__s ON sdc__f.sdc__g = sdc__s.sdc__g
            WHERE NOT sdc__seeks AND (sdc__kind < 3 AND (sdc__rate OR sdc__need = 0) OR sdc__kind = 3)
        ),
        sdc__runs AS (
            SELECT *, sdc__j * sdc__n // sdc__m AS sdc__i
            FROM (SELECT *, row_number() OVER (PARTITION BY sdc__g ORDER BY sdc__u ASC, sdc__v ASC) - 1 AS sdc__j, count(*) OVER (PARTITION BY sdc__g) AS sdc__m
                  FROM sdc__sought WHERE sdc__r <= sdc__n * CASE WHEN sdc__kind = 1 THEN 1 ELSE 8 END AND sdc__kind < 3)
        ),
        sdc__sides AS (
            SELECT sdc__unit, sdc__g, sdc__far, sdc__seeks, sdc__there, row_number() OVER (PARTITION BY sdc__g, sdc__seeks, sdc__there ORDER BY sdc__v ASC, sdc__u ASC) AS sdc__i
            FROM (SELECT sdc__unit, sdc__g, sdc__far, sdc__u, sdc__v, false AS sdc__seeks, sdc__place <> sdc__modal AS sdc__there FROM sdc__sought WHERE sdc__kind = 3
                  UNION ALL
                  SELECT sdc__unit, sdc__g, sdc__far, sdc__u, sdc__v, true, sdc__place = sdc__modal
                  FROM sdc__seekers JOIN (SELECT sdc__g, any_value(sdc__modal) AS sdc__modal FROM sdc__sought WHERE sdc__kind = 3 GROUP BY sdc__g) USING (sdc__g))
        ),
        sdc__halves AS (
            SELECT *, greatest((sdc__c + 1) // 2, CASE WHEN sdc__place IS NULL THEN 0 ELSE max(sdc__t) OVER (PARTITION BY sdc__g) END) AS sdc__off,
                   row_number() OVER (PARTITION BY sdc__g ORDER BY sdc__t DESC, sdc__place ASC, sdc__u ASC, sdc__v ASC) - 1 AS sdc__h
            FROM (SELECT *, count(*) OVER (PARTITION BY sdc__g, sdc__place) AS sdc__t, sdc__n AS sdc__c FROM sdc__seekers WHERE sdc__kind > 3)
        ),
        sdc__new AS (
            SELECT sdc__s.sdc__unit AS sdc__a, arg_min(sdc__d.sdc__unit, sdc__d.sdc__j) AS sdc__b
            FROM sdc__seekers AS sdc__s JOIN sdc__runs AS sdc__d ON sdc__s.sdc__g = sdc__d.sdc__g AND sdc__s.sdc__i = sdc__d.sdc__i
            WHERE NOT list_has_any(sdc__s.sdc__far, sdc__d.sdc__far) GROUP BY sdc__s.sdc__unit
            UNION ALL
            SELECT sdc__s.sdc__unit, sdc__d.sdc__unit
            FROM sdc__sides AS sdc__s JOIN sdc__sides AS sdc__d ON (sdc__s.sdc__g, sdc__s.sdc__there, sdc__s.sdc__i) = (sdc__d.sdc__g, sdc__d.sdc__there, sdc__d.sdc__i)
            WHERE sdc__s.sdc__seeks AND NOT sdc__d.sdc__seeks AND NOT list_has_any(sdc__s.sdc__far, sdc__d.sdc__far)
            UNION ALL
            SELECT sdc__a, sdc__b
            FROM (SELECT sdc__s.sdc__unit AS sdc__a, sdc__d.sdc__unit AS sdc__b, sdc__s.sdc__left, sdc__s.sdc__rate,
                         row_number() OVER (ORDER BY least(sdc__s.sdc__v, sdc__d.sdc__v) ASC) AS sdc__k
                  FROM sdc__halves AS sdc__s JOIN sdc__halves AS sdc__d ON sdc__s.sdc__g = sdc__d.sdc__g AND sdc__s.sdc__h + sdc__s.sdc__off = sdc__d.sdc__h
                  WHERE NOT list_has_any(sdc__s.sdc__far, sdc__d.sdc__far))
            WHERE NOT sdc__rate OR sdc__k <= sdc__left
        )
        SELECT sdc__at, NULL, NULL FROM sdc__now
        UNION ALL SELECT sdc__now.sdc__at, sdc__p.sdc__a, sdc__p.sdc__b FROM sdc__pairs AS sdc__p, sdc__now WHERE sdc__p.sdc__a IS NOT NULL
        UNION ALL SELECT sdc__now.sdc__at, sdc__new.sdc__a, sdc__new.sdc__b FROM sdc__new, sdc__now)
    )
    SELECT sdc__a, sdc__b FROM sdc__pairs WHERE sdc__a IS NOT NULL AND sdc__at = (SELECT max(sdc__at) FROM sdc__steps);

-- How many pairs a rate of n units comes to: never fewer than asked, where there are units for them.
CREATE OR REPLACE MACRO sdc__pairs_asked(rate, n, whom) AS
    CASE WHEN n < 2 THEN error('TableError: The table has one ' || whom || ' only: swapping needs two.')
         WHEN TRY_CAST(rate AS DOUBLE) > 0 AND TRY_CAST(rate AS DOUBLE) <= 1 THEN least(ceil(TRY_CAST(rate AS DOUBLE) * n / 2 - 1e-9)::BIGINT, n // 2)
         ELSE error('ParameterError: The rate is ' || coalesce(rate::VARCHAR, 'NULL') || ': it must be the share that is swapped, above 0 and at most 1.') END;

-- Fewer swaps than asked are an error, unless they are only to be reported.
CREATE OR REPLACE MACRO sdc__swaps_enough(shortfall, asked, found, stranded, whom) AS CASE
    WHEN shortfall NOT IN ('refuse', 'report') OR shortfall IS NULL
        THEN error('ParameterError: shortfall is ' || coalesce(shortfall::VARCHAR, 'NULL') || ': it must be ''refuse'' or ''report''.')
    WHEN shortfall = 'report' OR (found >= asked AND stranded = 0) THEN true
    WHEN stranded > 0
        THEN error('ParameterError: ' || stranded || ' ' || whom || ' at risk found no partner in another such area: add a wider profile, or take fewer areas, or a lower k; or give shortfall := ''report'', and they stay in that area and are counted.')
    ELSE error('ParameterError: ' || 2 * found || ' ' || whom || ' found a partner, and ' || 2 * asked || ' were asked to be swapped: lower the rate or loosen what partners must share or not share; or give shortfall := ''report''.')
END;
