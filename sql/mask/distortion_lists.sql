-- What numbers that are drawn anew depend on: the key, the record, and all of the source, so that any change of it redraws everybody.
--
-- With draws by the record alone, two releases of which one has a record more would be two distributions at the same uniform numbers, and
-- the difference of what was fitted, which is the newcomer's value, could be read off exactly.

-- Each record: its stratum, whether each column has whole numbers, its numbers, and its values as text.
CREATE OR REPLACE MACRO sdc__synthetic_records(tbl, columns, id, stratum) AS TABLE
    SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
           sdc__is_whole(typeof(COLUMNS(sdc__to_mask((*), columns, id)))) AS "sdc__t_\0",
           sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__x_\0",
           sdc__part(sdc__canonical(COLUMNS(sdc__to_mask((*), columns, id)))) AS "sdc__o_\0"
    FROM sdc__identified_at_once(tbl, id, 300 + 114 * len(sdc__names(columns)), codes := [stratum]);

-- records: the name of a common table expression of these. One number of them all, whatever their order.
CREATE OR REPLACE MACRO sdc__source_of(records, subkey) AS TABLE
    SELECT sum(('0x' || left(sdc__digest(subkey, sdc__checked_id(sdc__id), sdc__record), 15))::BIGINT)::VARCHAR AS sdc__source
    FROM (
        SELECT sdc__id, concat(sdc__part(sdc__canonical(sdc__stratum)), *COLUMNS(lambda c: starts_with(c, 'sdc__o_'))) AS sdc__record
        FROM query_table(records)
    );

-- By stratum, in the order of the ids: names, values, and two uniform numbers for each value.
CREATE OR REPLACE MACRO sdc__synthetic_lists(records, columns, release, stream, method, parameters) AS TABLE
    WITH sdc__keyed AS MATERIALIZED (FROM sdc__column_subkeys(columns, release, stream, method, parameters)),
    sdc__all AS MATERIALIZED (FROM sdc__source_of(records, (SELECT sdc__subkeys[''] FROM sdc__keyed))),
    sdc__digests AS (
        SELECT *, sdc__digest(sdc__subkeys[substr(sdc__folded(alias(COLUMNS(lambda c: starts_with(c, 'sdc__x_')))), 8)],
                              sdc__checked_id(sdc__id), coalesce(sdc__source, '')) AS "sdc__d_\0"
        FROM query_table(records), sdc__keyed, sdc__all
    )
    SELECT sdc__stratum, list(sdc__id ORDER BY sdc__id ASC) AS sdc__ids,
           any_value(list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                    lambda n: substr(n, 8))) AS sdc__names,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] ORDER BY sdc__id ASC) AS sdc__x,
           list(list_transform([*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))], lambda d: sdc__uniform_of(d, 1))
                ORDER BY sdc__id ASC) AS sdc__u,
           list(list_transform([*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))], lambda d: sdc__uniform_of(d, 2))
                ORDER BY sdc__id ASC) AS sdc__v
    FROM sdc__digests GROUP BY sdc__stratum;
