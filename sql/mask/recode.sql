-- Recoding: each value of a column replaced by the label of a group that it belongs to.
--
-- By a table that says what each value becomes (here), by intervals and classes (recode_intervals, recode_classes), by the first characters
-- of a code (recode_codes), by a level of a hierarchy (recode_level), by the period of a date (recode_dates), or relative to another
-- column (recode_relative). Nothing is drawn: equal values become equal labels, whatever the order of the records.
-- Source: SDC handbook, section 3.4.3.1 (global recoding); Willenborg & de Waal (2001), Elements of Statistical Disclosure Control, ch. 5.
--
--   regions: from   to      FROM sdc_recode('persons', 'region', 'wider', 'id')
--            north  coast   every north and south is coast, every centre inland
--            south  coast
--            centre inland
-- A value is found by its text in a canonical form: 17 by 17, 17.0 or '17'. NULL stays NULL unless the table has a row for it; a value
-- may become NULL. Further columns of the table are not read. Every value must be listed, or `others` says what becomes of the rest. A
-- value that stands twice is an error, also where it becomes the same twice. The column takes the type of `to`.
--
-- Scope: record.
-- Keeps: nothing but the groups: which records have one label.
-- Users: Count and compare by group. Nothing tells the values of a group apart.
-- Values: codes.
-- Bits: exact.
-- Coarsens: into classes.
-- Loss: published.
-- Told: nothing.
-- Repeated: again.
-- Series: parameters (a later mapping may be coarser: each of its classes is made of whole former ones).
-- Parameters:
--   tbl          table   the table, view, common table expression or file
--   column_name  column  the column to recode
--   mapping      table   what each value becomes: from, to
--   id           column  identifies each record
--   others       'error', 'keep' or 'label'  a value that is not listed is an error, stays as it is, or becomes `label`
--   label        text    what values that are not listed become, where others is 'label'

-- The text by which a value is found.
CREATE OR REPLACE MACRO sdc__mapping_text(v) AS sdc__canonical(v);

-- The records of a table with the value to be recoded, by its name and as sdc__x. codes: NULL where numbers are wanted.
CREATE OR REPLACE MACRO sdc__recode_records(tbl, column_name, id, codes) AS TABLE
    SELECT sdc__id, COLUMNS(sdc__to_mask((*), [column_name], id)), COLUMNS(sdc__to_mask((*), [column_name], id)) AS sdc__x
    FROM sdc__identified(tbl, id, codes := codes, compared := [id]);

-- A value by another's name, in its own type.
CREATE OR REPLACE MACRO sdc__in_place_of(old, new) AS struct_extract({'new': new, 'old': old}, 'new');

CREATE OR REPLACE MACRO sdc__checked_mapping(twice) AS
    CASE WHEN twice = 0 THEN true
         ELSE error('TableError: The mapping lists ' || twice || ' values more than once: give each one row.') END;
CREATE OR REPLACE MACRO sdc__recode_mapping(mapping) AS TABLE
    SELECT sdc__from, sdc__to, true AS sdc__known
    FROM (SELECT *, count(*) FILTER (WHERE sdc__place = 2) OVER () AS sdc__twice
          FROM (SELECT *, row_number() OVER (PARTITION BY sdc__from) AS sdc__place
                FROM (SELECT sdc__mapping_text("from") AS sdc__from, "to" AS sdc__to
                      FROM (SELECT sdc__by_bytes(COLUMNS(sdc__columns((*), ['from', 'to']))) AS "\0"
                            FROM sdc__rows(mapping, codes := ['from', 'to'])))))
    WHERE sdc__checked_mapping(sdc__twice);

CREATE OR REPLACE MACRO sdc__checked_others(others, label) AS CASE
    WHEN coalesce(others NOT IN ('error', 'keep', 'label'), true)
        THEN error('ParameterError: others is ' || coalesce(others::VARCHAR, 'NULL') || ': it must be ''error'', ''keep'' or ''label''.')
    WHEN others = 'label' AND label IS NULL
        THEN error('ParameterError: others is ''label'' and there is none: give it, as in label := ''other''.')
    WHEN others <> 'label' AND label IS NOT NULL
        THEN error('ParameterError: A label is given and others is ''' || others || ''': it is for others := ''label''.')
    ELSE others END;
CREATE OR REPLACE MACRO sdc__label_as(label, like_that) AS
    coalesce(TRY(cast_to_type(label, like_that)),
             CASE WHEN label IS NOT NULL THEN error('ParameterError: The label ' || label
                                                    || ' has no place among the values of the mapping, which are of type '
                                                    || typeof(like_that) || ': give another, or a mapping to texts.') END);
CREATE OR REPLACE MACRO sdc__checked_absent(n, what, advice) AS
    CASE WHEN n = 0 THEN true
         ELSE error('TableError: The ' || what || ' has no row for ' || n || ' of the values of the column: ' || advice) END;

-- cells: the distinct values, sdc__v, each with the text by which it is found, sdc__asked. What each becomes; sdc__known: NULL
-- where it is not listed.
CREATE OR REPLACE MACRO sdc__recode_met(cells, listed, others, what, advice) AS TABLE
    SELECT sdc__v, sdc__to, sdc__known
    FROM (SELECT *, count(*) FILTER (WHERE sdc__known IS NULL AND sdc__v IS NOT NULL) OVER () AS sdc__absent
          FROM query_table(cells) LEFT JOIN query_table(listed) ON sdc__asked IS NOT DISTINCT FROM sdc__from)
    WHERE sdc__checked_absent(CASE WHEN others = 'error' THEN sdc__absent ELSE 0 END, what, advice);

-- Records of sdc__recode_records with what sdc__recode_met says of their values.
CREATE OR REPLACE MACRO sdc__recode_put(records, met) AS TABLE
    SELECT sdc__r.sdc__id, sdc__in_place_of(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__to) AS "\0"
    FROM query_table(records) AS sdc__r JOIN query_table(met) ON sdc__x IS NOT DISTINCT FROM sdc__v;

CREATE OR REPLACE MACRO sdc__recode(tbl, column_name, mapping, id, others, label) AS TABLE
    WITH sdc__records AS (FROM sdc__recode_records(tbl, column_name, id, [column_name])),
    sdc__map AS MATERIALIZED (FROM sdc__recode_mapping(mapping)),
    sdc__cells AS (SELECT sdc__x AS sdc__v, sdc__mapping_text(sdc__x) AS sdc__asked FROM sdc__records GROUP BY sdc__x),
    sdc__met AS MATERIALIZED (
        FROM sdc__recode_met('sdc__cells', 'sdc__map', sdc__checked_others(others, label), 'mapping',
                             'give each one, or say others := ''keep'' or ''label''.')
    ),
    sdc__labelled AS (
        SELECT sdc__v,
               CASE WHEN sdc__known OR sdc__v IS NULL THEN sdc__to
                    ELSE sdc__label_as(label::VARCHAR, sdc__to) END AS sdc__to
        FROM sdc__met
    ),
    -- (a union has the type of both, a CASE would have none)
    sdc__kept AS (
        SELECT sdc__v, sdc__to
        FROM sdc__met
        WHERE sdc__known
        UNION ALL
        SELECT sdc__v, sdc__v
        FROM sdc__met
        WHERE sdc__known IS NULL
    )
    FROM sdc__recode_put('sdc__records', CASE WHEN others = 'keep' THEN 'sdc__kept' ELSE 'sdc__labelled' END);

-- Compiled: by SQL alone.
-- Verb: recode
-- Title: Recode: merge or rename categories; Merge or rename categories of {}.
-- sdc_recode: the values of a column replaced by those that a table lists for them.
-- Example: FROM sdc_recode('persons', 'region', 'wider', 'id');
CREATE OR REPLACE MACRO sdc_recode(tbl, column_name, mapping, id, others := 'error', label := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__recode(tbl, column_name, mapping, id, others, label))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
