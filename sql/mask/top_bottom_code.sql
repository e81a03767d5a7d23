-- Top and bottom coding: values above a threshold, or below another, become one.
--
--   unit        coded                                top, bottom
--   'value'     x > top, x < bottom                  values of the column
--   'quantile'  x > q, x < q'                        q: the least value with P(X <= q) >= top; q': the greatest with P(X < q') <= bottom
--   'count'     x >= x_(top), x <= x_(bottom)        the `top` records of the largest values, the `bottom` of the smallest
-- They become the threshold, their mean, their median, or a label. Equal values are coded all or none: of a quantile never more than
-- its share of the records, of a count never fewer than asked for.
-- Source: SDC handbook, section 3.4.3.3; Hundepool et al., mu-ARGUS manual.
--
--   persons: id income
--            1  1230
--            2  3140
--   FROM sdc_top_bottom_code('persons', 'income', 'value', 'id', top := 3000, top_label := 'over 3000'):
--   id income
--   1  1230
--   2  over 3000
--
-- The column is of numbers, dates, times, or an ENUM, which has an order of its own. It keeps its type; with a label it becomes text.
-- NULL and NaN stay and count nowhere; infinity is a value like others, and has no mean.
--
-- Means and medians are of numbers, and of three records at least: fewer would tell a value. They have 32 bits (grid.sql) and the type of
-- the column: the total of whole numbers moves by up to half a unit for each coded record (make the column a DOUBLE first where it must
-- not). A mean times the number of the coded records is their total, which tells a value that is most of it: take the median or the
-- threshold then. A threshold found as a quantile or by a count is a value of the file, and of an odd number of records so is a median.
--
-- Scope: cells where replacement is 'mean' or 'median', record where unit is 'value', else cells.
-- Users: Medians and quantiles between the thresholds hold. A variance, and a regression that hangs on extremes, comes out too small.
-- Values: numbers.
-- Bits: exact.
-- Coarsens: into values.
-- Loss: published.
-- Told: replacement; top, bottom where unit is 'value'.
-- Repeated: once (a threshold by quantile or count, and a mean or median, move with the file; a threshold given as a value that is
--   released itself, or as a label, stays).
-- Series: parameters (thresholds by quantile or count, means and medians are those of the first release: they hold no total afterwards).
-- Parameters:
--   tbl           table                            the table, view, common table expression or file
--   column_name   column                           the column to mask, ordered
--   unit          'value', 'quantile' or 'count'   what the thresholds are
--   id            column                           identifies each record
--   top           value                            the upper threshold: a value of the column's type, a quantile in (0, 1), or a count of
--                                                  at least 2; NULL: no top coding
--   bottom        value                            the lower threshold likewise; NULL: no bottom coding
--   replacement   'threshold', 'mean' or 'median'  what the coded values become
--   top_label     text                             what values above become instead; the column becomes text
--   bottom_label  text                             what values below become instead; the column becomes text
--   weight        column or number                 by which records count in quantiles, means and medians (then the weighted total is kept)
--   stratum       column                           a column within whose values thresholds, means and medians are found

CREATE OR REPLACE MACRO sdc__codable(v, top, bottom, unit, replacement, top_label, bottom_label) AS CASE
    WHEN top IS NULL AND bottom IS NULL THEN error(
        'ParameterError: Neither top nor bottom is given: name the threshold above, or below, which values are coded.')
    WHEN coalesce(unit NOT IN ('value', 'quantile', 'count'), true)
        THEN error('ParameterError: unit is ' || coalesce(unit::VARCHAR, 'NULL') || ': it must be ''value'', ''quantile'' or ''count''.')
    WHEN coalesce(replacement NOT IN ('threshold', 'mean', 'median'), true)
        THEN error('ParameterError: replacement is ' || coalesce(replacement::VARCHAR, 'NULL')
                   || ': it must be ''threshold'', ''mean'' or ''median''; or give a label.')
    WHEN (top IS NULL AND top_label IS NOT NULL) OR (bottom IS NULL AND bottom_label IS NOT NULL)
        THEN error('ParameterError: A label is given for a side that is not coded: give its threshold too, or leave the label out.')
    WHEN unit = 'quantile' AND TRY_CAST(top::VARCHAR AS DOUBLE) <= TRY_CAST(bottom::VARCHAR AS DOUBLE)
        THEN error('ParameterError: bottom is the quantile ' || bottom::VARCHAR || ' and top ' || top::VARCHAR
                   || ': give a lower one for the bottom.')
    WHEN replacement <> 'threshold' AND NOT (sdc__is_whole(typeof(v)) OR regexp_matches(typeof(v), '^(FLOAT|DOUBLE|DECIMAL)'))
        THEN error('ColumnError: The column ' || alias(v) || ' has no numbers, and so no ' || replacement
                   || ': take the threshold, or a label.')
    WHEN typeof(v) IN ('FLOAT', 'DOUBLE') THEN CASE WHEN NOT isnan(TRY_CAST(v AS DOUBLE)) THEN v END
    WHEN sdc__is_whole(typeof(v)) OR regexp_matches(typeof(v), '^(DECIMAL|DATE|TIME|ENUM)') THEN v
    ELSE error('ColumnError: The column ' || alias(v) || ' has type ' || typeof(v)
               || ', whose order has no meaning: top and bottom coding needs numbers, dates, times or an ENUM.')
END;

-- A threshold, given as text, in the type of the column, which v shows. (A constant would be converted while the query is
-- planned, with DuckDB's own error.)
CREATE OR REPLACE MACRO sdc__threshold(given, v, name) AS CASE
    WHEN given IS NULL THEN NULL
    WHEN TRY(cast_to_type(given, v)) IS NULL
         OR NOT coalesce(TRY_CAST(given AS DOUBLE) NOT IN ('nan'::DOUBLE, 'infinity'::DOUBLE, '-infinity'::DOUBLE), true)
         OR (sdc__is_whole(typeof(v)) OR starts_with(typeof(v), 'DECIMAL'))
            AND TRY_CAST(cast_to_type(given, v) AS DOUBLE) <> TRY_CAST(given AS DOUBLE)
        THEN error('ParameterError: ' || name || ' is ' || given || ', which is no value of a column of type '
                   || CASE WHEN starts_with(typeof(v), 'ENUM') THEN 'ENUM' ELSE typeof(v) END || ': give one that is.')
    ELSE cast_to_type(given, v)
END;

-- 1 above, -1 below, 0 between them.
CREATE OR REPLACE MACRO sdc__side(v, bottom, top, unit) AS
    CASE WHEN v > top OR (unit = 'count' AND v = top) THEN 1 WHEN v < bottom OR (unit = 'count' AND v = bottom) THEN -1 ELSE 0 END;

CREATE OR REPLACE MACRO sdc__coding_records(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label,
                                            weight, stratum) AS TABLE
    SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__stratum_or_key((*), columns, stratum))) AS sdc__stratum,
           COLUMNS(sdc__to_mask((*), columns, id)), 1 AS sdc__times,
           sdc__codable(COLUMNS(sdc__to_mask((*), columns, id)), top, bottom, unit, replacement, top_label, bottom_label) AS sdc__v,
           CASE WHEN weight IS NULL THEN 1
                ELSE sdc__fixed(sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight))))) END AS sdc__w
    FROM sdc__identified(tbl, id, codes := [stratum]);

CREATE OR REPLACE MACRO sdc__replaced(v, side, low, high) AS CASE side WHEN 1 THEN high WHEN -1 THEN low ELSE v END;

CREATE OR REPLACE MACRO sdc__enough(wanted, name, present) AS
    CASE WHEN sdc__checked_whole(wanted, name, 2) <= present THEN wanted::DOUBLE
         ELSE error('ParameterError: ' || name || ' is ' || wanted::VARCHAR
                    || ' records, and there are fewer values (in the table, or in a stratum): give a lower one, or a'
                    || ' quantile.') END;
CREATE OR REPLACE MACRO sdc__centre_of_enough(centre, records, replacement) AS
    CASE WHEN records >= 3 THEN centre
         ELSE error(
             'TableError: Fewer than 3 values lie beyond a threshold (in the table, or in a stratum), whose ' || replacement
             || ' would tell them: move the threshold inwards, take the threshold as the replacement, or a label.') END;
CREATE OR REPLACE MACRO sdc__finite_coded(x) AS
    CASE WHEN isfinite(x) THEN x
         ELSE error('ColumnError: A value beyond a threshold is infinite, and so would be the mean: take the'
                    || ' threshold as the replacement, or a label.') END;
CREATE OR REPLACE MACRO sdc__crossed(bottom, top, unit) AS
    CASE WHEN bottom > top OR (unit = 'count' AND bottom = top)
         THEN error('ParameterError: The bottom threshold lies above the top one'
                    || CASE unit WHEN 'value' THEN '' ELSE ' (in the table, or in a stratum)' END
                    || ': a value would be coded twice. Move them apart.')
         ELSE false END;

-- Of each stratum the thresholds: sdc__of, sdc__bottom and sdc__top, in the type of the column.
CREATE OR REPLACE MACRO sdc__coding_limits(records, top, bottom, unit) AS TABLE
    WITH sdc__given AS (
        SELECT sdc__of, sdc__threshold(sdc__texts[1], sdc__v, 'bottom') AS sdc__bottom,
               sdc__threshold(sdc__texts[2], sdc__v, 'top') AS sdc__top
        FROM (SELECT sdc__stratum AS sdc__of, any_value([bottom::VARCHAR, top::VARCHAR]) AS sdc__texts
              FROM query_table(records)
              GROUP BY sdc__stratum)
        LEFT JOIN (SELECT sdc__v FROM query_table(records) LIMIT 0) ON true
    ),
    sdc__sizes AS (
        SELECT sdc__stratum, sdc__v, sum(CASE unit WHEN 'count' THEN sdc__times ELSE sdc__w END)::HUGEINT AS sdc__size
        FROM query_table(records) WHERE sdc__v IS NOT NULL GROUP BY ALL
    ),
    -- how much lies up to each value, from each value on, and in all: records, or what they weigh
    sdc__placed AS (
        SELECT sdc__stratum, sdc__v, (sum(sdc__size) OVER sdc__ascending)::DOUBLE AS sdc__upto,
               (sum(sdc__size) OVER sdc__descending)::DOUBLE AS sdc__from,
               (sum(sdc__size) OVER (PARTITION BY sdc__stratum))::DOUBLE AS sdc__all
        FROM sdc__sizes
        WINDOW sdc__ascending AS (PARTITION BY sdc__stratum ORDER BY sdc__v ASC),
               sdc__descending AS (PARTITION BY sdc__stratum ORDER BY sdc__v DESC)
    ),
    sdc__by_quantile AS (
        SELECT sdc__stratum AS sdc__of,
               max(CASE WHEN bottom IS NOT NULL
                             AND sdc__at_least(sdc__from,
                                               (1 - sdc__checked_fraction(TRY_CAST(bottom::VARCHAR AS DOUBLE),
                                                                          'bottom quantile')) * sdc__all)
                            THEN sdc__v END) AS sdc__bottom,
               min(CASE WHEN top IS NOT NULL
                             AND sdc__at_least(sdc__upto,
                                               sdc__checked_fraction(TRY_CAST(top::VARCHAR AS DOUBLE), 'top quantile')
                                               * sdc__all)
                            THEN sdc__v END) AS sdc__top
        FROM sdc__placed GROUP BY sdc__stratum
    ),
    sdc__by_count AS (
        SELECT sdc__stratum AS sdc__of,
               min(CASE WHEN bottom IS NOT NULL AND sdc__upto >= sdc__enough(bottom, 'bottom', sdc__all) THEN sdc__v END) AS sdc__bottom,
               max(CASE WHEN top IS NOT NULL AND sdc__from >= sdc__enough(top, 'top', sdc__all) THEN sdc__v END) AS sdc__top
        FROM sdc__placed GROUP BY sdc__stratum
    )
    SELECT sdc__of, CASE WHEN sdc__crossed(sdc__bottom, sdc__top, unit) THEN NULL ELSE sdc__bottom END AS sdc__bottom, sdc__top
    FROM query_table(CASE unit WHEN 'quantile' THEN 'sdc__by_quantile' WHEN 'count' THEN 'sdc__by_count' ELSE 'sdc__given' END);

-- Of each stratum the mean or median of what lies beyond either threshold, a row each.
CREATE OR REPLACE MACRO sdc__coded_centres(records, limits, unit, replacement) AS TABLE
    WITH sdc__beyond AS (
        SELECT sdc__of, sdc__side, sdc__finite_coded(sdc__x) AS sdc__x, sum(sdc__times) AS sdc__n, sum(sdc__w)::HUGEINT AS sdc__size
        FROM (SELECT sdc__of, sdc__side(sdc__v, sdc__bottom, sdc__top, unit) AS sdc__side, TRY_CAST(sdc__v AS DOUBLE) AS sdc__x, sdc__w,
                     sdc__times
              FROM query_table(records) JOIN query_table(limits) ON sdc__of IS NOT DISTINCT FROM sdc__stratum)
        WHERE sdc__side <> 0 GROUP BY ALL
    ),
    sdc__placed AS (
        SELECT *, (sum(sdc__size) OVER sdc__group)::DOUBLE AS sdc__all,
               (sum(sdc__size) OVER (sdc__group ORDER BY sdc__x ASC))::DOUBLE AS sdc__upto,
               (sum(sdc__size) OVER (sdc__group ORDER BY sdc__x DESC))::DOUBLE AS sdc__from,
               sdc__shift(max(abs(sdc__size * sdc__x)) OVER sdc__group) AS sdc__scale
        FROM sdc__beyond WINDOW sdc__group AS (PARTITION BY sdc__of, sdc__side)
    )
    SELECT sdc__of, sdc__side, sdc__averaged(sdc__whole, sdc__step) AS sdc__centre
    FROM (SELECT sdc__of, sdc__side, sdc__range_step(max(sdc__x) - min(sdc__x)) AS sdc__step, sdc__centre_of_enough(CASE replacement
        WHEN 'mean' THEN least(max(sdc__x),
                               greatest(min(sdc__x),
                                        sdc__exact_sum(sdc__size * sdc__x * sdc__scale, 88) / any_value(sdc__scale)
                                        / any_value(sdc__all)))
        ELSE min(CASE WHEN sdc__at_least(sdc__upto, sdc__all / 2) THEN sdc__x END) / 2
             + max(CASE WHEN sdc__at_least(sdc__from, sdc__all / 2) THEN sdc__x END) / 2
        END, sum(sdc__n), replacement) AS sdc__whole
    FROM sdc__placed GROUP BY sdc__of, sdc__side);

-- Of each stratum the thresholds and what the values beyond them become: sdc__of, sdc__bottom, sdc__top, sdc__low and sdc__high.
CREATE OR REPLACE MACRO sdc__coding(records, top, bottom, unit, replacement) AS TABLE
    WITH sdc__limits AS MATERIALIZED (FROM sdc__coding_limits(records, top, bottom, unit)),
    sdc__centres AS (FROM sdc__coded_centres(records, 'sdc__limits', unit, replacement)),
    sdc__by_centre AS (
        SELECT sdc__limits.*, cast_to_type(sdc__l.sdc__centre, sdc__bottom) AS sdc__low,
               cast_to_type(sdc__h.sdc__centre, sdc__top) AS sdc__high
        FROM sdc__limits
        LEFT JOIN sdc__centres AS sdc__l ON sdc__l.sdc__of IS NOT DISTINCT FROM sdc__limits.sdc__of AND sdc__l.sdc__side = -1
        LEFT JOIN sdc__centres AS sdc__h ON sdc__h.sdc__of IS NOT DISTINCT FROM sdc__limits.sdc__of AND sdc__h.sdc__side = 1
    ),
    sdc__by_threshold AS (SELECT *, sdc__bottom AS sdc__low, sdc__top AS sdc__high FROM sdc__limits)
    FROM query_table(CASE replacement WHEN 'threshold' THEN 'sdc__by_threshold' ELSE 'sdc__by_centre' END);

-- The records, on which side of the thresholds each lies, and what it becomes there.
CREATE OR REPLACE MACRO sdc__coded(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label, weight, stratum) AS TABLE
    WITH sdc__records AS (
        FROM sdc__coding_records(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label, weight, stratum)
    ),
    sdc__found AS MATERIALIZED (FROM sdc__coding('sdc__records', top, bottom, unit, replacement))
    SELECT sdc__records.*, sdc__low, sdc__high, sdc__side(sdc__v, sdc__bottom, sdc__top, unit) AS sdc__side
    FROM sdc__records LEFT JOIN sdc__found ON sdc__in_stratum(stratum, sdc__stratum, sdc__of);

-- sided: records as the former gives them.
CREATE OR REPLACE MACRO sdc__top_bottom_replaced(sided, top_label, bottom_label) AS TABLE
    WITH sdc__as_they_are AS (
        SELECT sdc__id,
               sdc__replaced(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__side, sdc__low, sdc__high) AS "\0"
        FROM query_table(sided)
    ),
    sdc__as_texts AS (
        SELECT sdc__id,
               sdc__replaced(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))::VARCHAR, sdc__side,
                             coalesce(bottom_label::VARCHAR, sdc__low::VARCHAR),
                             coalesce(top_label::VARCHAR, sdc__high::VARCHAR)) AS "\0"
        FROM query_table(sided)
    )
    FROM query_table(CASE WHEN top_label IS NULL AND bottom_label IS NULL THEN 'sdc__as_they_are' ELSE 'sdc__as_texts' END);

CREATE OR REPLACE MACRO sdc__top_bottom_code(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label,
                                             weight, stratum) AS TABLE
    WITH sdc__sided AS (FROM sdc__coded(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label, weight, stratum))
    FROM sdc__top_bottom_replaced('sdc__sided', top_label, bottom_label);

-- In a series of releases: the thresholds, and what lies beyond them becomes, of the first release; then the mask by them.
CREATE OR REPLACE MACRO sdc__top_bottom_design(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label, weight) AS TABLE
    WITH sdc__records AS (
        FROM sdc__coding_records(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label, weight, NULL)
    )
    SELECT sdc__bottom, sdc__top, sdc__low, sdc__high FROM sdc__coding('sdc__records', top, bottom, unit, replacement);
CREATE OR REPLACE MACRO sdc__top_bottom_applied(design) AS TABLE
    SELECT any_value(sdc__bottom::VARCHAR) AS kept_bottom, any_value(sdc__top::VARCHAR) AS kept_top FROM query_table(design);
CREATE OR REPLACE MACRO sdc__kept_figure(found, given, v) AS
    CASE WHEN given IS NULL OR found IS NOT NULL THEN cast_to_type(found::VARCHAR, v)
         ELSE error('TableError: The first release of the series has no value beyond the threshold, or none at all, and so nothing'
                    || ' by which values are coded: give the threshold as a value, and threshold as the replacement.') END;
CREATE OR REPLACE MACRO sdc__top_bottom_designed(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label,
                                                 weight, stratum, design) AS TABLE
    WITH sdc__records AS (
        FROM sdc__coding_records(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label, weight, stratum)
    ),
    sdc__kept AS MATERIALIZED (
        SELECT sdc__kept_figure(sdc__bottom, bottom, sdc__v) AS sdc__bottom, sdc__kept_figure(sdc__top, top, sdc__v) AS sdc__top,
               sdc__kept_figure(sdc__low, CASE WHEN bottom_label IS NULL THEN bottom END, sdc__v) AS sdc__low,
               sdc__kept_figure(sdc__high, CASE WHEN top_label IS NULL THEN top END, sdc__v) AS sdc__high
        FROM (SELECT 1) LEFT JOIN query_table(design) ON true LEFT JOIN (SELECT sdc__v FROM sdc__records LIMIT 0) ON true
    ),
    sdc__sided AS (
        SELECT sdc__records.*, sdc__low, sdc__high, sdc__side(sdc__v, sdc__bottom, sdc__top, unit) AS sdc__side
        FROM sdc__records, sdc__kept
    )
    FROM sdc__top_bottom_replaced('sdc__sided', top_label, bottom_label);

-- By values that are counted already (sdc_sql/spark), in strata: of each the thresholds, and the records by these.
CREATE OR REPLACE MACRO sdc__top_bottom_code_design(cells, columns, unit, id, top, bottom, replacement, top_label,
                                                    bottom_label, weight, stratum) AS TABLE
    WITH sdc__counted AS MATERIALIZED (
        SELECT sdc__stratum_value(stratum, COLUMNS(sdc__stratum_or_key((*), columns, stratum))) AS sdc__stratum,
               sdc__codable(COLUMNS(sdc__columns((*), columns)), top, bottom, unit, replacement, top_label, bottom_label) AS sdc__v,
               CASE WHEN weight IS NULL THEN sdc__records
                    ELSE sdc__cell_size(sdc__records, sdc__low, sdc__middle, sdc__high, weight) END AS sdc__w,
               sdc__records AS sdc__times
        FROM query_table(cells)
    )
    FROM sdc__coding('sdc__counted', top, bottom, unit, replacement);
CREATE OR REPLACE MACRO sdc__top_bottom_code_designed(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label,
                                                      weight, stratum, design) AS TABLE
    WITH sdc__records AS (
        FROM sdc__coding_records(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label, NULL, stratum)
    ),
    sdc__sided AS (
        SELECT sdc__records.*, sdc__low, sdc__high, sdc__side(sdc__v, sdc__bottom, sdc__top, unit) AS sdc__side
        FROM sdc__records LEFT JOIN query_table(design) ON sdc__in_stratum(stratum, sdc__stratum, sdc__of)
    )
    FROM sdc__top_bottom_replaced('sdc__sided', top_label, bottom_label);

-- For the log: the records coded on either side, and by how much the rounding of a mean moves the (weighted) total.
CREATE OR REPLACE MACRO sdc__top_bottom_counts(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label,
                                               weight, stratum) AS TABLE
    SELECT count(*) FILTER (sdc__side = 1) AS coded_top, count(*) FILTER (sdc__side = -1) AS coded_bottom,
           CASE WHEN replacement = 'mean'
                    THEN sdc__exact_sum(CASE WHEN weight IS NULL THEN 1 ELSE sdc__unfixed(sdc__w) END
                                        * CASE WHEN sdc__side = 1 AND top_label IS NULL
                                                   THEN TRY_CAST(sdc__high AS DOUBLE) - TRY_CAST(sdc__v AS DOUBLE)
                                               WHEN sdc__side = -1 AND bottom_label IS NULL
                                                   THEN TRY_CAST(sdc__low AS DOUBLE) - TRY_CAST(sdc__v AS DOUBLE)
                                               ELSE 0 END) END AS total_moved
    FROM sdc__coded(tbl, columns, unit, id, top, bottom, replacement, top_label, bottom_label, weight, stratum);

-- Keeps: every value that is not coded; with the mean, the total, to 2^-32 of itself and the rounding of the column's type.
-- Guarantees: nothing lies beyond the thresholds but what the coded values became.
-- Title: Top and bottom coding; Top and bottom coding of {}.
-- sdc_top_bottom_code: values above a threshold, or below another, become one.
-- Example: FROM sdc_top_bottom_code('persons', 'income', 'value', 'id', top := 2500, bottom := 1500);
CREATE OR REPLACE MACRO sdc_top_bottom_code(tbl, column_name, unit, id, top := NULL, bottom := NULL,
                                            replacement := 'threshold', top_label := NULL, bottom_label := NULL,
                                            weight := NULL, stratum := NULL) AS TABLE
    WITH sdc__done AS (
        FROM sdc__top_bottom_code(tbl, [column_name], unit, id, top, bottom, replacement, top_label, bottom_label, weight,
                                  stratum)
    )
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
