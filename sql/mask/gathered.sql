-- What needs the whole table (moments, ranks, groups) gets it as lists, one row a stratum, records in
-- the order of their ids: the same for any number of threads and any order of the rows.
--
--   t: id a b     sdc__gathered:  sdc__ids  sdc__names  sdc__x            sdc__z (normal draws)  sdc__u (uniform draws)
--      1  5 7                     [1, 2]    ['a', 'b']  [[5, 7], [6, 8]]  [[.., ..], [.., ..]]   [[.., ..], [.., ..]]
--      2  6 8
-- A column's draws come from a stream of its own, so that they do not depend on which others are masked.

-- The numbers of a column; another type is an error, never a cast.
CREATE OR REPLACE MACRO sdc__is_whole(type) AS
    type IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT');
CREATE OR REPLACE MACRO sdc__number(v) AS
    CASE WHEN sdc__is_whole(typeof(v)) OR typeof(v) IN ('FLOAT', 'DOUBLE') OR starts_with(typeof(v), 'DECIMAL') THEN TRY_CAST(v AS DOUBLE)
         ELSE error('ColumnError: The column ' || alias(v) || ' has type ' || string_split(typeof(v), '(')[1] || ': this method masks numbers; give a numeric column.')
    END;

CREATE OR REPLACE MACRO sdc__pass(stream, release) AS concat(length(release), ':', release, stream);
CREATE OR REPLACE MACRO sdc__stream(stream, name) AS stream || ':' || sdc__folded(name);

CREATE OR REPLACE MACRO sdc__gathered(tbl, columns, id, stratum, stream) AS TABLE
    WITH sdc__drawn AS (
        SELECT sdc__id,
               sdc__stratum_value(stratum, COLUMNS(sdc__column((*), stratum))) AS sdc__stratum,
               struct_keys(struct_pack(*COLUMNS(sdc__to_mask((*), columns, id)))) AS sdc__names,
               sdc__is_whole(typeof(COLUMNS(sdc__to_mask((*), columns, id)))) AS "sdc__t_\0",
               sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__x_\0",
               sdc__uniform(sdc__secret, sdc__stream(stream, alias(COLUMNS(sdc__to_mask((*), columns, id)))), sdc__id) AS "sdc__u_\0",
               sdc__uniform(sdc__secret, sdc__stream(stream || ':order', alias(COLUMNS(sdc__to_mask((*), columns, id)))), sdc__id) AS "sdc__v_\0"
        FROM (SELECT *, sdc__secret_key_of(stream) AS sdc__secret FROM sdc__identified(tbl, id))
    )
    SELECT sdc__stratum,
           list(sdc__id ORDER BY sdc__id ASC) AS sdc__ids,
           any_value(sdc__names) AS sdc__names,
           any_value([*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))]) AS sdc__whole,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] ORDER BY sdc__id ASC) AS sdc__x,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__z_'))] ORDER BY sdc__id ASC) AS sdc__z,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__v_'))] ORDER BY sdc__id ASC) AS sdc__u
    FROM (SELECT *, sdc__normal(COLUMNS(lambda c: starts_with(c, 'sdc__u_'))) AS "sdc__z_\0" FROM sdc__drawn)
    GROUP BY sdc__stratum;

-- The masked values of each record, beside its id: each column with its own name and type again.
-- masked: the name of a common table expression with sdc__ids, sdc__names and sdc__masked, one list a column.
CREATE OR REPLACE MACRO sdc__spread(tbl, columns, masked) AS TABLE
    WITH sdc__lists AS (
        SELECT sdc__ids, sdc__masked[list_position(sdc__names, alias(COLUMNS(sdc__columns((*), columns))))] AS "\0"
        FROM query_table(masked) LEFT JOIN (FROM sdc__rows(tbl) LIMIT 0) ON true
    ),
    sdc__values AS (
        SELECT unnest(sdc__ids) AS sdc__id, unnest(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "\0" FROM sdc__lists
    )
    SELECT sdc__id, unnest(cast_to_type(struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))), sdc__type))
    FROM sdc__values
    LEFT JOIN (SELECT struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__type FROM sdc__rows(tbl) LIMIT 0) ON true;

-- A number for all columns, or a list of one for each in the order of `columns`, as one for each in the order of `names`.
CREATE OR REPLACE MACRO sdc__listed(given) AS list_transform(string_split(trim(given::VARCHAR, '[]'), ', '), lambda t: nullif(t, 'NULL'));
CREATE OR REPLACE MACRO sdc__each(given, columns, names) AS CASE
    WHEN given IS NULL THEN list_transform(names, lambda n: NULL::VARCHAR)
    WHEN len(sdc__listed(given)) = 1 THEN list_transform(names, lambda n: sdc__listed(given)[1])
    WHEN len(sdc__listed(given)) = len(columns)
        THEN list_transform(names, lambda n: sdc__listed(given)[list_position(list_transform(columns, lambda c: sdc__folded(c)), sdc__folded(n))])
    ELSE error('ParameterError: ' || given::VARCHAR || ' must be one value, or one for each of the columns ' || sdc__quoted(columns) || '.')
END;
