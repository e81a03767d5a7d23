-- The one form of a number or an interval, of those that SQL calls equal and a file tells apart (equal_values.sql).
--
--   DOUBLE, FLOAT  0.0 of -0.0; NaN without a sign, of whatever bits
--   INTERVAL       months of 30 days and days of 24 hours, as DuckDB compares them: 45 days are 1 month and 15 days
-- A release gives it to each value where it reads its source (sdc_sql/release/running/one_form.py).

-- Whether a number has another form. (The bits of a FLOAT are those of the DOUBLE that it is.)
CREATE OR REPLACE MACRO sdc__is_other_number(v) AS sdc__is_minus_zero(v) OR sdc__is_other_nan(v::DOUBLE);

-- (The sum of -0.0 and 0 is 0.0; NaN keeps its bits through a sum.)
CREATE OR REPLACE MACRO sdc__number_in_one_form(v) AS CASE WHEN isnan(v) THEN 'nan' ELSE v + 0 END;

CREATE OR REPLACE MACRO sdc__microseconds_of_day(v) AS
    datepart('hour', v) * 3600000000 + datepart('minute', v) * 60000000 + datepart('microsecond', v);
CREATE OR REPLACE MACRO sdc__days_of_month(v) AS
    datepart('day', v) + sdc__microseconds_of_day(v) // 86400000000;
CREATE OR REPLACE MACRO sdc__interval_in_one_form(v) AS
    to_months((datepart('year', v) * 12 + datepart('month', v) + sdc__days_of_month(v) // 30)::INTEGER)
    + to_days((sdc__days_of_month(v) % 30)::INTEGER)
    + to_microseconds(sdc__microseconds_of_day(v) % 86400000000);
