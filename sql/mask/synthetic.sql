-- What methods that draw numbers anew share: the columns beside others that stay, as lists by stratum, and draws that hang on
-- all values of the table.
--
--   t: id a b     sdc__lists_beside (b stays):   sdc__ids  sdc__names  sdc__y    sdc__x
--      1  5 7                                    [1, 2]    ['a']       [[5, 6]]  [[7, 8]]      a list a column, NULL where none stays
--      2  6 8
--
-- Draws: a normal one for each value, by the record's id, and by one digest of all numbers in the order of the ids: any change of one of
-- them draws all records anew. For two releases of nearly the same records with the same draws would differ by what was changed alone. A
-- digest of a record gives eight draws, those of the columns in the order of their names: the order of a table's columns changes nothing.
--
--   u_j = (word j of the digest + 1/2) / 2^32,   z_1 = sqrt(-2 ln u_1) cos(2 pi u_2),   z_2 = sqrt(-2 ln u_1) sin(2 pi u_2)
-- Source: Box & Muller (1958), A note on the generation of random normal deviates, Annals of Mathematical Statistics 29, 610-611.
--   (Draws by 32 bits, and no quantile of each: nobody's own value is added to them alone, so that their grid tells nothing.)

-- The columns that stay (name: what the method calls them) are none of those that are drawn anew.
CREATE OR REPLACE MACRO sdc__stand_apart(columns, beside, name) AS
    CASE WHEN len(list_filter(sdc__names_if_any(beside), lambda n: sdc__is_among(n, columns))) > 0
             THEN error('ColumnError: ' || name || ' names '
                        || sdc__quoted(list_filter(sdc__names(beside), lambda n: sdc__is_among(n, columns)))
                        || ', which is drawn anew: a column is either drawn or released as it is.')
         ELSE true END;
CREATE OR REPLACE MACRO sdc__none_beside(beside) AS coalesce(len(sdc__names(beside)), 0) = 0;
CREATE OR REPLACE MACRO sdc__number_beside(v, beside) AS CASE WHEN sdc__none_beside(beside) THEN NULL ELSE sdc__number(v) END;
CREATE OR REPLACE MACRO sdc__numbers_beside(tbl, columns, id, beside, name, stratum) AS TABLE
    SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
           sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__y_\0",
           sdc__number_beside(COLUMNS(sdc__within((*), beside)), beside) AS "sdc__c_\0"
    FROM sdc__identified_at_once(tbl, id, 180 + 38 * len(list_concat(sdc__names(columns), sdc__names_if_any(beside))),
                                 codes := [stratum])
    WHERE sdc__stand_apart(columns, beside, name);

CREATE OR REPLACE MACRO sdc__lists_beside(records, beside) AS TABLE
    WITH sdc__by_stratum AS (
        SELECT sdc__stratum, list(sdc__id ORDER BY sdc__id ASC) AS sdc__ids,
               list(COLUMNS(lambda c: starts_with(c, 'sdc__y_') OR starts_with(c, 'sdc__c_')) ORDER BY sdc__id ASC) AS "\0"
        FROM query_table(records) GROUP BY sdc__stratum
    )
    SELECT * REPLACE (list_select(sdc__names, sdc__places) AS sdc__names, list_select(sdc__y, sdc__places) AS sdc__y)
    FROM (SELECT *, list_grade_up(list_transform(sdc__names, lambda n: sdc__folded(n)), 'ASC', 'NULLS FIRST') AS sdc__places
          FROM (SELECT sdc__stratum, sdc__ids,
                       list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__y_')))),
                                      lambda n: substr(n, 8)) AS sdc__names,
                       [*COLUMNS(lambda c: starts_with(c, 'sdc__y_'))] AS sdc__y,
                       CASE WHEN sdc__none_beside(beside) THEN NULL
                            ELSE [*COLUMNS(lambda c: starts_with(c, 'sdc__c_'))] END::DOUBLE[][] AS sdc__x
                FROM sdc__by_stratum));

-- One digest of the lists of a stratum, in one list of one; and of all strata.
CREATE OR REPLACE MACRO sdc__kernel_content(stratum, y, x) AS
    sdc__needs_python('Data drawn anew')::VARCHAR[][];
CREATE OR REPLACE MACRO sdc__whole_subkey(subkey, contents) AS left(to_base64(unhex(substr(sha256(concat(subkey, contents)), 1, 32))), 22);

-- sdc__digests: of the records of a stratum (sdc__drawn_in), 32 bytes for each eight draws; the kernels take the columns in the
--   order of their names.
CREATE OR REPLACE MACRO sdc__digests_of_all(records, lists, columns, release, stream, method) AS TABLE
    WITH sdc__contents AS (
        SELECT string_agg(sdc__content, ',' ORDER BY sdc__content ASC) AS sdc__all
        FROM (SELECT sdc__kernel_content(sdc__stratum::VARCHAR, sdc__y, sdc__x)[1][1] AS sdc__content FROM query_table(lists))
    ),
    sdc__keyed AS MATERIALIZED (
        SELECT sdc__whole_subkey(sdc__subkey(sdc__secret_key(), release, stream, method, sdc__columns_part(columns), ''),
                                 sdc__all) AS sdc__subkeyed
        FROM sdc__contents
    ),
    sdc__named AS (
        SELECT sdc__id, sdc__stratum, sdc__checked_id(sdc__id) AS sdc__name, sdc__subkeyed
        FROM query_table(records), sdc__keyed
    ),
    sdc__digests_of AS (
        SELECT sdc__id, sdc__stratum,
               unhex(array_to_string(list_transform(range((len(sdc__names(columns)) + 7) // 8),
                                                    lambda b: sdc__digest_of(sdc__subkeyed, b, sdc__name, '')),
                                     '')) AS sdc__d
        FROM sdc__named
    )
    SELECT sdc__stratum AS sdc__drawn_in, list(sdc__d ORDER BY sdc__id ASC) AS sdc__digests FROM sdc__digests_of GROUP BY sdc__stratum;

-- What a log holds: of each column the greatest of the shares of its strata. shares: sdc__names and sdc__share, a list each.
CREATE OR REPLACE MACRO sdc__most_explained(shares) AS TABLE
    WITH sdc__greatest AS (
        SELECT sdc__name, max(sdc__s) AS sdc__s
        FROM (SELECT unnest(sdc__names) AS sdc__name, unnest(sdc__share) AS sdc__s FROM query_table(shares))
        GROUP BY sdc__name
    )
    SELECT map_from_entries(list(row(sdc__name, round(sdc__s, 6)) ORDER BY sdc__name ASC)) AS explained FROM sdc__greatest;
