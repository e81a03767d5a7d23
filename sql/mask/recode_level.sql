-- Recoding by a hierarchy: each value replaced by its label at a level.
--
-- The hierarchy of one column is a table with a row for each value and a column for each level, named by it, the value itself first, each
-- level coarser than the one before (sdc_hierarchy reads and checks it).
-- Source: SDC handbook, section 3.4.3.1 (global recoding); Samarati (2001), IEEE Trans. Knowledge and Data Engineering 13(6), section 3.
--
--   districts: district region country      FROM sdc_recode_level('persons', 'district', 'districts', 'id', level := 'region')
--              D11      west   *            each D11 and D12 becomes west, each D21 east
--              D12      west   *
--              D21      east   *
-- A value is found by DuckDB's text of it. Every value that the column holds must have a row; NULL stays NULL unless it
-- has one. The column becomes text.
--
-- Scope: record.
-- Keeps: nothing but the groups: which records have one label.
-- Users: Count and compare by the released classes. Nothing tells the values of a class apart.
-- Values: codes.
-- Bits: exact.
-- Coarsens: into classes.
-- Loss: published.
-- Told: nothing.
-- Repeated: again.
-- Series: parameters.
-- Parameters:
--   tbl          table   the table, view, common table expression or file
--   column_name  column  the column to recode
--   hierarchy    table   the hierarchy: a column for each level, the value itself first
--   id           column  identifies each record
--   level        text    the name of a level, or its number, counted from 0

-- The hierarchy with the columns of sdc__hierarchies, and its labels at a level, as a mapping.
CREATE OR REPLACE MACRO sdc__of_one_key(hierarchy, key) AS TABLE
    SELECT sdc__folded(variable) AS sdc__variable, value AS sdc__value, level AS sdc__level, level_name AS sdc__level_name,
           label AS sdc__label
    FROM sdc_hierarchy(hierarchy, key);
CREATE OR REPLACE MACRO sdc__level_mapping(hierarchy, key, level) AS TABLE
    WITH sdc__checked AS (FROM sdc__of_one_key(hierarchy, key))
    SELECT sdc__value AS sdc__from, sdc__label AS sdc__to, true AS sdc__known FROM sdc__labels_at('sdc__checked', [key], [level::VARCHAR]);

CREATE OR REPLACE MACRO sdc__recode_level(tbl, column_name, hierarchy, id, level) AS TABLE
    WITH sdc__records AS (FROM sdc__recode_records(tbl, column_name, id, [column_name])),
    sdc__map AS MATERIALIZED (FROM sdc__level_mapping(hierarchy, column_name, level)),
    sdc__cells AS (SELECT sdc__x AS sdc__v, sdc__by_bytes(CAST(sdc__x AS VARCHAR)) AS sdc__asked FROM sdc__records GROUP BY sdc__x),
    sdc__met AS MATERIALIZED (FROM sdc__recode_met('sdc__cells', 'sdc__map', 'error', 'hierarchy', 'give each one.'))
    FROM sdc__recode_put('sdc__records', 'sdc__met');

-- Verb: recode
-- Title: Recode: a level of a hierarchy; Recode {} to a level of its hierarchy.
-- sdc_recode_level: the values of a column replaced by their labels at a level of a hierarchy.
-- Example: FROM sdc_recode_level('persons', 'region', 'areas', 'id', level := 'country');
CREATE OR REPLACE MACRO sdc_recode_level(tbl, column_name, hierarchy, id, level := 1) AS TABLE
    WITH sdc__done AS (FROM sdc__recode_level(tbl, column_name, hierarchy, id, level))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
