-- theta where the intruder's data say other things of a person than the file does: errors of either, or PRAM.
--
--   theta   = sum_{i in s} I(f_Xi = 1, X~_i = X_i) / sum_j F~_j I(f_j = 1)                                     (10)
--   theta^  = pi sum_j I(f_j = 1) M_jj / (pi sum_j I(f_j = 1) M_jj + 2 (1 - pi) sum_j I(f_j = 2) M_jj + n A)   (12)
--   n A     = sum_j (E_M(f~_j) - M_jj) I(f_j = 1) ,   E_M(f~_j) = sum_j* f_j* M_j*j                             (13)
-- Source: Skinner & Elliot (2002), section 4. M is the matrix of (11); see misclassification.sql for its direction.
-- f_j counts the file as it stands (X); a match is unique when one record of the file has the intruder's X~.
-- The paper gives no variance for this estimator, so there is no bound. (Two slips of the printed text, read by the sense of the
-- proofs: M_ij* in step 2 is M_jj*, and M_Xi,j in A is the probability of being misclassified from X_i to j.)
--
-- The first two sums need only the diagonal M_jj (how often a category is kept); A needs whole columns of M. With the diagonal
-- alone and A taken for 0, (12) is the most that theta^ can be: most_theta.
--
--   persons: sex   matrix: from to probability   sdc_theta_misclassified('persons', ['sex'], 0.5, ['sex'], ['matrix']):
--            f             f    f  0.9           n1 n2 kept_uniques kept_pairs false_matches theta
--            f             f    m  0.1           1  1  0.8          0.9        0.2           0.266667
--            m             m    f  0.2             0.4 / (0.4 + 0.9 + 0.2); two f at 0.1 each become the unique m
--                          m    m  0.8
--
-- Scope: cells.
-- Not compiled: a matrix is cast to the types of its table's columns, which are not known when the query is compiled.
-- Parameters:
--   tbl                table             the table, view, common table expression or file
--   keys               columns           the key variables
--   sampling_fraction  number in (0, 1)  pi, the fraction of the population in the file
--   columns            columns           the keys that are misclassified; the others are taken to agree
--   matrices           tables            the matrix of each of the columns, in their order: from, to, probability
--   matrix             table             the matrix of their crossing; from and to are structs

-- Keys change independently of one another: M = M_1 x M_2 x ... , which is never built. The counts f go through one matrix after
-- the other, f M_1, f M_1 M_2, ..., and of each only what can still meet a sample unique is kept.
-- The text of the query is made of the caller's names, quoted, and numbers; x1, x2, ... are the changing keys.
CREATE OR REPLACE MACRO sdc__check_changed(keys, columns, matrices) AS CASE
    WHEN coalesce(len(sdc__names(columns)), 0) = 0 OR len(sdc__names(columns)) <> coalesce(len(sdc__names(matrices)), 0)
         OR list_count(sdc__names(matrices)) < len(sdc__names(matrices))
        THEN error('ParameterError: There are ' || coalesce(len(sdc__names(columns)), 0) || ' misclassified columns and '
                   || coalesce(list_count(sdc__names(matrices)), 0) || ' matrices: name a matrix for each.')
    WHEN len(list_filter(sdc__names(columns), lambda n: n IS NULL OR NOT sdc__is_among(n, keys))) > 0
        THEN error('ParameterError: "'
                   || coalesce(list_filter(sdc__names(columns), lambda n: n IS NULL OR NOT sdc__is_among(n, keys))[1],
                               'NULL')
                   || '" has a misclassification matrix and is not among the keys, ' || sdc__quoted(keys) || '.')
    WHEN len(list_distinct(list_transform(sdc__names(columns), lambda n: sdc__folded(n)))) < len(sdc__names(columns))
        THEN error('ParameterError: A column is named twice in ' || sdc__quoted(columns) || '; give it one misclassification matrix.')
    ELSE true END;

-- expressions: the changing parts of the key, as text; matrices: the text of a relation for each (from, to, probability, checked).
CREATE OR REPLACE MACRO sdc__through_matrices(fixed, expressions, matrices) AS
    'WITH sdc__u0 AS MATERIALIZED (SELECT row('
    || array_to_string(['0'] || list_transform(fixed, lambda k: sdc__identifier(k)), ', ') || ') AS sdc__fixed, '
    || array_to_string(list_transform(expressions, lambda e, i: e || ' AS sdc__x' || i), ', ') || ', sdc__f FROM sdc__crossed)'
    || array_to_string(list_transform(matrices, lambda m, i: ', sdc__m' || i || ' AS MATERIALIZED (FROM ' || m || ')'), '')
    || ', sdc__v0 AS (SELECT sdc__fixed, ' || array_to_string(list_transform(expressions, lambda e, i: 'sdc__x' || i), ', ')
       || ', sdc__f::DOUBLE AS sdc__w FROM sdc__u0)'
    || array_to_string(list_transform(matrices, lambda m, i:
        ', sdc__v' || i || ' AS (SELECT sdc__v.sdc__fixed, '
        || array_to_string(list_transform(expressions,
                                          lambda e, j: CASE WHEN j = i THEN 'sdc__m.sdc__to' ELSE 'sdc__v.sdc__x' || j END
                                                       || ' AS sdc__x' || j),
                           ', ')
        || ', sdc__exact_sum(sdc__v.sdc__w * sdc__m.sdc__p, 90) AS sdc__w FROM sdc__v' || (i - 1)
           || ' AS sdc__v JOIN sdc__m' || i || ' AS sdc__m ON row(sdc__v.sdc__x' || i || ') = row(sdc__m.sdc__from)'
        || ' SEMI JOIN (SELECT * FROM sdc__u0 WHERE sdc__f = 1) AS sdc__u ON sdc__u.sdc__fixed = sdc__v.sdc__fixed'
        || array_to_string(list_transform(range(1, i), lambda j: ' AND row(sdc__u.sdc__x' || j || ') = row(sdc__v.sdc__x' || j || ')'), '')
        || ' AND row(sdc__u.sdc__x' || i || ') = row(sdc__m.sdc__to) GROUP BY ALL)'), '')
    || ' SELECT sdc__u0.sdc__f, '
       || array_to_string(list_transform(matrices, lambda m, i: 'coalesce(sdc__d' || i || '.sdc__p, 0)'), ' * ')
       || ' AS sdc__kept, sdc__v.sdc__w AS sdc__expected FROM sdc__u0'
    || array_to_string(list_transform(
                           matrices,
                           lambda m, i: ' LEFT JOIN (FROM sdc__m' || i || ' WHERE row(sdc__from) = row(sdc__to)) AS sdc__d'
                                        || i || ' ON row(sdc__u0.sdc__x' || i || ') = row(sdc__d' || i || '.sdc__from)'),
                       '')
    || ' LEFT JOIN sdc__v' || len(matrices) || ' AS sdc__v ON sdc__u0.sdc__f = 1 AND sdc__u0.sdc__fixed = sdc__v.sdc__fixed'
    || array_to_string(list_transform(matrices, lambda m, i: ' AND row(sdc__u0.sdc__x' || i || ') = row(sdc__v.sdc__x' || i || ')'), '');

-- sums: a CTE with sdc__f, sdc__kept (M_jj) and sdc__expected (E_M(f~_j), of sample uniques) of each cell.
CREATE OR REPLACE MACRO sdc__theta_of_sums(sums, sampling_fraction) AS TABLE
    SELECT records, cells, n1, n2, kept_uniques, kept_pairs, false_matches,
           -- (12)
           CASE WHEN sdc__pi * kept_uniques > 0
                    THEN sdc__pi * kept_uniques / (sdc__pi * kept_uniques + 2 * (1 - sdc__pi) * kept_pairs + false_matches)
                ELSE 0 END AS theta,
           sdc__theta(kept_uniques, kept_pairs, sdc__pi) AS most_theta  -- (7) of the kept ones
    FROM (SELECT sum(sdc__f)::BIGINT AS records, count(*) AS cells, count(*) FILTER (sdc__f = 1) AS n1, count(*) FILTER (sdc__f = 2) AS n2,
                 coalesce(sdc__exact_sum(CASE WHEN sdc__f = 1 THEN sdc__kept END, 90), 0)::DOUBLE AS kept_uniques,
                 coalesce(sdc__exact_sum(CASE WHEN sdc__f = 2 THEN sdc__kept END, 90), 0)::DOUBLE AS kept_pairs,
                 -- n A, (13)
                 coalesce(sdc__exact_sum(CASE WHEN sdc__f = 1 THEN greatest(0, sdc__expected - sdc__kept) END, 90),
                          0)::DOUBLE AS false_matches,
                 sdc__checked_fraction(sampling_fraction, 'sampling fraction') AS sdc__pi
          FROM query_table(sums));

-- groups: lists of keys that change together; matrices: one for each group, from and to structs of its keys.
CREATE OR REPLACE MACRO sdc__theta_of_groups(tbl, keys, sampling_fraction, groups, matrices) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__category_cells(tbl, keys, NULL)),
    sdc__parts AS MATERIALIZED (SELECT DISTINCT * EXCLUDE (sdc__f, sdc__w, sdc__records) FROM sdc__crossed),
    sdc__sums AS (
        FROM query(CASE WHEN list_bool_and(
                            list_transform(groups,
                                           lambda g, i: sdc__check_changed(
                                               keys, g, list_transform(sdc__names(g), lambda c: matrices[i]))))
                            THEN sdc__through_matrices(
                                list_filter(sdc__names(keys), lambda k: NOT sdc__is_among(k, flatten(groups))),
                                list_transform(groups, lambda g: sdc__as_struct(g)),
                                list_transform(groups,
                                               lambda g, i: 'sdc__misclassification_crossing(''sdc__parts'', '
                                                            || sdc__texts(g) || ', ' || sdc__text(matrices[i]) || ')')) END)
    )
    FROM sdc__theta_of_sums('sdc__sums', sampling_fraction);

-- kept_uniques and kept_pairs: the sums of M_jj over sample uniques and pairs; false_matches: n A.
-- sdc_theta_misclassified: theta where keys are misclassified, each by a matrix of its own.
-- Gives: records BIGINT, cells BIGINT, n1 BIGINT (more risk), n2 BIGINT, kept_uniques DOUBLE (more risk), kept_pairs DOUBLE,
--   false_matches DOUBLE, theta DOUBLE (more risk), most_theta DOUBLE (more risk).
-- Rows: one.
-- Limit: theta. The probability that a unique match is correct, with misclassified keys.
-- Example: FROM sdc_theta_misclassified('persons', ['age', 'sex'], 0.1, ['sex'], ['sexes']);
CREATE OR REPLACE MACRO sdc_theta_misclassified(tbl, keys, sampling_fraction, columns, matrices) AS TABLE
    WITH sdc__crossed AS MATERIALIZED (FROM sdc__category_cells(tbl, keys, NULL)),
    sdc__sums AS (
        FROM query(CASE WHEN sdc__check_changed(keys, columns, matrices) THEN sdc__through_matrices(
                            list_filter(sdc__names(keys), lambda k: NOT sdc__is_among(k, columns)),
                            list_transform(sdc__names(columns), lambda k: sdc__identifier(k)),
                            list_transform(sdc__names(columns),
                                           lambda k, i: 'sdc__misclassification(''sdc__crossed'', ' || sdc__text(k) || ', '
                                                        || sdc__text(matrices[i]) || ')')) END)
    )
    FROM sdc__theta_of_sums('sdc__sums', sampling_fraction);

-- The columns change together, by one matrix whose `from` and `to` are structs.
-- Verb: theta_misclassified
-- sdc_theta_misclassified_crossing: theta where several keys are misclassified together, by one matrix.
-- Gives: records BIGINT, cells BIGINT, n1 BIGINT (more risk), n2 BIGINT, kept_uniques DOUBLE (more risk), kept_pairs DOUBLE,
--   false_matches DOUBLE, theta DOUBLE (more risk), most_theta DOUBLE (more risk).
-- Rows: one.
-- Limit: theta. The probability that a unique match is correct, with misclassified keys.
-- Example: FROM sdc_theta_misclassified_crossing('persons', ['age', 'sex', 'region'], 0.1, ['sex', 'region'], 'crossings');
CREATE OR REPLACE MACRO sdc_theta_misclassified_crossing(tbl, keys, sampling_fraction, columns, matrix) AS TABLE
    FROM sdc__theta_of_groups(tbl, keys, sampling_fraction, [sdc__names(columns)], [matrix]);
