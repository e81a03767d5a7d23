-- Interval disclosure: how many original values lie within intervals around the released ones.
--
--   by deviations  [x' - width S, x' + width S]            S: the standard deviation (n - 1) of the released values
--   by ranks       from the released value whose rank is h lower to that whose rank is h higher,
--                  h = width times the released values, rounded down
--   share of a variable = values of it that lie in their interval / values that were released
-- A record is disclosed where all of its released values are. The intruder knows the interval, so that a share of 1 says that
-- each original value is known to within it. Ranks beyond the first or the last are these. Equal released values have one
-- interval, the widest of theirs; a value on a limit lies within. A suppressed value (NULL) has no interval; where the
-- original is NULL there is nothing to disclose.
-- Source: Domingo-Ferrer & Torra (2001), A quantitative comparison of disclosure control methods for microdata (by ranks, width
--   0.01 to 0.10); Mateo-Sanz, Sebe & Domingo-Ferrer (2004), Outlier protection in continuous microdata masking, PSD 2004, LNCS
--   3050, 201-215 (by deviations). dRisk of sdcMicro 5.8.1 is the share of records by deviations.
--
--   original: id x   released: id x
--             1  1             1  2
--             2  4             2  3
--             3  3             3  5
--             4  9             4  8
--   FROM sdc_interval_disclosure('original', 'released', ['x'], 'id', intervals := 'rank', width := 0.25):
--   variable values suppressed disclosed share
--   NULL     4      0          2         0.5
--   x        4      0          2         0.5
--     h = 1: [2, 3], [2, 5], [3, 8], [5, 8]
--
--   FROM sdc_interval_disclosure_records('original', 'released', ['x'], 'id', intervals := 'rank', width := 0.25):
--   id values disclosed share
--   1  1      0         0
--   2  1      1         1
--   3  1      1         1
--   4  1      0         0
--
-- Scope: table.
-- Not compiled: its values are unnested from lists, for which other engines have no words.
-- Parameters:
--   original   table               the table before masking
--   released   table               the table after it
--   columns    columns             the numeric variables
--   id         column              identifies each record in both
--   intervals  'sd' or 'rank'      what the width is a part of: the standard deviation of the released values ('sd'), or their number, from
--       the value of one rank to that of another ('rank')
--   width      number in (0, ...)  on either side; by ranks below 1 (0.05: five per cent)

-- True for intervals by ranks.
CREATE OR REPLACE MACRO sdc__by_ranks(intervals, width) AS CASE
    WHEN intervals IS NULL OR intervals NOT IN ('sd', 'rank')
        THEN error('ParameterError: intervals is ' || coalesce(intervals::VARCHAR, 'NULL')
                   || ': it must be ''sd'' (standard deviations) or ''rank''.')
    WHEN intervals = 'rank' AND sdc__checked_positive(width, 'width') >= 1
        THEN error('ParameterError: width is ' || width || ': by ranks it is a share of the values, below 1, as 0.05 for five per cent.')
    ELSE intervals = 'rank' AND sdc__checked_positive(width, 'width') > 0 END;

-- A row a record and a column with a value before, which sdc__place numbers: sdc__inside is NULL where it was suppressed.
CREATE OR REPLACE MACRO sdc__in_intervals(original, released, columns, id, intervals, width) AS TABLE
    WITH sdc__sides AS NOT MATERIALIZED (FROM sdc__both_numbers(original, released, columns, id)),
    sdc__new AS (FROM sdc__one_side(original, released, columns, false)),
    sdc__listed AS (
        SELECT sdc__o.sdc__person, sdc__before, sdc__after
        FROM (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__before FROM sdc__sides WHERE sdc__first) AS sdc__o
        JOIN (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__after
              FROM sdc__sides
              WHERE NOT sdc__first) AS sdc__r
          ON sdc__o.sdc__person = sdc__r.sdc__person
    ),
    sdc__pairs AS (
        SELECT sdc__person, sdc__place, CASE WHEN sdc__finite_size(abs(sdc__x)) >= 0 THEN sdc__x END AS sdc__x,
               CASE WHEN sdc__finite_size(abs(sdc__y)) >= 0 THEN sdc__y END AS sdc__y
        FROM (SELECT sdc__person, unnest(range(1, len(sdc__before) + 1)) AS sdc__place, unnest(sdc__before) AS sdc__x,
                     unnest(sdc__after) AS sdc__y
              FROM sdc__listed)
    ),
    sdc__ranked AS (
        SELECT *, first_value(sdc__y) OVER sdc__near AS sdc__least, last_value(sdc__y) OVER sdc__near AS sdc__most
        FROM (SELECT *,
                     floor(count(*) OVER (PARTITION BY sdc__place) * sdc__checked_number(width, 'width')
                           + 1e-9)::BIGINT AS sdc__h
              FROM sdc__pairs
              WHERE sdc__y IS NOT NULL AND sdc__by_ranks(intervals, width))
        WINDOW sdc__near AS (PARTITION BY sdc__place ORDER BY sdc__y ASC ROWS BETWEEN sdc__h PRECEDING AND sdc__h FOLLOWING)
    )
    SELECT sdc__person, sdc__place, sdc__inside
    FROM (SELECT sdc__person, sdc__place, sdc__x,
                 sdc__x BETWEEN min(sdc__least) OVER sdc__tied AND max(sdc__most) OVER sdc__tied AS sdc__inside
          FROM sdc__ranked
          WINDOW sdc__tied AS (PARTITION BY sdc__place, sdc__y)
          UNION ALL
          SELECT sdc__person, sdc__place, sdc__x,
                 CASE WHEN sdc__y IS NOT NULL THEN abs(sdc__x - sdc__y) <= sdc__checked_positive(width, 'width') * coalesce(
                          sdc__sds[sdc__place], 0) * (1 + 1e-9) END
          FROM sdc__pairs, (SELECT sdc__sds FROM sdc__moments('sdc__new', NULL))
          WHERE NOT sdc__by_ranks(intervals, width)
          UNION ALL
          SELECT sdc__person, sdc__place, sdc__x, NULL
          FROM sdc__pairs
          WHERE sdc__y IS NULL AND sdc__by_ranks(intervals, width))
    WHERE sdc__x IS NOT NULL
    UNION ALL
    SELECT NULL, sdc__nobody, NULL FROM sdc__refused_pairs('sdc__sides', id);

-- values: the record's released ones (of those that the original has); disclosed: how many lie in their interval, share of the values.
-- sdc_interval_disclosure_records: how many of each record's values lie in their interval.
-- Gives: id ANY, values BIGINT, disclosed BIGINT (more risk), share DOUBLE (more risk).
-- Rows: records.
-- Result: relation. A row a released record that has a value in the original.
-- Example: FROM sdc_interval_disclosure_records('persons', 'released', ['income'], 'id', width := 0.02);
CREATE OR REPLACE MACRO sdc_interval_disclosure_records(original, released, columns, id, intervals := 'sd', width := 0.05) AS TABLE
    WITH sdc__found AS (
        SELECT sdc__person, count(sdc__inside) AS "values", count(*) FILTER (sdc__inside) AS disclosed
        FROM sdc__in_intervals(original, released, columns, id, intervals, width) GROUP BY sdc__person
    )
    FROM query('SELECT sdc__person AS ' || sdc__identifier(sdc__beside(id, ['values', 'disclosed', 'share']))
               || ', "values", disclosed, CASE WHEN "values" > 0 THEN 1e0 * disclosed / "values" END AS share FROM sdc__found');

-- variable NULL: records, of which any value was released, and all of these lie in their intervals. suppressed: values, or records, of
-- which nothing was.
-- sdc_interval_disclosure: the share of original values, and of records, that lie within intervals around the released ones.
-- Gives: variable VARCHAR or NULL, values BIGINT, suppressed BIGINT, disclosed BIGINT (more risk), share DOUBLE or NULL (more risk).
-- Rows: each variable (records first).
-- Words: share: share of the original values that are near the released ones; disclosed: original values that are near the released ones.
-- Result: IntervalDisclosure. The values that were released, those suppressed, those that lie in their interval, and their share. Variable
--   NULL: records; disclosed is one whose released values all lie in their intervals.
-- Example: FROM sdc_interval_disclosure('persons', 'released', ['income'], 'id', width := 0.02);
-- Limit: share. The share of the original values, or records, that lie within the intervals.
CREATE OR REPLACE MACRO sdc_interval_disclosure(original, released, columns, id, intervals := 'sd', width := 0.05) AS TABLE
    WITH sdc__values AS MATERIALIZED (FROM sdc__in_intervals(original, released, columns, id, intervals, width)),
    sdc__counted AS (
        SELECT sdc__place, count(sdc__inside) AS "values", count(*) - count(sdc__inside) AS suppressed,
               count(*) FILTER (sdc__inside) AS disclosed
        FROM (FROM sdc__values UNION ALL
              SELECT sdc__person, 0, bool_and(sdc__inside) FROM sdc__values GROUP BY sdc__person)
        GROUP BY sdc__place
    )
    SELECT CASE WHEN sdc__of > 0 THEN sdc__names[sdc__of] END AS variable, coalesce("values", 0) AS "values",
           coalesce(suppressed, 0) AS suppressed,
           coalesce(disclosed, 0) AS disclosed, 1e0 * disclosed / nullif("values", 0) AS share
    FROM (SELECT sdc__names, unnest(range(len(sdc__names) + 1)) AS sdc__of FROM sdc__names_of(original, columns))
    LEFT JOIN sdc__counted ON sdc__place = sdc__of
    ORDER BY sdc__of ASC;
