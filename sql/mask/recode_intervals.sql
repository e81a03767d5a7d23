-- Recoding of numbers into intervals: each value replaced by the label of the interval that it lies in.
--
--   breaks 20, 30, 40:   20 <= x < 30   '[20, 30)'   whole numbers: '20-29'
--                        30 <= x < 40   '[30, 40)'                  '30-39'
--   ends 'open':         x < 20         'below 20'                  'below 20'
--                        40 <= x        '40 and over'               '40 and over'
-- Source: SDC handbook, section 3.4.3.1 (global recoding), and 3.4.3.2 (top and bottom coding: the open ends).
--
--   persons: id age   FROM sdc_recode_intervals('persons', 'age', [20, 40, 60], 'id', ends := 'open'):   id age
--            1  30                                                                                       1  20-39
--            7  67                                                                                       7  60 and over
-- An interval holds its lower limit and not its upper one. A value outside the breaks is an error (also one at the last break), unless the
-- end on its side is open; an infinite value lies in an open end, NaN is an error, NULL stays NULL. The column becomes text. Labels of
-- whole numbers (`20-29`) are made where the column has a type of whole numbers and the breaks are whole.
--
-- Scope: record.
-- Keeps: the order of the values, by interval.
-- Users: Count and compare by interval. A mean or quantile within an interval is an assumption of the user's.
-- Values: numbers.
-- Bits: exact.
-- Coarsens: into classes.
-- Loss: published.
-- Told: breaks, ends.
-- Repeated: again.
-- Series: parameters.
-- Parameters:
--   tbl          table    the table, view, common table expression or file
--   column_name  column   the column to recode, numeric
--   breaks       numbers  the limits of the intervals, ascending
--   id           column   identifies each record
--   ends         'closed', 'open', 'open_below' or 'open_above'  whether values below the first break and from the last one on are
--                                                                intervals too
--   labels       names    labels in the place of those that are made, the lowest first

CREATE OR REPLACE MACRO sdc__checked_breaks(breaks, least, ends) AS CASE
    WHEN coalesce(ends NOT IN ('closed', 'open', 'open_below', 'open_above'), true)
        THEN error('ParameterError: ends is ' || coalesce(ends::VARCHAR, 'NULL')
                   || ': it must be ''closed'', ''open'', ''open_below'' or ''open_above''.')
    WHEN coalesce(len(breaks) < least, true) THEN error('ParameterError: There are ' || coalesce(len(breaks), 0)
                                                        || ' breaks: give ' || least || ' or more, as in [20, 40, 60].')
    WHEN NOT coalesce(list_bool_and(list_transform(breaks, lambda b: abs(b) < 'infinity'::DOUBLE)), false)
         OR len(list_filter(breaks, lambda b: b IS NULL)) > 0
        THEN error('ParameterError: A break is NULL, NaN or infinite: give finite numbers, and ends := ''open'' for what lies beyond them.')
    WHEN list_sort(list_distinct(breaks), 'ASC') <> breaks
        THEN error('ParameterError: The breaks do not ascend: give each once and the least first, as in [20, 40, 60].')
    ELSE breaks END;

-- The label of an interval by its limits; NULL: an open end.
CREATE OR REPLACE MACRO sdc__interval_label(low, high, whole) AS CASE
    WHEN low IS NULL THEN 'below ' || sdc__canonical_number(high)
    WHEN high IS NULL THEN sdc__canonical_number(low) || ' and over'
    WHEN NOT whole THEN '[' || sdc__canonical_number(low) || ', ' || sdc__canonical_number(high) || ')'
    WHEN low = high - 1 THEN sdc__canonical_number(low)
    ELSE sdc__canonical_number(low) || CASE WHEN low < 0 THEN ' to ' ELSE '-' END || sdc__canonical_number(high - 1) END;

CREATE OR REPLACE MACRO sdc__checked_labels(labels, n) AS CASE
    WHEN len(labels) <> n THEN error('ParameterError: There are ' || len(labels) || ' labels and ' || n
                                     || ' intervals: give one label for each, the lowest first.')
    WHEN list_count(labels) < n THEN error('ParameterError: A label is NULL: give every interval a text.')
    ELSE labels END;

-- Labels in the places of those that are made; those of ends that are closed are never read.
CREATE OR REPLACE MACRO sdc__placed_labels(labels, n, ends) AS
    list_concat(CASE WHEN ends IN ('open', 'open_below') THEN []::VARCHAR[] ELSE ['']::VARCHAR[] END,
                sdc__checked_labels(sdc__names(labels),
                                    n - 1 + (ends IN ('open', 'open_below'))::INTEGER
                                    + (ends IN ('open', 'open_above'))::INTEGER));

-- limits: a row with sdc__breaks. The same with the labels of below the first break, of each interval, and of the last break and over.
CREATE OR REPLACE MACRO sdc__interval_design(limits, records, ends, labels) AS TABLE
    WITH sdc__sides AS (
        SELECT sdc__breaks, list_prepend(NULL, sdc__breaks) AS sdc__lows, list_append(sdc__breaks, NULL) AS sdc__highs,
               sdc__whole AND list_bool_and(list_transform(sdc__breaks, lambda b: b = floor(b))) AS sdc__in_ones
        FROM query_table(limits), (SELECT sdc__whole FROM query_table(records) LIMIT 1)
    )
    SELECT sdc__breaks,
           CASE WHEN labels IS NULL
                    THEN list_transform(sdc__lows, lambda b, i: sdc__interval_label(b, sdc__highs[i], sdc__in_ones))
                             ELSE sdc__placed_labels(labels, len(sdc__breaks), ends) END AS sdc__labels
    FROM sdc__sides;

-- How many breaks lie at or below a value.
CREATE OR REPLACE MACRO sdc__breaks_below(x, breaks) AS len(list_filter(breaks, lambda b: b <= x));
-- place: which of the labels, from 1.
CREATE OR REPLACE MACRO sdc__interval_of(x, place, breaks, labels, ends) AS CASE
    WHEN x IS NULL THEN NULL
    WHEN isnan(x) THEN error('ColumnError: The column holds NaN, which lies in no interval: replace it by NULL.')
    WHEN (x < breaks[1] AND ends NOT IN ('open', 'open_below')) OR (x >= breaks[-1] AND ends NOT IN ('open', 'open_above'))
        THEN error('ColumnError: Values lie outside the breaks, which go from ' || sdc__canonical_number(breaks[1])
                   || ' to below ' || sdc__canonical_number(breaks[-1])
                   || ': give further breaks, or say ends := ''open''.')
    ELSE labels[place] END;

-- The records of a table with the number to be recoded, by its column's name and as sdc__n.
CREATE OR REPLACE MACRO sdc__recode_numbers(tbl, column_name, id) AS TABLE
    SELECT sdc__id, COLUMNS(sdc__to_mask((*), [column_name], id)), sdc__number(COLUMNS(sdc__to_mask((*), [column_name], id))) AS sdc__n,
           sdc__is_whole(typeof(COLUMNS(sdc__to_mask((*), [column_name], id)))) AS sdc__whole
    FROM sdc__identified(tbl, id);
CREATE OR REPLACE MACRO sdc__recode_by_design(records, design, ends) AS TABLE
    WITH sdc__places_of AS (
        SELECT *, 1 + sdc__breaks_below(sdc__n, sdc__breaks) AS sdc__place FROM query_table(records), query_table(design)
    )
    SELECT sdc__id,
           sdc__in_place_of(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')),
                            sdc__interval_of(sdc__n, sdc__place, sdc__breaks, sdc__labels, ends)) AS "\0"
    FROM sdc__places_of;

CREATE OR REPLACE MACRO sdc__recode_intervals(tbl, column_name, breaks, id, ends, labels) AS TABLE
    WITH sdc__records AS (FROM sdc__recode_numbers(tbl, column_name, id)),
    sdc__limits AS (SELECT sdc__checked_breaks(breaks::DOUBLE[], CASE WHEN ends = 'closed' THEN 2 ELSE 1 END, ends) AS sdc__breaks),
    sdc__design AS MATERIALIZED (FROM sdc__interval_design('sdc__limits', 'sdc__records', ends, labels))
    FROM sdc__recode_by_design('sdc__records', 'sdc__design', ends);

-- Compiled: by SQL alone.
-- Verb: recode
-- Title: Recode: intervals by cut points of your own; Recode {} into intervals.
-- sdc_recode_intervals: the numbers of a column replaced by the intervals that they lie in.
-- Example: FROM sdc_recode_intervals('persons', 'income', [1500, 2000, 3000], 'id', ends := 'open');
CREATE OR REPLACE MACRO sdc_recode_intervals(tbl, column_name, breaks, id, ends := 'closed', labels := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__recode_intervals(tbl, column_name, breaks, id, ends, labels))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
