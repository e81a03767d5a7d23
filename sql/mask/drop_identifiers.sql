-- Direct identifiers removed: the table without the columns that a person has chosen (sdc_identifiers proposes some).
--
--   people: id name age     FROM sdc_drop_identifiers('people', ['name'], 'id'):   id age
--           1  Ann  30                                                             1  30
--
-- The id stays, since later steps and the log find records by it: choose one that means nothing elsewhere (a number in a row), and leave it
-- out, or number anew, when the released file is written.
-- Source: SDC handbook, sections 3.2.2 and 3.3.1.
--
-- Scope: record.
-- Not compiled: which columns stay is read from the table; elsewhere name them in a SELECT.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Loss: published.
-- Told: nothing.
-- Repeated: again.
-- Series: parameters.
-- Parameters:
--   tbl      table    the table, view, common table expression or file
--   columns  columns  the columns to remove
--   id       column   identifies each record, and stays

-- The columns that stay, or what is wrong with those named.
CREATE OR REPLACE MACRO sdc__columns_staying(have, columns, id) AS CASE
    WHEN sdc__is_among(id, columns)
        THEN [id
              || '" is the id, by which the log and later steps find the records: it stays; leave it out when the released'
              || ' file is written; so "'
              || id]
    WHEN NOT list_has_all(have, list_concat(sdc__columns(have, columns), sdc__columns(have, [id])))
        THEN list_filter(list_concat(sdc__columns(have, columns), sdc__columns(have, [id])), lambda c: NOT list_contains(have, c))
    ELSE sdc__kept(sdc__own(have), columns)
END;

-- sdc_drop_identifiers: the table without its direct identifiers, those that are named.
-- Gives: every other column.
-- Rows: records.
-- Command: drop_identifiers
-- Example: FROM sdc_drop_identifiers('persons', ['household'], 'id');
CREATE OR REPLACE MACRO sdc_drop_identifiers(tbl, columns, id) AS TABLE
    SELECT COLUMNS(sdc__columns_staying((*), columns, id)) FROM sdc__identified(tbl, id);
