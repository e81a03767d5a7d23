-- What the steps of a table (sdc_steps) say of its PRAM, as matrices reversed by Bayes' theorem: for the risk after PRAM.
--
--   w_kl = T_k p_kl ,   of several passes over the same columns  W P_2 P_3 ... ,   P(true = k | released = l) = w_kl / sum_k' w_k'l
-- T are the frequencies before the first pass. A stratum is a column that never changes: categories are those of the columns and the
-- strata together (sdc__z, a struct). For keys that are only some of these, w is summed over the others: exactly what an intruder
-- knows who has just these keys.
-- Source: SDC handbook, section 3.4.6.
--
-- The JSON of the steps is read in the types of the table's columns (by way of text); nothing of it is stored anywhere.
-- steps: the table of steps; step: the number; columns: those that were changed; strata: those of the stratum, or of `within`;
-- every: both together.

CREATE OR REPLACE MACRO sdc__logged_types(tbl, every) AS TABLE
    WITH sdc__none AS (SELECT COLUMNS(sdc__columns((*), every)) FROM sdc__exact_rows(tbl) LIMIT 0),
    sdc__texts AS (SELECT COLUMNS(*)::VARCHAR AS "\0" FROM sdc__none)
    SELECT (SELECT struct_pack(*COLUMNS(*)) FROM sdc__texts) AS sdc__text, (SELECT struct_pack(*COLUMNS(*)) FROM sdc__none) AS sdc__type;

-- A category as an object of JSON: of one column it is logged as its value alone. Likewise a stratum.
CREATE OR REPLACE MACRO sdc__logged_object(value, names) AS
    CASE WHEN len(names) = 0 THEN MAP {}::MAP(VARCHAR, JSON)
         WHEN len(names) = 1 THEN MAP {names[1]: value::JSON}
         ELSE value::MAP(VARCHAR, JSON) END;
CREATE OR REPLACE MACRO sdc__logged_category(category, stratum, columns, strata) AS
    to_json(map_concat(sdc__logged_object(stratum, strata), sdc__logged_object(category, columns)));

-- T_k: sdc__z, sdc__t.
CREATE OR REPLACE MACRO sdc__logged_counts(tbl, columns, strata, every, steps, step_number) AS TABLE
    SELECT cast_to_type(cast_to_type(sdc__logged_category(json_extract(sdc__r, '$.category'),
                                                          json_extract(sdc__r, '$.stratum'), columns, strata),
                                     sdc__k.sdc__text),
                        sdc__k.sdc__type) AS sdc__z,
           (json_extract_string(sdc__r, '$.count'))::BIGINT AS sdc__t
    FROM (SELECT unnest(counts::JSON::JSON[]) AS sdc__r FROM query_table(steps) WHERE step = step_number) AS sdc__l,
         sdc__logged_types(tbl, every) AS sdc__k;

-- p_kl of a matrix: sdc__from, sdc__to, sdc__p.
CREATE OR REPLACE MACRO sdc__logged_matrix(tbl, columns, strata, every, steps, step_number) AS TABLE
    SELECT cast_to_type(cast_to_type(sdc__logged_category(json_extract(sdc__r, '$.from'), json_extract(sdc__r, '$.stratum'),
                                                          columns, strata),
                                     sdc__k.sdc__text),
                        sdc__k.sdc__type) AS sdc__from,
           cast_to_type(cast_to_type(sdc__logged_category(json_extract(sdc__r, '$.to'), json_extract(sdc__r, '$.stratum'),
                                                          columns, strata),
                                     sdc__k.sdc__text),
                        sdc__k.sdc__type) AS sdc__to,
           (json_extract_string(sdc__r, '$.probability'))::DOUBLE AS sdc__p
    FROM (SELECT unnest(matrix::JSON::JSON[]) AS sdc__r FROM query_table(steps) WHERE step = step_number) AS sdc__l,
         sdc__logged_types(tbl, every) AS sdc__k
    WHERE sdc__p > 0;

-- PRAM by cells: each cell with its probability to stay and the expected number sdc__m of its records in each other cell of its group.
-- By retention, records with NULL in a column stay, and nobody joins them.
CREATE OR REPLACE MACRO sdc__logged_cells(counts, columns, strata, retention, xi) AS TABLE
    WITH sdc__parts AS (
        SELECT sdc__z, sdc__t, struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__g_'))) AS sdc__g,
               list_bool_or([*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))]) AS sdc__lacking
        FROM (SELECT sdc__z, sdc__t, COLUMNS(sdc__columns((*), columns)) IS NULL AS "sdc__n_\0",
                     sdc__within_value(strata, COLUMNS(sdc__within((*), strata))) AS "sdc__g_\0"
              FROM (SELECT sdc__z, sdc__t, unnest(sdc__z) FROM query_table(counts)))
    ),
    sdc__rows AS (
        SELECT * REPLACE (xi IS NULL AND sdc__lacking AS sdc__lacking),
               CASE WHEN xi IS NULL THEN CASE WHEN sdc__lacking THEN 1 ELSE retention END
                    ELSE sdc__pram_stay(xi, sdc__t) END::DOUBLE AS sdc__stay
        FROM sdc__parts
    ),
    -- a window takes far longer
    sdc__groups AS (SELECT sdc__g AS sdc__of, count(*) FILTER (WHERE NOT sdc__lacking) - 1 AS sdc__k FROM sdc__rows GROUP BY sdc__g)
    SELECT sdc__rows.*, CASE WHEN sdc__lacking OR sdc__k < 1 THEN 0 ELSE sdc__t * (1 - sdc__stay) / sdc__k END::DOUBLE AS sdc__m
    FROM sdc__rows JOIN sdc__groups ON row(sdc__g) = row(sdc__of);

-- The same as a matrix, of few cells.
CREATE OR REPLACE MACRO sdc__logged_moves(cells) AS TABLE
    SELECT sdc__a.sdc__z AS sdc__from, sdc__b.sdc__z AS sdc__to,
           CASE WHEN row(sdc__a.sdc__z) = row(sdc__b.sdc__z) THEN sdc__a.sdc__stay ELSE sdc__a.sdc__m / sdc__a.sdc__t END AS sdc__p
    FROM query_table(cells) AS sdc__a JOIN query_table(cells) AS sdc__b ON row(sdc__a.sdc__g) = row(sdc__b.sdc__g)
    WHERE row(sdc__a.sdc__z) = row(sdc__b.sdc__z) OR NOT (sdc__a.sdc__lacking OR sdc__b.sdc__lacking);

-- W before any pass, and after one more. NULL stays where a matrix has no row for it.
CREATE OR REPLACE MACRO sdc__logged_start(counts) AS TABLE
    SELECT sdc__z AS sdc__from, sdc__z AS sdc__to, sdc__t::DOUBLE AS sdc__w FROM query_table(counts);
CREATE OR REPLACE MACRO sdc__logged_pass(weights, moves, columns) AS TABLE
    WITH sdc__before AS (
        SELECT sdc__from, sdc__to, sdc__w, list_bool_and([*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))]) AS sdc__blank
        FROM (SELECT sdc__from, sdc__to, sdc__w, COLUMNS(sdc__columns((*), columns)) IS NULL AS "sdc__n_\0"
              FROM (SELECT *, unnest(sdc__to) FROM query_table(weights)))
    )
    SELECT sdc__j.sdc__from, CASE WHEN sdc__m.sdc__p IS NULL THEN sdc__j.sdc__to ELSE sdc__m.sdc__to END AS sdc__to,
           sdc__exact_sum(sdc__j.sdc__w * CASE WHEN sdc__m.sdc__p IS NOT NULL THEN sdc__m.sdc__p
                                               WHEN sdc__j.sdc__blank THEN 1
                                               ELSE error('TableError: A category of the counts of sdc_steps is not'
                                                          || ' in the matrix of its step.') END,
                          90) AS sdc__w
    FROM sdc__before AS sdc__j LEFT JOIN query_table(moves) AS sdc__m ON row(sdc__j.sdc__to) = row(sdc__m.sdc__from)
    GROUP BY 1, 2;

-- Of some of the columns, reversed: from, to, probability.
CREATE OR REPLACE MACRO sdc__logged_reversed(weights, keys) AS TABLE
    WITH sdc__froms AS (
        SELECT sdc__to, sdc__w, struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__k
        FROM (SELECT *, unnest(sdc__from) FROM query_table(weights))
    ),
    sdc__tos AS (
        SELECT sdc__k, sdc__w, struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__l
        FROM (SELECT sdc__k, sdc__w, unnest(sdc__to) FROM sdc__froms)
    ),
    sdc__weighted AS (
        SELECT sdc__k AS sdc__from, sdc__l AS sdc__to, sdc__exact_sum(sdc__w, 90) AS sdc__w
        FROM sdc__tos
        GROUP BY sdc__k, sdc__l
    )
    FROM sdc__reversed('sdc__weighted');
CREATE OR REPLACE MACRO sdc__logged_diagonal(reversed) AS TABLE
    WITH sdc__m AS (SELECT "from" AS sdc__from, "to" AS sdc__to, probability AS sdc__p FROM query_table(reversed))
    FROM sdc__diagonal('sdc__m');

-- PRAM by cells in one pass, of any number of cells: within a group, of the n cells that agree on the keys,
--   w_ll = sum T_k p_kk + (n - 1) sum m_k ,   sum_k' w_k'l = w_ll + n (M - sum m_k) ,   M = sum of m over the group
CREATE OR REPLACE MACRO sdc__logged_alike(cells, keys) AS TABLE
    WITH sdc__named AS (
        SELECT sdc__g, sdc__t * sdc__stay AS sdc__kept, sdc__m, sdc__lacking,
               struct_pack(*COLUMNS(sdc__columns((*), keys))) AS sdc__from
        FROM (SELECT *, unnest(sdc__z) FROM query_table(cells))
    ),
    sdc__sums AS (
        SELECT sdc__g, sdc__from, count(*) FILTER (WHERE NOT sdc__lacking) AS sdc__n,
               sum(sdc__fixed(sdc__kept, 90)) AS sdc__kept, sum(sdc__fixed(sdc__m, 90)) AS sdc__sum
        FROM sdc__named GROUP BY sdc__g, sdc__from
    ),
    sdc__groups AS (SELECT sdc__g AS sdc__of, sum(sdc__sum) AS sdc__all FROM sdc__sums GROUP BY sdc__g)
    SELECT sdc__g, sdc__from, sdc__n, sdc__unfixed(sdc__sum, 90) AS sdc__m,
           sdc__unfixed(sdc__kept, 90) + greatest(sdc__n - 1, 0) * sdc__unfixed(sdc__sum, 90) AS sdc__w,
           sdc__n * sdc__unfixed(sdc__all - sdc__sum, 90) AS sdc__others
    FROM sdc__sums JOIN sdc__groups ON row(sdc__g) = row(sdc__of);
CREATE OR REPLACE MACRO sdc__logged_diagonal_of_cells(cells, keys) AS TABLE
    SELECT *, CASE WHEN sdc__s > 0 THEN sdc__kept / sdc__s ELSE 0 END::DOUBLE AS sdc__p
    FROM (SELECT sdc__from, sdc__exact_sum(sdc__w, 90) AS sdc__kept, sdc__exact_sum(sdc__w + sdc__others, 90) AS sdc__s
          FROM sdc__logged_alike(cells, keys) GROUP BY sdc__from);

-- theta of it (theta_misclassified.sql), where the other keys are the true ones: a record of cell l has the true cell j, another one of the
-- same group, with probability n_l m_j / S_l, so that E_M(f~_j) - M_jj = m_j (sum_l f_l n_l / S_l - f_j n_j / S_j) of a sample unique j.
CREATE OR REPLACE MACRO sdc__logged_theta_of_cells(tbl, keys, sampling_fraction, cells, changed) AS TABLE
    WITH sdc__alike AS MATERIALIZED (FROM sdc__logged_alike(cells, changed)),
    sdc__diagonal AS MATERIALIZED (FROM sdc__logged_diagonal_of_cells(cells, changed)),
    sdc__crossed AS (SELECT *, 0 AS sdc__zero FROM sdc__category_cells(tbl, keys, NULL)),
    sdc__u AS MATERIALIZED (
        SELECT sdc__f, struct_pack(*COLUMNS(sdc__columns((*), changed))) AS sdc__x,
               row(*COLUMNS(lambda c: c = 'sdc__zero' OR NOT (starts_with(c, 'sdc__') OR sdc__is_among(c, changed)))) AS sdc__fixed
        FROM sdc__crossed
    ),
    sdc__shares AS MATERIALIZED (
        SELECT sdc__u.*, sdc__d.sdc__p, sdc__a.sdc__g, sdc__a.sdc__m, sdc__a.sdc__n * sdc__u.sdc__f / sdc__d.sdc__s AS sdc__share
        FROM sdc__u
        JOIN sdc__diagonal AS sdc__d ON row(sdc__u.sdc__x) = row(sdc__d.sdc__from)
        JOIN sdc__alike AS sdc__a ON row(sdc__u.sdc__x) = row(sdc__a.sdc__from)
    ),
    sdc__totals AS (SELECT sdc__g, sdc__fixed, sdc__exact_sum(sdc__share, 90) AS sdc__all FROM sdc__shares GROUP BY sdc__g, sdc__fixed),
    sdc__sums AS (
        SELECT any_value(sdc__h.sdc__f) AS sdc__f, any_value(sdc__h.sdc__p) AS sdc__kept,
               any_value(sdc__h.sdc__p)
               + sdc__exact_sum(sdc__h.sdc__m * greatest(0, sdc__o.sdc__all - sdc__h.sdc__share), 90) AS sdc__expected
        FROM sdc__shares AS sdc__h
        JOIN sdc__totals AS sdc__o ON row(sdc__h.sdc__g, sdc__h.sdc__fixed) = row(sdc__o.sdc__g, sdc__o.sdc__fixed)
        GROUP BY sdc__h.sdc__x, sdc__h.sdc__fixed
    )
    FROM sdc__theta_of_sums('sdc__sums', sampling_fraction);

-- groups: the keys that changed together, a list each; diagonals, matrices: a relation for each.
CREATE OR REPLACE MACRO sdc__logged_truth(tbl, keys, groups, diagonals) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__category_cells(tbl, keys, NULL)),
    sdc__cells AS (
        FROM query(sdc__true_cells(list_transform(groups, lambda g: sdc__as_struct(g)),
                                   list_transform(diagonals, lambda d: 'FROM ' || sdc__identifier(d))))
    )
    SELECT COLUMNS(sdc__without((*), ['true_probability'])), sdc__true AS true_probability FROM sdc__cells;
