-- How far the distribution of the released file is from that of the original: of each variable, and of their crossing.
--
--   p, q: the shares of the original's and the released file's records in the cells
--   hellinger        sqrt(1/2 sum (sqrt p - sqrt q)^2)        0 (nothing lost) to 1 (no cell in common)
--   total_variation  1/2 sum |p - q|                          0 to 1
--   entropy          - sum p ln p, and its change: that of the released file less that of the original
-- A recoded variable has no category in common with the original, so that either distance would be 1 whatever the recoding. With
-- `recoded` it is judged as a user would use it: the records of a released category are spread evenly over the original values that
-- became it (of several variables over their combinations), q_c = q_label / m. Which value became which category is known by the id; a
-- variable of which one value became several (a local recoding, random rounding) is compared as it stands.
-- Entropies are in nats (/ ln 2: bits). NULL is a category of its own; categories are compared by their texts.
-- Source: Karr & Sanil, The risk-utility approach to statistical disclosure limitation, (2): data distortion as a distance of the
--   distributions: "Hellinger distance, total variation distance and entropy change"; the even spread: Bayardo & Agrawal (2005), as in
--   sdc_preview_recodings.
--
--   original: sex   released: sex   FROM sdc_distribution_distance('original', 'released', ['sex']):
--             f               f     columns  hellinger total_variation entropy_before entropy_after entropy_change
--             f               m     [sex]    0.1846    0.25            0.6931         0.5623        -0.1308
--             m               m
--             m               m
--
-- Scope: cells.
-- Not compiled: it crosses lists of variables, which other engines have no words for.
-- Parameters:
--   original  table    the table before masking or recoding
--   released  table    the table after it
--   columns   columns  the categorical variables
--   weight    column   of both tables, whose sums are the shares; NULL: the records are counted
--   recoded   columns  those of them whose released values are labels of groups of the original ones
--   id        column   identifies each record in both: needed where a column is recoded

-- Of the recoded variables each original value with its label, and how many values have that.
CREATE OR REPLACE MACRO sdc__labels_of(original, released, recoded, id) AS TABLE
    WITH sdc__moves AS (FROM sdc__transitions_among(original, released, recoded, id, false)),
    sdc__labelled AS (
        SELECT sdc__folded(sdc__variable) AS sdc__of, sdc__x, min(sdc__y) AS sdc__label, count(*) AS sdc__labels
        FROM sdc__moves WHERE sdc__x IS NOT NULL AND sdc__y IS NOT NULL GROUP BY ALL
    )
    SELECT sdc__of, sdc__x, sdc__label, count(*) OVER (PARTITION BY sdc__of, sdc__label) AS sdc__m
    FROM (SELECT *, max(sdc__labels) OVER (PARTITION BY sdc__of) AS sdc__most FROM sdc__labelled) WHERE sdc__most = 1;

-- The values of a file as lists, one of each combination, with their labels and how many values these stand for.
CREATE OR REPLACE MACRO sdc__spread_values(crossed, first, labels) AS TABLE
    WITH sdc__rows AS (
        SELECT row_number() OVER () AS sdc__row, sdc__names, sdc__values, sdc__v
        FROM query_table(crossed)
        WHERE sdc__first = first
    ),
    sdc__apart AS (
        SELECT sdc__row, unnest(sdc__names) AS sdc__name, unnest(sdc__values) AS sdc__value,
               unnest(range(len(sdc__names))) AS sdc__place
        FROM sdc__rows
    ),
    sdc__by_value AS (
        SELECT sdc__of, CASE WHEN first THEN sdc__x ELSE sdc__label END AS sdc__known, any_value(sdc__label) AS sdc__label,
               max(sdc__m) AS sdc__m
        FROM query_table(labels)
        GROUP BY ALL
    ),
    sdc__told AS (
        SELECT sdc__row AS sdc__at, list(coalesce(sdc__label, sdc__value) ORDER BY sdc__place ASC) AS sdc__labels,
               list(coalesce(sdc__m, 1)::DOUBLE ORDER BY sdc__place ASC) AS sdc__ms
        FROM sdc__apart LEFT JOIN sdc__by_value ON sdc__of = sdc__name AND sdc__known = sdc__value GROUP BY sdc__row
    )
    SELECT sdc__names, sdc__values, sdc__labels, sdc__ms, sdc__v FROM sdc__rows JOIN sdc__told ON sdc__row = sdc__at;

-- A row a set of columns, for each the sums over the cells: sqrt(p q), |p - q| and the entropies, the released labels spread
-- over their values.
CREATE OR REPLACE MACRO sdc__spread_sums(original, released, columns, sets, weight, recoded, id) AS TABLE
    WITH sdc__files AS (
        FROM sdc__counted(original, columns, weight, true)
        UNION ALL BY NAME
        FROM sdc__counted(released, columns, weight, false)
    ),
    sdc__crossed AS MATERIALIZED (
        SELECT sdc__first, sdc__names, sdc__values, sdc__exact_sum(sdc__v) AS sdc__v
        FROM (SELECT sdc__first,
                     list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                    lambda n: sdc__folded(substr(n, 8))) AS sdc__names,
                     [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__values, sdc__v
              FROM sdc__files)
        GROUP BY sdc__first, sdc__names, sdc__values
    ),
    sdc__labels AS MATERIALIZED (FROM sdc__labels_of(original, released, recoded, id)),
    sdc__sets AS (SELECT unnest(range(1, len(sets) + 1)) AS sdc__set, unnest(sets) AS sdc__columns),
    sdc__old AS MATERIALIZED (FROM sdc__spread_values('sdc__crossed', true, 'sdc__labels')),
    sdc__new AS MATERIALIZED (FROM sdc__spread_values('sdc__crossed', false, 'sdc__labels')),
    sdc__before AS (
        SELECT sdc__set, sdc__cell, sdc__group, any_value(sdc__m) AS sdc__m, sdc__exact_sum(sdc__v) AS sdc__p
        FROM (SELECT sdc__set,
                     list_transform(sdc__columns,
                                    lambda n: sdc__values[list_position(sdc__names, sdc__folded(n))]) AS sdc__cell,
                     list_transform(sdc__columns,
                                    lambda n: sdc__labels[list_position(sdc__names, sdc__folded(n))]) AS sdc__group,
                     list_product(list_transform(sdc__columns,
                                                 lambda n: sdc__ms[list_position(sdc__names, sdc__folded(n))])) AS sdc__m,
                     sdc__v
              FROM sdc__old, sdc__sets)
        GROUP BY sdc__set, sdc__cell, sdc__group
    ),
    sdc__after AS (
        SELECT sdc__set AS sdc__of, sdc__group AS sdc__in, any_value(sdc__m) AS sdc__spread, sdc__exact_sum(sdc__v) AS sdc__q
        FROM (SELECT sdc__set,
                     list_transform(sdc__columns,
                                    lambda n: sdc__labels[list_position(sdc__names, sdc__folded(n))]) AS sdc__group,
                     list_product(list_transform(sdc__columns,
                                                 lambda n: sdc__ms[list_position(sdc__names, sdc__folded(n))])) AS sdc__m,
                     sdc__v
              FROM sdc__new, sdc__sets)
        GROUP BY sdc__set, sdc__group
    ),
    sdc__totals AS (
        SELECT sdc__exact_sum(CASE WHEN sdc__first THEN sdc__v END) AS sdc__n,
               sdc__exact_sum(CASE WHEN NOT sdc__first THEN sdc__v END) AS sdc__all
        FROM sdc__crossed
    ),
    -- the cells of the original, each with its part of the released label
    sdc__cells AS (
        SELECT sdc__set, sdc__p / sdc__n AS sdc__p, coalesce(sdc__q / sdc__all / sdc__spread, 0) AS sdc__q
        FROM sdc__totals, sdc__before LEFT JOIN sdc__after ON sdc__of = sdc__set AND sdc__in = sdc__group
    ),
    -- what is spread over values that no original has in this combination: m - k cells, q / m each
    sdc__known AS (SELECT sdc__set AS sdc__at, sdc__group AS sdc__label, count(*) AS sdc__k FROM sdc__before GROUP BY sdc__set, sdc__group),
    sdc__empty AS (
        SELECT sdc__of,
               sdc__exact_sum((sdc__spread - coalesce(sdc__k, 0)) / sdc__spread * sdc__q / sdc__all, 90) AS sdc__rest,
               sdc__exact_sum(CASE WHEN sdc__q > 0 THEN -sdc__q / sdc__all * ln(sdc__q / sdc__all / sdc__spread) ELSE 0 END,
                              90) AS sdc__f
        FROM sdc__totals, sdc__after LEFT JOIN sdc__known ON sdc__at = sdc__of AND sdc__label = sdc__in GROUP BY sdc__of
    ),
    sdc__sums AS (
        SELECT sdc__set AS sdc__row, sdc__exact_sum((sqrt(sdc__p) - sqrt(sdc__q)) ** 2, 90) AS sdc__h,
               sdc__exact_sum(abs(sdc__p - sdc__q), 90) AS sdc__tv,
               sdc__exact_sum(CASE WHEN sdc__p > 0 THEN -sdc__p * ln(sdc__p) ELSE 0 END, 90) AS sdc__e FROM sdc__cells GROUP BY sdc__set
    )
    SELECT sdc__set, sdc__columns, sdc__h + sdc__rest AS sdc__h, sdc__tv + sdc__rest AS sdc__tv, sdc__e, sdc__f
    FROM sdc__sets JOIN sdc__sums ON sdc__row = sdc__set JOIN sdc__empty ON sdc__of = sdc__set;

-- The first row is the crossing of all, the others a variable each.
-- sdc_distribution_distance: Hellinger and total variation distance of the distributions, and the change of entropy.
-- Gives: columns VARCHAR[], hellinger DOUBLE (more loss), total_variation DOUBLE (more loss), entropy_before DOUBLE,
--   entropy_after DOUBLE, entropy_change DOUBLE.
-- Rows: each columns.
-- Told: hellinger, total_variation.
-- Example: FROM sdc_distribution_distance('persons', 'released', ['region', 'sex']);
-- Limit: hellinger. The Hellinger distance of the released distribution from the original one.
CREATE OR REPLACE MACRO sdc_distribution_distance(original, released, columns, weight := NULL, recoded := NULL, id := NULL) AS TABLE
    WITH sdc__cells AS MATERIALIZED (
        FROM sdc__set_cells(
            original, released, columns,
            list_concat([sdc__names(columns)],
                        CASE WHEN len(sdc__names(columns)) > 1 THEN sdc__sets_up_to(columns, 1) ELSE [] END),
            weight)
    ),
    sdc__sizes AS (
        SELECT sdc__set AS sdc__of, sdc__exact_sum(sdc__before) AS sdc__n, sdc__exact_sum(sdc__after) AS sdc__m
        FROM sdc__cells
        GROUP BY sdc__set
    ),
    sdc__shares AS (
        SELECT sdc__set, sdc__columns, sdc__before / sdc__n AS sdc__p, sdc__after / sdc__m AS sdc__q
        FROM sdc__cells
        JOIN sdc__sizes ON sdc__of = sdc__set
    ),
    sdc__as_they_are AS (
        SELECT sdc__set, any_value(sdc__columns) AS sdc__columns,
               sdc__exact_sum((sqrt(sdc__p) - sqrt(sdc__q)) ** 2, 90) AS sdc__h,
               sdc__exact_sum(abs(sdc__p - sdc__q), 90) AS sdc__tv,
               sdc__exact_sum(CASE WHEN sdc__p > 0 THEN -sdc__p * ln(sdc__p) ELSE 0 END, 90) AS sdc__e,
               sdc__exact_sum(CASE WHEN sdc__q > 0 THEN -sdc__q * ln(sdc__q) ELSE 0 END, 90) AS sdc__f
        FROM sdc__shares GROUP BY sdc__set
    ),
    sdc__spread_out AS (
        FROM sdc__spread_sums(
            original, released, columns,
            list_concat([sdc__names(columns)],
                        CASE WHEN len(sdc__names(columns)) > 1 THEN sdc__sets_up_to(columns, 1) ELSE [] END),
            weight, recoded, id)
    )
    SELECT sdc__columns AS columns, least(1, sqrt(greatest(0, sdc__h) / 2)) AS hellinger,
           least(1, sdc__tv / 2) AS total_variation, sdc__e AS entropy_before, sdc__f AS entropy_after,
           sdc__f - sdc__e AS entropy_change
    FROM query_table(CASE WHEN recoded IS NOT NULL AND id IS NULL
                              THEN error('ParameterError: recoded needs an id, a column of both tables: by it is known'
                                         || ' which value became which label.')
                          WHEN len(sdc__some_of(recoded, columns, 'recoded')) > 0 THEN 'sdc__spread_out'
                          ELSE 'sdc__as_they_are' END)
    ORDER BY sdc__set ASC;
