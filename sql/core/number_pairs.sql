-- The numbers of an original and a released table side by side, by the id; see pairs.sql for which records are compared.

-- sdc__person and columns "sdc__x_<name>", as numbers.
CREATE OR REPLACE MACRO sdc__numbers(tbl, columns, id) AS TABLE
    SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__person, sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0"
    FROM sdc__exact_rows(tbl, codes := [id]);

CREATE OR REPLACE MACRO sdc__both_numbers(original, released, columns, id) AS TABLE
    SELECT true AS sdc__first, * FROM sdc__numbers(original, columns, id)
    UNION ALL BY NAME
    SELECT false AS sdc__first, * FROM sdc__numbers(released, columns, id);

-- A row a record of the original and a column, which sdc__place numbers: x before and y after, NULL where it is not released, and the
-- record's weight in the original (1 where no column is named). Infinite values and NaN are errors.
CREATE OR REPLACE MACRO sdc__number_pairs(original, released, columns, id, weight) AS TABLE
    WITH sdc__sides AS NOT MATERIALIZED (FROM sdc__both_numbers(original, released, columns, id)),
    sdc__weights AS (
        SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__whose,
               sdc__weight_of(weight, COLUMNS(sdc__column((*), weight))) AS sdc__own
        FROM sdc__exact_rows(original, codes := [id])
        WHERE weight IS NOT NULL
    )
    SELECT unnest(range(1, len(sdc__before) + 1)) AS sdc__place, unnest(sdc__before) AS sdc__x,
           unnest(sdc__after) AS sdc__y, coalesce(sdc__own, 1e0) AS sdc__weight
    FROM (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__before FROM sdc__sides WHERE sdc__first) AS sdc__o
    LEFT JOIN (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__after
               FROM sdc__sides
               WHERE NOT sdc__first) AS sdc__r
      ON sdc__o.sdc__person = sdc__r.sdc__person
    LEFT JOIN sdc__weights ON sdc__o.sdc__person = sdc__whose
    UNION ALL
    SELECT sdc__nobody, NULL, NULL, NULL FROM sdc__refused_pairs('sdc__sides', id);

-- The names of the columns, in the order of the places.
CREATE OR REPLACE MACRO sdc__names_of(tbl, columns) AS TABLE
    SELECT struct_keys(struct_pack(*COLUMNS(sdc__columns((*), columns)))) AS sdc__names FROM sdc__rows(tbl) LIMIT 1;

-- The values of one file, for its moments (moments.sql); the columns in the order of the original's.
CREATE OR REPLACE MACRO sdc__one_side(original, released, columns, first) AS TABLE
    SELECT NULL AS sdc__stratum, COLUMNS(lambda c: starts_with(c, 'sdc__x_')) AS "\0"
    FROM ((SELECT true AS sdc__first, sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0"
           FROM sdc__rows(original))
          UNION ALL BY NAME (SELECT false AS sdc__first, sdc__number(COLUMNS(sdc__columns((*), columns))) AS "sdc__x_\0"
                             FROM sdc__rows(released)))
    WHERE sdc__first = first;

-- The means of a file (each column's own values), its covariances and correlations over the records that miss no value; a correlation
-- with a constant is 0; where no record is complete, both are NULL.
CREATE OR REPLACE MACRO sdc__correlations(v) AS
    list_transform(v,
                   lambda r, i: list_transform(
                       r,
                       lambda c, j: CASE WHEN i = j THEN 1e0
                                         WHEN v[i][i] > 0 AND v[j][j] > 0
                                             THEN greatest(-1e0, least(1e0, c / sqrt(v[i][i]) / sqrt(v[j][j])))
                                         ELSE 0e0 END));

CREATE OR REPLACE MACRO sdc__shape(side) AS TABLE
    SELECT sdc__names, sdc__means, sdc__covariances AS sdc__v, sdc__correlations(sdc__covariances) AS sdc__r
    FROM (SELECT sdc__names, sdc__means FROM sdc__moments(side, NULL))
    LEFT JOIN (SELECT sdc__covariances FROM sdc__covariances(side, NULL)) ON true;
