-- How far each variable, and each pair of variables, is from the original.
--
-- These are the margins and the associations that most tables are made of.
--
--   F, G: the shares of the original's and the released file's records at or below a value; p, q: those in a cell
--   of a number     ks = max |F - G|                                    0 to 1, a missing value below all others
--                   wasserstein = integral |F - G| dx / s               of the values there are, in standard deviations s of the original
--   of categories   total_variation = 1/2 sum |p - q|                   0 to 1, NULL a category
--   of a pair       total_variation of its cells, and of either file Cramer's
--                   V = sqrt((sum p_ij^2 / (p_i. p_.j) - 1) / (min(rows, columns) - 1))
-- A number is in a pair by its class: 1 + the classes * (the share of the original's values below it), rounded down, so that the original
-- has as many records in each as its ties allow. Shares are of the records, or of their weights. No id is needed, and the files may be of
-- any sizes: masked and synthetic ones are compared alike. A fresh sample of n records has a ks of about 0.9 sqrt(2 / n), not 0.
-- Source: Kolmogorov (1933) and Smirnov (1948), in any textbook; Vallender (1974), Calculation of the Wasserstein distance between
--   probability distributions on the line, Theory of Probability and Its Applications 18(4), 784-786; Cramer (1946), Mathematical
--   methods of statistics, section 21.9; pairs as a measure of synthetic files: Raab, Nowok & Dibben (2021), Assessing, visualizing and
--   improving the utility of synthetic data, arXiv:2109.12717.
--
--   original: x sex   released: x sex   FROM sdc_margin_distance('original', 'released', ['x', 'sex'], continuous := ['x']):
--             1 f               1 f     variable distance ks   wasserstein total_variation
--             1 f               1 m     x        0.25     0.25 0.5         NULL
--             3 m               1 m     sex      0.25     NULL NULL        0.25
--             3 m               3 m
--
--   FROM sdc_pair_distance('original', 'released', ['x', 'sex'], continuous := ['x']):
--   columns  cells total_variation v_before v_after change
--   [x, sex] 3     0.5             1        0.3333  0.6667
--     1 f, 1 m, 3 m: 2, 0, 2 of four become 1, 2, 1;   V^2 = 1/16 / (3/4 * 1/4) + 4/16 / (3/4 * 3/4) + 1/16 / (1/4 * 3/4) - 1 = 1/9
--
-- Scope: cells.
-- Not compiled: it lists the values of several variables, which other engines have no words for.
-- Parameters:
--   original    table                     the table before masking, or from which a synthetic one was made
--   released    table                     the table after it
--   columns     columns                   the variables; those that are not continuous are categories
--   continuous  columns                   those of them that are numbers
--   weight      column                    of both tables, whose sums are the shares; NULL: the records are counted
--   classes     whole number in [2, ...)  of a number in a pair, each with as many of the original's records

-- The kinds of records of both files in columns "sdc__t_<name>" (texts) and "sdc__x_<name>" (numbers), with their weights before and after.
CREATE OR REPLACE MACRO sdc__weighed_columns(tbl, columns, categories, numbers, weight, first) AS TABLE
    SELECT first AS sdc__first,
           CASE WHEN len(categories) > 0
                    THEN COLUMNS(sdc__columns_if_any((*), categories, columns))::VARCHAR END AS "sdc__t_\0",
           CASE WHEN len(numbers) > 0 THEN sdc__finite_number(COLUMNS(sdc__columns_if_any((*), numbers, columns))) END AS "sdc__x_\0",
           CASE WHEN weight IS NULL THEN 1e0
                ELSE sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__w
    FROM sdc__exact_rows(tbl, codes := categories);

CREATE OR REPLACE MACRO sdc__weighed_kinds(original, released, columns, categories, numbers, weight) AS TABLE
    WITH sdc__files AS (
        FROM sdc__weighed_columns(original, columns, categories, numbers, weight, true)
        UNION ALL BY NAME
        FROM sdc__weighed_columns(released, columns, categories, numbers, weight, false)
    )
    SELECT COLUMNS(lambda c: starts_with(c, 'sdc__t_')), COLUMNS(lambda c: starts_with(c, 'sdc__x_')),
           coalesce(sdc__exact_sum(CASE WHEN sdc__first THEN sdc__w END), 0) AS sdc__b,
           coalesce(sdc__exact_sum(CASE WHEN NOT sdc__first THEN sdc__w END), 0) AS sdc__a
    FROM sdc__files GROUP BY ALL;

-- Of each variable every value, as a text or as a number, with the shares of either file.
CREATE OR REPLACE MACRO sdc__shares_by_value(kinds, categories, numbers) AS TABLE
    WITH sdc__totals AS (SELECT sdc__exact_sum(sdc__b) AS sdc__n, sdc__exact_sum(sdc__a) AS sdc__m FROM query_table(kinds)),
    sdc__listed AS (
        SELECT list_slice(list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__t_')))), lambda n: substr(n, 8)),
                          1, len(categories)) AS sdc__of_t,
               list_slice([*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))], 1, len(categories)) AS sdc__t,
               list_slice(list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))), lambda n: substr(n, 8)),
                          1, len(numbers)) AS sdc__of_x,
               list_slice([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))], 1, len(numbers)) AS sdc__x, sdc__b, sdc__a
        FROM query_table(kinds)
    ),
    sdc__values AS (
        SELECT unnest(sdc__of_t) AS sdc__variable, unnest(sdc__t) AS sdc__text, NULL::DOUBLE AS sdc__value, false AS sdc__numeric,
               sdc__b, sdc__a
        FROM sdc__listed
        UNION ALL
        SELECT unnest(sdc__of_x), NULL, unnest(sdc__x), true, sdc__b, sdc__a FROM sdc__listed
    )
    SELECT sdc__variable, sdc__numeric, sdc__text, sdc__value, sdc__exact_sum(sdc__b) / any_value(sdc__n) AS sdc__p,
           sdc__exact_sum(sdc__a) / any_value(sdc__m) AS sdc__q
    FROM sdc__values, sdc__totals GROUP BY sdc__variable, sdc__numeric, sdc__text, sdc__value;

-- distance: ks of a number, total_variation of categories. wasserstein NULL: the original is constant and the released file is not
-- the same, or one of them has no value.
-- sdc_margin_distance: how far the distribution of each variable is from the original one.
-- Gives: variable VARCHAR, distance DOUBLE (more loss), ks DOUBLE or NULL (more loss), wasserstein DOUBLE or NULL (more loss),
--   total_variation DOUBLE or NULL (more loss).
-- Rows: each variable.
-- Result: MarginDistance. The distance of a variable's distribution from the original one. `ks` (Kolmogorov-Smirnov) and `wasserstein` (in
--   standard deviations of the original) are those of a number, `total_variation` is that of categories; `distance` is ks or the total
--   variation, 0 to 1.
-- Notes: No id is needed, and the files may be of any sizes. NULL is a category; a missing number is below all others.
-- Told: distance, ks, wasserstein, total_variation.
-- Picture: margins.
-- Example: FROM sdc_margin_distance('persons', 'released', ['sex', 'income'], continuous := ['income']);
-- Limit: distance. The Kolmogorov-Smirnov distance of a number, the total variation of categories.
CREATE OR REPLACE MACRO sdc_margin_distance(original, released, columns, continuous := NULL, weight := NULL) AS TABLE
    WITH sdc__kinds AS MATERIALIZED (
        FROM sdc__weighed_kinds(original, released, columns, sdc__names_not_among(columns, continuous),
                                sdc__names_among(columns, continuous), weight)
        WHERE len(sdc__some_of(continuous, columns, 'continuous')) >= 0
    ),
    sdc__shares AS MATERIALIZED (
        FROM sdc__shares_by_value('sdc__kinds', sdc__names_not_among(columns, continuous), sdc__names_among(columns, continuous))
    ),
    sdc__there AS (
        SELECT sdc__variable AS sdc__of, nullif(sdc__exact_sum(CASE WHEN sdc__value IS NOT NULL THEN sdc__p END, 90), 0) AS sdc__n,
               nullif(sdc__exact_sum(CASE WHEN sdc__value IS NOT NULL THEN sdc__q END, 90), 0) AS sdc__m,
               min(sdc__value) AS sdc__low, sdc__shift(max(sdc__value) - min(sdc__value)) AS sdc__e
        FROM sdc__shares WHERE sdc__numeric GROUP BY sdc__variable
    ),
    sdc__centred AS (
        SELECT sdc__variable AS sdc__at, any_value(sdc__e) AS sdc__unit,
               sdc__exact_sum(sdc__p / sdc__n * (sdc__value - sdc__low) * sdc__e, 90) AS sdc__mean
        FROM sdc__shares JOIN sdc__there ON sdc__of = sdc__variable WHERE sdc__numeric GROUP BY sdc__variable
    ),
    sdc__spread AS (
        SELECT sdc__at AS sdc__by,
               sqrt(sdc__exact_sum(sdc__p / sdc__n * ((sdc__value - sdc__low) * sdc__e - sdc__mean) ** 2, 90)) AS sdc__s
        FROM sdc__shares JOIN sdc__there ON sdc__of = sdc__variable JOIN sdc__centred ON sdc__at = sdc__variable
        WHERE sdc__numeric GROUP BY sdc__at
    ),
    sdc__steps AS (
        SELECT sdc__variable, sdc__value, sdc__e, sdc__n, sdc__m,
               abs(sdc__unfixed(sum(sdc__fixed(sdc__p, 90) - sdc__fixed(sdc__q, 90))
                                    OVER (PARTITION BY sdc__variable ORDER BY sdc__value ASC NULLS FIRST), 90)) AS sdc__gap,
               abs(sdc__unfixed(sum(sdc__fixed(CASE WHEN sdc__value IS NULL THEN 0 ELSE sdc__p / sdc__n - sdc__q / sdc__m END, 90))
                                    OVER (PARTITION BY sdc__variable ORDER BY sdc__value ASC NULLS FIRST), 90)) AS sdc__apart,
               lead(sdc__value) OVER (PARTITION BY sdc__variable ORDER BY sdc__value ASC NULLS FIRST) AS sdc__next
        FROM sdc__shares JOIN sdc__there ON sdc__of = sdc__variable WHERE sdc__numeric
    ),
    sdc__numbers AS (
        SELECT sdc__variable AS sdc__name, max(sdc__gap) AS sdc__ks,
               CASE WHEN count(sdc__n) > 0 AND count(sdc__m) > 0
                        THEN coalesce(sdc__exact_sum(sdc__apart * (sdc__next - sdc__value) * sdc__e, 90), 0) END AS sdc__moved
        FROM sdc__steps GROUP BY sdc__variable
    ),
    sdc__categories AS (
        SELECT sdc__variable AS sdc__called, sdc__exact_sum(abs(sdc__p - sdc__q), 90) / 2 AS sdc__tv
        FROM sdc__shares WHERE NOT sdc__numeric GROUP BY sdc__variable
    ),
    sdc__named AS (SELECT unnest(sdc__names(columns)) AS sdc__asked, unnest(range(1, len(sdc__names(columns)) + 1)) AS sdc__place)
    SELECT coalesce(sdc__name, sdc__called) AS variable, coalesce(sdc__ks, sdc__tv) AS distance, sdc__ks AS ks,
           CASE WHEN sdc__moved = 0 THEN 0 WHEN sdc__s > 0 THEN sdc__moved / sdc__s END AS wasserstein, sdc__tv AS total_variation
    FROM sdc__named
    LEFT JOIN sdc__numbers ON sdc__folded(sdc__name) = sdc__folded(sdc__asked)
    LEFT JOIN sdc__spread ON sdc__by = sdc__name
    LEFT JOIN sdc__categories ON sdc__folded(sdc__called) = sdc__folded(sdc__asked)
    ORDER BY sdc__place ASC;

-- A number's class by the share of the original's values below it; NULL stays a class of its own.
CREATE OR REPLACE MACRO sdc__class_of(x, b, classes) AS
    CASE WHEN x IS NOT NULL
             THEN least(classes, 1 + floor(
                      classes * coalesce(sdc__unfixed(sum(sdc__fixed(CASE WHEN x IS NULL THEN 0 ELSE b END))
                                                          OVER (ORDER BY x ASC NULLS FIRST
                                                                GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)), 0)
                      / nullif(sdc__unfixed(sum(sdc__fixed(CASE WHEN x IS NULL THEN 0 ELSE b END)) OVER ()), 0)))::BIGINT::VARCHAR END;

CREATE OR REPLACE MACRO sdc__pair_or_more(columns) AS
    CASE WHEN len(sdc__names(columns)) >= 2 THEN true
         ELSE error('ColumnError: Pairs are compared, and one column is no pair: name at least two.') END;

-- Of a pair's cells Cramer's V in one file: p of the cell, of its row and of its column.
CREATE OR REPLACE MACRO sdc__cramer_v(squares, rows, columns) AS
    CASE WHEN least(rows, columns) > 1 THEN sqrt(least(greatest(squares - 1, 0) / (least(rows, columns) - 1), 1)) ELSE 0 END;

-- cells: those that either file has. v_before, v_after: Cramer's V, 0 where a variable is constant.
-- sdc_pair_distance: how far the distribution of each pair of variables, and their association, is from the original one.
-- Gives: columns VARCHAR[], cells BIGINT, total_variation DOUBLE (more loss), v_before DOUBLE, v_after DOUBLE, change DOUBLE (more loss).
-- Rows: each columns.
-- Result: PairDistance. The total variation of a pair's cells, Cramer's V of either file, and its change.
-- Notes: No id is needed, and the files may be of any sizes. Numbers are compared in classes. NULL is a category, or a class, of its own.
-- Told: total_variation, change.
-- Picture: pairs.
-- Example: FROM sdc_pair_distance('persons', 'released', ['sex', 'region', 'income'], continuous := ['income'], classes := 4);
-- Limit: change as sdc_pair_distance. By how much Cramer's V of this pair of variables has changed.
CREATE OR REPLACE MACRO sdc_pair_distance(original, released, columns, continuous := NULL, weight := NULL, classes := 10) AS TABLE
    WITH sdc__kinds AS MATERIALIZED (
        FROM sdc__weighed_kinds(original, released, columns, sdc__names_not_among(columns, continuous),
                                sdc__names_among(columns, continuous), weight)
        WHERE len(sdc__some_of(continuous, columns, 'continuous')) >= 0 AND sdc__pair_or_more(columns)
    ),
    sdc__classed AS (
        SELECT COLUMNS(lambda c: starts_with(c, 'sdc__t_')),
               sdc__class_of(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__b, sdc__checked_whole(classes, 'classes', 2)),
               sdc__b, sdc__a
        FROM sdc__kinds
    ),
    sdc__merged AS (
        SELECT COLUMNS(lambda c: NOT c IN ('sdc__b', 'sdc__a')), sdc__exact_sum(sdc__b) AS sdc__b, sdc__exact_sum(sdc__a) AS sdc__a
        FROM sdc__classed GROUP BY ALL
    ),
    sdc__by_kind AS (
        SELECT list_slice(list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__t_')))), lambda n: substr(n, 8)),
                          1, len(sdc__names_not_among(columns, continuous))) AS sdc__of_t,
               list_slice([*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))], 1, len(sdc__names_not_among(columns, continuous))) AS sdc__t,
               list_slice(list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))), lambda n: substr(n, 8)),
                          1, len(sdc__names_among(columns, continuous))) AS sdc__of_x,
               list_slice([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))], 1, len(sdc__names_among(columns, continuous))) AS sdc__x,
               sdc__b, sdc__a
        FROM sdc__merged
    ),
    sdc__listed AS MATERIALIZED (
        SELECT list_concat(sdc__of_t, sdc__of_x) AS sdc__names, list_concat(sdc__t, sdc__x) AS sdc__values, sdc__b, sdc__a
        FROM sdc__by_kind
    ),
    sdc__sets AS (
        SELECT sdc__set, list_transform(sdc__pair, lambda n: list_position(list_transform(sdc__names, lambda m: sdc__folded(m)),
                                                                           sdc__folded(n))) AS sdc__places, sdc__names
        FROM (SELECT unnest(range(1, len(s) + 1)) AS sdc__set, unnest(s) AS sdc__pair
              FROM (SELECT list_filter(sdc__sets_up_to(columns, 2), lambda p: len(p) = 2) AS s)),
             (SELECT any_value(sdc__names) AS sdc__names FROM sdc__listed)
    ),
    sdc__totals AS (SELECT sdc__exact_sum(sdc__b) AS sdc__n, sdc__exact_sum(sdc__a) AS sdc__m FROM sdc__listed),
    sdc__cells AS MATERIALIZED (
        SELECT sdc__set, sdc__u, sdc__v, sdc__exact_sum(sdc__b) / any_value(sdc__n) AS sdc__p,
               sdc__exact_sum(sdc__a) / any_value(sdc__m) AS sdc__q
        FROM (SELECT sdc__set, sdc__values[sdc__places[1]] AS sdc__u, sdc__values[sdc__places[2]] AS sdc__v, sdc__b, sdc__a
              FROM sdc__listed, (SELECT sdc__set, sdc__places FROM sdc__sets)), sdc__totals
        GROUP BY sdc__set, sdc__u, sdc__v
    ),
    sdc__beside AS (
        SELECT *, sdc__unfixed(sum(sdc__fixed(sdc__p, 90)) OVER (PARTITION BY sdc__set, sdc__u), 90) AS sdc__pu,
               sdc__unfixed(sum(sdc__fixed(sdc__p, 90)) OVER (PARTITION BY sdc__set, sdc__v), 90) AS sdc__pv,
               sdc__unfixed(sum(sdc__fixed(sdc__q, 90)) OVER (PARTITION BY sdc__set, sdc__u), 90) AS sdc__qu,
               sdc__unfixed(sum(sdc__fixed(sdc__q, 90)) OVER (PARTITION BY sdc__set, sdc__v), 90) AS sdc__qv
        FROM sdc__cells
    ),
    sdc__sums AS (
        SELECT sdc__set AS sdc__of, count(*) AS sdc__number, sdc__exact_sum(abs(sdc__p - sdc__q), 90) / 2 AS sdc__tv,
               sdc__exact_sum(CASE WHEN sdc__p > 0 THEN sdc__p * sdc__p / sdc__pu / sdc__pv END, 90) AS sdc__before,
               sdc__exact_sum(CASE WHEN sdc__q > 0 THEN sdc__q * sdc__q / sdc__qu / sdc__qv END, 90) AS sdc__after,
               count(DISTINCT CASE WHEN sdc__p > 0 THEN row(sdc__u) END) AS sdc__rows,
               count(DISTINCT CASE WHEN sdc__p > 0 THEN row(sdc__v) END) AS sdc__columns,
               count(DISTINCT CASE WHEN sdc__q > 0 THEN row(sdc__u) END) AS sdc__rows_after,
               count(DISTINCT CASE WHEN sdc__q > 0 THEN row(sdc__v) END) AS sdc__columns_after
        FROM sdc__beside GROUP BY sdc__set
    ),
    sdc__found AS (
        SELECT sdc__set, list_transform(sdc__places, lambda p: sdc__names[p]) AS sdc__pair, sdc__number, sdc__tv,
               sdc__cramer_v(sdc__before, sdc__rows, sdc__columns) AS sdc__v0,
               sdc__cramer_v(sdc__after, sdc__rows_after, sdc__columns_after) AS sdc__v1
        FROM sdc__sets JOIN sdc__sums ON sdc__of = sdc__set
    )
    SELECT sdc__pair AS columns, sdc__number AS cells, sdc__tv AS total_variation, sdc__v0 AS v_before, sdc__v1 AS v_after,
           abs(sdc__v1 - sdc__v0) AS change
    FROM sdc__found ORDER BY sdc__set ASC;
