-- The contingency tables of an original and a released file, on the same sets of variables.
--
-- A row a cell that either file has: which set of variables, how many cells the set could have (the product of the numbers of categories
-- that occur in either file, NULL one of them), and the records of each file in the cell. Categories are compared by their texts
-- (pairs.sql), and no id is needed: only the counts are compared.

-- A number for each record: 1, or the value of a numeric column, NULL counting as 0.
CREATE OR REPLACE MACRO sdc__counted(tbl, columns, total, first) AS TABLE
    SELECT first AS sdc__first, COLUMNS(sdc__columns((*), columns))::VARCHAR AS "sdc__x_\0",
           CASE WHEN total IS NULL THEN 1e0 ELSE coalesce(sdc__number(COLUMNS(sdc__named_column((*), total))), 0) END AS sdc__v
    FROM sdc__exact_rows(tbl, codes := columns);

CREATE OR REPLACE MACRO sdc__kinds(x) AS count(DISTINCT x) + max((x IS NULL)::BIGINT);

-- sets: a list of lists of names. (The union puts the columns in one order.)
CREATE OR REPLACE MACRO sdc__set_cells(original, released, columns, sets, total) AS TABLE
    WITH sdc__files AS (
        FROM sdc__counted(original, columns, total, true)
        UNION ALL BY NAME
        FROM sdc__counted(released, columns, total, false)
    ),
    sdc__crossed AS MATERIALIZED (
        SELECT COLUMNS(lambda c: starts_with(c, 'sdc__x_')), coalesce(sdc__exact_sum(CASE WHEN sdc__first THEN sdc__v END), 0) AS sdc__b,
               coalesce(sdc__exact_sum(CASE WHEN NOT sdc__first THEN sdc__v END), 0) AS sdc__a
        FROM sdc__files GROUP BY ALL
    ),
    sdc__sizes AS MATERIALIZED (
        SELECT list_transform(struct_keys(struct_pack(*COLUMNS(*))), lambda n: sdc__folded(substr(n, 8))) AS sdc__names,
               [*COLUMNS(*)] AS sdc__numbers
        FROM (SELECT sdc__kinds(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0" FROM sdc__crossed)
    ),
    sdc__chosen AS MATERIALIZED (
        SELECT sdc__set, sdc__columns,
               list_transform(sdc__columns, lambda n: list_position(sdc__names, sdc__folded(n))) AS sdc__places,
               sdc__numbers
        FROM (SELECT unnest(range(1, len(sets) + 1)) AS sdc__set, unnest(sets) AS sdc__columns), sdc__sizes
    )
    SELECT sdc__set, sdc__columns,
           list_product(list_transform(sdc__places, lambda p: sdc__numbers[p]::DOUBLE)) AS sdc__size, sdc__before,
           sdc__after
    FROM (
        SELECT sdc__set, sdc__exact_sum(sdc__b) AS sdc__before, sdc__exact_sum(sdc__a) AS sdc__after
        FROM (SELECT sdc__set, list_transform(sdc__places, lambda p: sdc__values[p]) AS sdc__cell, sdc__b, sdc__a
              FROM (SELECT [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__values, sdc__b, sdc__a
                    FROM sdc__crossed),
                   (SELECT sdc__set, sdc__places FROM sdc__chosen))
        GROUP BY sdc__set, sdc__cell
    ) JOIN sdc__chosen USING (sdc__set);

-- The sets of up to so many of the columns.
CREATE OR REPLACE MACRO sdc__sets_up_to(columns, dimension) AS
    sdc__named_places(sdc__names(columns), sdc__place_sets(len(sdc__names(columns)), sdc__checked_whole(dimension, 'dimension', 1)));
