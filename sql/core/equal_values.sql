-- Values that SQL calls equal and a file tells apart: counted as one, they make fewer and larger cells than whoever holds the file sees.
--
--   DOUBLE, FLOAT  0.0 and -0.0; nan and -nan, or NaN with other bits, which Parquet keeps
--   INTERVAL       1 month, 30 days and 720 hours
--   lists and structs of such values
--
-- A column that is compared and not reckoned with (a key, household, stratum, category) has one form of each, or it is refused: 0.0, nan,
-- and an interval of fewer than 30 days beside its months and 24 hours beside its days. Three 0.0 and one -0.0 are no cell of four.
-- They are not counted apart instead: no GROUP BY, join or kernel keeps them apart, and a result that showed both would show one number
-- twice. A release gives each value its one form where it reads its source (sdc_sql/release/running/one_form.py).
-- Known by the types when a query is bound: of columns of other types nothing is read.
-- (In a compiled query the check stands at the end: sdc_sql/compiler/equal_values.py.)

CREATE OR REPLACE MACRO sdc__of_two_forms(tbl, v, way_out) AS
    error('ColumnError: The column ' || alias(v) || ' of ' || tbl || ' (' || typeof(v) || ') holds a value in a form that SQL calls equal'
          || ' to another one and a file tells apart (-0.0 and 0.0, NaN with a sign and without, 30 days and 1 month): counted as one, they'
          || ' would make the risk look smaller than it is. Give each value one form first: ' || way_out || '.');

-- (UPDATE leaves a value as it is where the new one is equal to it.)
CREATE OR REPLACE MACRO sdc__way_to_one_number(type) AS
    'ALTER TABLE ... ALTER x TYPE ' || type || ' USING CASE WHEN isnan(x) THEN ''nan'' ELSE x + 0 END, x the column (an UPDATE leaves what'
    || ' is equal to the new value), or write the file so';

-- False, or the error.
CREATE OR REPLACE MACRO sdc__is_minus_zero(v) AS v = 0 AND signbit(v);
CREATE OR REPLACE MACRO sdc__is_other_nan(v) AS isnan(v) AND v::BIT <> 'nan'::DOUBLE::BIT;
CREATE OR REPLACE MACRO sdc__is_other_interval(v) AS abs(datepart('day', v)) >= 30 OR abs(datepart('hour', v)) >= 24;
CREATE OR REPLACE MACRO sdc__one_form(tbl, v) AS CASE
    WHEN typeof(v) IN ('DOUBLE', 'FLOAT') THEN
        CASE WHEN sdc__is_minus_zero(TRY_CAST(v AS DOUBLE)) OR sdc__is_other_nan(TRY_CAST(v AS DOUBLE))
             THEN sdc__of_two_forms(tbl, v, sdc__way_to_one_number(typeof(v))) ELSE false END
    WHEN typeof(v) = 'INTERVAL' THEN
        CASE WHEN sdc__is_other_interval(TRY_CAST(v AS INTERVAL))
             THEN sdc__of_two_forms(tbl, v, 'a number of days, say, in the place of the interval') ELSE false END
    WHEN contains(typeof(v), 'INTERVAL') AND v IS NOT NULL THEN sdc__of_two_forms(tbl, v, 'take the intervals out of it')
    WHEN regexp_matches(typeof(v), 'DOUBLE|FLOAT') THEN
        CASE WHEN regexp_matches(v::VARCHAR, '-(0[.]0([^0-9e]|$)|nan)') THEN sdc__of_two_forms(tbl, v, 'take the numbers out of it')
             ELSE false END
    ELSE false END;

-- The columns to look at, of those there are. (What is missing is refused where it is read.)
CREATE OR REPLACE MACRO sdc__there(have, names) AS
    coalesce(nullif(list_filter(have, lambda h: list_contains(list_transform(names, lambda n: sdc__folded(n)), sdc__folded(h))), []),
             have[1:1]);

-- No rows, or the error. (A common table expression that is not read is not bound.)
CREATE OR REPLACE MACRO sdc__told_apart(tbl, compared) AS TABLE
    WITH sdc__formed AS (
        SELECT 0
        FROM (SELECT sdc__one_form(tbl, COLUMNS(sdc__there((*), sdc__named(compared)))) AS "\0" FROM query_table(sdc__one_name(tbl)))
        WHERE greatest(*COLUMNS(*))
    ),
    sdc__none AS (SELECT 0 WHERE false)
    FROM query_table(CASE WHEN len(sdc__named(compared)) > 0 THEN 'sdc__formed' ELSE 'sdc__none' END);
