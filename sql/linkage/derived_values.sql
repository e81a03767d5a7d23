-- What can be worked out is not suppressed: hidden values that other released columns, alone or in pairs, give back.
--
--   hidden: suppressed values (NULL in the released table, not in the original one), and coarsened ones (released as a value that
--     stands for
--   several original ones). A cell: the released records that agree on the giver and whose value is known: of a suppressed variable the
--   released values that are not NULL, of a coarsened one the original values (an intruder knows what districts and years of birth mean).
--   m_c = the known values of cell c, t_c = those that are its commonest one
--   support = sum (m_c - 1),   contradictions = sum (m_c - t_c)             over the cells: what the rule "giver, hence value" was tried on
--   exact   no contradiction, and p^support < 1e-6, p the share of the variable's commonest value: by chance alone it would not hold
--   near    at most 0.1 % of the support contradicts, and at most half of what contradicts the commonest value alone: one coding
--           error hides a leak (of coarsened values: and half of them stand in cells of two or more, or what the giver means is no
--           rule)
--   cells   neither; but some cells have at least ten known values besides, all equal
--   given_back = the hidden values in a cell (of a rule `cells`: in such a cell), share_right = the share of them for which its commonest
--   value is right
--   margin = the share of the variable's hidden values for which its commonest value is right,   gain = share_right - margin
-- Source: Samarati & Sweeney (1998), section 4 (attributes that determine others); Huhtala, Karkkainen, Porkka & Toivonen (1999),
--   TANE: an efficient algorithm for discovering functional and approximate dependencies, The Computer Journal 42, 100-111 (g_3,
--   the contradictions of a rule). The bound of chance: m values drawn alike agree with probability sum p_b^m <= p^(m - 1).
--
--   original: id district region   released: id district region
--             1  a        n                  1  a        n
--             2  a        n                  2  a        n
--             3  a        n                  3  a        n
--             4  a        n                  4  a        n
--             5  a        n                  5  a        n
--             6  a        n                  6  a        n
--             7  a        n                  7  a        n
--             8  a        n                  8  a        n
--             9  a        n                  9  a        n
--             10 a        n                  10 a        n
--             11 a        n                  11 a        NULL
--             12 b        s                  12 b        s
--             13 b        s                  13 b        s
--             14 b        s                  14 b        s
--             15 b        s                  15 b        s
--             16 b        s                  16 b        s
--             17 b        s                  17 b        s
--             18 b        s                  18 b        s
--             19 b        s                  19 b        s
--             20 b        s                  20 b        s
--             21 b        s                  21 b        s
--             22 b        s                  22 b        s
--             23 b        s                  23 b        NULL
--   FROM sdc_derived_values('original', 'released', 'id', ['region'], [['district']]):
--   giver      variable masked     rule  hidden given_back share_right margin gain support contradictions narrowed
--   [district] region   suppressed cells 2      2          1           0.5    0.5  19      0              2
--     by chance it would hold with probability (11 / 21)^19 = 4.6e-6, which is above 1e-6
--
-- The hidden value itself is never part of its cell: a suppressed one is not known, a coarsened one is left out. A giver with NULL says
-- nothing of that record. A suppressed value that was recoded before is right where another record of its original value was released
-- with that label. A pair of givers is told where it gives more back than either of them alone. Without a giver for a variable there is
-- no row. In Python all columns and all their pairs are tried, after a sieve; here those that are named.
--
-- With household numbers the values that a member's own household shows do not count as known: these are the household's to protect,
-- whatever the rule of a column.
--
-- Scope: table.
-- Completed: no (what gives a value back, the number of the household among them, is looked for in the file as it stands).
-- Not compiled: it compares two files, and its text is made of the names of the givers.
-- Parameters:
--   original   table             the table before masking
--   released   table             the table after it
--   id         column            identifies each record in both
--   columns    columns           the variables whose hidden values are looked for
--   givers     lists of columns  released columns that may give them back, one or two in a list
--   household  column            the household numbers; NULL: no record belongs to others

CREATE OR REPLACE MACRO sdc__checked_givers(givers) AS
    CASE WHEN typeof(givers) LIKE '%[][]' AND len(givers) > 0 AND len(sdc__lists(givers)) = len(givers)
              AND list_aggregate(list_transform(sdc__lists(givers), lambda g: len(g)), 'max') <= 2
             THEN sdc__lists(givers)
         ELSE error('ParameterError: givers is to be a list of lists of one or two columns, as in [[''district''],'
                    || ' [''age'', ''sex'']].') END;

-- What is tried: the place of a giver, of a variable, and 0 for suppressed, 1 for coarsened values. A variable tells nothing of itself.
CREATE OR REPLACE MACRO sdc__some_derivations(tasks) AS
    CASE WHEN len(tasks) > 0 THEN tasks
         ELSE error('ParameterError: Each giver is the variable itself: name other released columns among the givers.') END;
CREATE OR REPLACE MACRO sdc__derivations(columns, givers) AS
    sdc__some_derivations(
        list_filter(
            flatten(flatten(list_transform(
                                range(1, len(givers) + 1),
                                lambda i: list_transform(range(1, len(columns) + 1), lambda j: [[i, j, 0], [i, j, 1]])))),
            lambda t: NOT sdc__is_among(columns[t[2]], givers[t[1]]) OR (t[3] = 1 AND len(givers[t[1]]) > 1)));

-- Columns of the pairs in a text: of the giver (g), the original (o) and the released value (r).
CREATE OR REPLACE MACRO sdc__side_of(side, name) AS sdc__identifier('sdc__' || side || '_' || name);
CREATE OR REPLACE MACRO sdc__giver_columns(giver) AS
    array_to_string(list_transform(giver, lambda n, i: sdc__side_of('g', sdc__folded(n)) || ' AS sdc__a' || i), ', ');
CREATE OR REPLACE MACRO sdc__giver_known(giver) AS
    array_to_string(list_transform(giver, lambda n: sdc__side_of('g', sdc__folded(n)) || ' IS NOT NULL'), ' AND ');
CREATE OR REPLACE MACRO sdc__giver_names(giver) AS array_to_string(list_transform(giver, lambda n, i: 'sdc__a' || i), ', ');

-- Whether a guess is right: the label of the original value, or the value itself.
CREATE OR REPLACE MACRO sdc__guessed_right(j, masked) AS
    CASE masked WHEN 0 THEN '(sdc__truth = sdc__guess OR (sdc__truth, sdc__guess) IN (SELECT (sdc__o, sdc__r) FROM sdc__l'
                            || j || '))'
                ELSE 'sdc__truth = sdc__guess' END;

-- Whether a value is hidden, and the values that are known of the variable.
CREATE OR REPLACE MACRO sdc__hidden_where(name, j, masked) AS
    sdc__side_of('o', name) || ' IS NOT NULL AND ' || sdc__side_of('r', name)
    || CASE masked WHEN 0 THEN ' IS NULL' ELSE ' IN (FROM sdc__s' || j || ')' END;
CREATE OR REPLACE MACRO sdc__known_side(name, masked) AS sdc__side_of(CASE masked WHEN 0 THEN 'r' ELSE 'o' END, name);

-- What is counted: known values (sdc__t) with how many records have each (sdc__n) and how many such values there are (sdc__v), and hidden
-- ones (sdc__truth) with their number (sdc__x); of a derivation by cell. counted: from relations of these counts; else from the records.
CREATE OR REPLACE MACRO sdc__margin_known(name, j, masked, counted) AS
    CASE WHEN counted THEN 'SELECT sdc__t, sdc__n, sdc__v FROM sdc__all_known WHERE sdc__task = ' || (-2 * j - masked)
         ELSE 'SELECT ' || sdc__known_side(name, masked) || ' AS sdc__t, count(*) AS sdc__n, 1 AS sdc__v FROM sdc__paired WHERE '
              || sdc__known_side(name, masked) || ' IS NOT NULL GROUP BY ALL' END;
CREATE OR REPLACE MACRO sdc__margin_hidden(name, j, masked, counted) AS
    CASE WHEN counted THEN 'SELECT sdc__truth, sdc__x FROM sdc__all_hidden WHERE sdc__task = ' || (-2 * j - masked)
         ELSE 'SELECT ' || sdc__side_of('o', name) || ' AS sdc__truth, count(*) AS sdc__x FROM sdc__h' || j || '_' || masked
              || ' GROUP BY ALL' END;

-- Of variable j: h<j>_<masked> the records that hide it (where these are not counted yet), m<j>_<masked> its margin, w<j>_<masked> how many
-- hide it and how many of them the margin gets right.
CREATE OR REPLACE MACRO sdc__derived_margin(name, j, masked, counted) AS
    'sdc__m' || j || '_' || masked
       || ' AS MATERIALIZED (SELECT sdc__top.n AS sdc__most, sdc__top.t AS sdc__guess, sdc__known FROM (SELECT'
       || ' max({''n'': sdc__n, ''t'': sdc__t}) AS sdc__top, sum(sdc__n * sdc__v) AS sdc__known FROM ('
    || sdc__margin_known(name, j, masked, counted) || '))), '
    -- (those of a coarsened variable may be all records: they are counted, not kept)
    || CASE WHEN counted THEN ''
            ELSE 'sdc__h' || j || '_' || masked || CASE masked WHEN 0 THEN ' AS MATERIALIZED' ELSE ' AS NOT MATERIALIZED' END
                 || ' (FROM sdc__paired WHERE ' || sdc__hidden_where(name, j, masked) || '), ' END
    || 'sdc__w' || j || '_' || masked
       || ' AS MATERIALIZED (SELECT coalesce(sum(sdc__x), 0)::BIGINT AS sdc__hidden, coalesce(sum(sdc__x) FILTER ('
       || sdc__guessed_right(j, masked) || '), 0)::BIGINT AS sdc__by_margin FROM ('
    || sdc__margin_hidden(name, j, masked, counted) || '), sdc__m' || j || '_' || masked || ')';
-- And: l<j> its original values with their released ones, s<j> the released ones that stand for several (likewise).
CREATE OR REPLACE MACRO sdc__derived_variable(name, j, counted) AS
    'sdc__l' || j || ' AS MATERIALIZED ('
    || CASE WHEN counted THEN 'SELECT sdc__o, sdc__r FROM sdc__all_labels WHERE sdc__j = ' || j
            ELSE 'SELECT DISTINCT ' || sdc__side_of('o', name) || ' AS sdc__o, ' || sdc__side_of('r', name)
                 || ' AS sdc__r FROM sdc__paired WHERE ' || sdc__side_of('o', name) || ' IS NOT NULL AND ' || sdc__side_of('r', name)
                 || ' IS NOT NULL), '
                 || 'sdc__s' || j || ' AS MATERIALIZED (SELECT ' || sdc__side_of('r', name) || ' AS sdc__r FROM sdc__paired WHERE '
                 || sdc__side_of('r', name) || ' IS NOT NULL GROUP BY ' || sdc__side_of('r', name) || ' HAVING min('
                 || sdc__side_of('o', name) || ') <> max(' || sdc__side_of('o', name) || ')' END
    || '), ' || sdc__derived_margin(name, j, 0, counted) || ', ' || sdc__derived_margin(name, j, 1, counted);

-- Of a derivation: its values by cell (k<n>), the hidden ones (x<n>), and the cells in which these stand (c<n>): with the value that is
-- the commonest, of several the greatest. The cells of a fine giver are as many as records, those of hidden values are few.
CREATE OR REPLACE MACRO sdc__known_where(giver, name, j, masked, apart) AS
    sdc__giver_known(giver) || ' AND ' || sdc__known_side(name, masked) || ' IS NOT NULL'
    || CASE WHEN apart AND masked = 0 THEN ' AND sdc__home NOT IN (SELECT sdc__home FROM sdc__h' || j || '_' || masked || ')'
            ELSE '' END;
CREATE OR REPLACE MACRO sdc__cell_known(giver, name, j, masked, n, apart, counted) AS
    CASE WHEN counted THEN 'SELECT sdc__cell AS sdc__a1, sdc__t, sdc__n, sdc__v FROM sdc__all_known WHERE sdc__task = ' || n
         ELSE 'SELECT ' || sdc__giver_columns(giver) || ', ' || sdc__known_side(name, masked)
              || ' AS sdc__t, count(*) AS sdc__n, 1 AS sdc__v'
              || CASE masked WHEN 0 THEN '' ELSE ', count(*) FILTER (' || sdc__hidden_where(name, j, 1) || ') AS sdc__x' END
              || ' FROM sdc__paired WHERE ' || sdc__known_where(giver, name, j, masked, apart) || ' GROUP BY ALL' END;
CREATE OR REPLACE MACRO sdc__cell_hidden(giver, name, j, masked, n, counted) AS
    CASE WHEN counted THEN 'SELECT sdc__cell AS sdc__a1, sdc__truth, sdc__x FROM sdc__all_hidden WHERE sdc__task = ' || n
         WHEN masked = 0 THEN 'SELECT ' || sdc__giver_columns(giver) || ', ' || sdc__side_of('o', name)
                              || ' AS sdc__truth, count(*) AS sdc__x FROM sdc__h' || j || '_0 WHERE ' || sdc__giver_known(giver)
                              || ' GROUP BY ALL'
         ELSE 'SELECT ' || sdc__giver_names(giver) || ', sdc__t AS sdc__truth, sdc__x FROM sdc__k' || n || ' WHERE sdc__x > 0' END;
CREATE OR REPLACE MACRO sdc__derived_cells(giver, name, j, masked, n, apart, counted) AS
    'sdc__k' || n || ' AS MATERIALIZED (' || sdc__cell_known(giver, name, j, masked, n, apart, counted) || '), '
    || 'sdc__x' || n || ' AS MATERIALIZED (' || sdc__cell_hidden(giver, name, j, masked, n, counted) || '), '
    || 'sdc__c' || n || ' AS MATERIALIZED (SELECT ' || sdc__giver_names(giver)
    || ', sdc__m, sdc__d, max(sdc__t) AS sdc__guess FROM (SELECT ' || sdc__giver_names(giver)
    || ', sum(sdc__n * sdc__v)::BIGINT AS sdc__m, sum(sdc__v) AS sdc__d, max(sdc__n) AS sdc__n FROM sdc__k' || n || ' SEMI JOIN sdc__x' || n
    || ' USING (' || sdc__giver_names(giver) || ') GROUP BY ' || sdc__giver_names(giver) || ') JOIN sdc__k' || n
    || ' USING (' || sdc__giver_names(giver) || ', sdc__n) GROUP BY ALL)';
CREATE OR REPLACE MACRO sdc__derived_row(giver, i, j, masked, n) AS
    'SELECT ' || i || ' AS sdc__i, ' || j || ' AS sdc__j, ' || masked
    || ' AS sdc__masked, sdc__e.*, sdc__h.*, sdc__w.*, sdc__most, sdc__known FROM '
    || '(SELECT coalesce(sum(sdc__m - 1), 0)::BIGINT AS sdc__support, coalesce(sum(sdc__m - sdc__t), 0)::BIGINT AS'
       || ' sdc__apart FROM (SELECT sum(sdc__n * sdc__v)::BIGINT AS sdc__m, max(sdc__n) AS sdc__t FROM sdc__k' || n || ' GROUP BY '
       || sdc__giver_names(giver) || ')) AS sdc__e, '
    || '(SELECT coalesce(sum(sdc__x) FILTER (sdc__m > ' || masked
       || '), 0)::BIGINT AS sdc__back, coalesce(sum(sdc__x) FILTER (sdc__m > ' || masked
       || ' AND sdc__ok), 0)::BIGINT AS sdc__back_right, '
    || 'coalesce(sum(sdc__x) FILTER (sdc__m >= ' || (10 + masked)
       || ' AND sdc__d = 1), 0)::BIGINT AS sdc__sure, coalesce(sum(sdc__x) FILTER (sdc__m >= ' || (10 + masked)
       || ' AND sdc__d = 1 AND sdc__ok), 0)::BIGINT AS sdc__sure_right, '
    || 'coalesce(sum(sdc__x) FILTER (sdc__m >= ' || (10 + masked)
       || ' AND sdc__d <= 3), 0)::BIGINT AS sdc__few FROM (SELECT sdc__x, sdc__m, sdc__d, ' || sdc__guessed_right(j, masked)
       || ' AS sdc__ok FROM sdc__x' || n || ' JOIN sdc__c' || n || ' USING (' || sdc__giver_names(giver) || '))) AS sdc__h, '
    || 'sdc__w' || j || '_' || masked || ' AS sdc__w, sdc__m' || j || '_' || masked;
CREATE OR REPLACE MACRO sdc__derived_query(columns, givers, tasks, apart, counted) AS
    'WITH ' || array_to_string(list_transform(columns, lambda c, j: sdc__derived_variable(c, j, counted)), ', ')
    || array_to_string(
        list_transform(tasks, lambda t, n: ', ' || sdc__derived_cells(givers[t[1]], columns[t[2]], t[2], t[3], n, apart, counted)),
        '')
       || ' '
    || array_to_string(list_transform(tasks,
                                      lambda t, n: sdc__derived_row(givers[t[1]], t[1], t[2], t[3], n)),
                       ' UNION ALL ');

-- Of what was tried (the name of the relation) the rule, and the figures by it.
CREATE OR REPLACE MACRO sdc__derived_ruled(tried) AS TABLE
    WITH sdc__ruled AS (
        SELECT *, CASE WHEN sdc__masked = 1 AND 2 * sdc__back < sdc__hidden THEN 2
                       WHEN sdc__apart = 0 AND sdc__support * ln(1e0 * sdc__most / sdc__known) < ln(1e-6) THEN 0
                       WHEN sdc__apart > 0 AND 1000 * sdc__apart <= sdc__support
                            AND 2 * sdc__apart <= sdc__known - sdc__most
                           THEN 1
                       ELSE 2 END AS sdc__rule
        FROM query_table(tried)
    )
    SELECT sdc__i, sdc__j, sdc__masked, sdc__rule, sdc__hidden,
           CASE WHEN sdc__rule < 2 THEN sdc__back ELSE sdc__sure END AS sdc__given,
           CASE WHEN sdc__rule < 2 THEN sdc__back_right ELSE sdc__sure_right END AS sdc__right,
           sdc__by_margin, sdc__support, sdc__apart, sdc__few
    FROM sdc__ruled;

-- No rows, or the error of ids that do not pair: by their texts, as records are joined here; as they are, where both are whole numbers,
-- dates or truth values of one type (of which two are equal where their texts are).
CREATE OR REPLACE MACRO sdc__check_derived(original, released, id) AS TABLE
    WITH sdc__sides AS NOT MATERIALIZED (
        SELECT true AS sdc__first, COLUMNS(sdc__columns((*), [id]))::VARCHAR AS sdc__person FROM sdc__exact_rows(original, codes := [id])
        UNION ALL
        SELECT false, COLUMNS(sdc__columns((*), [id]))::VARCHAR FROM sdc__exact_rows(released, codes := [id])
    )
    FROM sdc__refused_pairs('sdc__sides', id);
CREATE OR REPLACE MACRO sdc__check_derived_alike(original, released, id) AS TABLE
    WITH sdc__sides AS NOT MATERIALIZED (
        SELECT true AS sdc__first, COLUMNS(sdc__columns((*), [id])) AS sdc__person FROM sdc__exact_rows(original, codes := [id])
        UNION ALL
        SELECT false, COLUMNS(sdc__columns((*), [id])) FROM sdc__exact_rows(released, codes := [id])
    )
    FROM sdc__refused_pairs('sdc__sides', id);

-- Every derivation that is tried, with its rule and its figures, also where it gives nothing back.
CREATE OR REPLACE MACRO sdc__derived(original, released, id, columns, givers, tasks, household := NULL) AS TABLE
    WITH sdc__before AS (
        SELECT COLUMNS(sdc__columns((*), [id]))::VARCHAR AS sdc__person,
               COLUMNS(sdc__columns((*), columns))::VARCHAR AS "sdc__o_\0"
        FROM sdc__exact_rows(original, codes := columns, compared := [id])
    ),
    sdc__after AS (
        SELECT COLUMNS(sdc__columns((*), [id]))::VARCHAR AS sdc__same,
               coalesce(COLUMNS(sdc__named_column((*), household))::VARCHAR, '') AS sdc__home,
               COLUMNS(sdc__columns((*), columns))::VARCHAR AS "sdc__r_\0",
               COLUMNS(sdc__columns((*), list_distinct(list_transform(flatten(givers), lambda g: sdc__folded(g))))) AS "sdc__g_\0"
        FROM sdc__exact_rows(released, codes := columns, compared := [id])
    ),
    sdc__paired AS MATERIALIZED (
        SELECT sdc__before.* EXCLUDE (sdc__person), sdc__after.* EXCLUDE (sdc__same)
        FROM sdc__before
        JOIN sdc__after ON sdc__person = sdc__same
        LEFT JOIN sdc__check_derived(original, released, id) AS sdc__none ON true
    ),
    sdc__tried AS (FROM query(sdc__derived_query(sdc__names(columns), givers, tasks, household IS NOT NULL, false)))
    FROM sdc__derived_ruled('sdc__tried');

-- The same of counts (sdc_sql/linkage/counted_derivations.py), with numbers in the place of the values, in their order as texts: of known
-- and hidden values by task (its place; -2 j - masked: the margin of variable j) and cell; labels: each original value of variable j with
-- those released for it.
CREATE OR REPLACE MACRO sdc__counted_derived(known, hidden, labels, columns, tasks) AS TABLE
    WITH sdc__all_known AS NOT MATERIALIZED (FROM query_table(known)),
    sdc__all_hidden AS NOT MATERIALIZED (FROM query_table(hidden)),
    sdc__all_labels AS NOT MATERIALIZED (FROM query_table(labels)),
    sdc__tried AS (
        FROM query(sdc__derived_query(columns, list_transform(range(list_max(flatten(tasks))), lambda i: ['cell']), tasks, false, true))
    )
    FROM sdc__derived_ruled('sdc__tried');

-- Of those (the name of the relation) the ones that are told; a pair only where it says more than either of its columns.
CREATE OR REPLACE MACRO sdc__derived_told(derived, columns, givers) AS TABLE
    WITH sdc__named AS (
        SELECT *, list_transform(givers[sdc__i], lambda g: sdc__folded(g)) AS sdc__of
        FROM query_table(derived)
        WHERE sdc__hidden > 0
    )
    SELECT givers[sdc__i] AS giver, columns[sdc__j] AS variable, ['suppressed', 'coarsened'][1 + sdc__masked] AS masked,
           ['exact', 'near', 'cells'][1 + sdc__rule] AS rule,
           sdc__hidden AS hidden, sdc__given AS given_back, 1e0 * sdc__right / nullif(sdc__given, 0) AS share_right,
           1e0 * sdc__by_margin / sdc__hidden AS margin,
           1e0 * sdc__right / nullif(sdc__given, 0) - 1e0 * sdc__by_margin / sdc__hidden AS gain, sdc__support AS support,
           sdc__apart AS contradictions, sdc__few AS narrowed
    FROM sdc__named AS sdc__p
    WHERE (sdc__given > 0 OR sdc__few > 0) AND NOT EXISTS (
        FROM sdc__named AS sdc__s
        WHERE len(sdc__s.sdc__of) < len(sdc__p.sdc__of) AND list_contains(sdc__p.sdc__of, sdc__s.sdc__of[1])
              AND sdc__s.sdc__j = sdc__p.sdc__j AND sdc__s.sdc__masked = sdc__p.sdc__masked
          AND (sdc__s.sdc__rule < sdc__p.sdc__rule OR (sdc__s.sdc__rule = sdc__p.sdc__rule AND sdc__s.sdc__given >= sdc__p.sdc__given)))
    ORDER BY sdc__rule ASC, sdc__given DESC, sdc__j ASC, sdc__masked ASC, sdc__i ASC;

CREATE OR REPLACE MACRO sdc__derived_list(original, released, id, columns, givers, tasks, household := NULL) AS TABLE
    WITH sdc__all AS MATERIALIZED (FROM sdc__derived(original, released, id, columns, givers, tasks, household := household))
    FROM sdc__derived_told('sdc__all', columns, givers);

CREATE OR REPLACE MACRO sdc__summed_derivations(derived, columns, givers) AS TABLE
    WITH sdc__hidden_values AS (SELECT sdc__j, sdc__masked, any_value(sdc__hidden) AS sdc__n FROM query_table(derived) GROUP BY ALL),
    sdc__of_variables AS (
        SELECT variable, masked, max(given_back) FILTER (rule = 'exact') AS sdc__exact, max(given_back) FILTER (rule = 'near') AS sdc__near,
               max(share_right * given_back / hidden) FILTER (gain > 0) AS sdc__share,
               max(gain * given_back / hidden) FILTER (rule <> 'exact') AS sdc__beyond, max(narrowed) AS sdc__few,
               count(*) FILTER (rule = 'exact' AND given_back > 0) AS sdc__givers,
               count(*) FILTER (rule = 'near' AND given_back > 0) AS sdc__nearly
        FROM sdc__derived_told(derived, columns, givers) GROUP BY ALL
    )
    SELECT coalesce((SELECT sum(sdc__n) FROM sdc__hidden_values WHERE sdc__masked = 0), 0)::BIGINT AS suppressed,
           coalesce((SELECT sum(sdc__n) FROM sdc__hidden_values WHERE sdc__masked = 1), 0)::BIGINT AS coarsened,
           coalesce(sum(sdc__givers), 0)::BIGINT AS exact_givers, coalesce(sum(sdc__exact), 0)::BIGINT AS given_back,
           coalesce(sum(sdc__nearly), 0)::BIGINT AS near_givers,
           coalesce(sum(sdc__near), 0)::BIGINT AS nearly_given_back,
           coalesce(max(sdc__share), 0)::DOUBLE AS predicted_share,
           greatest(coalesce(max(sdc__beyond), 0), 0)::DOUBLE AS predicted_gain,
           coalesce(sum(sdc__few), 0)::BIGINT AS narrowed
    FROM sdc__of_variables;

CREATE OR REPLACE MACRO sdc__derived_sums(original, released, id, columns, givers, tasks, household := NULL) AS TABLE
    WITH sdc__all AS MATERIALIZED (FROM sdc__derived(original, released, id, columns, givers, tasks, household := household))
    FROM sdc__summed_derivations('sdc__all', columns, givers);

-- narrowed: the hidden values whose cell has at least ten known values besides, of at most three kinds.
-- sdc_derived_values: the released columns, and pairs of them, that give suppressed or coarsened values back.
-- Gives: giver VARCHAR[], variable VARCHAR, masked VARCHAR, rule VARCHAR, hidden BIGINT, given_back BIGINT, share_right DOUBLE,
--   margin DOUBLE, gain DOUBLE, support BIGINT, contradictions BIGINT, narrowed BIGINT.
-- Rows: givers.
-- Example: FROM sdc_derived_values('addresses', 'addresses_released', 'id', ['region'], [['district']]);
CREATE OR REPLACE MACRO sdc_derived_values(original, released, id, columns, givers, household := NULL) AS TABLE
    FROM sdc__derived_list(original, released, id, sdc__names(columns), sdc__lists(givers),
                           sdc__derivations(sdc__names(columns), sdc__checked_givers(givers)), household := household);

-- exact_givers: those told, of any variable; given_back: by the best of each variable, summed; near_givers and nearly_given_back
-- likewise. predicted_share: the greatest share of a variable's hidden values that one giver gets right, where it gains over the margin;
-- predicted_gain: what givers that are not exact tell beyond the margin, gain x given_back / hidden, at its greatest (of a variable
-- nearly all of whose values are alike much is predicted, and little gained). narrowed: by the best giver of each, summed.
-- sdc_derived_values_summary: how many suppressed or coarsened values other released columns give back.
-- Gives: suppressed BIGINT, coarsened BIGINT, exact_givers BIGINT (more risk), given_back BIGINT (more risk), near_givers BIGINT
--   (more risk), nearly_given_back BIGINT (more risk), predicted_share DOUBLE (more risk), predicted_gain DOUBLE (more risk),
--   narrowed BIGINT (more risk).
-- Rows: one.
-- Words: exact_givers: columns, or pairs, that give hidden values back exactly; given_back: hidden values that others give back exactly;
--   near_givers: columns, or pairs, that give hidden values back nearly; nearly_given_back: hidden values that others give back nearly;
--   predicted_share: share of the hidden values that others tell; predicted_gain: share of what is hidden that others tell, beyond chance.
-- Limit: exact_givers. The number of columns, or pairs of columns, that give hidden values back without exception.
-- Example: FROM sdc_derived_values_summary('addresses', 'addresses_released', 'id', ['region'], [['district']]);
CREATE OR REPLACE MACRO sdc_derived_values_summary(original, released, id, columns, givers, household := NULL) AS TABLE
    FROM sdc__derived_sums(original, released, id, sdc__names(columns), sdc__lists(givers),
                           sdc__derivations(sdc__names(columns), sdc__checked_givers(givers)), household := household);
