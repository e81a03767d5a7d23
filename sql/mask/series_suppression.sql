-- Local suppression in a series of releases: what the releases show of each released id together, and who is too few for it.
--
-- A released id shows one row of keys in all releases that it stands in. The intruder puts the releases together by the id; he knows the
-- keys of a person, and in which of these releases the person stands. Whom he cannot tell from r are the ids that stand in them all, too:
--
--   identical   N(r) = #{ r' : the same released row as r,                         stands(r') contains stands(r) }              >= k
--   wildcard    N(r) = #{ r' : a released row that agrees, NULL with every value,  stands(r') contains stands(r) }              >= k
--   strong      N(r) = #{ r' : the original agrees on what r shows,                stands(r') contains stands(r), unchanged }   >= k
--               (or its sum of weights for each set of keys of a threshold rule, or its E(1/F) at or below a limit of risk)
--
-- unchanged: no key of r' has changed since the first release that r stands in. An id that was given anew is counted among those of the
-- same release alone, since who looks for a person whose id is no more looks among these.
--
-- Rows of the tables that are read: sdc__person (a digest), sdc__part (the stratum), sdc__cohort (the release in which the id was given
-- anew, 0: it is the own one), sdc__standing (a bit for each release), sdc__settled (the release since which no key has changed), sdc__lost
-- (a bit for each key that is NULL), sdc__values (the keys as bytes), sdc__weight.

-- A value as bytes that no value of another column's type, and no NULL, has.
CREATE OR REPLACE MACRO sdc__shown_bytes(v) AS coalesce(encode('v' || sdc__canonical(v)), ''::BLOB);
CREATE OR REPLACE MACRO sdc__is_lost(lost, place) AS (lost >> (place - 1)) & 1 = 1;
CREATE OR REPLACE MACRO sdc__shown_values(v, lost) AS
    list_transform(v, lambda x, i: CASE WHEN sdc__is_lost(lost, i) THEN ''::BLOB ELSE x END);
CREATE OR REPLACE MACRO sdc__missing_bits(v) AS
    list_sum(list_transform(v, lambda x, i: CASE WHEN x = ''::BLOB THEN 1 << (i - 1) ELSE 0 END))::INTEGER;

-- A keyed digest of what a record shows: digests has one for each value of it, the stratum's last.
CREATE OR REPLACE MACRO sdc__row_digest(digests, lost) AS
    sdc__first_half(sha256(concat(lost, ':', array_to_string(list_transform(list_filter(digests, lambda d, i: NOT sdc__is_lost(lost, i)),
                                                                            lambda d: hex(d)), ','))));

-- sets: the sets of keys that are looked at, a bit for each key; none of identical.
CREATE OR REPLACE MACRO sdc__series_support(live, sets, guarantee) AS TABLE
    WITH sdc__cells AS MATERIALIZED (
        SELECT sdc__part, sdc__cohort, sdc__standing, CASE WHEN guarantee = 'strong' THEN sdc__settled ELSE 0 END AS sdc__settled,
               sdc__lost,
               CASE WHEN guarantee = 'strong' THEN sdc__values ELSE sdc__shown_values(sdc__values, sdc__lost) END AS sdc__values,
               count(*) AS sdc__n, sdc__exact_sum(sdc__weight) AS sdc__w
        FROM query_table(live) GROUP BY ALL
    ),
    sdc__patterns AS (SELECT DISTINCT sdc__standing FROM sdc__cells),
    sdc__within AS MATERIALIZED (
        SELECT sdc__r.sdc__standing AS sdc__standing, sdc__o.sdc__standing AS sdc__wider,
               bit_position('1'::BIT, sdc__r.sdc__standing) AS sdc__first
        FROM sdc__patterns AS sdc__r JOIN sdc__patterns AS sdc__o ON (sdc__r.sdc__standing & sdc__o.sdc__standing) = sdc__r.sdc__standing
    ),
    sdc__asked AS (
        SELECT *, sdc__lost | ((~sdc__set) & 65535) AS sdc__left FROM (SELECT *, unnest(sets) AS sdc__set FROM sdc__cells)
    ),
    -- what others have NULL beside, where that agrees with every value; of identical it is the same in both
    sdc__theirs AS (SELECT DISTINCT CASE WHEN guarantee = 'strong' THEN 0 ELSE sdc__lost END AS sdc__also FROM sdc__cells),
    sdc__masks AS (SELECT DISTINCT sdc__left, sdc__also FROM sdc__asked, sdc__theirs
                   WHERE guarantee <> 'identical' OR sdc__left = sdc__also),
    sdc__others AS MATERIALIZED (
        SELECT sdc__part, sdc__cohort, sdc__standing, sdc__settled, sdc__left, sdc__also,
               sdc__shown_values(sdc__values, sdc__left | sdc__also) AS sdc__shared, sum(sdc__n)::BIGINT AS sdc__n, sum(sdc__w) AS sdc__w
        FROM sdc__cells JOIN sdc__masks ON guarantee = 'strong' OR sdc__lost = sdc__also GROUP BY ALL
    ),
    sdc__own AS (
        SELECT sdc__a.*, sdc__m.sdc__also, sdc__shown_values(sdc__a.sdc__values, sdc__a.sdc__left | sdc__m.sdc__also) AS sdc__shared
        FROM sdc__asked AS sdc__a JOIN sdc__masks AS sdc__m ON sdc__a.sdc__left = sdc__m.sdc__left
    )
    -- of strong nobody may be left, not even the own one, of whom a key that is hidden has changed: 0 is too few
    SELECT sdc__part, sdc__cohort, sdc__standing, sdc__settled, sdc__lost, sdc__values, sdc__set, sum(sdc__n)::BIGINT AS sdc__f,
           greatest(sum(sdc__n), coalesce(sum(sdc__w), 0))::DOUBLE AS sdc__w
    FROM (SELECT sdc__r.sdc__part, sdc__r.sdc__cohort, sdc__r.sdc__standing, sdc__r.sdc__settled, sdc__r.sdc__lost, sdc__r.sdc__values,
                 sdc__r.sdc__set, sdc__o.sdc__n, sdc__o.sdc__w
          FROM sdc__own AS sdc__r
          JOIN sdc__within AS sdc__p ON sdc__r.sdc__standing = sdc__p.sdc__standing
          JOIN sdc__others AS sdc__o
            ON sdc__o.sdc__part = sdc__r.sdc__part AND sdc__o.sdc__left = sdc__r.sdc__left AND sdc__o.sdc__also = sdc__r.sdc__also
               AND sdc__o.sdc__shared = sdc__r.sdc__shared AND sdc__o.sdc__standing = sdc__p.sdc__wider
               AND (sdc__r.sdc__cohort = 0 OR sdc__o.sdc__cohort = sdc__r.sdc__cohort)
               AND (guarantee <> 'strong' OR sdc__o.sdc__settled <= sdc__p.sdc__first)
          UNION ALL
          SELECT sdc__part, sdc__cohort, sdc__standing, sdc__settled, sdc__lost, sdc__values, sdc__set, 0, NULL FROM sdc__asked)
    GROUP BY ALL;

-- Whether what is counted is too little: nobody, records below k, a sum of weights at or below a threshold, a risk above the limit.
CREATE OR REPLACE MACRO sdc__is_too_little(f, w, bound, rule) AS CASE
    WHEN f = 0 THEN true
    WHEN rule = 'records' THEN f < bound
    WHEN rule = 'above' THEN w <= bound * (1 + 1e-12)
    WHEN rule = 'at least' THEN w < bound * (1 - 1e-12)
    ELSE sdc_posterior_risk(f, f / w) > bound END;

-- The persons for whom too few others are left. sets: each set of keys with its bound.
CREATE OR REPLACE MACRO sdc__series_below(live, sets, bounds, guarantee, rule) AS TABLE
    WITH sdc__few AS (
        SELECT DISTINCT sdc__part, sdc__cohort, sdc__standing, sdc__settled, sdc__lost, sdc__values
        FROM sdc__series_support(live, sets, guarantee)
        WHERE sdc__is_too_little(sdc__f, sdc__w, bounds[list_position(sets, sdc__set)], rule)
    )
    SELECT sdc__l.sdc__person
    FROM query_table(live) AS sdc__l
    JOIN sdc__few AS sdc__s
      ON sdc__l.sdc__part = sdc__s.sdc__part AND sdc__l.sdc__cohort = sdc__s.sdc__cohort AND sdc__l.sdc__standing = sdc__s.sdc__standing
         AND sdc__l.sdc__lost = sdc__s.sdc__lost AND (guarantee <> 'strong' OR sdc__l.sdc__settled = sdc__s.sdc__settled)
         AND CASE WHEN guarantee = 'strong' THEN sdc__l.sdc__values
                  ELSE sdc__shown_values(sdc__l.sdc__values, sdc__l.sdc__lost) END = sdc__s.sdc__values;

-- The id that a person is released with from the number-th time on that he is given one.
CREATE OR REPLACE MACRO sdc__given_digest(id, number, series, step) AS
    sha256(hex(sdc__series_value(id, number, series, step, 'the released id')));
CREATE OR REPLACE MACRO sdc__given_id(id, number, series, step, kind) AS CASE
    WHEN kind IN ('BIGINT', 'HUGEINT') THEN (-1 - (('0x' || substr(sdc__given_digest(id, number, series, step), 1, 15))::BIGINT))::VARCHAR
    WHEN kind = 'UUID' THEN substr(sdc__given_digest(id, number, series, step), 1, 32)
    ELSE substr(sdc__given_digest(id, number, series, step), 1, 24) END;

-- Newcomers who can join a row that stands already: it shows nothing that is not theirs.
CREATE OR REPLACE MACRO sdc__joins_row(own, row_values) AS
    list_bool_and(list_transform(row_values, lambda x, i: x = ''::BLOB OR x = own[i]));
