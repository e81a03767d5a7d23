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

-- (UPDATE leaves a value as it is where the new one is equal to it.)
CREATE OR REPLACE MACRO sdc__way_to_one_form(type) AS
    CASE WHEN type IN ('DOUBLE', 'FLOAT')
             THEN concat('ALTER TABLE ... ALTER x TYPE ', type, ' USING CASE WHEN isnan(x) THEN ''nan'' ELSE x + 0 END, x the column (an',
                         ' UPDATE leaves what is equal to the new value), or write the file so')
         WHEN type = 'INTERVAL' THEN 'a number of days, say, in the place of the interval'
         WHEN contains(type, 'INTERVAL') THEN 'take the intervals out of it'
         ELSE 'take the numbers out of it' END;

-- False, or the error of a column, given its name and its type.
CREATE OR REPLACE MACRO sdc__of_two_forms(tbl, found) AS
    CASE WHEN found IS NULL THEN false
         ELSE error('ColumnError: The column ' || concat(found[1], ' of ', tbl, ' (', found[2], ') holds a value in a form that SQL calls',
                           ' equal to another one and a file tells apart (-0.0 and 0.0, NaN with a sign and without, 30 days and 1',
                           ' month): counted as one, they would make the risk look smaller than it is. Give each value one form first: ',
                           sdc__way_to_one_form(found[2]), '.')) END;

-- NULL, or the name and the type of the column. (The message is made once, of the first that is found: made here, it is bound with every
-- column of every call.)
CREATE OR REPLACE MACRO sdc__is_minus_zero(v) AS v = 0 AND signbit(v);
CREATE OR REPLACE MACRO sdc__is_other_nan(v) AS isnan(v) AND v::BIT <> 'nan'::DOUBLE::BIT;
CREATE OR REPLACE MACRO sdc__is_other_interval(v) AS abs(datepart('day', v)) >= 30 OR abs(datepart('hour', v)) >= 24;
CREATE OR REPLACE MACRO sdc__one_form(v) AS
    CASE WHEN CASE WHEN typeof(v) IN ('DOUBLE', 'FLOAT')
                       THEN sdc__is_minus_zero(TRY_CAST(v AS DOUBLE)) OR sdc__is_other_nan(TRY_CAST(v AS DOUBLE))
                   WHEN typeof(v) = 'INTERVAL' THEN sdc__is_other_interval(TRY_CAST(v AS INTERVAL))
                   WHEN contains(typeof(v), 'INTERVAL') THEN v IS NOT NULL
                   WHEN regexp_matches(typeof(v), 'DOUBLE|FLOAT')
                       THEN regexp_matches(v::VARCHAR, '-(0[.]0([^0-9e]|$)|nan)') END
         THEN [alias(v), typeof(v)] END;

-- The columns to look at, of those there are. (What is missing is refused where it is read.)
CREATE OR REPLACE MACRO sdc__there(have, names) AS
    coalesce(nullif(list_filter(have, lambda h: list_contains(list_transform(names, lambda n: sdc__folded(n)), sdc__folded(h))), []),
             have[1:1]);

-- No rows, or the error.
CREATE OR REPLACE MACRO sdc__forms(tbl, names) AS TABLE
    SELECT 0
    FROM (SELECT coalesce(*COLUMNS(*)) AS sdc__found
          FROM (SELECT sdc__one_form(COLUMNS(sdc__there((*), sdc__names(names)))) AS "\0" FROM query_table(sdc__one_name(tbl))))
    WHERE sdc__found IS NOT NULL AND sdc__of_two_forms(tbl, sdc__found);

-- The same of some columns, or of others where these are not given. (A common table expression that is not read is not bound.)
CREATE OR REPLACE MACRO sdc__told_apart(tbl, compared, otherwise := NULL) AS TABLE
    WITH sdc__formed AS (FROM sdc__forms(tbl, compared)),
    sdc__formed_otherwise AS (FROM sdc__forms(tbl, otherwise)),
    sdc__none AS (SELECT 0 WHERE false)
    FROM query_table(CASE WHEN compared IS NOT NULL THEN CASE WHEN len(sdc__named(compared)) > 0 THEN 'sdc__formed' ELSE 'sdc__none' END
                          WHEN len(sdc__named(otherwise)) > 0 THEN 'sdc__formed_otherwise' ELSE 'sdc__none' END);
