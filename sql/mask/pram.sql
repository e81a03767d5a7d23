-- PRAM: categories changed at random with known probabilities p_kl = P(X = l | xi = k).
-- Source: SDC handbook, section 3.4.6; Gouweleeuw et al. (1998), Journal of Official Statistics 14, 463-478.
--
--   matrix: from to probability     SET VARIABLE sdc_key = '...';
--           f    f  0.9             CREATE TABLE released AS FROM sdc_pram('persons', 'sex', 'matrix', 'id');
--           f    m  0.1
--           m    f  0.1
--           m    m  0.9
-- Changes that are not listed have probability 0. Rows must sum to 1 (within 1e-9), and every category of the table must be
-- a `from`, but that NULL stays NULL where it is none. With a stratum, the matrix has a column of that name, and each
-- stratum its own probabilities. sdc_pram_crossing changes several variables together: `from` and `to` are then
-- structs, {'sex': 'f', 'disease': 'none'}, so that illogical combinations can be given probability 0.
--
-- A draw u below p_kk stays, so that the fewer records move, the fewer are looked up; the other categories share the
-- rest in their order. Sums are of whole numbers (sdc__steps): the same wherever they are added.
-- The draw of a record depends on its category's row of the matrix, in those whole numbers, and on no other row.
--
-- Scope: record.
-- Keeps: the expected frequencies, where the matrix is invariant (sdc_pram_invariant).
-- Users: Tables with the column come out blurred, since its relations with other columns are too weak before they are corrected.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Loss: published.
-- Told: nothing.
-- Repeated: again (by the same matrix).
-- Series: parameters.
-- Matrix: logged.
-- Households: by unit.
-- Parameters:
--   tbl          table    the table, view, common table expression or file
--   column_name  column   the column to mask
--   columns      columns  the columns to mask together
--   matrix       table    the probabilities: from, to, probability
--   id           column   identifies each record
--   stratum      column   a column of the table and of the matrix: each stratum has its own probabilities
--   stream       text     names the pass of draws; give another one to mask a column a second time
--   release      text     names the release; give another one for independent draws
--   unit         'record' or 'household'  whose draws: with 'household', members who share a category go on sharing it
--   household    column   the household of a record, where unit is 'household'

CREATE OR REPLACE MACRO sdc__pram_records(tbl, columns, id, stratum, unit, household) AS TABLE
    SELECT sdc__id, sdc__named, sdc__s, sdc__x, list_bool_and([*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))]) AS sdc__blank
    FROM (SELECT sdc__id, sdc__named,
                 sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__s,
                 struct_pack(*COLUMNS(sdc__to_mask((*), columns, id))) AS sdc__x,
                 COLUMNS(sdc__to_mask((*), columns, id)) IS NULL AS "sdc__n_\0"
          FROM sdc__named_records(tbl, columns, id, unit, household, list_append(sdc__names(columns), stratum)));

-- A category (or a stratum) of a matrix in the type of the table's column; one that has no place there is not shown.
CREATE OR REPLACE MACRO sdc__category_of(v, like_that) AS
    coalesce(TRY(cast_to_type(v, like_that)),
             CASE WHEN v IS NOT NULL THEN error(
                      'ParameterError: A category of the PRAM matrix cannot be converted to ' || sdc__type_told(typeof(like_that))
                      || ', the type of what is masked: write the categories as the table has them.') END);

-- A matrix with its categories in the types of the table's columns. `whole`: from and to are structs.
CREATE OR REPLACE MACRO sdc__pram_typed(tbl, columns, id, matrix, stratum) AS TABLE
    SELECT sdc__category_of(sdc__m.sdc__s, sdc__t.sdc__s) AS sdc__s,
           sdc__category_of(row(sdc__m."from"), sdc__t.sdc__x) AS sdc__from, sdc__category_of(row(sdc__m."to"), sdc__t.sdc__x) AS sdc__to,
           TRY_CAST(sdc__m.probability AS DOUBLE) AS sdc__p
    FROM (SELECT sdc__by_bytes(COLUMNS(sdc__columns((*), ['from', 'to', 'probability']))) AS "\0",
                 sdc__stratum_value(stratum, sdc__by_bytes(COLUMNS(sdc__named_column((*), stratum)))) AS sdc__s
          FROM sdc__rows(matrix)) AS sdc__m
    LEFT JOIN (FROM sdc__pram_records(tbl, columns, id, stratum, 'record', NULL) LIMIT 0) AS sdc__t ON true;
CREATE OR REPLACE MACRO sdc__pram_typed_crossing(tbl, columns, id, matrix, stratum) AS TABLE
    SELECT sdc__category_of(sdc__m.sdc__s, sdc__t.sdc__s) AS sdc__s,
           sdc__category_of(sdc__m."from", sdc__t.sdc__x) AS sdc__from, sdc__category_of(sdc__m."to", sdc__t.sdc__x) AS sdc__to,
           TRY_CAST(sdc__m.probability AS DOUBLE) AS sdc__p
    FROM (SELECT sdc__by_bytes(COLUMNS(sdc__columns((*), ['from', 'to', 'probability']))) AS "\0",
                 sdc__stratum_value(stratum, sdc__by_bytes(COLUMNS(sdc__named_column((*), stratum)))) AS sdc__s
          FROM sdc__rows(matrix)) AS sdc__m
    LEFT JOIN (FROM sdc__pram_records(tbl, columns, id, stratum, 'record', NULL) LIMIT 0) AS sdc__t ON true;

CREATE OR REPLACE MACRO sdc__checked_probability(p) AS
    CASE WHEN p >= 0 AND p <= 1 THEN p
         ELSE error('ParameterError: A PRAM probability is ' || coalesce(p::VARCHAR, 'NULL') || ': it must be a number from 0 to 1.') END;

-- A category, or a combination of categories (sdc__x), as text for keyed draws: in the order of the names of the columns.
CREATE OR REPLACE MACRO sdc__category_texts(cells) AS TABLE
    SELECT * EXCLUDE (sdc__values), sdc__joined(struct_keys(sdc__x), sdc__values) AS sdc__text
    FROM (SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__v_')),
                 [*COLUMNS(lambda c: starts_with(c, 'sdc__v_'))] AS sdc__values
          FROM (SELECT COLUMNS(lambda c: starts_with(c, 'sdc__')),
                       sdc__canonical(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__v_\0"
                FROM (SELECT *, unnest(sdc__x) FROM query_table(cells))));

-- The rows of a typed matrix: sdc__stay is the probability to stay.
CREATE OR REPLACE MACRO sdc__pram_rows(typed) AS TABLE
    SELECT sdc__s, sdc__from,
           coalesce(sum(sdc__steps(sdc__checked_probability(sdc__p))) FILTER (WHERE sdc__to IS NOT DISTINCT FROM sdc__from),
                    0)::BIGINT AS sdc__stay,
           CASE WHEN count(*) > count(DISTINCT sdc__to)
                    THEN error('ParameterError: The PRAM matrix lists a change (a from and a to) twice.')
                WHEN abs(sum(sdc__p) - 1) <= 1e-9 THEN true
                ELSE error('ParameterError: A row of the PRAM matrix sums to ' || sum(sdc__p)::VARCHAR
                           || ': each row of a PRAM matrix must sum to 1.')
           END AS sdc__sound
    FROM query_table(typed) GROUP BY sdc__s, sdc__from;

-- With the subkey of the draws of each category.
CREATE OR REPLACE MACRO sdc__pram_keyed_rows(typed, columns, stream, release) AS TABLE
    WITH sdc__categories AS (SELECT sdc__from AS sdc__x FROM query_table(typed) UNION SELECT sdc__to FROM query_table(typed)),
    sdc__texts AS MATERIALIZED (FROM sdc__category_texts('sdc__categories')),
    sdc__described AS (
        SELECT sdc__m.sdc__s, sdc__m.sdc__from,
               concat(sdc__part(any_value(sdc__f.sdc__text)),
                      string_agg(concat(sdc__part(sdc__t.sdc__text), sdc__steps(sdc__checked_probability(sdc__m.sdc__p))),
                                 ';'
                                 ORDER BY encode(sdc__t.sdc__text) ASC)
                          FILTER (WHERE sdc__steps(sdc__checked_probability(sdc__m.sdc__p)) > 0)) AS sdc__row
        FROM query_table(typed) AS sdc__m
        JOIN sdc__texts AS sdc__f ON row(sdc__m.sdc__from) = row(sdc__f.sdc__x)
        JOIN sdc__texts AS sdc__t ON row(sdc__m.sdc__to) = row(sdc__t.sdc__x)
        GROUP BY sdc__m.sdc__s, sdc__m.sdc__from
    )
    SELECT sdc__r.*, sdc__subkey(sdc__secret, release, stream, 'pram', sdc__d.sdc__row, sdc__columns_part(columns)) AS sdc__subkey
    FROM sdc__pram_rows(typed) AS sdc__r
    JOIN sdc__described AS sdc__d ON row(sdc__r.sdc__s, sdc__r.sdc__from) = row(sdc__d.sdc__s, sdc__d.sdc__from),
         (SELECT sdc__secret_key() AS sdc__secret);

-- The intervals of [stay, 1) that the other categories share; the last one takes what rounding left. An interval stands once for each
-- 64th of [0, 1) that it meets: of many categories a draw is then compared with those of its own 64th alone.
CREATE OR REPLACE MACRO sdc__sixty_fourth(u) AS floor(u * 64)::INTEGER;
CREATE OR REPLACE MACRO sdc__pram_moves(typed, rows_of) AS TABLE
    WITH sdc__intervals AS (
        SELECT sdc__s, sdc__from, sdc__to,
               (sdc__upto - sdc__width) / 4503599627370496e0 AS sdc__low,
               CASE WHEN sdc__last THEN 2 ELSE sdc__upto / 4503599627370496e0 END AS sdc__high
        FROM (SELECT sdc__m.sdc__s, sdc__m.sdc__from, sdc__m.sdc__to, sdc__steps(sdc__m.sdc__p) AS sdc__width,
                     sdc__r.sdc__stay + (sum(sdc__steps(sdc__m.sdc__p)) OVER sdc__order)::BIGINT AS sdc__upto,
                     lead(true) OVER sdc__order IS NULL AS sdc__last
              FROM query_table(typed) AS sdc__m
              JOIN query_table(rows_of) AS sdc__r ON row(sdc__m.sdc__s, sdc__m.sdc__from) = row(sdc__r.sdc__s, sdc__r.sdc__from)
              WHERE sdc__m.sdc__to IS DISTINCT FROM sdc__m.sdc__from AND sdc__steps(sdc__m.sdc__p) > 0
              WINDOW sdc__order AS (PARTITION BY sdc__m.sdc__s, sdc__m.sdc__from ORDER BY sdc__m.sdc__to ASC NULLS LAST
                                    ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW))
    )
    SELECT *, unnest(range(sdc__sixty_fourth(sdc__low), least(sdc__sixty_fourth(sdc__high), 63) + 1))::INTEGER AS sdc__in
    FROM sdc__intervals;

CREATE OR REPLACE MACRO sdc__pram_drawn(records, rows_of, moves) AS TABLE
    SELECT sdc__u.sdc__id, unnest(CASE WHEN sdc__m.sdc__to IS NULL THEN sdc__u.sdc__x ELSE sdc__m.sdc__to END)
    FROM (SELECT sdc__r.sdc__id, sdc__r.sdc__s, sdc__r.sdc__x,
                 CASE WHEN sdc__p.sdc__stay IS NOT NULL AND sdc__p.sdc__sound THEN sdc__p.sdc__stay / 4503599627370496e0
                      WHEN sdc__r.sdc__blank THEN 2
                      ELSE error('ParameterError: A category' || CASE WHEN sdc__r.sdc__s IS NULL THEN '' ELSE ' of a stratum' END
                                 || ' is not in the PRAM matrix: give its row (from, to, probability). In a series of releases, where the'
                                 || ' matrix stays, recode it to a category that has one.') END AS sdc__stay,
                 sdc__uniform(sdc__p.sdc__subkey, sdc__r.sdc__named, '') AS sdc__draw
          FROM query_table(records) AS sdc__r
          LEFT JOIN query_table(rows_of) AS sdc__p ON row(sdc__r.sdc__s, sdc__r.sdc__x) = row(sdc__p.sdc__s, sdc__p.sdc__from)) AS sdc__u
    LEFT JOIN query_table(moves) AS sdc__m
      ON CASE WHEN sdc__u.sdc__draw >= sdc__u.sdc__stay THEN row(sdc__u.sdc__s, sdc__u.sdc__x, sdc__sixty_fourth(sdc__u.sdc__draw)) END
             = row(sdc__m.sdc__s, sdc__m.sdc__from, sdc__m.sdc__in)
     AND sdc__u.sdc__draw >= sdc__m.sdc__low AND sdc__u.sdc__draw < sdc__m.sdc__high;

CREATE OR REPLACE MACRO sdc__pram(tbl, columns, matrix, id, stratum, stream, release, unit, household) AS TABLE
    WITH sdc__records AS (FROM sdc__pram_records(tbl, columns, id, stratum, unit, household)),
    sdc__typed AS MATERIALIZED (FROM sdc__pram_typed(tbl, columns, id, matrix, stratum)),
    sdc__stays AS MATERIALIZED (FROM sdc__pram_keyed_rows('sdc__typed', columns, stream, release)),
    sdc__moves AS (FROM sdc__pram_moves('sdc__typed', 'sdc__stays'))
    FROM sdc__pram_drawn('sdc__records', 'sdc__stays', 'sdc__moves');
CREATE OR REPLACE MACRO sdc__pram_crossing(tbl, columns, matrix, id, stratum, stream, release, unit, household) AS TABLE
    WITH sdc__records AS (FROM sdc__pram_records(tbl, columns, id, stratum, unit, household)),
    sdc__typed AS MATERIALIZED (FROM sdc__pram_typed_crossing(tbl, columns, id, matrix, stratum)),
    sdc__stays AS MATERIALIZED (FROM sdc__pram_keyed_rows('sdc__typed', columns, stream, release)),
    sdc__moves AS (FROM sdc__pram_moves('sdc__typed', 'sdc__stays'))
    FROM sdc__pram_drawn('sdc__records', 'sdc__stays', 'sdc__moves');

-- Keeps: which categories there are; with an invariant matrix also the expected frequencies.
-- Title: PRAM by a transition matrix of your own; PRAM of {} by a transition matrix.
-- sdc_pram: a column's categories changed with the probabilities of a matrix.
-- Example: FROM sdc_pram('persons', 'sex', 'sexes', 'id');
CREATE OR REPLACE MACRO sdc_pram(tbl, column_name, matrix, id, stratum := NULL, stream := NULL, release := '',
                                 unit := 'record', household := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__pram(tbl, [column_name], matrix, id, stratum, stream, release, unit, household))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');

-- Verb: pram
-- Series: refused (the draw hangs on all the columns: who changes in one would be drawn for a second time in the others).
-- Title: PRAM of several columns together, by a transition matrix; PRAM of {} together, by a transition matrix.
-- sdc_pram_crossing: several columns changed together; from and to of the matrix are structs.
-- Example: FROM sdc_pram_crossing('persons', ['sex', 'region'], 'crossings', 'id');
CREATE OR REPLACE MACRO sdc_pram_crossing(tbl, columns, matrix, id, stratum := NULL, stream := NULL, release := '',
                                          unit := 'record', household := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__pram_crossing(tbl, columns, matrix, id, stratum, stream, release, unit, household))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
