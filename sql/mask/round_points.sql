-- Rounding to given points: each record takes the nearest of the points of one column, or of several columns together.
--
--   one column       p_0 < p_1 < ...: x goes to p_i where (p_{i-1} + p_i) / 2 <= x < (p_i + p_{i+1}) / 2     (its set of attraction)
--   several columns  x goes to the point p with the least sum over the columns of ((x_j - p_j) / s_j)^2, s_j the range of the
--                    points of column j (of all but equally near ones, the greater: as halfway up)
-- A column whose points are all the same counts nothing. Below the first and above the last point a value goes to that point, however
-- far. NULL stays, and the others of its record are compared by the columns that are known.
-- Source: SDC handbook, section 3.4.2.5; Willenborg & de Waal (2001), Elements of Statistical Disclosure Control, ch. 5.
--
--   persons: id income     points: income     FROM sdc_round_points('persons', ['income'], 'points', 'id'):   id income
--            1  1234               0                                                                          1  1500
--            2  9000               500                                                                        2  5000
--                                  1500
--                                  5000
--
-- Released are the points alone: how many records have one is seen, and a point near one record only names it, so choose them without
-- looking at single values. Columns that are rounded together keep what goes with what to within a point's set; rounded one by one they
-- may meet in pairs that nobody has.
--
-- A point that the column's type does not hold (2.5 in INTEGER) would be released as a value that is no point: an error.
--
-- Scope: record.
-- Users: Means of many records hold nearly. A single value or quantile is right to the distance of the points.
-- Values: numbers.
-- Bits: exact.
-- Coarsens: into values.
-- Loss: published.
-- Told: nothing.
-- Repeated: again.
-- Series: parameters.
-- Parameters:
--   tbl      table    the table, view, common table expression or file
--   columns  columns  the columns to round, numeric; several are rounded together
--   points   table    the rounding points: a row each, with these columns
--   id       column   identifies each record

CREATE OR REPLACE MACRO sdc__point_of(x, points, scales) AS
    list_transform([list_transform(points,
                                   lambda p: list_sum(
                                       list_transform(range(1, len(p) + 1),
                                                      lambda j: coalesce(pow((x[j] - p[j]) / scales[j], 2), 0e0))))],
                   lambda d: points[list_position(d, list_min(d))])[1];
CREATE OR REPLACE MACRO sdc__point_value(v, names, point) AS
    CASE WHEN v IS NULL OR isnan(sdc__number(v)) THEN v
         WHEN sdc__is_of_type(point[list_position(names, sdc__folded(alias(v)))], typeof(v))
             THEN cast_to_type(point[list_position(names, sdc__folded(alias(v)))], v)
         ELSE error('ParameterError: A rounding point of ' || alias(v) || ' is no value of its type, ' || typeof(v)
                    || ': cast the column to DOUBLE first, or give other points.') END;

-- The points in descending order, the names of their columns, and the ranges.
CREATE OR REPLACE MACRO sdc__rounding_points(points, columns) AS TABLE
    WITH sdc__numbers AS (SELECT sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0" FROM sdc__rows(points)),
    sdc__listed AS (
        SELECT [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__p,
               list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                              lambda n: sdc__folded(substr(n, 8))) AS sdc__names
        FROM sdc__numbers
    )
    SELECT sdc__names, sdc__points,
           list_transform(range(1, len(sdc__names) + 1),
                          lambda j: list_max(list_transform(sdc__points, lambda p: p[j]))
                                    - list_min(list_transform(sdc__points, lambda p: p[j]))) AS sdc__ranges
    FROM (SELECT any_value(sdc__names) AS sdc__names,
                 list_sort(list(DISTINCT CASE WHEN list_count(sdc__p) = len(sdc__p)
                                                   AND len(list_filter(sdc__p, lambda v: isnan(v) OR isinf(v))) = 0
                                                  THEN sdc__p
                                              ELSE error('ParameterError: A rounding point is NULL, NaN or infinite:'
                                                         || ' give finite numbers in each of its columns.') END),
                           'DESC') AS sdc__points
          FROM sdc__listed);

CREATE OR REPLACE MACRO sdc__round_points(tbl, columns, points, id) AS TABLE
    WITH sdc__own AS (
        SELECT sdc__id, sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__x_\0",
               COLUMNS(sdc__to_mask((*), columns, id))
        FROM sdc__identified(tbl, id)
    ),
    sdc__listed AS (
        SELECT *, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__v,
               list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                              lambda n: sdc__folded(substr(n, 8))) AS sdc__order
        FROM sdc__own
    ),
    sdc__given AS MATERIALIZED (FROM sdc__rounding_points(points, columns)),
    sdc__near AS (
        SELECT sdc__listed.*, sdc__names,
               sdc__point_of(list_transform(sdc__names,
                                            lambda n: CASE WHEN isnan(sdc__v[list_position(sdc__order, n)]) THEN NULL
                                                           ELSE sdc__v[list_position(sdc__order, n)] END),
                             sdc__points, list_transform(sdc__ranges, lambda r: CASE WHEN r > 0 THEN r END)) AS sdc__point
        FROM sdc__listed, sdc__given
    )
    SELECT sdc__id, sdc__point_value(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__names, sdc__point) AS "\0" FROM sdc__near;

-- Keeps: the nearest rounding point of each value, or of each record's values together.
-- Title: Rounding to points of your own; Rounding to points of {}.
-- sdc_round_points: columns rounded to the nearest of given points, several columns together.
-- Example: FROM sdc_round_points('persons', ['income'], 'income_points', 'id');
CREATE OR REPLACE MACRO sdc_round_points(tbl, columns, points, id) AS TABLE
    WITH sdc__done AS (FROM sdc__round_points(tbl, columns, points, id)) FROM sdc__released(tbl, columns, id, 'sdc__done');
