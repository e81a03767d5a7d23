-- Local suppression record by record: cells for the kernels, what these say of each record, and the values blanked.
--
-- What it does and promises stands in local_suppression.sql; keys of the household are suppressed by suppression_by_household.sql.

-- The cells of each stratum by number, the categories of each key by number from 1 (NULL 0), and the records of each cell
-- and the sum of their weights.
CREATE OR REPLACE MACRO sdc__coded_cells(crossed, keys) AS TABLE
    WITH sdc__numbered AS MATERIALIZED (
        FROM query(sdc__numbered_rows(crossed, keys, 'sdc__r.* EXCLUDE (sdc__n), sdc__r.sdc__n AS sdc__size'))
    ),
    sdc__packed AS (
        SELECT sdc__stratum, sdc__size AS sdc__n, sdc__w, struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key,
               sdc__ranks
        FROM sdc__numbered
    ),
    -- numbers are in the order of `keys`, codes in that of the columns
    sdc__places AS (
        SELECT list_transform(struct_keys(sdc__key),
                              lambda n: list_position(list_transform(sdc__names(keys), lambda k: sdc__folded(k)),
                                                      sdc__folded(n))) AS sdc__place
        FROM sdc__packed LIMIT 1
    ),
    sdc__listed AS (
        SELECT sdc__stratum, sdc__n, sdc__w, sdc__key, list_select(sdc__ranks, sdc__place) AS sdc__codes FROM sdc__packed, sdc__places
    )
    SELECT *, row_number() OVER (PARTITION BY sdc__stratum ORDER BY sdc__codes ASC) AS sdc__cell FROM sdc__listed;
CREATE OR REPLACE MACRO sdc__suppression_cells(records, keys) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (
        SELECT COLUMNS(lambda c: c NOT IN ('sdc__id', 'sdc__weight')), count(*) AS sdc__n, sdc__exact_sum(sdc__weight) AS sdc__w
        FROM query_table(records) GROUP BY ALL
    )
    FROM sdc__coded_cells('sdc__crossed', keys);

-- Numbers from 0 that are equal where two values are, -1 for NULL. The kernel brings them into the order of the values, which costs less
-- than ranks by windows. (Were those of different values equal, which is as good as never, it says so.)
CREATE OR REPLACE MACRO sdc__value_hash(v) AS CASE WHEN v IS NULL THEN -1 ELSE (hash(v) >> 1)::BIGINT END;
CREATE OR REPLACE MACRO sdc__ordered_hashes(v) AS
    list_transform(list_sort(list_distinct(list(v)), 'ASC', 'NULLS LAST'), lambda x: sdc__value_hash(x));

-- The cells of each stratum as lists for the kernel, beside what it is told of each key.
-- cells: the keys, sdc__stratum, sdc__n records, sdc__others that are not to be changed, sdc__cell a number.
CREATE OR REPLACE MACRO sdc__suppression_lists(cells, keys, k, importance, max_share) AS TABLE
    WITH sdc__hashed AS (SELECT *, sdc__value_hash(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__h_\0" FROM query_table(cells)),
    sdc__listed AS (
        SELECT * EXCLUDE (sdc__n, sdc__others, sdc__cell)
        FROM (SELECT *, [*COLUMNS(lambda c: starts_with(c, 'sdc__h_')), sdc__n, sdc__others, sdc__cell] AS sdc__row
              FROM sdc__hashed)
    ),
    sdc__grouped AS (
        SELECT sdc__stratum,
               struct_keys(any_value(struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))))) AS sdc__names,
               list(sdc__row) AS sdc__rows,
               sdc__ordered_hashes(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__v_\0"
        FROM sdc__listed GROUP BY sdc__stratum
    )
    SELECT sdc__stratum::VARCHAR AS sdc__stratum, sdc__rows, flatten(sdc__values) AS sdc__hashes,
           list_transform(sdc__values, lambda v: len(v)) AS sdc__sizes,
           sdc__checked_whole(k, 'k', 2)::DOUBLE AS sdc__k,
           list_transform(sdc__each(importance, keys, sdc__names), lambda i: coalesce(i, '1')::DOUBLE) AS sdc__importance,
           sdc__each(max_share, keys, sdc__names)::DOUBLE[] AS sdc__shares, sdc__lines(sdc__names) AS sdc__keys
    FROM (SELECT sdc__stratum, sdc__names, sdc__rows, [*COLUMNS(lambda c: starts_with(c, 'sdc__v_'))] AS sdc__values FROM sdc__grouped);

-- What is lost, a bit for each key: by all records of a cell (sdc__upto 0), or by those from one place to another in the order of ids.
CREATE OR REPLACE MACRO sdc__suppressions(cells, keys, k, guarantee, importance, cost, max_share) AS TABLE
    WITH sdc__found AS (
        SELECT sdc__kernel_suppress(sdc__stratum, sdc__rows, sdc__hashes, sdc__sizes, sdc__k, guarantee, sdc__importance,
                                    cost, sdc__shares, sdc__keys) AS sdc__fours
        FROM sdc__suppression_lists(cells, keys, k, importance, max_share)
    )
    SELECT sdc__fours[4 * sdc__i + 1] AS sdc__cell, sdc__fours[4 * sdc__i + 2] AS sdc__lost,
           sdc__fours[4 * sdc__i + 3] AS sdc__above, sdc__fours[4 * sdc__i + 4] AS sdc__upto
    FROM (SELECT sdc__fours, unnest(range(len(sdc__fours) // 4)) AS sdc__i FROM sdc__found);

CREATE OR REPLACE MACRO sdc__blanked(v, lost, names) AS
    CASE WHEN lost = 0 THEN v WHEN (lost >> (list_position(names, alias(v)) - 1)) & 1 = 1 THEN NULL ELSE v END;

-- bits: for each of the columns which keys take it along. (The name of a column is no constant to DuckDB: to fold the case of its letters
-- is done anew for each record and costs more than all else here, so first it is looked for as it is written.)
CREATE OR REPLACE MACRO sdc__blanked_with(v, lost, bits, columns) AS
    CASE WHEN lost = 0 THEN v
         WHEN lost & bits[coalesce(list_position(columns, alias(v)),
                                   list_position(list_transform(columns, lambda c: sdc__folded(c)), sdc__folded(alias(v))))] = 0
             THEN v
         ELSE NULL END;

-- The columns that follow keys, as {'region': ['district']} names them; the keys with them; and of each of these the keys that
-- take it along, a bit each.
CREATE OR REPLACE MACRO sdc__ghost_map(ghosts) AS
    coalesce(TRY_CAST(ghosts AS MAP(VARCHAR, VARCHAR[])),
             CASE WHEN ghosts IS NOT NULL THEN map_from_entries(
                      [(ghosts::VARCHAR || ' (no lists: write {''region'': [''district'']})', []::VARCHAR[])]) END);
CREATE OR REPLACE MACRO sdc__ghosts(ghosts) AS
    coalesce(list_distinct(list_transform(flatten(map_values(sdc__ghost_map(ghosts))), lambda g: sdc__folded(g))), []::VARCHAR[]);
CREATE OR REPLACE MACRO sdc__with_ghosts(keys, ghosts) AS
    list_transform([sdc__missing(sdc__names(keys), map_keys(sdc__ghost_map(ghosts)))], lambda missing: CASE
        WHEN len(missing) > 0 THEN [missing[1] || ' (with ghosts, but none of the keys)']
        ELSE list_concat(sdc__names(keys), sdc__ghosts(ghosts)) END)[1];
CREATE OR REPLACE MACRO sdc__taken_by(name, names, ghosts) AS
    list_sum(
        list_transform(
            names,
            lambda n, i: CASE
                WHEN sdc__folded(n) = sdc__folded(name)
                     OR sdc__is_among(
                         name,
                         flatten(map_values(map_from_entries(list_filter(map_entries(sdc__ghost_map(ghosts)),
                                                                         lambda e: sdc__folded(e.key) = sdc__folded(n))))))
                    THEN 1 << (i - 1)
                ELSE 0 END));

-- Whether a record is of the subset: NULL is not true. v: the value of its column.
CREATE OR REPLACE MACRO sdc__in_subset(subset, v) AS CASE
    WHEN subset IS NULL THEN true
    WHEN typeof(subset) = 'VARCHAR' AND typeof(v) IN ('BOOLEAN', '"NULL"') THEN coalesce(TRY_CAST(v AS BOOLEAN), false)
    ELSE error('ColumnError: The subset (' || subset::VARCHAR || ') must be a column of truth values, and has the type '
               || sdc__type_told(typeof(v)) || ': add one, as in SELECT *, age > 15 AS adult.')
END;

CREATE OR REPLACE MACRO sdc__some_records(number) AS
    CASE WHEN number > 0 THEN true
         ELSE error('ParameterError: No record is of the subset: nothing would be suppressed. Is its column or'
                    || ' condition the right one?') END;

-- The column of the stratum or, where there is none, a key: of its type are the NULLs in its place.
CREATE OR REPLACE MACRO sdc__stratum_or_key(have, keys, stratum) AS
    sdc__columns(have, CASE WHEN stratum IS NULL THEN sdc__names(keys)[1:1] ELSE [stratum::VARCHAR] END);

-- The columns that are masked with id and stratum, and the cell of each record.
CREATE OR REPLACE MACRO sdc__suppressible(records, keys, id, stratum, subset, ghosts) AS TABLE
    SELECT *, row(sdc__stratum, struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__own
    FROM (SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__stratum_or_key((*), keys, stratum))) AS sdc__stratum,
                 sdc__in_subset(subset, COLUMNS(sdc__named_column((*), subset))) AS sdc__free,
                 COLUMNS(sdc__to_mask_once((*), sdc__with_ghosts(keys, ghosts), id))
          FROM query_table(records));

CREATE OR REPLACE MACRO sdc__cells_to_suppress(records, keys, id, stratum, subset, ghosts) AS TABLE
    SELECT *, row_number() OVER () AS sdc__cell
    FROM (SELECT sdc__stratum, COLUMNS(sdc__columns((*), keys)), count(*) FILTER (sdc__free) AS sdc__n,
                 count(*) FILTER (NOT sdc__free) AS sdc__others
          FROM sdc__suppressible(records, keys, id, stratum, subset, ghosts)
          GROUP BY ALL);

-- (Large tables are read again and not kept; what a changing view gives is counted anew afterwards.)
CREATE OR REPLACE MACRO sdc__local_suppression_by_record(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum,
                                                         subset, ghosts) AS TABLE
    WITH sdc__checked AS NOT MATERIALIZED (FROM sdc__identified(tbl, id, codes := list_append(sdc__names(keys), stratum))),
    sdc__again AS NOT MATERIALIZED (FROM sdc__with_id(tbl, id)),
    sdc__celled AS MATERIALIZED (FROM sdc__cells_to_suppress('sdc__again', keys, id, stratum, subset, ghosts)),
    sdc__losing AS MATERIALIZED (
        SELECT sdc__s.*, row(sdc__c.sdc__stratum, sdc__c.sdc__key) AS sdc__of
        FROM sdc__suppressions('sdc__celled', keys, k, guarantee, importance, cost, max_share) AS sdc__s
        JOIN (SELECT sdc__cell, sdc__stratum, struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__key
              FROM sdc__celled) AS sdc__c ON sdc__c.sdc__cell = sdc__s.sdc__cell
    ),
    sdc__alike AS (
        SELECT sdc__r.*, coalesce(sdc__l.sdc__lost, 0) AS sdc__lost
        FROM sdc__suppressible('sdc__checked', keys, id, stratum, subset, ghosts) AS sdc__r
        LEFT JOIN sdc__losing AS sdc__l ON sdc__own = sdc__of AND sdc__above = 0 AND sdc__free
        WHERE coalesce(sdc__l.sdc__upto, 0) = 0
    ),
    -- the records of cells that do not all lose the same, by their places
    sdc__apart AS (
        SELECT sdc__r.*, row_number() OVER (PARTITION BY sdc__own ORDER BY sdc__id ASC) AS sdc__place
        FROM sdc__suppressible('sdc__again', keys, id, stratum, subset, ghosts) AS sdc__r
        JOIN sdc__losing AS sdc__l ON sdc__own = sdc__of AND sdc__upto > 0 AND sdc__above = 0 AND sdc__free
    ),
    sdc__decided AS (
        FROM sdc__alike
        UNION ALL
        SELECT sdc__a.* EXCLUDE (sdc__place), sdc__l.sdc__lost
        FROM sdc__apart AS sdc__a JOIN sdc__losing AS sdc__l ON sdc__own = sdc__of AND sdc__place > sdc__above AND sdc__place <= sdc__upto
    ),
    sdc__named AS (SELECT struct_keys(struct_pack(*COLUMNS(sdc__columns((*), keys)))) AS sdc__names FROM sdc__celled LIMIT 1),
    sdc__taken AS (
        SELECT sdc__blanked_names, list_transform(sdc__blanked_names, lambda c: sdc__taken_by(c, sdc__names, ghosts)) AS sdc__bits
        FROM (SELECT sdc__names, sdc__with_ghosts(keys, ghosts) AS sdc__blanked_names FROM sdc__named)
    )
    SELECT sdc__id,
           sdc__blanked_with(COLUMNS(sdc__columns((*), sdc__with_ghosts(keys, ghosts))), sdc__lost, sdc__bits,
                             sdc__blanked_names) AS "\0"
    FROM sdc__decided, sdc__taken WHERE sdc__some_records((SELECT sum(sdc__n) FROM sdc__celled));
