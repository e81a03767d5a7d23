-- Recoding of numbers into classes that are made from the data: of equal width, of equal count, or of equal ratio.
--
--   equal_width    limits lo + j (hi - lo) / n,   j = 1 .. n - 1;  lo, hi the least and the greatest value
--   logarithmic    limits lo (hi / lo)^(j / n):   the classes are of equal width on the scale of logarithms; all values positive
--   equal_count    class floor(n (c + t / 2) / N) of a value that t of the N records have and c are below: ties are never divided
-- Source: SDC handbook, section 3.4.3.1 (global recoding); the methods are those of sdcMicro's globalRecode (equidistant, logEqui,
--   equalAmount).
--
--   persons: age 25 30 30 41 41 41 52 67     FROM sdc_recode_classes('persons', 'age', 2, 'id');   limit 46:   'below 46'  '46 and over'
-- The limits that are shown are the roundest numbers that divide the same records: of those between the values on both sides of a limit
-- (at most a twentieth of a class away) the one with the fewest digits. Both ends are open, so that no label shows the least or the
-- greatest value; but limits of equal width tell about where they lie (one class below the first limit): give breaks of your own where
-- they are secret. Classes are those of this file: of another they have other limits. A class that no record lies in has a label, which
-- is not used; where ties leave no record for a class of equal count, there are fewer classes. NULL stays NULL; NaN and infinite values
-- are errors.
--
-- Scope: cells.
-- Keeps: the order of the values, by class.
-- Users: Count and compare by class. A mean or quantile within a class is an assumption of the user's.
-- Values: numbers.
-- Bits: exact.
-- Coarsens: into classes.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (breaks that are found in the file move with it, and the classes of two releases intersect).
-- Series: parameters (the breaks are those of the first release).
-- Parameters:
--   tbl          table                      the table, view, common table expression or file
--   column_name  column                     the column to recode, numeric
--   classes      whole number in [2, 1000]  how many classes
--   id           column                     identifies each record
--   method       'equal_width', 'equal_count' or 'logarithmic'  how the limits are found
--   labels       names                      labels in the place of those that are made, the lowest first

CREATE OR REPLACE MACRO sdc__checked_method(method) AS
    CASE WHEN method IN ('equal_width', 'equal_count', 'logarithmic') THEN method
         ELSE error('ParameterError: method is ' || coalesce(method::VARCHAR, 'NULL')
                    || ': it must be ''equal_width'', ''equal_count'' or ''logarithmic''.') END;
CREATE OR REPLACE MACRO sdc__checked_range(low, high, method) AS CASE
    WHEN low IS NULL THEN error('ColumnError: The column holds no value: there is nothing to divide into classes.')
    WHEN isnan(high) OR isinf(high) OR isinf(low)
        THEN error('ColumnError: The column holds NaN or infinite values: replace them by NULL, or give breaks.')
    WHEN low = high THEN error('ColumnError: The column holds one value only: there is nothing to divide into classes.')
    WHEN method = 'logarithmic' AND low <= 0 THEN error(
        'ColumnError: The column holds values that are zero or negative: logarithmic classes need positive ones.')
    ELSE true END;

-- share: j / n. (Multiplied last, so that no limit lies beyond the greatest value.)
CREATE OR REPLACE MACRO sdc__class_limit(low, high, share, method) AS
    CASE WHEN method = 'logarithmic' THEN low * pow(high / low, share) ELSE low + (high - low) * share END;

-- The roundest number near t of those above a and at most b: hundreds, tens, ones, tenths, ... in turn; b itself where there is none.
CREATE OR REPLACE MACRO sdc__at_digits(t, d) AS
    CASE WHEN d < 0 THEN floor(t / pow(1e1, -d) + 0.5e0) * pow(1e1, -d) ELSE floor(t * pow(1e1, d) + 0.5e0) / pow(1e1, d) END;
CREATE OR REPLACE MACRO sdc__roundest(t, a, b) AS
    coalesce(list_filter(list_transform(range(-18, 17), lambda d: sdc__at_digits(t, d)), lambda r: r > a AND r <= b)[1], b);

-- The limits of the classes, one row. Between the values that a limit divides, sdc__a and sdc__b, every limit divides the records alike.
-- counted: the values with how many records have each.
CREATE OR REPLACE MACRO sdc__limits_of_counted(counted, classes, method) AS TABLE
    WITH sdc__counted AS (FROM query_table(counted)),
    sdc__ranged AS MATERIALIZED (
        SELECT sdc__all, sdc__w, CASE WHEN sdc__checked_range(sdc__lo, sdc__hi, sdc__checked_method(method))
                              THEN list_transform(range(sdc__checked_whole(classes, 'classes', 2, 1000)),
                                                  lambda j: sdc__class_limit(sdc__lo, sdc__hi, j::DOUBLE / classes,
                                                                             method)) END AS sdc__limits
        FROM (SELECT min(sdc__n) AS sdc__lo, max(sdc__n) AS sdc__hi, sum(sdc__t) AS sdc__all, any_value(sdc__w) AS sdc__w FROM sdc__counted)
    ),
    sdc__placed AS (
        SELECT sdc__n,
               CASE WHEN method = 'equal_count' THEN ((2 * sdc__upto - sdc__t) * sdc__checked_whole(
                                                          classes, 'classes', 2, 1000) // (2 * sdc__all))::BIGINT
                            ELSE sdc__breaks_below(sdc__n, sdc__limits[2:]) END AS sdc__class
        FROM (SELECT *, sum(sdc__t) OVER (ORDER BY sdc__n ASC) AS sdc__upto FROM sdc__counted), sdc__ranged
    ),
    sdc__spans AS (SELECT sdc__class, min(sdc__n) AS sdc__least, max(sdc__n) AS sdc__most FROM sdc__placed GROUP BY sdc__class),
    sdc__sides AS (
        SELECT sdc__j, max(sdc__most) FILTER (WHERE sdc__class < sdc__j) AS sdc__a,
               min(sdc__least) FILTER (WHERE sdc__class >= sdc__j) AS sdc__b
        FROM sdc__spans, (SELECT unnest(range(1, sdc__checked_whole(classes, 'classes', 2, 1000))) AS sdc__j) GROUP BY sdc__j
    ),
    sdc__near AS (
        SELECT sdc__a, sdc__b,
               CASE WHEN method = 'equal_count' THEN sdc__a / 2 + sdc__b / 2
                    WHEN sdc__w THEN ceil(sdc__limits[sdc__j + 1])
                    ELSE sdc__limits[sdc__j + 1] END AS sdc__target,
               CASE WHEN method = 'equal_count' THEN 'infinity'::DOUBLE
                    ELSE (sdc__limits[sdc__j + 1] - sdc__limits[sdc__j]) / 20 END AS sdc__width
        FROM sdc__sides, sdc__ranged WHERE sdc__a IS NOT NULL AND sdc__b IS NOT NULL
    )
    SELECT list(DISTINCT sdc__limit ORDER BY sdc__limit ASC) AS sdc__breaks
    FROM (SELECT sdc__roundest(sdc__target, greatest(sdc__a, sdc__target - sdc__width),
                               least(sdc__b, sdc__target + sdc__width)) AS sdc__limit
          FROM sdc__near);

CREATE OR REPLACE MACRO sdc__class_limits(records, classes, method) AS TABLE
    WITH sdc__values AS MATERIALIZED (
        SELECT sdc__n, count(*) AS sdc__t, any_value(sdc__whole) AS sdc__w
        FROM query_table(records)
        WHERE sdc__n IS NOT NULL
        GROUP BY sdc__n
    )
    FROM sdc__limits_of_counted('sdc__values', classes, method);

CREATE OR REPLACE MACRO sdc__recode_classes(tbl, column_name, classes, id, method, labels) AS TABLE
    WITH sdc__records AS (FROM sdc__recode_numbers(tbl, column_name, id)),
    sdc__limits AS MATERIALIZED (FROM sdc__class_limits('sdc__records', classes, method)),
    sdc__design AS MATERIALIZED (FROM sdc__interval_design('sdc__limits', 'sdc__records', 'open', labels))
    FROM sdc__recode_by_design('sdc__records', 'sdc__design', 'open');

-- The limits that are applied, for the log.
CREATE OR REPLACE MACRO sdc__recode_applied(tbl, column_name, classes, id, method) AS TABLE
    WITH sdc__records AS (FROM sdc__recode_numbers(tbl, column_name, id))
    SELECT sdc__breaks AS breaks FROM sdc__class_limits('sdc__records', classes, method);

-- In a series of releases: by the limits of the first one, a table with breaks.
CREATE OR REPLACE MACRO sdc__recode_classes_designed(tbl, column_name, classes, id, method, labels, design) AS TABLE
    WITH sdc__records AS (FROM sdc__recode_numbers(tbl, column_name, id)),
    sdc__limits AS MATERIALIZED (SELECT breaks AS sdc__breaks FROM query_table(design)),
    sdc__design AS MATERIALIZED (FROM sdc__interval_design('sdc__limits', 'sdc__records', 'open', labels))
    FROM sdc__recode_by_design('sdc__records', 'sdc__design', 'open');
-- The same of values that are counted already (sdc_sql/spark).
CREATE OR REPLACE MACRO sdc__recode_classes_design(cells, column_name, classes, id, method, labels) AS TABLE
    WITH sdc__values AS MATERIALIZED (
        SELECT sdc__n, sum(sdc__records)::BIGINT AS sdc__t, any_value(sdc__whole) AS sdc__w
        FROM (SELECT sdc__number(COLUMNS(sdc__columns((*), [column_name]))) AS sdc__n,
                     sdc__is_whole(typeof(COLUMNS(sdc__columns((*), [column_name])))) AS sdc__whole, sdc__records
              FROM query_table(cells))
        WHERE sdc__n IS NOT NULL
        GROUP BY sdc__n
    )
    SELECT sdc__breaks AS breaks FROM sdc__limits_of_counted('sdc__values', classes, method);
CREATE OR REPLACE MACRO sdc__recode_classes_applied(design) AS TABLE SELECT breaks FROM query_table(design);

-- Verb: recode
-- Title: Recode: classes of equal width or count; Recode {} into classes.
-- sdc_recode_classes: the numbers of a column replaced by classes of equal width or count.
-- Example: FROM sdc_recode_classes('persons', 'income', 3, 'id', method := 'equal_count');
CREATE OR REPLACE MACRO sdc_recode_classes(tbl, column_name, classes, id, method := 'equal_width', labels := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__recode_classes(tbl, column_name, classes, id, method, labels))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
