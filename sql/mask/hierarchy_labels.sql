-- Keys with their values replaced by labels of their hierarchies.
--
-- labels: the name of a common table expression with sdc__variable (the key, folded), sdc__value (DuckDB's text of it) and sdc__label:
-- those of sdc__labels_at, or others, also numbers. records: one with the keys and columns beginning sdc__, MATERIALIZED, as it is read
-- twice. Everything else stays. A value that has no row is an error that counts, and shows nothing.

-- The labels of each key at a level of its own, given by name or by number: of what sdc__hierarchies gives, one level for each key.
CREATE OR REPLACE MACRO sdc__labels_at(checked, keys, levels) AS TABLE
    WITH sdc__asked AS (
        SELECT sdc__folded(sdc__name) AS sdc__key, *
        FROM (SELECT unnest(sdc__names(keys)) AS sdc__name,
                     unnest(CASE WHEN len(sdc__names(keys)) = len(levels) THEN sdc__names(levels)
                                 ELSE error('ParameterError: There are ' || len(sdc__names(keys)) || ' keys and '
                                            || coalesce(len(levels)::VARCHAR, 'NULL')
                                            || ' levels: give one level for each key.') END) AS sdc__given)
    ),
    sdc__found AS (
        SELECT sdc__key,
               coalesce(max(sdc__level) FILTER (WHERE sdc__level_name = sdc__given),
                        max(sdc__level) FILTER (WHERE sdc__level = TRY_CAST(sdc__given AS INTEGER)),
                        error('ParameterError: A level of ' || sdc__name || ' is ' || coalesce(sdc__given, 'NULL')
                              || ': its hierarchy has the levels '
                              || string_agg(sdc__level_name, ', ' ORDER BY sdc__level ASC)
                              || '; give the name of one, or its number from 0.')::INTEGER) AS sdc__chosen
        FROM sdc__asked
        JOIN (SELECT DISTINCT sdc__variable, sdc__level, sdc__level_name FROM query_table(checked)) ON sdc__variable
             = sdc__key
        GROUP BY sdc__key, sdc__name, sdc__given
    )
    SELECT sdc__variable, sdc__value, sdc__label, sdc__level, sdc__level_name
    FROM query_table(checked)
    JOIN sdc__found ON sdc__variable = sdc__key AND sdc__level = sdc__chosen;

CREATE OR REPLACE MACRO sdc__is_value(variable, value, key, found) AS
    variable = sdc__folded(key) AND value IS NOT DISTINCT FROM sdc__by_bytes(CAST(found AS VARCHAR));

CREATE OR REPLACE MACRO sdc__without_label(n, of_null, key) AS CASE
    WHEN n = 0 THEN false
    ELSE error('TableError: ' || format('{:,}', n) || ' values of ' || key || ' have no row in its hierarchy'
               || CASE WHEN of_null THEN ', the missing value (NULL) among them' ELSE '' END || ': give each one.') END;

CREATE OR REPLACE MACRO sdc__joined_to_label(key, place, labels) AS
    ' LEFT JOIN query_table(' || sdc__text(labels) || ') AS sdc__l' || place || ' ON sdc__is_value(sdc__l' || place
    || '.sdc__variable, sdc__l' || place || '.sdc__value, ' || sdc__text(key) || ', sdc__r.' || sdc__identifier(key) || ')';
CREATE OR REPLACE MACRO sdc__counted_without(key, records, labels) AS
    'SELECT count(*) AS sdc__absent, bool_or(sdc__v IS NULL) AS sdc__absent_null, ' || sdc__text(key)
    || ' AS sdc__absent_of FROM (SELECT DISTINCT ' || sdc__identifier(key) || ' AS sdc__v FROM query_table('
    || sdc__text(records)
    || ')) ANTI JOIN query_table(' || sdc__text(labels) || ') ON sdc__is_value(sdc__variable, sdc__value, '
       || sdc__text(key) || ', sdc__v)';

-- True, or the error: the names of the keys stand in a text of SQL, each of them and once.
CREATE OR REPLACE MACRO sdc__named_once(keys) AS CASE
    WHEN coalesce(len(sdc__names(keys)), 0) = 0
        THEN error('ColumnError: The list of columns is empty; name at least one, as in [''age'', ''sex''].')
    WHEN list_position(sdc__names(keys), NULL) IS NOT NULL
        THEN error('ColumnError: The list of columns holds a NULL where a name should be.')
    WHEN len(list_distinct(list_transform(sdc__names(keys), lambda n: sdc__folded(n)))) < len(sdc__names(keys))
        THEN error('ColumnError: A column is named twice in ' || sdc__quoted(keys) || '.')
    ELSE true END;

-- The join is written out for each key, so that DuckDB looks each value up by its hash.
CREATE OR REPLACE MACRO sdc__relabelled(records, keys, labels) AS TABLE
    FROM query(CASE WHEN sdc__named_once(keys) THEN 'WITH sdc__labelled AS (SELECT sdc__r.* REPLACE ('
        || array_to_string(
            list_transform(sdc__names(keys), lambda k, i: 'sdc__l' || i || '.sdc__label AS ' || sdc__identifier(k)), ', ')
           || ') FROM query_table(' || sdc__text(records) || ') AS sdc__r'
        || array_to_string(list_transform(sdc__names(keys), lambda k, i: sdc__joined_to_label(k, i, labels)), '')
        || ') SELECT sdc__none.* FROM ('
        || array_to_string(list_transform(sdc__names(keys), lambda k: sdc__counted_without(k, records, labels)), ' UNION ALL ')
        || ') LEFT JOIN (FROM sdc__labelled LIMIT 0) AS sdc__none ON true WHERE sdc__without_label(sdc__absent,'
        || ' sdc__absent_null, sdc__absent_of) UNION ALL FROM sdc__labelled' END);
