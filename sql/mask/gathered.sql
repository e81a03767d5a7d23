-- What needs the whole table (ranks, groups) gets it as lists, one row a stratum, records in
-- the order of their ids: the same for any number of threads and any order of the rows.
--
--   t: id a b     sdc__gathered:  sdc__ids  sdc__names  sdc__x            sdc__z (normal draws)  sdc__v (uniform)      sdc__u (of a record)
--      1  5 7                     [1, 2]    ['a', 'b']  [[5, 7], [6, 8]]  [[.., ..], [.., ..]]   [[.., ..], [.., ..]]  [[..], [..]]
--      2  6 8

-- The subkeys of columns: a map from the name of the column, '' for the record as a whole, in one row. A column that is masked by itself
-- draws the same whichever others are masked beside it; columns that are masked together have their names among the parameters.
-- Without a method (NULL) nothing is drawn.
CREATE OR REPLACE MACRO sdc__column_subkeys(columns, release, stream, method, parameters) AS TABLE
    SELECT map_from_entries(
        list_transform(list_concat([''], sdc__names(columns)),
                       lambda c: row(sdc__folded(c),
                                     sdc__subkey(sdc__secret, release, stream, method, parameters,
                                                 sdc__part(sdc__folded(c)))))) AS sdc__subkeys
    FROM (SELECT sdc__secret_key_of(method) AS sdc__secret);

-- The places of records from the lowest value to the highest, equal ones by a draw and then by their ids; entries: {x, draw, id, ...} of
-- each. Numbers that a DOUBLE holds exactly are ordered by numpy, which takes a fifth of the time; what it cannot tell apart (NULL comes
-- back) and values of any other type by DuckDB. (The lambda is for DuckDB 1.5, which cannot create a macro that grades an argument as it
-- is.)
CREATE OR REPLACE MACRO sdc__as_doubles(x) AS
    CASE WHEN sdc__is_whole(rtrim(typeof(x), '[]')) OR typeof(x) IN ('FLOAT[]', 'DOUBLE[]')
              OR TRY_CAST(regexp_extract(typeof(x), '^DECIMAL.(\d+)', 1) AS INTEGER) <= 15
         THEN TRY_CAST(x AS DOUBLE[]) END;
CREATE OR REPLACE MACRO sdc__ascending(stratum, x, breakers, entries) AS
    coalesce(sdc__kernel_ascending(stratum::VARCHAR, sdc__as_doubles(x), breakers),
             list_grade_up(list_transform(entries, lambda e: e), 'ASC', 'NULLS LAST'));

-- A number in millionths of a unit, as a draw depends on it: a change by less than that is not drawn for.
CREATE OR REPLACE MACRO sdc__in_units(x, unit) AS coalesce(TRY_CAST(round(x / unit * 1e6) AS BIGINT)::VARCHAR, x::VARCHAR);

-- The values of a record that are masked together, as one text: in the order of their names.
CREATE OR REPLACE MACRO sdc__joined(names, texts) AS
    sdc__joined_parts(list_select(texts, list_grade_up(list_transform(names, lambda n: sdc__folded(n)), 'ASC', 'NULLS FIRST')));

CREATE OR REPLACE MACRO sdc__column_digest(x, subkeys, id, together) AS
    sdc__digest(subkeys[sdc__folded(alias(x))], sdc__checked_id(id), coalesce(together, sdc__part(sdc__canonical_number(sdc__number(x)))));

-- drawn: 'column', where each column is masked by itself, or 'record', where its columns are masked together. bytes: of a record
-- (held_at_once.sql).
CREATE OR REPLACE MACRO sdc__gathered(tbl, columns, id, stratum, drawn, method, parameters, stream, release, bytes) AS TABLE
    WITH sdc__whole AS (
        SELECT *, struct_keys(struct_pack(*COLUMNS(sdc__to_mask((*), columns, id)))) AS sdc__names,
               CASE WHEN drawn = 'record'
                    THEN sdc__joined(sdc__names,
                                     list_transform([*COLUMNS(sdc__to_mask((*), columns, id))],
                                                    lambda v: sdc__canonical(TRY_CAST(v AS DOUBLE)))) END AS sdc__together
        FROM sdc__identified_at_once(tbl, id, bytes, codes := [stratum]),
             sdc__column_subkeys(columns, release, stream, method,
                                 concat(parameters, CASE WHEN drawn = 'record' THEN sdc__columns_part(columns) END))
    ),
    sdc__digests AS (
        SELECT sdc__id, sdc__names,
               sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
               sdc__is_whole(typeof(COLUMNS(sdc__to_mask((*), columns, id)))) AS "sdc__t_\0",
               sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__x_\0",
               CASE WHEN drawn = 'record' THEN sdc__uniform(sdc__subkeys[''], sdc__checked_id(sdc__id), sdc__together) END AS sdc__u,
               sdc__column_digest(COLUMNS(sdc__to_mask((*), columns, id)), sdc__subkeys, sdc__id, sdc__together) AS "sdc__d_\0"
        FROM sdc__whole
    ),
    sdc__uniforms_of AS (
        SELECT *, sdc__off_zero(sdc__uniform_of(COLUMNS(lambda c: starts_with(c, 'sdc__d_')), 1)) AS "sdc__p_\0",
               sdc__uniform_of(COLUMNS(lambda c: starts_with(c, 'sdc__d_')), 2) AS "sdc__v_\0"
        FROM sdc__digests
    ),
    sdc__reduced_of AS (SELECT *, sdc__normal_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__p_'))) AS "sdc__r_\0" FROM sdc__uniforms_of),
    sdc__drawn AS (SELECT *, sdc__normal_of_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__r_'))) AS "sdc__z_\0" FROM sdc__reduced_of)
    SELECT sdc__stratum,
           list(sdc__id ORDER BY sdc__id ASC) AS sdc__ids,
           any_value(sdc__names) AS sdc__names,
           any_value([*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))]) AS sdc__whole,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] ORDER BY sdc__id ASC) AS sdc__x,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__z_'))] ORDER BY sdc__id ASC) AS sdc__z,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__v_'))] ORDER BY sdc__id ASC) AS sdc__v,
           list([sdc__u] ORDER BY sdc__id ASC) AS sdc__u
    FROM sdc__drawn GROUP BY sdc__stratum;

-- Masked values by id, cast to the types of their columns.
CREATE OR REPLACE MACRO sdc__typed(tbl, columns, values_of) AS TABLE
    SELECT sdc__id, unnest(cast_to_type(struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))), sdc__type))
    FROM query_table(values_of)
    LEFT JOIN (SELECT struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__type FROM sdc__unasked(tbl) LIMIT 0) ON true;

-- The masked values of each record, beside its id: each column with its own name and type again.
-- masked: the name of a common table expression with sdc__ids, sdc__names and sdc__masked, one list a column.
CREATE OR REPLACE MACRO sdc__spread(tbl, columns, masked) AS TABLE
    WITH sdc__lists AS (
        SELECT sdc__ids, sdc__masked[list_position(sdc__names, alias(COLUMNS(sdc__columns((*), columns))))] AS "\0"
        FROM query_table(masked) LEFT JOIN (FROM sdc__unasked(tbl) LIMIT 0) ON true
    ),
    sdc__values AS (
        SELECT unnest(sdc__ids) AS sdc__id, unnest(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "\0" FROM sdc__lists
    )
    FROM sdc__typed(tbl, columns, 'sdc__values');

-- A number for all columns, or a list of one for each in the order of `columns`, as one for each in the order of `names`.
CREATE OR REPLACE MACRO sdc__listed(given) AS list_transform(string_split(trim(given::VARCHAR, '[]'), ', '), lambda t: nullif(t, 'NULL'));
CREATE OR REPLACE MACRO sdc__each(given, columns, names) AS CASE
    WHEN given IS NULL THEN list_transform(names, lambda n: NULL::VARCHAR)
    WHEN len(sdc__listed(given)) = 1 THEN list_transform(names, lambda n: sdc__listed(given)[1])
    WHEN len(sdc__listed(given)) = len(sdc__names(columns))
        THEN list_transform(names,
                            lambda n: sdc__listed(given)[
                                list_position(list_transform(columns, lambda c: sdc__folded(c)), sdc__folded(n))])
    ELSE error('ParameterError: ' || given::VARCHAR || ' must be one value, or one for each of the columns ' || sdc__quoted(columns) || '.')
END;
