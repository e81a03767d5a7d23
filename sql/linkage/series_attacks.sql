-- What attacks make of the values of a series, and what of those that come or leave (series_disclosure.sql).

CREATE OR REPLACE MACRO sdc__kernel_series_means(states, groups, amounts) AS
    sdc__needs_python('The intruder over a series of releases')::DOUBLE[];

-- A row a value: what its first release and each attack make of it.
CREATE OR REPLACE MACRO sdc__series_states(said, width) AS TABLE
    WITH sdc__solved AS (
        SELECT sdc__name, unnest(sdc__found) AS sdc__mean, unnest(range(len(sdc__found))) AS sdc__state
        FROM (SELECT sdc__name, sdc__kernel_series_means(list(sdc__state::DOUBLE ORDER BY sdc__t ASC, sdc__state ASC),
                                                         list(sdc__group::DOUBLE ORDER BY sdc__t ASC, sdc__state ASC),
                                                         list(sdc__y ORDER BY sdc__t ASC, sdc__state ASC)) AS sdc__found
              FROM (SELECT sdc__name, sdc__t, sdc__state, sdc__y,
                           dense_rank() OVER (PARTITION BY sdc__name ORDER BY sdc__t ASC, sdc__y ASC) - 1 AS sdc__group
                    FROM query_table(said)
                    WHERE sdc__kind = 'numbers' AND sdc__y IS NOT NULL)
              GROUP BY sdc__name)
    ),
    sdc__modes AS (
        SELECT sdc__name, sdc__state, arg_max(sdc__yv, (sdc__n, -sdc__since)) AS sdc__often,
               arg_max(sdc__c, (sdc__n, -sdc__since)) AS sdc__often_c,
               arg_max(sdc__g, (sdc__n, -sdc__since)) AS sdc__often_g
        FROM (SELECT sdc__name, sdc__state, sdc__yv, any_value(sdc__c) AS sdc__c, any_value(sdc__g) AS sdc__g, count(*) AS sdc__n,
                     min(sdc__t) AS sdc__since
              FROM query_table(said)
              WHERE sdc__yv IS NOT NULL
              GROUP BY ALL)
        GROUP BY ALL
    ),
    -- the values that all labels of a person stand for
    sdc__stand AS (
        SELECT DISTINCT sdc__p.sdc__name, sdc__p.sdc__yv, CASE WHEN sdc__own THEN sdc__p.sdc__yv ELSE sdc__p.sdc__xv END AS sdc__may
        FROM (SELECT sdc__a.*, sdc__c IS NOT DISTINCT FROM sdc__yv AS sdc__own FROM query_table(said) AS sdc__a
              WHERE sdc__kind = 'categories' AND sdc__yv IS NOT NULL) AS sdc__p
    ),
    sdc__left AS (
        SELECT sdc__name, sdc__state, count(*) AS sdc__n, min(sdc__may) AS sdc__last
        FROM (SELECT sdc__s.sdc__name, sdc__state, sdc__may
              FROM (SELECT DISTINCT sdc__name, sdc__state, sdc__yv,
                           count(DISTINCT sdc__yv) OVER (PARTITION BY sdc__name, sdc__state) AS sdc__labels
                    FROM query_table(said)
                    WHERE sdc__kind = 'categories' AND sdc__yv IS NOT NULL) AS sdc__s
              JOIN sdc__stand USING (sdc__name, sdc__yv)
              GROUP BY sdc__s.sdc__name, sdc__state, sdc__may, sdc__labels
              HAVING count(*) = sdc__labels)
        GROUP BY ALL
    )
    SELECT sdc__s.*, sdc__within,
           CASE WHEN sdc__kind = 'categories' THEN sdc__first_c IS NOT DISTINCT FROM sdc__xv
                ELSE coalesce(abs(sdc__first_g - sdc__x) <= sdc__within, false) END AS sdc__one,
           coalesce(abs(sdc__mean - sdc__x) <= sdc__within, false) AS sdc__equations,
           sdc__kind = 'numbers' AND coalesce(abs(sdc__mid - sdc__x) <= sdc__within, false) AS sdc__midpoint,
           CASE WHEN sdc__kind = 'categories' THEN coalesce(sdc__often_c = sdc__xv, false)
                ELSE coalesce(abs(sdc__often_g - sdc__x) <= sdc__within, false) END AS sdc__mode,
           CASE sdc__kind WHEN 'categories' THEN coalesce(sdc__l.sdc__n = 1 AND sdc__last = sdc__xv, false)
                          WHEN 'labels' THEN coalesce(abs(sdc__inner - sdc__x) <= sdc__within, false) ELSE false END AS sdc__classes
    FROM (SELECT sdc__name, sdc__kind, sdc__state, any_value(sdc__person) AS sdc__person, any_value(sdc__x) AS sdc__x,
                 any_value(sdc__xv) AS sdc__xv, min(sdc__t) AS sdc__begin,
                 arg_min_null({'c': sdc__c}, sdc__t).c AS sdc__first_c, arg_min_null({'g': sdc__g}, sdc__t).g AS sdc__first_g,
                 (min(sdc__g) + max(sdc__g)) / 2 AS sdc__mid, (max(sdc__low) + min(sdc__high)) / 2 AS sdc__inner,
                 bool_or(sdc__yv IS NULL) AS sdc__suppressed, bool_or(sdc__yv IS NOT NULL) AS sdc__shown
          FROM query_table(said)
          GROUP BY sdc__name, sdc__kind, sdc__state) AS sdc__s
    JOIN sdc__series_within(said, width) USING (sdc__name)
    LEFT JOIN sdc__solved AS sdc__q ON sdc__q.sdc__name = sdc__s.sdc__name AND sdc__q.sdc__state = sdc__s.sdc__state
    LEFT JOIN sdc__modes AS sdc__m ON sdc__m.sdc__name = sdc__s.sdc__name AND sdc__m.sdc__state = sdc__s.sdc__state
    LEFT JOIN sdc__left AS sdc__l ON sdc__l.sdc__name = sdc__s.sdc__name AND sdc__l.sdc__state = sdc__s.sdc__state;

-- The values that come or leave between a release and the next, and whether the total or the set of the released ones tells them.
CREATE OR REPLACE MACRO sdc__series_moved(said, states) AS TABLE
    WITH sdc__steps AS (SELECT DISTINCT sdc__t FROM query_table(said)),
    sdc__held AS (
        SELECT sdc__name, sdc__state, sdc__xv, sdc__yv, sdc__x, sdc__y, sdc__kind, sdc__t, 1 AS sdc__sign FROM query_table(said)
        UNION ALL
        SELECT sdc__name, sdc__state, sdc__xv, sdc__yv, sdc__x, sdc__y, sdc__kind, sdc__t + 1, -1 FROM query_table(said)
    ),
    sdc__between AS MATERIALIZED (FROM sdc__held WHERE sdc__t > 1 AND sdc__t IN (SELECT sdc__t FROM sdc__steps)),
    sdc__who AS (
        SELECT sdc__name, sdc__t, sdc__state FROM sdc__between GROUP BY ALL HAVING sum(sdc__sign) <> 0
    ),
    sdc__totals AS (
        SELECT sdc__name, sdc__t, abs(sum(sdc__sign * (sdc__y - sdc__x))) AS sdc__off
        FROM sdc__between WHERE sdc__kind = 'numbers' GROUP BY ALL
    ),
    sdc__sets AS (
        SELECT sdc__name, sdc__t, sum(abs(sdc__d)) AS sdc__off, bool_and(sdc__value IS NOT NULL) AS sdc__whole
        FROM (SELECT sdc__name, sdc__t, sdc__value, sum(sdc__sign) AS sdc__d
              FROM (SELECT sdc__name, sdc__t, sdc__yv AS sdc__value, sdc__sign FROM sdc__between
                    UNION ALL SELECT sdc__name, sdc__t, sdc__xv, -sdc__sign FROM sdc__between)
              GROUP BY ALL)
        GROUP BY ALL
    ),
    -- a batch's total or set may be right by chance, once: it counts where it is so in half of the releases that suppress nothing
    sdc__kept AS (
        SELECT sdc__name, sdc__t, sdc__exact,
               2 * count(*) FILTER (sdc__exact) OVER sdc__all >= count(*) FILTER (sdc__whole) OVER sdc__all AS sdc__usual
        FROM (SELECT sdc__name, sdc__t, sdc__e.sdc__whole,
                     coalesce(sdc__e.sdc__whole AND sdc__m.sdc__off <= sdc__within, false) OR sdc__e.sdc__off = 0 AS sdc__exact
              FROM sdc__sets AS sdc__e LEFT JOIN sdc__totals AS sdc__m USING (sdc__name, sdc__t)
              JOIN (SELECT DISTINCT sdc__name, sdc__within FROM query_table(states)) USING (sdc__name))
        WINDOW sdc__all AS (PARTITION BY sdc__name)
    )
    SELECT sdc__w.sdc__name, sdc__w.sdc__t, sdc__w.sdc__state, sdc__many,
           NOT sdc__one AND sdc__exact AND (sdc__many = 1 OR sdc__usual) AS sdc__given
    FROM (SELECT *, count(*) OVER (PARTITION BY sdc__name, sdc__t) AS sdc__many FROM sdc__who) AS sdc__w
    JOIN query_table(states) AS sdc__s ON sdc__s.sdc__name = sdc__w.sdc__name AND sdc__s.sdc__state = sdc__w.sdc__state
    JOIN sdc__kept AS sdc__k ON sdc__k.sdc__name = sdc__w.sdc__name AND sdc__k.sdc__t = sdc__w.sdc__t;
