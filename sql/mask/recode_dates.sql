-- Recoding of dates to the first day of their week, month, quarter, year or decade.
--
--   2024-08-17:   week 2024-08-12 (a Monday)   month 2024-08-01   quarter 2024-07-01   year 2024-01-01   decade 2020-01-01
-- Source: SDC handbook, section 3.2.2 (the date of birth is not to be released) and 3.4.3.1 (global recoding).
--
--   persons: id born         FROM sdc_recode_date('persons', 'born', 'year', 'id'):   id born
--            1  1984-08-17                                                            1  1984-01-01
-- The column becomes a DATE, of a TIMESTAMP too; for numbers or texts recode it further (by a mapping or a hierarchy). NULL and infinite
-- dates stay. A TIMESTAMP WITH TIME ZONE is an error: its date changes with the time zone of the session.
--
-- Scope: record.
-- Keeps: the order of the dates, by period.
-- Users: Count and compare by period. No time is shorter than a period.
-- Values: codes.
-- Bits: exact.
-- Coarsens: into classes.
-- Loss: published.
-- Told: period.
-- Repeated: again.
-- Series: parameters.
-- Parameters:
--   tbl          table   the table, view, common table expression or file
--   column_name  column  the column to recode: dates or timestamps
--   period       'week', 'month', 'quarter', 'year' or 'decade'  the first day of which a date becomes
--   id           column  identifies each record

CREATE OR REPLACE MACRO sdc__checked_date(v) AS CASE
    WHEN typeof(v) = 'DATE' OR (starts_with(typeof(v), 'TIMESTAMP') AND typeof(v) <> 'TIMESTAMP WITH TIME ZONE')
        THEN TRY_CAST(v::VARCHAR AS DATE)
    WHEN typeof(v) = 'TIMESTAMP WITH TIME ZONE'
        THEN error('ColumnError: The column ' || alias(v) || ' has type ' || typeof(v)
                   || ': its date changes with the time zone of the session. Cast the times to TIMESTAMP first.')
    ELSE error('ColumnError: The column ' || alias(v) || ' has type '
               || CASE WHEN starts_with(typeof(v), 'ENUM') THEN 'ENUM' ELSE typeof(v) END
               || ': this recodes dates; cast it to DATE first.') END;
CREATE OR REPLACE MACRO sdc__first_day(day, period) AS CASE period
    WHEN 'week' THEN date_trunc('week', day) WHEN 'month' THEN date_trunc('month', day) WHEN 'quarter' THEN date_trunc('quarter', day)
    WHEN 'year' THEN date_trunc('year', day) WHEN 'decade' THEN date_trunc('decade', day)
    ELSE error('ParameterError: period is ' || coalesce(period::VARCHAR, 'NULL')
               || ': it must be ''week'', ''month'', ''quarter'', ''year'' or ''decade''.')::DATE END;

CREATE OR REPLACE MACRO sdc__recode_date(tbl, column_name, period, id) AS TABLE
    SELECT sdc__id, sdc__first_day(sdc__checked_date(COLUMNS(sdc__to_mask((*), [column_name], id))), period)::DATE AS "\0"
    FROM sdc__identified(tbl, id);

-- Verb: recode
-- Title: Recode: periods of dates; Recode {} into periods.
-- sdc_recode_date: the dates of a column replaced by the first day of their period.
-- Example: FROM sdc_recode_date('persons', 'born', 'year', 'id');
CREATE OR REPLACE MACRO sdc_recode_date(tbl, column_name, period, id) AS TABLE
    WITH sdc__done AS (FROM sdc__recode_date(tbl, column_name, period, id)) FROM sdc__released(tbl, [column_name], id, 'sdc__done');
