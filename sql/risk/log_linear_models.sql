-- The counts that a log-linear model expects in the cells of the keys. NULL is a category of its own.
--
--   log u_k = x_k' b : main effects of all keys and the interactions of the model
--   a forest (each pair of keys joined by at most one path of pairs) has a closed form (Lauritzen 1996, section 4.4; Chow & Liu 1968):
--       u_k = n prod_i (n_i(k) / n) prod_{pairs ij} n n_ij(k) / (n_i(k) n_j(k)) ,   n_i, n_ij the margins
--   tree: of all forests that with the greatest sum of 2 n I_ij - 2 (c_i - 1)(c_j - 1), I_ij the mutual information of keys i and j and c
--       their categories (Akaike's criterion: of a pair without association I is above 0 by chance, by (c_i - 1)(c_j - 1) / 2n in the
--       mean); pairs where this is not above 0 are left out
--   any other model: iterative proportional fitting over the whole crossing, by numpy (udfs/log_linear)
-- A key that determines another (municipality, district) makes cells impossible: that pair is in every model, and costs the tree nothing.
-- With weights that differ the margins are sums of weights (pseudo maximum likelihood; Skinner & Shlomo 2008, section 2.4): of weights a
-- little below 1 too, as they are. They estimate the population, and raised they would make the cells larger than it has them,
-- the risk less.
-- Source: SDC handbook, section 3.3.6; Chow & Liu (1968), Approximating discrete probability distributions with dependence trees, IEEE
--   Transactions on Information Theory 14, 462-467.
--
-- Scope: cells.

CREATE OR REPLACE MACRO sdc__kernel_log_linear_search(codes, counts, weights, generators, sparse, barred, enough, most) AS
    sdc__needs_python('The search for a log-linear model')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_log_linear(codes, counts, weights, generators, sparse) AS
    sdc__needs_python('A log-linear model that is no forest, or its goodness of fit,')::DOUBLE[][];

-- (Keys that are none, or NULL, are left for sdc__category_cells to refuse.)
CREATE OR REPLACE MACRO sdc__model_keys(keys) AS
    CASE WHEN coalesce(len(sdc__names(keys)), 0) = 0 THEN ['(none)']
         ELSE list_transform(sdc__names(keys), lambda k: coalesce(k, '(none)')) END;

-- All pairs of m keys, and the places of names among the keys.
CREATE OR REPLACE MACRO sdc__key_pairs(m) AS
    flatten(list_transform(range(1, m), lambda i: list_transform(range(i + 1, m + 1), lambda j: [i, j])));
CREATE OR REPLACE MACRO sdc__key_places(keys, names) AS
    list_sort(
        list_transform(
            sdc__names(names),
            lambda n: coalesce(list_position(list_transform(sdc__names(keys), lambda k: sdc__folded(k)), sdc__folded(n)),
                               0)::BIGINT),
        'ASC');

-- The pairs, in their order, that close no circle: the places of the components, then 1000 i + j of each pair that is taken (Kruskal).
CREATE OR REPLACE MACRO sdc__spanned(m, pairs) AS
    list_reduce(pairs,
                lambda s, e: CASE WHEN s[e[1]] = s[e[2]] THEN s
                                  ELSE list_transform(s[1:m], lambda x: CASE WHEN x = s[e[2]] THEN s[e[1]] ELSE x END)
                                       || s[m + 1:] || [e[1] * 1000 + e[2]] END,
                range(1, m + 1))[m + 1:];

-- The cells, whose weights have been checked.
CREATE OR REPLACE MACRO sdc__cells_to_fit(tbl, keys, weight, small_weights) AS TABLE
    SELECT * REPLACE (sdc__checked_weights(sdc__w, sdc__f, small_weights := small_weights) AS sdc__w)
    FROM sdc__category_cells(tbl, keys, weight);

-- The interactions of a model that names them, as places of the keys; NULL for the tree. Or the error.
CREATE OR REPLACE MACRO sdc__interactions(keys, model) AS CASE
    WHEN model::VARCHAR = 'tree' THEN NULL::BIGINT[][]
    WHEN model::VARCHAR = 'independence' THEN []::BIGINT[][]
    WHEN model::VARCHAR = 'two_way' THEN sdc__key_pairs(len(sdc__names(keys)))
    WHEN typeof(model) LIKE '%[][]' AND len(sdc__lists(model)) = list_count(TRY_CAST(model AS VARCHAR[][]))
         AND len(sdc__lists(model)) = len(TRY_CAST(model AS VARCHAR[][])) AND len(sdc__lists(model)) > 0
         AND list_bool_and(list_transform(sdc__lists(model),
                                          lambda g: sdc__key_places(keys, g)[1] > 0
                                                    AND len(list_distinct(sdc__key_places(keys, g))) = len(g)))
        THEN list_sort(list_distinct(list_filter(list_transform(sdc__lists(model), lambda g: sdc__key_places(keys, g)),
                                                 lambda g: len(g) > 1)))
    ELSE error('ParameterError: model is '
               || CASE WHEN typeof(model) = 'VARCHAR' THEN coalesce(model::VARCHAR, 'NULL')
                       ELSE 'no model of these keys' END
               || ': it must be ''tree'', ''independence'', ''two_way'', or a list of interactions, each a list of'
               || ' keys, as in [[''age'', ''sex''], [''region'']].') END;

-- Whether the closed form is of this model; 1000 i + j of its pairs.
CREATE OR REPLACE MACRO sdc__pair_codes(m, interactions) AS
    CASE WHEN list_bool_and(list_prepend(true, list_transform(interactions, lambda g: len(g) = 2)))
             THEN sdc__spanned(m, interactions) END;
CREATE OR REPLACE MACRO sdc__is_forest(m, interactions) AS
    coalesce(interactions IS NULL OR len(sdc__pair_codes(m, interactions)) = len(interactions), false);

CREATE OR REPLACE MACRO sdc__margin_unit(weight) AS
    CASE WHEN typeof(weight) = 'VARCHAR' THEN 'sdc__exact_sum(sdc__w, 60)' ELSE 'sum(sdc__f)::DOUBLE' END;

-- The text of queries over the CTE sdc__crossed (the cells). unit: what is summed in a margin, as text.
CREATE OR REPLACE MACRO sdc__margins(keys, pairs, unit) AS
    'WITH sdc__c AS MATERIALIZED (SELECT '
    || array_to_string(list_transform(keys, lambda k, i: sdc__identifier(k) || ' AS sdc__k' || i), ', ')
    || ', sdc__f, sdc__w, row_number() OVER () AS sdc__id FROM sdc__crossed)'
    || ', sdc__all AS MATERIALIZED (SELECT sum(sdc__f)::DOUBLE AS sdc__n, ' || unit
       || ' AS sdc__s, sdc__exact_sum(sdc__w, 60) AS sdc__persons, count(*) FILTER (sdc__f = 1) AS sdc__uniques FROM'
       || ' sdc__c)'
    || array_to_string(
        list_transform(keys,
                       lambda k, i: ', sdc__o' || i || ' AS MATERIALIZED (SELECT sdc__k' || i || ' AS sdc__x, ' || unit
                                    || ' AS sdc__s, sum(sdc__f)::BIGINT AS sdc__m FROM sdc__c GROUP BY ALL)'),
        '')
    || array_to_string(list_transform(pairs,
                                      lambda p: ', sdc__p' || p[1] || '_' || p[2] || ' AS MATERIALIZED (SELECT sdc__k'
                                                || p[1] || ' AS sdc__x, sdc__k' || p[2] || ' AS sdc__y, ' || unit
                                                || ' AS sdc__s, sum(sdc__f)::BIGINT AS sdc__m FROM sdc__c GROUP BY ALL)'),
                       '');

-- H = -sum (n_x / n) ln(n_x / n) of a margin, and its categories.
CREATE OR REPLACE MACRO sdc__entropy_query(i, j, margin) AS
    'SELECT ' || i || ' AS sdc__i, ' || j
    || ' AS sdc__j, -sdc__exact_sum(m.sdc__s / a.sdc__s * ln(m.sdc__s / a.sdc__s), 90) AS sdc__h, count(*) AS sdc__c FROM '
    || margin || ' AS m, sdc__all AS a';

-- sdc__values: of each key its values, those of one record, the records of the most frequent; sdc__ruled: keys i that determine a key j
-- (of the records beyond the first of a value of i no more than one in a thousand have another j, which by chance, were j independent,
-- would come about with a probability below 0.001 in all pairs together; the most frequent j's share bounds that of a like pair).
CREATE OR REPLACE MACRO sdc__is_rule(more, against, share, m) AS more > 0 AND against * 1000 <= more AND against < (1 - share) * more
    AND (more - against) * ln((1 - against / more) / share) + CASE
        WHEN against > 0 THEN against * ln(against / more / (1 - share)) ELSE 0 END > ln(1000 * m * (m - 1));
CREATE OR REPLACE MACRO sdc__rule_query(i, j, margin, side) AS
    ' UNION ALL SELECT ' || i || ', ' || j
    || ', sum(sdc__t), count(*), sum(sdc__u) FROM (SELECT max(sdc__m)::DOUBLE AS sdc__t, count(*) FILTER (sdc__m = 1) AS'
    || ' sdc__u FROM '
    || margin || ' GROUP BY ' || side || ')';
-- sdc__nearly: pairs of which one key nearly determines the other: it is right for 95 % of the records beyond the first of a value,
--   and wrong for at most half
-- as many as the commonest value alone. The others are seen in combinations that no other record has (more than a fiftieth of the sample
-- uniques, where they are fewer than ten more than a fifth): with the pair in the model each would be credited with 1 / pi persons,
-- without it with those that both keys apart promise. Both are far too many.
CREATE OR REPLACE MACRO sdc__nearly_query() AS
    ', sdc__nearly AS MATERIALIZED (SELECT coalesce(list(DISTINCT [least(d.sdc__i, d.sdc__j)::BIGINT, greatest(d.sdc__i,'
    || ' d.sdc__j)::BIGINT] ORDER BY [least(d.sdc__i, d.sdc__j)::BIGINT, greatest(d.sdc__i, d.sdc__j)::BIGINT] ASC), []) AS'
    || ' sdc__near'
    || ' FROM sdc__determined AS d JOIN sdc__values AS v ON v.sdc__i = d.sdc__j JOIN sdc__values AS g ON g.sdc__i ='
    || ' d.sdc__i CROSS JOIN sdc__all AS a WHERE v.sdc__c > 1 AND a.sdc__persons > a.sdc__n AND a.sdc__n > d.sdc__kept AND'
    || ' 20 * (a.sdc__n - d.sdc__kept) <= a.sdc__n - d.sdc__c'
    || ' AND 2 * (a.sdc__n - d.sdc__kept) <= a.sdc__n - v.sdc__most AND list_max([0, d.sdc__singles - v.sdc__ones -'
    || ' g.sdc__ones]) * CASE WHEN d.sdc__singles - v.sdc__ones - g.sdc__ones < 10 THEN 5 ELSE 50 END > a.sdc__uniques)';
CREATE OR REPLACE MACRO sdc__rules_query(m) AS
    ', sdc__values AS MATERIALIZED ('
    || array_to_string(list_transform(range(1, m + 1),
                                      lambda i: 'SELECT ' || i
                                                || ' AS sdc__i, count(*) AS sdc__c, count(*) FILTER (sdc__m = 1) AS'
                                                || ' sdc__ones, max(sdc__m)::DOUBLE AS sdc__most FROM sdc__o'
                                                || i),
                       ' UNION ALL ')
    || ')'
    || ', sdc__determined AS MATERIALIZED (SELECT 0 AS sdc__i, 0 AS sdc__j, 0e0 AS sdc__kept, 0 AS sdc__c, 0 AS sdc__singles'
    || array_to_string(list_transform(sdc__key_pairs(m),
                                      lambda p: sdc__rule_query(p[1], p[2], 'sdc__p' || p[1] || '_' || p[2], 'sdc__x')
                                                || sdc__rule_query(p[2], p[1], 'sdc__p' || p[1] || '_' || p[2], 'sdc__y')),
                       '')
    || '), sdc__ruled AS MATERIALIZED (SELECT d.sdc__i, d.sdc__j FROM sdc__determined AS d JOIN sdc__values AS v ON'
       || ' v.sdc__i = d.sdc__j CROSS JOIN sdc__all AS a WHERE v.sdc__c > 1 AND sdc__is_rule(a.sdc__n - d.sdc__c, a.sdc__n'
       || ' - d.sdc__kept, v.sdc__most / a.sdc__n, '
       || m || '))'
    || sdc__nearly_query();

-- sdc__sparsity: the keys of many values (at least ten, and more than one to five records; at least fifty, and more than one to
--   ten; or ten and
-- more that one record has each, these more than a fiftieth of the sample uniques): what their records say of the persons who share a
-- value is not enough to count on. sdc__sparse: those that no other of them determines; sdc__barred: the interactions (pairs) with one of
-- them that the counts do not bear.
CREATE OR REPLACE MACRO sdc__has_many(c, ones, n, uniques) AS
    (c >= 10 AND 5 * c > n) OR (c >= 50 AND 10 * c > n) OR (ones >= 10 AND 50 * ones > uniques);
CREATE OR REPLACE MACRO sdc__sparsity_query() AS
    ', sdc__many AS MATERIALIZED (SELECT v.sdc__i FROM sdc__values AS v, sdc__all AS a WHERE a.sdc__persons > a.sdc__n AND'
    || ' sdc__has_many(v.sdc__c, v.sdc__ones, a.sdc__n, a.sdc__uniques))'
    || ', sdc__sparsity AS MATERIALIZED (SELECT'
    || ' (SELECT coalesce(list(sdc__i::BIGINT ORDER BY sdc__i ASC), []) FROM sdc__many AS k WHERE NOT EXISTS (FROM'
    || ' sdc__ruled AS r JOIN sdc__many AS o ON r.sdc__i = o.sdc__i WHERE r.sdc__j = k.sdc__i'
    || ' AND (r.sdc__i < r.sdc__j OR NOT EXISTS (FROM sdc__ruled AS b WHERE b.sdc__i = r.sdc__j AND b.sdc__j = r.sdc__i)))) AS sdc__sparse,'
    || ' (SELECT coalesce(list([sdc__i::BIGINT, sdc__j::BIGINT] ORDER BY sdc__i ASC, sdc__j ASC), []) FROM sdc__scored'
    || ' WHERE NOT sdc__score > 0 AND (sdc__i IN (SELECT sdc__i FROM sdc__many) OR sdc__j IN (SELECT sdc__i FROM'
    || ' sdc__many))) AS sdc__barred)';

-- sdc__uneven: the squared coefficient of variation of the weights of sample uniques that are alike in all keys but those of many
--   values. How many values have
-- one record, two, three, ... is a matter of the rates, too: where these differ it says less (log_linear_risk.sql).
CREATE OR REPLACE MACRO sdc__uneven_query(m) AS
    ', sdc__uneven AS MATERIALIZED (SELECT coalesce(round(sum(sdc__n * sdc__v) / sum(sdc__n), 9), 0) AS sdc__cv2 FROM'
    || ' (SELECT count(*) AS sdc__n, var_pop(sdc__w) / avg(sdc__w) ** 2 AS sdc__v FROM sdc__c, sdc__sparsity WHERE sdc__f ='
    || ' 1 AND len(sdc__sparse) > 0 GROUP BY '
    || array_to_string(
        list_transform(range(1, m + 1),
                       lambda i: 'CASE WHEN NOT list_contains(sdc__sparse, ' || i || ') THEN sdc__k' || i || ' END'),
        ', ')
       || '))';

CREATE OR REPLACE MACRO sdc__unborne_query() AS
    'list_filter(sdc__barred, lambda b: list_bool_or(list_prepend(false, list_transform(sdc__interactions, lambda g:'
    || ' list_has_all(g, b)))))';

-- sdc__chosen: the model. A pair of which one key determines the other is in every one (cells that it makes impossible expect nobody), and
-- costs the tree no parameters. given: the interactions, or NULL for the tree; by_crossing: they may close circles.
CREATE OR REPLACE MACRO sdc__chosen_query(m, given, by_crossing) AS
    ', sdc__one AS MATERIALIZED ('
    || array_to_string(list_transform(range(1, m + 1), lambda i: sdc__entropy_query(i, 0, 'sdc__o' || i)), ' UNION ALL ')
    || ')'
    || ', sdc__two AS ('
       || array_to_string(
        list_prepend('SELECT 0 AS sdc__i, 0 AS sdc__j, 0e0 AS sdc__h, 0 AS sdc__c',
                     list_transform(sdc__key_pairs(m),
                                    lambda p: sdc__entropy_query(p[1], p[2], 'sdc__p' || p[1] || '_' || p[2]))),
        ' UNION ALL ')
       || ')'
    || ', sdc__scored AS MATERIALIZED (SELECT *, sdc__gain - CASE WHEN sdc__is_ruled THEN 0 ELSE sdc__cost END AS'
    || ' sdc__score FROM (SELECT t.sdc__i, t.sdc__j, 2 * sdc__n * (x.sdc__h + y.sdc__h - t.sdc__h) AS sdc__gain, 2e0 *'
    || ' (x.sdc__c - 1) * (y.sdc__c - 1) AS sdc__cost,'
    || ' EXISTS (FROM sdc__ruled AS r WHERE least(r.sdc__i, r.sdc__j) = t.sdc__i AND greatest(r.sdc__i, r.sdc__j) ='
    || ' t.sdc__j) AS sdc__is_ruled FROM sdc__two AS t JOIN sdc__one AS x ON t.sdc__i = x.sdc__i JOIN sdc__one AS y ON'
    || ' t.sdc__j = y.sdc__i, sdc__all))'
    || sdc__sparsity_query() || sdc__uneven_query(m)
    || CASE WHEN given IS NOT NULL AND by_crossing
        THEN ', sdc__chosen AS MATERIALIZED (SELECT list_concat(sdc__given, list_filter(sdc__rules, lambda r: NOT'
             || ' list_bool_or(list_prepend(false, list_transform(sdc__given, lambda g: list_has_all(g, r)))))) AS'
             || ' sdc__interactions FROM (SELECT '
             || given::VARCHAR || '::BIGINT[][] AS sdc__given,'
             || ' (SELECT coalesce(list([sdc__i::BIGINT, sdc__j::BIGINT] ORDER BY sdc__i ASC, sdc__j ASC) FILTER'
             || ' (sdc__is_ruled), []::BIGINT[][]) FROM sdc__scored) AS sdc__rules))'
        ELSE ', sdc__forest AS MATERIALIZED (SELECT sdc__spanned(' || m
             || ', coalesce(list([sdc__i::BIGINT, sdc__j::BIGINT] ORDER BY sdc__is_given DESC, CASE WHEN sdc__is_given THEN'
             || ' 0 ELSE sdc__score END DESC, sdc__i ASC, sdc__j ASC) FILTER (WHERE '
             || CASE WHEN given IS NULL THEN 'sdc__score > 0' ELSE 'sdc__is_given OR sdc__is_ruled' END
                || '), []::BIGINT[][])) AS sdc__pairs FROM (SELECT *, list_contains('
                || coalesce(given, []::BIGINT[][])::VARCHAR
                || '::BIGINT[][], [sdc__i::BIGINT, sdc__j::BIGINT]) AS sdc__is_given FROM sdc__scored))'
             || ', sdc__chosen AS MATERIALIZED (SELECT list_transform(sdc__pairs, lambda c: [c // 1000, c % 1000]) AS'
             || ' sdc__interactions FROM sdc__forest)'
    END;

-- sdc__fitted: the cells with sdc__lambda, the persons of the population that are expected there (which: a condition, for speed);
--   sdc__model:
-- the interactions, and the dispersion. Of a forest: the margins of pairs that are not in it join nothing.
CREATE OR REPLACE MACRO sdc__forest_query(keys, pairs, which) AS
    ', sdc__fitted AS MATERIALIZED (SELECT c.*, exp(ln(a.sdc__persons)'
    || array_to_string(list_transform(keys, lambda k, i: ' + ln(o' || i || '.sdc__s / a.sdc__s)'), '')
    || array_to_string(
        list_transform(pairs,
                       lambda p: ' + coalesce(ln(p' || p[1] || '_' || p[2] || '.sdc__s / a.sdc__s) - ln(o' || p[1]
                                 || '.sdc__s / a.sdc__s) - ln(o' || p[2] || '.sdc__s / a.sdc__s), 0)'),
        '')
    || ') AS sdc__lambda FROM (SELECT * FROM sdc__c WHERE ' || which || ') AS c CROSS JOIN sdc__all AS a'
    || array_to_string(list_transform(keys,
                                      lambda k, i: ' JOIN sdc__o' || i || ' AS o' || i || ' ON c.sdc__k' || i
                                                   || ' IS NOT DISTINCT FROM o' || i || '.sdc__x'),
                       '')
    || array_to_string(
        list_transform(pairs,
                       lambda p: ' LEFT JOIN (SELECT * FROM sdc__p' || p[1] || '_' || p[2]
                                 || ' WHERE (SELECT list_contains(sdc__interactions, ' || p::VARCHAR
                                 || '::BIGINT[]) FROM sdc__chosen)) AS p' || p[1] || '_' || p[2] || ' ON c.sdc__k' || p[1]
                                 || ' IS NOT DISTINCT FROM p' || p[1] || '_' || p[2] || '.sdc__x AND c.sdc__k' || p[2]
                                 || ' IS NOT DISTINCT FROM p' || p[1] || '_' || p[2] || '.sdc__y'),
        '')
    || '), sdc__model AS (SELECT sdc__interactions, 0e0 AS sdc__dispersion, []::DOUBLE[] AS sdc__figures FROM sdc__chosen)';
CREATE OR REPLACE MACRO sdc__generators() AS
    '(SELECT array_to_string(list_transform(sdc__interactions, lambda g: array_to_string(g, '','')), '';'') FROM'
    || ' sdc__chosen)';
CREATE OR REPLACE MACRO sdc__arguments_of_crossing(m) AS
    '[' || array_to_string(list_transform(range(1, m + 1), lambda i: 'list(sdc__r' || i || ' ORDER BY sdc__id ASC)'), ', ')
    || ']::BIGINT[][], list(sdc__f::DOUBLE ORDER BY sdc__id ASC), list(sdc__w ORDER BY sdc__id ASC)';
CREATE OR REPLACE MACRO sdc__numbered_query(m) AS
    ', sdc__numbered AS MATERIALIZED (SELECT c.*'
    || array_to_string(list_transform(range(1, m + 1), lambda i: ', o' || i || '.sdc__r AS sdc__r' || i), '')
    || ' FROM sdc__c AS c'
    || array_to_string(
        list_transform(range(1, m + 1),
                       lambda i: ' JOIN (SELECT sdc__x, row_number() OVER (ORDER BY sdc__x ASC) AS sdc__r FROM sdc__o' || i
                                 || ') AS o' || i || ' ON c.sdc__k' || i || ' IS NOT DISTINCT FROM o' || i || '.sdc__x'),
        '')
       || ')';
CREATE OR REPLACE MACRO sdc__crossing_query(keys, which) AS
    ', sdc__fit AS MATERIALIZED (SELECT sdc__kernel_log_linear(' || sdc__arguments_of_crossing(len(sdc__names(keys)))
    || ', ' || sdc__generators() || ', (SELECT sdc__sparse::DOUBLE[] FROM sdc__sparsity)) AS sdc__k FROM sdc__numbered)'
    || ', sdc__fitted AS (SELECT c.*, sdc__lambda FROM sdc__c AS c JOIN (SELECT unnest(sdc__k[1]) AS sdc__lambda,'
       || ' unnest(range(1, len(sdc__k[1]) + 1)) AS sdc__id FROM sdc__fit) AS l ON c.sdc__id = l.sdc__id WHERE '
       || which || ')'
    || ', sdc__model AS (SELECT sdc__interactions, sdc__k[2][9] AS sdc__dispersion, sdc__k[2] AS sdc__figures FROM sdc__chosen, sdc__fit)';

-- All of it. crossed: whether the fit is over the whole crossing even of a forest. (Each argument stands once in the text: written out at
-- each mention, they take DuckDB seconds to bind. Lambdas of other names than those within.)
CREATE OR REPLACE MACRO sdc__log_linear_query(keys, interactions, pairs, unit, by_crossing, which) AS
    sdc__margins(keys, pairs, unit) || sdc__rules_query(len(sdc__names(keys)))
    || sdc__chosen_query(len(sdc__names(keys)), interactions, by_crossing) || sdc__numbered_query(len(sdc__names(keys)))
    || CASE WHEN by_crossing THEN sdc__crossing_query(keys, which) ELSE sdc__forest_query(keys, pairs, which) END;
CREATE OR REPLACE MACRO sdc__model_query(keys, weight, model, crossed, which) AS
    list_transform(
        [sdc__model_keys(keys)],
        lambda sdc__ks: list_transform([sdc__interactions(sdc__ks, model)],
                                       lambda sdc__is: list_transform(
                                           [sdc__key_pairs(len(sdc__ks))],
                                           lambda sdc__ps: list_transform(
                                               [crossed OR NOT sdc__is_forest(len(sdc__ks), sdc__is)],
                                               lambda sdc__x: sdc__log_linear_query(
                                                   sdc__ks, sdc__is, sdc__ps, sdc__margin_unit(weight), sdc__x,
                                                   which))[1])[1])[1])[1];
