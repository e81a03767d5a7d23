-- Distortion of sensitive values: in groups that the key variables alone make, the values of those that are not diverse, or not close to
-- the file, are drawn anew.
--
--   a group of n records with counts x of its values fails where   x_v / n > 1/l  for a value v (of all, or of the chosen ones),
--                                                              or  d(x / n, p) > t,  p the shares in the file  (sdc_t_closeness)
--   all values of a failing group become y with probability   D(y) in proportion to P(y) a(y),
--                                                             a(y) = min(1 - l y_v / n, 1 - d(y / n, p) / t)
--   P, what a group of n shows: Polya's urn, draws from p of which those of a group agree as often as in the file (the intraclass
--   correlation)
-- The groups and the keys do not depend on the sensitive values, so nothing is suppressed or made coarser because of them. That is what
-- sdc_generalise with l or t cannot avoid (minimality): six persons with one age and region, all of them with HIV, are suppressed for it.
-- Wong et al. draw the share of a failing group from those of the others; here the draws are weighted by the slack a(y), because of
--
--   Pr(value v | y) = (P(y) y_v / n + D(y) E(x_v / n; x fails)) / (P(y) + D(y) Pr(x fails)) <= 1/l,
--
-- which holds for every y where E(x_v / n - 1/l; x fails) <= E(a(x)) / l; for one chosen value that is so wherever p_v <= 1/l. (By the
-- convexity of d the same for t.) Otherwise a share of the good groups is redrawn, too, as large as it must be (all of them, where n is
-- so small that none has slack: name the chosen values, and take larger groups). So who knows the method, everybody's keys, p and how
-- alike groups are concludes a value of nobody with more than 1/l; who knows more of a group than this urn, may. p and the correlation
-- are estimated from the file itself: over all tables of 3 to 6 groups of 2 to 4 in eight settings it was at most 1/l in seven, and 0.506
-- for 0.5 in one release of 75 in the eighth.
-- Source: Wong, Fu, Wang & Pei (2007), Minimality attack in privacy preserving data publishing, VLDB, 543-554, section 6 (MASK); Li, Li &
--   Venkatasubramanian (2007), t-closeness, ICDE; Eggenberger & Polya (1923), Z. angew. Math. Mech. 3, 279-289 (the urn).
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_distort_sensitive('generalised', 'illness', ['age', 'region'], 'id', l := 2, chosen := ['HIV']);
--
-- Take it after the keys are masked by k alone, and mask the keys no more: groups are the cells of the keys as they stand, NULL a value.
-- NULL in the sensitive column is a value of its own. Each group of the release is as asked, t by the shares of the release. Whom a group's
-- values belong to is not kept in a redrawn group, the relation to other columns neither.
-- What was redrawn hangs on all values of a group: of two releases with another l, or with one record more, the groups that differ
-- failed. Release a table once.
--
-- Scope: table.
-- Keeps: the key variables, and the sensitive values of groups that are as asked (but of the share of them that is redrawn).
-- Guarantees: each group has at most the share 1/l of each (chosen) value, and is within t of the file: measured on what is released.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Loss: withheld (from it follows how many groups were redrawn).
-- Told: l, t, distance.
-- Repeated: once (a group that fails in one month and not in the next shows what was drawn anew).
-- Series: refused (a group that fails in one release and not in the next shows what was drawn anew).
-- Matrix: unknown (what was redrawn is not in the log).
-- Parameters:
--   tbl          table                   the table, view, common table expression or file
--   column_name  column                  the sensitive variable
--   groups       columns                 the key variables as they are released: their cells are the groups
--   id           column                  identifies each record
--   l            number in [1, ...)      at most 1/l of a group's records have one value; NULL: not asked
--   t            number in (0, 1]        the greatest distance of a group's distribution from the file's; NULL: not asked
--   chosen       names                   the sensitive values that l regards; all where it is NULL
--   distance     'equal' or 'ordered'    between any two values, or by their order
--   stream       text                    names the pass of draws; give another one to mask a column a second time
--   release      text                    names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__distorted_groups(have, columns, groups) AS CASE
    WHEN len(list_filter(sdc__names(groups), lambda g: sdc__is_among(g, columns))) > 0
        THEN [columns[1] || '" is among the groups: each would hold one value of it; so "' || columns[1]]
    ELSE sdc__columns(have, groups)
END;

CREATE OR REPLACE MACRO sdc__distort_sensitive(tbl, columns, groups, id, l, t, chosen, distance, stream, release) AS TABLE
    WITH sdc__records AS (
        SELECT sdc__id, COLUMNS(sdc__to_mask((*), columns, id)) AS sdc__x,
               struct_pack(*COLUMNS(sdc__distorted_groups((*), columns, groups))) AS sdc__group
        FROM sdc__identified_at_once(tbl, id, 315,
                                     codes := CASE WHEN distance = 'ordered' THEN sdc__names(groups)
                                                   ELSE list_concat(sdc__names(groups), columns) END,
                                     compared := groups)
    ),
    sdc__placed AS (
        SELECT * REPLACE (sdc__placed_value(sdc__checked_choice(distance, 'distance', ['equal', 'ordered']),
                                            sdc__x) AS sdc__x),
               sdc__checked_id(sdc__id) AS sdc__named
        FROM sdc__records
    ),
    sdc__drawn AS MATERIALIZED (
        SELECT *, dense_rank() OVER (ORDER BY sdc__group ASC NULLS FIRST) - 1 AS sdc__g,
               dense_rank() OVER (ORDER BY sdc__x ASC NULLS FIRST) - 1 AS sdc__v,
               sdc__uniform(sdc__subkeys[sdc__folded(columns[1])], sdc__named, sdc__part(sdc__canonical(sdc__x)))
               * 4503599627370496 AS sdc__u
        FROM sdc__placed, sdc__column_subkeys(columns, release, stream, 'distort sensitive', '')
    ),
    sdc__values AS MATERIALIZED (SELECT sdc__v, any_value(sdc__x) AS sdc__x,
                                        coalesce(sdc__is_chosen(any_value(sdc__x), chosen), false) AS sdc__chosen
                                 FROM sdc__drawn
                                 GROUP BY sdc__v),
    sdc__known AS (
        SELECT CASE WHEN chosen IS NULL THEN true
                    WHEN l IS NULL THEN error('ParameterError: Values are chosen, and it is l that regards them: give l,'
                                              || ' or leave chosen out.')
                    WHEN len(sdc__names(chosen)) = 0 THEN error('ParameterError: The list of chosen values is empty: name'
                                                                || ' at least one, or leave it out for all of them.')
                    WHEN list_count(sdc__names(chosen)) < len(sdc__names(chosen)) OR sdc__there < len(list_distinct(sdc__names(chosen)))
                        THEN error('ParameterError: Of the chosen values ' || sdc__names(chosen)::VARCHAR
                                   || ' not every one is a value of the sensitive variable "' || columns[1] || '".')
                    ELSE true END AS sdc__all
        FROM (SELECT count(*) FILTER (sdc__chosen) AS sdc__there FROM sdc__values)
    ),
    sdc__listed AS (
        SELECT list(sdc__id ORDER BY sdc__g ASC, sdc__named ASC) AS sdc__ids,
               sdc__kernel_distort(list(sdc__g::DOUBLE ORDER BY sdc__g ASC, sdc__named ASC),
                                   list(sdc__v::DOUBLE ORDER BY sdc__g ASC, sdc__named ASC),
                                   list(sdc__u ORDER BY sdc__g ASC, sdc__named ASC),
                                   (SELECT list(sdc__chosen::DOUBLE ORDER BY sdc__v ASC) FROM sdc__values),
                                   {'l': sdc__checked_number(l, 'l'), 't': sdc__checked_number(t, 't'),
                                    'distance': distance}) AS sdc__to
        FROM sdc__drawn, sdc__known WHERE sdc__all
    )
    SELECT sdc__id, unnest(cast_to_type(row(sdc__values.sdc__x), sdc__type))
    FROM (SELECT unnest(sdc__ids) AS sdc__id, unnest(sdc__to)::BIGINT - 1 AS sdc__v FROM sdc__listed) AS sdc__new
    JOIN sdc__values ON sdc__new.sdc__v = sdc__values.sdc__v
    LEFT JOIN (SELECT struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__type FROM sdc__unasked(tbl) LIMIT 0) ON true;

-- sdc_distort_sensitive: sensitive values of groups that are not l-diverse or t-close drawn anew.
-- Example: FROM sdc_distort_sensitive('persons', 'region', ['sex'], 'id', l := 1.2);
CREATE OR REPLACE MACRO sdc_distort_sensitive(tbl, column_name, groups, id, l := NULL, t := NULL, chosen := NULL,
                                              distance := 'equal', stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__distort_sensitive(tbl, [column_name], groups, id, l, t, chosen, distance, stream, release))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');

-- What is to be released, measured anew, and how many groups failed before. released: the id and the sensitive column. (A chosen value
-- that is no longer there has the share 0, and is not asked for.)
CREATE OR REPLACE MACRO sdc__greatest_shares(tbl, groups, column_name, chosen) AS TABLE
    SELECT sdc__key, coalesce(max(sdc__p) FILTER (coalesce(sdc__is_chosen(sdc__value, chosen), false)), 0) AS sdc__share
    FROM sdc__attribute_cells(tbl, groups, column_name)
    GROUP BY sdc__key;
CREATE OR REPLACE MACRO sdc__failing_groups(tbl, groups, column_name, l, t, chosen, distance) AS TABLE
    SELECT sdc__s.sdc__key, sdc__share, sdc__t, sdc__share * coalesce(l, 0) > 1 + 1e-9 OR coalesce(sdc__t > t + 1e-9, false) AS sdc__fails
    FROM sdc__greatest_shares(tbl, groups, column_name, chosen) AS sdc__s
    JOIN sdc__t_closeness(tbl, groups, column_name,
                          CASE WHEN t IS NULL THEN 'equal' ELSE distance END) AS sdc__c ON sdc__s.sdc__key
         = sdc__c.sdc__key;
CREATE OR REPLACE MACRO sdc__distortion_proof(tbl, released, column_name, groups, id, l, t, chosen, distance) AS TABLE
    WITH sdc__done AS (
        SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__id, COLUMNS(sdc__columns((*), [column_name]))
        FROM query_table(released)
    ),
    sdc__file AS MATERIALIZED (FROM sdc__released(tbl, [column_name], id, 'sdc__done')),
    sdc__before AS (
        SELECT count(*) AS groups_found, count(*) FILTER (sdc__fails) AS groups_failing
        FROM sdc__failing_groups(tbl, groups, column_name, l, t, chosen, distance)
    ),
    sdc__after AS (
        SELECT max(sdc__share) AS greatest_share, max(sdc__t) AS greatest_t, bool_or(sdc__fails) AS sdc__fail
        FROM sdc__failing_groups('sdc__file', groups, column_name, l, t, chosen, distance)
    )
    SELECT groups_found, groups_failing, greatest_share, CASE WHEN t IS NOT NULL THEN greatest_t END AS greatest_t
    FROM sdc__before, sdc__after WHERE sdc__is_as_asked(NOT sdc__fail, 'l or t');
