-- The intruder over all releases of a series: what they tell together, beyond what one of them tells.
-- A table changes and is released again; the id links its releases.
--
--   value = an original value of a person, for as long as it stays so; it is released in each release that has the person
--   within = width times the median distance of a released value from its original, of those that differ     (numbers; else equal)
--   one = values that the first release with them gives to within this;    together = values that the best attack over all gives
--   gain = (together - one) / (values - one)                    0 where what was released of a value stays: nothing is gained
-- Attacks, of which the best for a variable counts:
--   equations  a released number is the mean of those that have it in that release: solved together, by least squares (what has a
--              number of its own is averaged over the releases)
--   midpoint   of the least and the greatest released number
--   mode       the commonest released value; what one release suppressed is known where another shows it
--   classes    labels of classes, of one person in several releases, are intersected: the middle, or the one value that is left
-- Beside these, of whom comes, leaves or changes between two releases: the difference of the totals, or of the sets, of released values
-- is that of the originals; who knows all others that moved has the last of them (given), of one that moves alone everybody (given_alone).
-- Source: attacks on repeated microaggregation, noise, swapping and suppression of a table that grows (the series of differences: Xiao &
--   Tao (2007), m-invariance: towards privacy preserving re-publication of dynamic datasets, SIGMOD 2007, 689-700); least squares by
--   conjugate gradients: Hestenes & Stiefel (1952), Methods of conjugate gradients for solving linear systems.
--
-- An upper bound where it takes the id of each record, and when an original changed, as known to the intruder; a lower one where he knows
-- more than the releases. Labels are taken to say which values they stand for. Keys together, by id: sdc_joint_releases.
--
--   first: id x    first_masked: id x    original: id x    released: id x
--          1  10                 1  21             1  10             1  15
--          2  20                 2  21             2  20             2  15
--          3  33                 3  21             3  33             3  37
--                                                  4  41             4  37
--   FROM sdc_series_disclosure('original', 'released', ['x'], 'id', ['first'], ['first_masked']):
--   variable releases values within one together gain attack    suppressed shown moved given given_alone
--   x        2        4      0.5    0   2        0.5  equations 0          0     1     1     1
--     63 - 30 = 33 and 74 - 33 = 41; the total has grown by 41, which is who came
--
--   FROM sdc_series_disclosure_records('original', 'released', ['x'], 'id', ['first'], ['first_masked']):
--   id values one together
--   1  1      0   0
--   2  1      0   0
--   3  1      0   1
--   4  1      0   1
--
-- Scope: table.
-- Not compiled: the equations are solved by numpy; measure copies of the tables in DuckDB.
-- Parameters:
--   original           table               the table as it is now, before masking
--   released           table               the present release
--   columns            columns             the variables
--   id                 column              identifies each person, in all of them
--   earlier_originals  tables              the table as it was at each earlier release, before masking
--   earlier_releases   tables              the earlier releases, in the same order
--   width              number in (0, ...)  the share of what one release leaves, to within which a value counts as known

-- By variable the values that each attack gives, and the best of them; where several are as good, the simplest.
CREATE OR REPLACE MACRO sdc__series_attacks(states) AS TABLE
    SELECT sdc__name, count(*) AS sdc__values, any_value(sdc__within) AS sdc__within, count(*) FILTER (sdc__one) AS sdc__ones,
           [count(*) FILTER (sdc__mode), count(*) FILTER (sdc__midpoint), count(*) FILTER (sdc__equations),
            count(*) FILTER (sdc__classes)] AS sdc__by,
           count(*) FILTER (sdc__suppressed) AS sdc__hidden, count(*) FILTER (sdc__suppressed AND sdc__shown) AS sdc__back
    FROM query_table(states) GROUP BY sdc__name;

-- values: of all persons, each as long as it stays; within: the distance to which a number counts as known (0: equal); attack: the best;
-- suppressed: values that a release suppressed; shown: those of them that another release shows; moved: values that came or left between
-- two releases; given: those of them that their release does not tell, where the total or the set of the released values differs by that
-- of the originals; given_alone: those of these that moved alone.
-- sdc_series_disclosure: what all releases of a series together tell of original values, beyond what one release tells.
-- Gives: variable VARCHAR, releases BIGINT, values BIGINT, within DOUBLE, one BIGINT (more risk), together BIGINT (more risk),
--   gain DOUBLE (more risk), attack VARCHAR, suppressed BIGINT, shown BIGINT (more risk), moved BIGINT, given BIGINT (more risk),
--   given_alone BIGINT (more risk).
-- Rows: each variable.
-- Result: SeriesDisclosure. What all releases together tell of a variable. `one`: the values that one release gives to within `within`;
--   `together`: those that the best attack on all gives; `gain`: the share of what the first hides that the series tells. `shown`: the
--   values that one release suppressed and another shows. Of those that came or left, `given` has who knows all others that moved, and
--   `given_alone` everybody.
-- Notes: The intruder is taken to know which records are of one person, and when an original changed. The labels of classes are taken to
--   say which values they stand for.
-- Raises: TableError where a release has an id that its original lacks; ColumnError where releases have no id in common.
-- Example: FROM sdc_series_disclosure('persons', 'released', ['income'], 'id', ['persons'], ['persons']);
-- Limit: gain. The share of the values that one release hides which the series tells.
CREATE OR REPLACE MACRO sdc_series_disclosure(original, released, columns, id, earlier_originals, earlier_releases, width := 0.1) AS TABLE
    WITH sdc__pairs AS MATERIALIZED (FROM sdc__series_pairs(original, released, columns, id, earlier_originals, earlier_releases)),
    sdc__said AS MATERIALIZED (FROM sdc__series_said('sdc__pairs')),
    sdc__states AS MATERIALIZED (FROM sdc__series_states('sdc__said', width)),
    sdc__counts AS (FROM sdc__series_attacks('sdc__states')),
    sdc__differences AS (
        SELECT sdc__name, count(*) AS sdc__moves, count(*) FILTER (sdc__given) AS sdc__known,
               count(*) FILTER (sdc__given AND sdc__many = 1) AS sdc__alone
        FROM sdc__series_moved('sdc__said', 'sdc__states') GROUP BY sdc__name
    )
    SELECT sdc__variable AS variable, len(TRY_CAST(earlier_releases AS VARCHAR[])) + 1 AS releases, coalesce(sdc__values, 0) AS "values",
           sdc__within AS "within", coalesce(sdc__ones, 0) AS one, coalesce(greatest(list_max(sdc__by), sdc__ones), 0) AS together,
           CASE WHEN sdc__values > sdc__ones THEN 1e0 * greatest(list_max(sdc__by) - sdc__ones, 0) / (sdc__values - sdc__ones)
                ELSE 0e0 END AS gain,
           CASE WHEN list_max(sdc__by) > sdc__ones
                    THEN ['mode', 'midpoint', 'equations', 'classes'][list_position(sdc__by, list_max(sdc__by))] ELSE 'none' END AS attack,
           coalesce(sdc__hidden, 0) AS suppressed, coalesce(sdc__back, 0) AS shown, coalesce(sdc__moves, 0) AS moved,
           coalesce(sdc__known, 0) AS given, coalesce(sdc__alone, 0) AS given_alone
    FROM (SELECT unnest(sdc__names) AS sdc__variable, unnest(range(len(sdc__names))) AS sdc__place
          FROM sdc__names_of(original, columns)) AS sdc__v
    LEFT JOIN sdc__counts AS sdc__a ON sdc__a.sdc__name = sdc__folded(sdc__variable)
    LEFT JOIN sdc__differences AS sdc__d ON sdc__d.sdc__name = sdc__folded(sdc__variable)
    ORDER BY sdc__place ASC;

-- values: of the person, in all variables and as they changed; one, together: how many the first release with them, and the best attack
-- on the variable, gives.
-- sdc_series_disclosure_records: how many values of each person one release gives, and all releases of a series together.
-- Gives: id ANY, values BIGINT, one BIGINT (more risk), together BIGINT (more risk).
-- Rows: records.
-- Result: relation. A row a person of any release, by the id as text.
-- Example: FROM sdc_series_disclosure_records('persons', 'released', ['income'], 'id', ['persons'], ['persons']);
CREATE OR REPLACE MACRO sdc_series_disclosure_records(original, released, columns, id, earlier_originals, earlier_releases,
                                                        width := 0.1) AS TABLE
    WITH sdc__pairs AS MATERIALIZED (FROM sdc__series_pairs(original, released, columns, id, earlier_originals, earlier_releases)),
    sdc__said AS MATERIALIZED (FROM sdc__series_said('sdc__pairs')),
    sdc__states AS MATERIALIZED (FROM sdc__series_states('sdc__said', width)),
    sdc__found AS (
        SELECT sdc__person, count(*) AS "values", count(*) FILTER (sdc__one) AS one,
               count(*) FILTER (CASE WHEN list_max(sdc__by) <= sdc__ones THEN sdc__one
                             ELSE [sdc__mode, sdc__midpoint, sdc__equations, sdc__classes][list_position(sdc__by, list_max(sdc__by))]
                             END) AS together
        FROM sdc__states JOIN sdc__series_attacks('sdc__states') USING (sdc__name)
        GROUP BY sdc__person
    )
    FROM query('SELECT sdc__person AS ' || sdc__identifier(sdc__beside(id, ['values', 'one', 'together'])) || ', "values", one, together'
               || ' FROM sdc__found');
