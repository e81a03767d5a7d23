-- Noise as it is drawn and added, record by record, once it is designed (noise_design.sql).
--
--   uncorrelated   x_j + s_j z_j                       z_j by the record's value of the column alone
--   correlated     x_j + sum_k a_jk z_k                z_1, z_2, ... by the record's values of all the columns
--   linear         c (x_j + e_j - mean) + mean         c = 1 / sqrt(1 + alpha); the mean of x + e is replaced by that of x
-- A column's value enters its draw in millionths of the noise's standard deviation. The sum is released on the grid of that
-- deviation (grid.sql).

CREATE OR REPLACE MACRO sdc__noise_records(tbl, columns, id, stratum, unit, household) AS TABLE
    SELECT sdc__id, sdc__named,
           sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
           sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__x_\0"
    FROM sdc__named_records(tbl, columns, id, unit, household, [stratum]);

-- An argument of a macro is pasted wherever it is named: what is dear to compute is a column of a subquery first, under a name of its own
-- (sdc__u_, sdc__z_). Each value then becomes a struct of itself, x, and its noise e.
CREATE OR REPLACE MACRO sdc__uniform_for(x, subkeys, sds, names, named) AS
    sdc__off_zero(sdc__uniform(sdc__of_column(subkeys, names, x), named, sdc__in_units(x, sdc__of_column(sds, names, x))));
CREATE OR REPLACE MACRO sdc__with_noise(x, sds, names, normals) AS
    struct_pack(x := x, e := sdc__of_column(sds, names, x) * sdc__of_column(normals, names, x));
CREATE OR REPLACE MACRO sdc__noise_by_column(records, design, stratum, stream, release) AS TABLE
    WITH sdc__keyed AS MATERIALIZED (
        SELECT sdc__by_bytes(sdc__stratum) AS sdc__of, sdc__names, sdc__means, sdc__sds, sdc__steps,
               list_transform(sdc__names,
                              lambda n, i: sdc__subkey(sdc__secret, release, stream, 'noise', sdc__figure_text(sdc__sds[i]),
                                                       sdc__part(sdc__folded(n)))) AS sdc__subkeys
        FROM query_table(design), (SELECT sdc__secret_key() AS sdc__secret)
    ),
    sdc__uniforms_of AS (
        SELECT sdc__id, sdc__of, sdc__names, sdc__means, sdc__sds, sdc__steps, COLUMNS(lambda c: starts_with(c, 'sdc__x_')),
               sdc__uniform_for(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__subkeys, sdc__sds, sdc__names, sdc__named) AS "sdc__u_\0"
        FROM query_table(records) AS sdc__r JOIN sdc__keyed AS sdc__k ON sdc__in_stratum(stratum, sdc__r.sdc__stratum, sdc__k.sdc__of)
    ),
    sdc__reduced_of AS (SELECT *, sdc__normal_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__u_'))) AS "sdc__r_\0" FROM sdc__uniforms_of),
    sdc__normals_of AS (SELECT *, sdc__normal_of_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__r_'))) AS "sdc__z_\0" FROM sdc__reduced_of),
    sdc__listed AS (SELECT *, [*COLUMNS(lambda c: starts_with(c, 'sdc__z_'))] AS sdc__normals FROM sdc__normals_of)
    SELECT sdc__id, sdc__of AS sdc__stratum, sdc__names, sdc__means, sdc__steps,
           sdc__with_noise(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__sds, sdc__names, sdc__normals) AS "\0"
    FROM sdc__listed;

CREATE OR REPLACE MACRO sdc__product_sum(a, z) AS
    list_reduce(list_transform(list_zip(a, z), lambda t: t[1] * t[2]), lambda s, t: s + t);

CREATE OR REPLACE MACRO sdc__noise_together(x, root, names, z) AS
    struct_pack(x := x, e := sdc__product_sum(sdc__of_column(root, names, x), z));

-- The uniform variate of place j (from 1): a digest gives four.
CREATE OR REPLACE MACRO sdc__uniform_at(digests, j) AS sdc__off_zero(sdc__uniform_of(digests[(j - 1) // 4 + 1], (j - 1) % 4 + 1));
CREATE OR REPLACE MACRO sdc__uniform_in(digests, names, x) AS sdc__uniform_at(digests, list_position(names, substr(alias(x), 8)));
CREATE OR REPLACE MACRO sdc__noise_by_record(records, design, columns, stratum, stream, release) AS TABLE
    WITH sdc__keyed AS MATERIALIZED (
        SELECT sdc__by_bytes(sdc__stratum) AS sdc__of, sdc__order, sdc__names, sdc__means, sdc__root, sdc__steps,
               sdc__subkey(sdc__secret, release, stream, 'correlated noise',
                           array_to_string(list_transform(flatten(sdc__root), lambda a: sdc__canonical(a)), ' '),
                           sdc__columns_part(columns)) AS sdc__subkey
        FROM query_table(design), (SELECT sdc__secret_key() AS sdc__secret)
    ),
    sdc__texts_of AS (
        SELECT *, sdc__part(sdc__canonical(COLUMNS(lambda c: starts_with(c, 'sdc__x_')))) AS "sdc__t_\0"
        FROM query_table(records)
    ),
    sdc__together_of AS (
        SELECT sdc__r.* EXCLUDE (sdc__stratum), sdc__k.*, array_to_string(list_select(sdc__texts, sdc__order), '') AS sdc__together
        FROM (SELECT *, [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__texts FROM sdc__texts_of) AS sdc__r
        JOIN sdc__keyed AS sdc__k ON sdc__in_stratum(stratum, sdc__r.sdc__stratum, sdc__k.sdc__of)
    ),
    sdc__digests_of AS (
        SELECT *,
               list_transform(range((len(sdc__names) + 3) // 4),
                              lambda b: sdc__digest_of(sdc__subkey, b, sdc__named, sdc__together)) AS sdc__digests
        FROM sdc__together_of
    ),
    sdc__uniforms_of AS (
        SELECT *, sdc__uniform_in(sdc__digests, sdc__names, COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "sdc__u_\0"
        FROM sdc__digests_of
    ),
    sdc__reduced_of AS (SELECT *, sdc__normal_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__u_'))) AS "sdc__r_\0" FROM sdc__uniforms_of),
    sdc__normals_of AS (SELECT *, sdc__normal_of_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__r_'))) AS "sdc__z_\0" FROM sdc__reduced_of),
    sdc__listed AS (SELECT *, list_select([*COLUMNS(lambda c: starts_with(c, 'sdc__z_'))], sdc__order) AS sdc__normals FROM sdc__normals_of)
    SELECT sdc__id, sdc__of AS sdc__stratum, sdc__names, sdc__means, sdc__steps,
           sdc__noise_together(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__root, sdc__names, sdc__normals) AS "\0"
    FROM sdc__listed;

CREATE OR REPLACE MACRO sdc__noise_alone(c) AS CASE WHEN NOT isnan(struct_extract(c, 'x')) THEN struct_extract(c, 'e') END;
CREATE OR REPLACE MACRO sdc__transformed(x, e, mean, drawn_mean, alpha) AS
    CASE WHEN alpha = 0 THEN 0e0 ELSE (x + e - (mean + drawn_mean)) / sqrt(1e0 + alpha) + mean - x END;
CREATE OR REPLACE MACRO sdc__kim(c, means, names, drawn_means, drawn_names, alpha) AS
    struct_pack(x := struct_extract(c, 'x'), e := sdc__transformed(struct_extract(c, 'x'), struct_extract(c, 'e'),
        sdc__of_column(means, names, c), sdc__of_column(drawn_means, drawn_names, c), alpha));

-- Kim's transformation. noisy: as the macros above give it.
CREATE OR REPLACE MACRO sdc__noise_transformed(noisy, alpha, stratum) AS TABLE
    WITH sdc__noises AS (
        SELECT sdc__stratum, sdc__noise_alone(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM query_table(noisy)
    ),
    sdc__shifts_of AS (
        SELECT sdc__stratum AS sdc__of, sdc__names AS sdc__drawn_names, sdc__means AS sdc__drawn_means
        FROM sdc__moments('sdc__noises', stratum)
    )
    SELECT sdc__id, sdc__stratum, sdc__names, sdc__means, sdc__steps,
           sdc__kim(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__means, sdc__names, sdc__drawn_means, sdc__drawn_names, alpha) AS "\0"
    FROM query_table(noisy) AS sdc__n JOIN sdc__shifts_of AS sdc__d ON sdc__in_stratum(stratum, sdc__n.sdc__stratum, sdc__d.sdc__of);
-- A sum between its bounds, v, and its grid, s: none for a value without noise (of outliers), which stays as it is.
CREATE OR REPLACE MACRO sdc__fitted_noise(c, low, high, widths, bounded, steps, names) AS
    struct_pack(v := sdc__fitted(struct_extract(c, 'x') + coalesce(struct_extract(c, 'e'), 0), struct_extract(c, 'x'),
                                 sdc__of_column(low, bounded, c), sdc__of_column(high, bounded, c)),
                s := CASE WHEN struct_extract(c, 'e') IS NOT NULL THEN sdc__step_between(
                              sdc__of_column(steps, names, c), sdc__of_column(widths, bounded, c)) END);
CREATE OR REPLACE MACRO sdc__noise_on_grid(c) AS
    struct_pack(v := sdc__multiple(struct_extract(c, 'v'), struct_extract(c, 's')), s := struct_extract(c, 's'));
CREATE OR REPLACE MACRO sdc__noise_fits(c, least_points, greatest_points, units, bounded) AS CASE
    WHEN struct_extract(c, 's') IS NULL OR struct_extract(c, 'v') IS NULL OR isnan(struct_extract(c, 'v')) THEN struct_extract(c, 'v')
    ELSE sdc__within_points(struct_extract(c, 'v'), sdc__of_column(least_points, bounded, c),
                            sdc__of_column(greatest_points, bounded, c), sdc__of_column(units, bounded, c))
END;

-- The masked values: between their bounds, on the grid, in the types of the table.
CREATE OR REPLACE MACRO sdc__noise_added(tbl, columns, noisy, lower, upper, rounded) AS TABLE
    WITH sdc__types AS (
        SELECT [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] AS sdc__own_units,
               struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__t_')))) AS sdc__of
        FROM (SELECT sdc__decimal_unit(typeof(COLUMNS(sdc__columns((*), columns)))) AS "sdc__t_\0" FROM sdc__unasked(tbl) LIMIT 1)
    ),
    sdc__bounds AS MATERIALIZED (
        SELECT sdc__of, sdc__low, sdc__high, sdc__units,
               list_transform(sdc__of, lambda n, i: sdc__least_point(sdc__low[i], sdc__units[i])) AS sdc__least_points,
               list_transform(sdc__of, lambda n, i: sdc__greatest_point(sdc__high[i], sdc__units[i])) AS sdc__greatest_points,
               list_transform(sdc__of,
                              lambda n, i: CASE WHEN sdc__low[i] < sdc__high[i]
                                                    THEN sdc__grid_step(sdc__high[i] - sdc__low[i]) END) AS sdc__widths,
               list_transform(sdc__of,
                              lambda n, i: sdc__checked_bound(true, sdc__low[i], sdc__high[i],
                                                              coalesce(sdc__units[i] = 1, false), n)) AS sdc__sound
        FROM (SELECT sdc__of, sdc__each(lower, columns, sdc__of)::DOUBLE[] AS sdc__low,
                     sdc__each(upper, columns, sdc__of)::DOUBLE[] AS sdc__high,
                     list_transform(sdc__own_units,
                                    lambda u, i: CASE
                                        WHEN coalesce((sdc__each(rounded, columns, sdc__of)::BOOLEAN[])[i], false) THEN 1e0
                                        ELSE u END) AS sdc__units
              FROM (SELECT sdc__own_units, list_transform(sdc__of, lambda n: n[8:]) AS sdc__of FROM sdc__types))
    ),
    sdc__sums_of AS (
        SELECT sdc__id,
               sdc__fitted_noise(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__low, sdc__high, sdc__widths, sdc__of,
                                 sdc__steps, sdc__names) AS "\0",
               sdc__least_points, sdc__greatest_points, sdc__units, sdc__of
        FROM query_table(noisy), sdc__bounds WHERE list_bool_and(sdc__sound)
    ),
    sdc__multiples_of AS (
        SELECT sdc__id, sdc__least_points, sdc__greatest_points, sdc__units, sdc__of,
               sdc__noise_on_grid(COLUMNS(lambda c: starts_with(c, 'sdc__x_'))) AS "\0"
        FROM sdc__sums_of
    ),
    sdc__values AS (
        SELECT sdc__id,
               sdc__noise_fits(COLUMNS('(?s)^sdc__x_(.*)$'), sdc__least_points, sdc__greatest_points, sdc__units,
                               sdc__of) AS "\1"
        FROM sdc__multiples_of
    )
    FROM sdc__typed(tbl, columns, 'sdc__values');
