-- Columns that can be counted: the size of the household, as it is or recoded, follows from the number of its members.
--
--   Where the number of the household stands, such a value is known though no member shows it: a map from the number of members to the
--   value, learnt from the households that show it, gives it back. In Python measures of risk see to it.
-- Source: SDC handbook, section 3.3.5 (files with a hierarchy); what an intruder can do without any further file.
--
--   persons: household size   sdc_counted_sizes('persons', 'household', ['size']):
--            1         2      household size
--            1         2      1         2
--            2         1      1         2
--            3         NULL   2         1
--            3         NULL   3         2
--                             3         2
--
-- Scope: table.
-- Not compiled: an engine without COLUMNS in conditions would need another query for each set of columns.
-- Parameters:
--   tbl        table    the table, view, common table expression or file
--   household  column   the household numbers
--   columns    columns  the sizes, as they are or recoded; one that is not told by the number of members is an error

CREATE OR REPLACE MACRO sdc__differ(v) AS coalesce(min(v) <> max(v), false) OR count(v) NOT IN (0, count(*));

-- Which of these values follow from the number of members, as the size of the household does, also where it is recoded: whoever has the
-- number of the household counts them. In 95 % of the households it is that of most households of so many members (and chance would give
-- much less), in at least 20 more households than there are sizes; or it is their number.
CREATE OR REPLACE MACRO sdc__most(v) AS coalesce(list_max(map_values(histogram(v))), 0);
CREATE OR REPLACE MACRO sdc__is_their_number(v, members) AS bool_and(coalesce(TRY_CAST(v::VARCHAR AS DOUBLE) = members, v IS NULL));
CREATE OR REPLACE MACRO sdc__is_counted(most, by_chance, known, sizes, number) AS
    sizes > 1 AND known > 0
    AND (number OR (known - sizes >= 20 AND most >= 0.95 * known AND most - by_chance >= 0.5 * (known - by_chance)));
CREATE OR REPLACE MACRO sdc__counted_columns(houses) AS TABLE
    WITH sdc__own AS (FROM query_table(houses) WHERE NOT sdc__differs AND sdc__house IS NOT NULL),
    sdc__by_size AS (
        SELECT sdc__members, sdc__most(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__m_\0",
               count(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__k_\0",
               sdc__is_their_number(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__members) AS "sdc__n_\0"
        FROM sdc__own GROUP BY sdc__members
    ),
    sdc__summed AS (
        SELECT sum(COLUMNS(lambda c: starts_with(c, 'sdc__m_'))), sum(COLUMNS(lambda c: starts_with(c, 'sdc__k_'))),
               bool_and(COLUMNS(lambda c: starts_with(c, 'sdc__n_'))), count(*) AS sdc__sizes
        FROM sdc__by_size
    ),
    sdc__overall AS (SELECT sdc__most(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "\0" FROM sdc__own),
    sdc__lists AS (
        SELECT sdc__sizes, [*COLUMNS(lambda c: starts_with(c, 'sdc__m_'))] AS sdc__m,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__k_'))] AS sdc__k,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))] AS sdc__n
        FROM sdc__summed
    ),
    sdc__names AS (
        SELECT struct_keys(any_value(struct_pack(*COLUMNS(*)))) AS sdc__all, any_value([*COLUMNS(*)]) AS sdc__o
        FROM sdc__overall
    )
    SELECT list_filter(sdc__all,
                       lambda n, i: sdc__is_counted(sdc__m[i], sdc__o[i], sdc__k[i], sdc__sizes, sdc__n[i])) AS sdc__counted
    FROM sdc__lists, sdc__names;

-- Which columns may be such: a quick look at one in so many households, by a digest of their numbers. (Of a tenth and more
-- it is not, and nothing more is asked.)
CREATE OR REPLACE MACRO sdc__may_be_counted(tbl, household, columns, every) AS TABLE
    WITH sdc__shown AS MATERIALIZED (
        SELECT count(*) AS sdc__members, sdc__agreed(COLUMNS(lambda c: c <> 'sdc__house'))::VARCHAR AS "\0"
        FROM (SELECT COLUMNS(sdc__columns((*), [household])) AS sdc__house, COLUMNS(sdc__of_the_household((*), household, columns))
              FROM query_table(tbl))
        WHERE sdc__house IS NOT NULL AND hash(sdc__house) % every = 0 GROUP BY sdc__house
    ),
    sdc__by_value AS (
        SELECT sdc__members, sdc__v, sdc__i, count(*) AS sdc__n
        FROM (SELECT sdc__members, unnest([*COLUMNS(lambda c: c <> 'sdc__members')]) AS sdc__v,
                     generate_subscripts([*COLUMNS(lambda c: c <> 'sdc__members')], 1) AS sdc__i
              FROM sdc__shown)
        WHERE sdc__v IS NOT NULL
        GROUP BY ALL
    ),
    sdc__by_members AS (
        SELECT sdc__i, max(sdc__n) AS sdc__most, sum(sdc__n) AS sdc__known FROM sdc__by_value GROUP BY sdc__i, sdc__members
    ),
    sdc__judged AS (SELECT sdc__i FROM sdc__by_members GROUP BY sdc__i HAVING sum(sdc__most) < 0.9 * sum(sdc__known)),
    sdc__excluded AS (SELECT list(sdc__i) AS sdc__them FROM sdc__judged),
    sdc__named AS (SELECT struct_keys(any_value(struct_pack(*COLUMNS(lambda c: c <> 'sdc__members')))) AS sdc__all FROM sdc__shown)
    SELECT list_filter(sdc__all, lambda n, i: NOT list_contains(coalesce(sdc__them, []), i)) AS sdc__may
    FROM sdc__named, sdc__excluded;

-- The households of a table, with their members and what they show; and which of the columns can be counted.
CREATE OR REPLACE MACRO sdc__sized(tbl, household, columns) AS TABLE
    WITH sdc__grouped AS (
        SELECT sdc__house, count(*) AS sdc__members, any_value(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "\0",
               sdc__differ(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__d_\0"
        FROM (SELECT sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__house,
                     sdc__exact(COLUMNS(sdc__of_the_household((*), household, columns))) AS "\0"
              FROM query_table(tbl))
        WHERE sdc__house IS NOT NULL GROUP BY sdc__house
    )
    SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__d_')),
           greatest(*COLUMNS(lambda c: starts_with(c, 'sdc__d_'))) AS sdc__differs
    FROM sdc__grouped;
CREATE OR REPLACE MACRO sdc__columns_that_count(tbl, household, columns) AS TABLE
    WITH sdc__houses AS MATERIALIZED (FROM sdc__sized(tbl, household, columns)) FROM sdc__counted_columns('sdc__houses');

-- The records that lack a value, with what is counted in its place. records: those of the table, as its households complete them.
CREATE OR REPLACE MACRO sdc__most_frequent(counts) AS
    struct_extract(list_sort(list_transform(map_entries(counts), lambda e: struct_pack(n := -e.value::BIGINT, v := e.key)), 'ASC')[1], 'v');
CREATE OR REPLACE MACRO sdc__by_number(v, shown, members) AS
    -- (By NULL nobody is counted: in DuckDB 1.5 TRY makes a number from nowhere of it.)
    coalesce(v, sdc__most_frequent(histogram(CASE WHEN shown THEN v END) OVER (PARTITION BY members)),
             CASE WHEN bool_and(NOT shown OR v IS NULL OR coalesce(TRY_CAST(v::VARCHAR AS DOUBLE) = members, false)) OVER ()
                       AND members IS NOT NULL THEN TRY(cast_to_type(members, v)) END);
CREATE OR REPLACE MACRO sdc__counted_records(records, tbl, household, columns) AS TABLE
    WITH sdc__houses AS MATERIALIZED (FROM sdc__sized(tbl, household, columns)),
    sdc__lacking AS (
        SELECT sdc__r.*, sdc__h.sdc__members, false AS sdc__shown
        FROM (SELECT *, sdc__exact(COLUMNS(sdc__columns((*), [household]))) AS sdc__of FROM query_table(records)) AS sdc__r
        LEFT JOIN (SELECT sdc__house, sdc__members FROM sdc__houses) AS sdc__h ON sdc__of = sdc__house
    ),
    sdc__beside AS (
        FROM sdc__lacking
        UNION ALL BY NAME
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__') OR c = 'sdc__members'), true AS sdc__shown
        FROM sdc__houses
        WHERE NOT sdc__differs
    ),
    sdc__filled AS (
        SELECT sdc__shown AS sdc__of_households, COLUMNS(lambda c: NOT starts_with(c, 'sdc__') AND NOT sdc__is_among(c, columns)),
               sdc__by_number(COLUMNS(lambda c: sdc__is_among(c, columns)), sdc__shown, sdc__members) AS "\0"
        FROM sdc__beside
    )
    SELECT * EXCLUDE (sdc__of_households) FROM sdc__filled WHERE NOT sdc__of_households;

-- sdc_counted_sizes: every record, with the size of its household in the place of NULL.
-- Gives: every column.
-- Rows: records.
-- Example: FROM sdc_counted_sizes('sized', 'household', ['size']);
CREATE OR REPLACE MACRO sdc_counted_sizes(tbl, household, columns) AS TABLE
    SELECT COLUMNS(sdc__completed_columns((*), household, columns)) FROM query_table(sdc__one_name(tbl)) WHERE false
    UNION ALL BY NAME
    SELECT * EXCLUDE (sdc__counted)
    FROM sdc__counted_records(sdc__one_name(tbl), sdc__one_name(tbl), household, columns),
         sdc__columns_that_count(sdc__one_name(tbl), household, columns)
    WHERE CASE WHEN len(list_filter(sdc__names(columns), lambda c: NOT sdc__is_among(c, sdc__counted))) = 0 THEN true
               ELSE error('ColumnError: ' || sdc__quoted(list_filter(sdc__names(columns), lambda c: NOT sdc__is_among(c, sdc__counted)))
                          || ' does not follow from the number of members: it is no size of the household. Leave it out.') END;
