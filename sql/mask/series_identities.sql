-- Released ids in a series whose keys are suppressed: who goes on under the id that he has, who cannot, and who is new.
--
-- A released id shows one row in all its releases. It ends where a key that it shows changes, and where too few others are left for it
-- (series_suppression.sql). What stands in the ledger of each: a digest of the person, how often he was given an id, the release since
-- which he has it and the one in which it ended, a digest of the row that it shows, the keys that are NULL in it, a bit each, and the
-- releases in which it stands, a character each.

-- now: the records; identities: of the ledger.
CREATE OR REPLACE MACRO sdc__series_found(now, identities) AS TABLE
    WITH sdc__known AS (
        SELECT id, max(number) AS sdc__number, max_by(struct_pack(since, row_digest, whole, lost, standing, settled), number)
                   FILTER (ended IS NULL) AS sdc__i
        FROM query_table(identities) GROUP BY id
    )
    SELECT sdc__n.*, coalesce(sdc__k.sdc__number, 0) AS sdc__number,
           CASE WHEN sdc__k.sdc__number > 1 AND sdc__i IS NOT NULL THEN sdc__i.since ELSE 0 END AS sdc__cohort, sdc__i.lost AS sdc__lost,
           sdc__i.standing AS sdc__before, sdc__i.settled AS sdc__settled,
           coalesce(sdc__i.whole = sdc__row_digest(sdc__n.sdc__digests, 0), false) AS sdc__unchanged,
           CASE WHEN sdc__k.sdc__number IS NULL THEN 'new' WHEN sdc__i IS NULL THEN 'ended'
                WHEN sdc__i.row_digest = sdc__row_digest(sdc__n.sdc__digests, sdc__i.lost) THEN 'stays' ELSE 'changed' END AS sdc__fate
    FROM query_table(now) AS sdc__n LEFT JOIN sdc__known AS sdc__k ON sdc__n.sdc__person = sdc__k.id;

-- Those that go on under their ids, as series_suppression.sql reads them.
CREATE OR REPLACE MACRO sdc__series_live(found, release) AS TABLE
    SELECT sdc__person, sdc__part, sdc__cohort, (sdc__before || '1')::BIT AS sdc__standing,
           CASE WHEN sdc__unchanged THEN sdc__settled ELSE release END AS sdc__settled, sdc__lost, sdc__values, sdc__weight
    FROM query_table(found) WHERE sdc__fate = 'stays';

-- Those that are given a row: the keys of which a value was suppressed before are NULL. states: what the ledger has of each value.
CREATE OR REPLACE MACRO sdc__series_free(found, states, renews) AS TABLE
    WITH sdc__asked AS (SELECT sdc__person, unnest(sdc__digests) AS sdc__d, generate_subscripts(sdc__digests, 1) AS sdc__j
                        FROM query_table(found) WHERE sdc__fate <> 'new'),
    sdc__hidden AS (
        SELECT sdc__person, sum(1 << (sdc__j - 1))::INTEGER AS sdc__bits
        FROM (SELECT DISTINCT sdc__person, sdc__j
              FROM sdc__asked
              JOIN query_table(states) AS sdc__s ON sdc__s.id = sdc__person AND sdc__s.digest = sdc__d AND sdc__s.place = sdc__j - 1
              WHERE sdc__s.released = 'suppressed')
        GROUP BY sdc__person
    )
    SELECT sdc__f.* EXCLUDE (sdc__lost), coalesce(sdc__bits, 0) | sdc__missing_bits(sdc__values) AS sdc__always
    FROM query_table(found) AS sdc__f LEFT JOIN sdc__hidden AS sdc__h ON sdc__f.sdc__person = sdc__h.sdc__person
    WHERE sdc__fate = 'new' OR (renews AND sdc__fate <> 'stays');
CREATE OR REPLACE MACRO sdc__series_nobody(free) AS TABLE SELECT *, sdc__always AS sdc__lost FROM query_table(free) LIMIT 0;

-- Those beside whom newcomers are suppressed, and these: as they are shown, or of strong the standing ones as they are. anew: whether of
-- those that are given an id anew, who are by themselves.
CREATE OR REPLACE MACRO sdc__series_beside(live, free, guarantee, anew) AS TABLE
    SELECT sdc__person, sdc__part, sdc__weight, false AS sdc__free,
           CASE WHEN guarantee = 'strong' THEN sdc__values ELSE sdc__shown_values(sdc__values, sdc__lost) END AS sdc__shown
    FROM query_table(live) WHERE NOT anew
    UNION ALL
    SELECT sdc__person, sdc__part, sdc__weight, true AS sdc__free, sdc__shown_values(sdc__values, sdc__always) AS sdc__shown
    FROM query_table(free) WHERE (sdc__number > 0) = anew;

-- How many values of each key occur; of which two are shown alone, these.
CREATE OR REPLACE MACRO sdc__series_values(now) AS TABLE
    SELECT sdc__j, count(DISTINCT sdc__v) FILTER (sdc__v <> ''::BLOB) AS sdc__n
    FROM (SELECT unnest(sdc__values) AS sdc__v, generate_subscripts(sdc__values, 1) AS sdc__j FROM query_table(now)) GROUP BY sdc__j;
CREATE OR REPLACE MACRO sdc__series_categories(found, live) AS TABLE
    WITH sdc__seen AS (SELECT sdc__shown_values(sdc__values, sdc__lost) AS sdc__values FROM query_table(live))
    SELECT sdc__a.sdc__j, CASE WHEN sdc__b.sdc__n = 2 THEN 2 ELSE sdc__a.sdc__n END AS sdc__categories, sdc__a.sdc__n AS sdc__values
    FROM sdc__series_values(found) AS sdc__a LEFT JOIN sdc__series_values('sdc__seen') AS sdc__b ON sdc__a.sdc__j = sdc__b.sdc__j
    ORDER BY sdc__a.sdc__j;

-- Values of a key together with those of the keys that are not hidden without it. along: the places of these, of each key.
CREATE OR REPLACE MACRO sdc__joined_hex(v, places) AS array_to_string(list_transform(places, lambda j: hex(v[j])), ':');
CREATE OR REPLACE MACRO sdc__beside_others(v, along) AS
    list_transform(v, lambda x, i: CASE WHEN x = ''::BLOB OR len(along[i]) = 0 THEN x
                                        ELSE encode(concat(hex(x), ':', sdc__joined_hex(v, along[i]))) END);
CREATE OR REPLACE MACRO sdc__series_paired(beside, along) AS TABLE
    SELECT * REPLACE (sdc__beside_others(sdc__shown, along) AS sdc__shown) FROM query_table(beside);
CREATE OR REPLACE MACRO sdc__known_bytes(v) AS nullif(v, ''::BLOB);

-- The newcomers for whom nothing can be found: all records of their stratum are too few, or of identical, where fewer than k come,
-- no row stands that shows nothing which is not theirs.
CREATE OR REPLACE MACRO sdc__series_waiting(beside, bound, guarantee, rule) AS TABLE
    WITH sdc__totals AS (
        SELECT sdc__part, count(*) FILTER (sdc__free) AS sdc__come,
               sdc__is_too_little(count(*), greatest(coalesce(sum(sdc__weight), 0), count(*))::DOUBLE, bound, rule) AS sdc__few
        FROM query_table(beside) GROUP BY sdc__part
    ),
    sdc__alone AS (
        SELECT sdc__person, sdc__shown, sdc__b.sdc__part, sdc__few
        FROM query_table(beside) AS sdc__b JOIN sdc__totals AS sdc__t ON sdc__b.sdc__part = sdc__t.sdc__part
        WHERE sdc__free AND (sdc__few OR (guarantee = 'identical' AND sdc__come < bound))
    ),
    sdc__rows AS (SELECT DISTINCT sdc__part, sdc__shown FROM query_table(beside) WHERE NOT sdc__free)
    SELECT sdc__person FROM sdc__alone WHERE sdc__few
    UNION
    SELECT sdc__person FROM sdc__alone
    WHERE sdc__person NOT IN (
        SELECT sdc__a.sdc__person
        FROM sdc__alone AS sdc__a JOIN sdc__rows AS sdc__r ON sdc__a.sdc__part = sdc__r.sdc__part
        WHERE sdc__joins_row(sdc__a.sdc__shown, sdc__r.sdc__shown));

-- Keys that are hidden with others: one that alone is lost takes along another. alone, along: a bit of each.
CREATE OR REPLACE MACRO sdc__with_partner(lost, always, alone, along) AS
    CASE WHEN list_contains(alone, lost) AND lost & ~always <> 0 THEN lost | along[list_position(alone, lost)] ELSE lost END;
CREATE OR REPLACE MACRO sdc__series_partnered(free, alone, along) AS TABLE
    SELECT * REPLACE (sdc__with_partner(sdc__always, sdc__missing_bits(sdc__values), alone, along) AS sdc__always) FROM query_table(free);

-- The newcomers with what they lose; lost: by id, of the mask.
CREATE OR REPLACE MACRO sdc__series_taken(free, lost, alone, along) AS TABLE
    SELECT sdc__f.*, sdc__with_partner(sdc__m.sdc__lost, sdc__f.sdc__always, alone, along) AS sdc__lost
    FROM query_table(free) AS sdc__f JOIN query_table(lost) AS sdc__m ON hex(sdc__f.sdc__person) = sdc__m.sdc__id;

-- Those who stand, with the newcomers, who stand in this release alone; of whom too few others are left they are taken out.
CREATE OR REPLACE MACRO sdc__series_standing(live, placed, release) AS TABLE
    FROM query_table(live)
    UNION ALL
    SELECT sdc__person, sdc__part, CASE WHEN sdc__number > 0 THEN release ELSE 0 END, (repeat('0', release - 1) || '1')::BIT, release,
           coalesce(sdc__lost, error('TableError: A newcomer has no row: please report this.')), sdc__values, sdc__weight
    FROM query_table(placed);
CREATE OR REPLACE MACRO sdc__series_without(live, below) AS TABLE
    FROM query_table(live) WHERE sdc__person NOT IN (SELECT sdc__person FROM query_table(below));
CREATE OR REPLACE MACRO sdc__series_weakened(found, live) AS TABLE
    SELECT * REPLACE (CASE WHEN sdc__fate = 'stays' AND sdc__person NOT IN (SELECT sdc__person FROM query_table(live)) THEN 'weakened'
                           ELSE sdc__fate END AS sdc__fate)
    FROM query_table(found);

-- The newcomers of whom one value alone is hidden, and who would have been shown with each other value: it is certain.
CREATE OR REPLACE MACRO sdc__series_certain(found, live, placed) AS TABLE
    WITH sdc__one AS (
        SELECT sdc__person, sdc__part, sdc__values, sdc__lost,
               list_position(list_transform(range(16), lambda j: 1 << j), sdc__lost) AS sdc__j
        FROM query_table(placed) WHERE bit_count(sdc__lost) = 1 AND sdc__missing_bits(sdc__values) = 0 AND sdc__number = 0
    ),
    sdc__domain AS (
        SELECT DISTINCT sdc__part, sdc__j, sdc__v
        FROM (SELECT sdc__part, unnest(sdc__values) AS sdc__v, generate_subscripts(sdc__values, 1) AS sdc__j FROM query_table(found))
        WHERE sdc__v <> ''::BLOB
    ),
    sdc__rows AS (SELECT DISTINCT sdc__part, sdc__shown_values(sdc__values, sdc__lost) AS sdc__shown FROM query_table(live))
    SELECT sdc__o.sdc__person
    FROM sdc__one AS sdc__o
    JOIN sdc__domain AS sdc__d ON sdc__o.sdc__part = sdc__d.sdc__part AND sdc__o.sdc__j = sdc__d.sdc__j
    LEFT JOIN sdc__rows AS sdc__r
      ON sdc__r.sdc__part = sdc__o.sdc__part
         AND sdc__r.sdc__shown = list_transform(sdc__o.sdc__values, lambda x, i: CASE WHEN i = sdc__o.sdc__j THEN sdc__d.sdc__v ELSE x END)
    GROUP BY sdc__o.sdc__person HAVING count(*) FILTER (sdc__r.sdc__shown IS NULL) < 2;

-- What becomes of each record: whether it stands in the release, the keys that it loses, and the number of its id.
CREATE OR REPLACE MACRO sdc__series_rows(found, live, placed, every_key) AS TABLE
    SELECT sdc__f.sdc__id, sdc__f.sdc__person, coalesce(sdc__l.sdc__lost, every_key) AS sdc__lost,
           sdc__f.sdc__number + (sdc__p.sdc__person IS NOT NULL)::INTEGER AS sdc__number,
           sdc__p.sdc__person IS NOT NULL AS sdc__placed, sdc__l.sdc__person IS NOT NULL AS sdc__stands, sdc__f.sdc__fate,
           sdc__f.sdc__unchanged
    FROM query_table(found) AS sdc__f
    LEFT JOIN query_table(live) AS sdc__l ON sdc__f.sdc__person = sdc__l.sdc__person
    LEFT JOIN query_table(placed) AS sdc__p ON sdc__l.sdc__person = sdc__p.sdc__person;
CREATE OR REPLACE MACRO sdc__series_first_rows(now, lost) AS TABLE
    SELECT sdc__n.sdc__id, sdc__n.sdc__person, sdc__m.sdc__lost, 1 AS sdc__number, true AS sdc__placed, true AS sdc__stands,
           'new' AS sdc__fate, false AS sdc__unchanged
    FROM query_table(now) AS sdc__n JOIN query_table(lost) AS sdc__m ON sdc__by_bytes(sdc__n.sdc__id) = sdc__by_bytes(sdc__m.sdc__id);
CREATE OR REPLACE MACRO sdc__series_repeated_rows(now, identities, release, every_key) AS TABLE
    SELECT sdc__n.sdc__id, sdc__n.sdc__person, coalesce(sdc__i.lost, every_key) AS sdc__lost, coalesce(sdc__i.number, 0) AS sdc__number,
           sdc__i.id IS NOT NULL AS sdc__stands
    FROM query_table(now) AS sdc__n
    LEFT JOIN query_table(identities) AS sdc__i ON sdc__n.sdc__person = sdc__i.id AND substr(sdc__i.standing, release, 1) = '1';

-- What the ledger has of the ids after the release, and the states of values that are new for it.
CREATE OR REPLACE MACRO sdc__series_identities(identities, rows, now, release) AS TABLE
    WITH sdc__told AS (
        SELECT sdc__i.*, sdc__r.sdc__person IS NOT NULL AND (sdc__placed OR NOT sdc__stands) AS sdc__ends,
               coalesce(ended IS NULL AND sdc__stands AND NOT sdc__placed, false) AS sdc__goes_on, sdc__digests, sdc__unchanged
        FROM query_table(identities) AS sdc__i
        LEFT JOIN query_table(rows) AS sdc__r ON sdc__i.id = sdc__r.sdc__person
        LEFT JOIN query_table(now) AS sdc__n ON sdc__i.id = sdc__n.sdc__person
    )
    SELECT id, number, since, coalesce(ended, CASE WHEN sdc__ends THEN release END)::INTEGER AS ended, row_digest,
           CASE WHEN sdc__goes_on THEN sdc__row_digest(sdc__digests, 0) ELSE whole END AS whole, lost,
           standing || CASE WHEN sdc__goes_on THEN '1' ELSE '0' END AS standing,
           CASE WHEN sdc__goes_on AND NOT sdc__unchanged THEN release ELSE settled END::INTEGER AS settled
    FROM sdc__told
    UNION ALL
    SELECT sdc__r.sdc__person, sdc__number::INTEGER, release::INTEGER, NULL, sdc__row_digest(sdc__digests, sdc__lost),
           sdc__row_digest(sdc__digests, 0), sdc__lost, repeat('0', release - 1) || '1', release::INTEGER
    FROM query_table(rows) AS sdc__r JOIN query_table(now) AS sdc__n ON sdc__r.sdc__person = sdc__n.sdc__person
    WHERE sdc__stands AND sdc__placed;
CREATE OR REPLACE MACRO sdc__series_value_states(rows, now, states, release, step, keys) AS TABLE
    WITH sdc__changed AS (
        SELECT sdc__r.sdc__person, sdc__lost, unnest(sdc__digests[:keys]) AS sdc__d, unnest(range(keys)) AS sdc__j
        FROM query_table(rows) AS sdc__r JOIN query_table(now) AS sdc__n ON sdc__r.sdc__person = sdc__n.sdc__person
        WHERE sdc__stands AND (sdc__placed OR NOT sdc__unchanged)
    ),
    sdc__told AS (
        SELECT *, CASE WHEN sdc__is_lost(sdc__lost, sdc__j + 1) THEN 'suppressed' ELSE 'shown' END AS sdc__state FROM sdc__changed
    )
    SELECT step::INTEGER AS step, sdc__j::INTEGER AS place, sdc__person AS id, sdc__d AS digest, release::INTEGER AS since,
           sdc__state AS released
    FROM sdc__told
    LEFT JOIN query_table(states) AS sdc__s
      ON sdc__s.id = sdc__person AND sdc__s.place = sdc__j AND sdc__s.digest = sdc__d AND sdc__s.released = sdc__state
    WHERE sdc__s.id IS NULL;

-- What became of the records; values that were shown under an id and are suppressed under the next one; and the records that fewer than
-- `bound` are like who knows, too, in which releases a person does not stand.
CREATE OR REPLACE MACRO sdc__series_counts(rows, now, states, live, renews, keys, bound) AS TABLE
    WITH sdc__again AS (
        SELECT sdc__r.sdc__person, sdc__lost, unnest(sdc__digests[:keys]) AS sdc__d, unnest(range(keys)) AS sdc__j
        FROM query_table(rows) AS sdc__r JOIN query_table(now) AS sdc__n ON sdc__r.sdc__person = sdc__n.sdc__person
        WHERE sdc__placed AND sdc__fate <> 'new'
    ),
    sdc__later AS (
        SELECT count(*) AS suppressed_later
        FROM sdc__again
        JOIN query_table(states) AS sdc__s ON sdc__s.id = sdc__person AND sdc__s.place = sdc__j AND sdc__s.digest = sdc__d
        WHERE sdc__is_lost(sdc__lost, sdc__j + 1) AND sdc__s.released = 'shown'
    ),
    sdc__alike AS (
        SELECT count(*) AS sdc__n
        FROM query_table(live)
        GROUP BY sdc__part, sdc__cohort, sdc__standing, sdc__lost, sdc__shown_values(sdc__values, sdc__lost)
    )
    SELECT count(*) FILTER (sdc__fate = 'changed') AS rows_changed, count(*) FILTER (sdc__fate = 'weakened') AS weakened,
           count(*) FILTER (sdc__placed AND sdc__fate <> 'new') AS new_ids,
           count(*) FILTER (NOT sdc__stands AND NOT renews AND sdc__fate <> 'new') AS left_out,
           count(*) FILTER (NOT sdc__stands AND (renews OR sdc__fate = 'new')) AS waiting_for_others,
           (SELECT suppressed_later FROM sdc__later) AS suppressed_later,
           (SELECT coalesce(sum(sdc__n) FILTER (sdc__n < bound), 0)::BIGINT FROM sdc__alike) AS apart_by_presence
    FROM query_table(rows);
