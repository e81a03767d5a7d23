-- Recoding of codes by truncation: their first characters are kept, or their last ones dropped (classes of industry or
-- occupation, postal codes).
--
--   keep_first 2:   '2511' -> '25'   '0111' -> '01'     drop_last 1:   '2511' -> '251'   '0111' -> '011'
-- Source: SDC handbook, section 3.4.3.1 (global recoding: categories of a hierarchical classification are collapsed digit by digit).
--
--   firms: id nace      FROM sdc_recode_keep_first('firms', 'nace', 2, 'id'):   id nace
--          1  '25.11'                                                           1  '25'
--          2  '01.4'                                                            2  '01'
-- A code is text, as it stands, points and blanks counted. One that has no more characters than are kept stays whole; one that has no more
-- than are dropped is an error, as nothing would be left. Codes of different lengths keep what they are: see that they mean the same.
-- In a column of whole numbers leading zeros are lost: `digits` says how many digits a code has, and they are put back before it is
-- truncated (digits 4: 111 is '0111'); to keep first digits it must be given. A number of more digits, or below zero, is an error.
-- The column becomes text. NULL stays NULL.
--
-- Scope: record.
-- Keeps: the order of the codes, and which of them begin alike.
-- Users: Count and compare by the codes that are left. Nothing tells apart the codes that begin alike.
-- Values: codes.
-- Bits: exact.
-- Coarsens: into classes.
-- Loss: published.
-- Repeated: again.
-- Series: parameters.
-- Parameters:
--   tbl          table                     the table, view, common table expression or file
--   column_name  column                    the column to recode: texts or whole numbers
--   keep_first   whole number in [1, ...)  how many characters are kept
--   drop_last    whole number in [1, ...)  how many characters are dropped
--   id           column                    identifies each record
--   digits       whole number in [1, ...)  of whole numbers: how many digits a code has

CREATE OR REPLACE MACRO sdc__checked_code(v, digits, needed) AS CASE
    WHEN sdc__is_whole(typeof(v)) THEN CASE
        WHEN digits IS NULL AND needed
            THEN error('ParameterError: The column ' || alias(v)
                       || ' has whole numbers, whose leading zeros are lost: give digits, how many a code has, or store'
                       || ' the codes as text.')
        WHEN starts_with(v::VARCHAR, '-') OR length(v::VARCHAR) > sdc__checked_whole(coalesce(digits, 40), 'digits', 1, 40)
            THEN error('ColumnError: A code of the column ' || alias(v) || ' is below zero or has more digits than '
                       || coalesce(digits, 40)::VARCHAR || ': give digits as many as the longest code has.')
        WHEN digits IS NULL THEN v::VARCHAR
        ELSE left('0000000000000000000000000000000000000000', digits - length(v::VARCHAR)) || v::VARCHAR END
    WHEN digits IS NOT NULL THEN error('ParameterError: digits is given and the column ' || alias(v)
                                       || ' has no whole numbers: text keeps its leading zeros as it is.')
    WHEN typeof(v) = 'VARCHAR' OR starts_with(typeof(v), 'ENUM') THEN v::VARCHAR
    ELSE error('ColumnError: The column ' || alias(v) || ' has type ' || typeof(v) || ': codes are texts or whole numbers.') END;

CREATE OR REPLACE MACRO sdc__without_last(code, n) AS
    CASE WHEN length(code) > n THEN left(code, length(code) - n)
         WHEN code IS NULL THEN NULL
         ELSE error('ColumnError: A code has no more than ' || n
                    || ' characters: nothing would be left of it. Drop fewer, or keep the first ones.') END;

CREATE OR REPLACE MACRO sdc__recode_keep_first(tbl, column_name, keep_first, id, digits) AS TABLE
    SELECT sdc__id,
           left(sdc__checked_code(COLUMNS(sdc__to_mask((*), [column_name], id)), digits, true),
                sdc__checked_whole(keep_first, 'keep_first', 1)) AS "\0"
    FROM sdc__identified(tbl, id, codes := [column_name], compared := [id]);
CREATE OR REPLACE MACRO sdc__recode_drop_last(tbl, column_name, drop_last, id, digits) AS TABLE
    SELECT sdc__id,
           sdc__without_last(sdc__checked_code(COLUMNS(sdc__to_mask((*), [column_name], id)), digits, false),
                             sdc__checked_whole(drop_last, 'drop_last', 1)) AS "\0"
    FROM sdc__identified(tbl, id, codes := [column_name], compared := [id]);

-- Compiled: by SQL alone.
-- Verb: recode
-- Told: keep_first.
-- Title: Recode: keep the first characters of a code; Keep the first characters of {}.
-- sdc_recode_keep_first: the codes of a column cut off after their first characters.
-- Example: FROM sdc_recode_keep_first('persons', 'region', 1, 'id');
CREATE OR REPLACE MACRO sdc_recode_keep_first(tbl, column_name, keep_first, id, digits := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__recode_keep_first(tbl, column_name, keep_first, id, digits))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');

-- Compiled: by SQL alone.
-- Verb: recode
-- Told: drop_last.
-- Title: Recode: drop the last characters of a code; Drop the last characters of {}.
-- sdc_recode_drop_last: the codes of a column without their last characters.
-- Example: FROM sdc_recode_drop_last('persons', 'region', 1, 'id');
CREATE OR REPLACE MACRO sdc_recode_drop_last(tbl, column_name, drop_last, id, digits := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__recode_drop_last(tbl, column_name, drop_last, id, digits))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
