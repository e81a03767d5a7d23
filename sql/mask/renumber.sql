-- Records in random order, with ids that are numbers in that order: neither order nor id tells of the source.
--
--   new id = 1 + the number of records whose draw is smaller,   draw = u(key, release, pass, id)
-- A permutation of the records and a bijection of their ids to 1, ..., n. Without the key none of it can be turned back, nor told from
-- any other permutation. The draws need the name of a release: under one name and key two files of the same records get the same numbers
-- and link line by line, and files of nearly the same records nearly so; under two names the orders are independent, and link by nothing
-- but the values.
-- Source: SDC handbook, sections 3.2.2 and 3.3.1 (what names a record by itself is not released).
--
--   persons: id age     FROM sdc_renumber('persons', 'id', 'spring 2026') ORDER BY id:   id age
--            17 30                                                                     1  41
--            23 41                                                                     2  30
--
-- What orders the records otherwise stays (households numbered in turn, a date of interview): mask or drop it. Two records that agree on
-- all columns cannot be told apart anyhow. In place, a database file keeps the old order and ids in its bytes: hand over what write
-- writes.
--
-- Scope: table.
-- Not compiled: a row_number over draws gives the same numbers on other engines, and no engine but DuckDB keeps the order: order by
--   the id there.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Records: reordered.
-- Loss: published.
-- Told: nothing.
-- Repeated: again (new numbers hide nothing from who has both releases: the values, which stay, link them).
-- Series: refused (a series finds each record by its id).
-- Parameters:
--   tbl      table   the table, view, common table expression or file
--   id       column  identifies each record; its values become 1, 2, ..., BIGINT
--   release  text    names the release, and is not empty
--   stream   text    names the pass of draws; give another one to renumber a second time

CREATE OR REPLACE MACRO sdc__named_release(release) AS
    CASE WHEN length(release::VARCHAR) > 0 THEN release::VARCHAR
         ELSE error('ParameterError: Renumbered records need the name of a release, release := ''...'': else two files'
                    || ' would link line by line.') END;

-- The old id gives the name.
CREATE OR REPLACE MACRO sdc__new_id(old, new) AS CASE WHEN old IS NULL THEN NULL ELSE new END;

-- sdc_renumber: all records in random order, with new ids by that order.
-- Gives: every column.
-- Rows: records.
-- Command: renumber
-- Before: sdc_shuffle, shuffle
-- Example: FROM sdc_renumber('persons', 'id', 'spring 2026');
CREATE OR REPLACE MACRO sdc_renumber(tbl, id, release, stream := NULL) AS TABLE
    -- the draws have the name that they had before the macro got its own: they stay what they are
    WITH sdc__subkeyed AS (SELECT sdc__subkey(sdc__secret_key(), sdc__named_release(release), stream, 'shuffle', '', '') AS sdc__k),
    sdc__drawn AS (SELECT sdc__id, sdc__checked_id(sdc__id) AS sdc__name, sdc__k FROM sdc__identified(tbl, id), sdc__subkeyed),
    sdc__numbered AS MATERIALIZED (
        SELECT sdc__id, row_number() OVER (ORDER BY sdc__uniform(sdc__k, sdc__name, '') ASC, sdc__name ASC) AS sdc__new
        FROM sdc__drawn),
    sdc__with AS (
        SELECT sdc__of.*, sdc__new
        FROM sdc__with_id(tbl, id) AS sdc__of
        JOIN sdc__numbered ON sdc__numbered.sdc__id = sdc__of.sdc__id
    )
    (SELECT CASE WHEN COLUMNS(*) IS NULL THEN NULL END AS "\0" FROM sdc__unasked(tbl) LIMIT 0)
    UNION ALL BY NAME
    (SELECT COLUMNS(sdc__own_kept((*), [id])), sdc__new_id(COLUMNS(sdc__columns((*), [id])), sdc__new) AS "\0"
     FROM sdc__with
     ORDER BY sdc__new ASC);
