-- Numbers that follow from other numbers: a suppressed total is the sum of its parts, and a suppressed part the total less the others.
--
--   t = c_0 + sum_j c_j x_j   for all records that know them, but for miscoded ones (at most 0.1 % of them)
--   t: the released values of a column, or, where they are not the original ones (noise, rounding, microaggregation), the original values;
--   x: the released values of the others. Found by trimmed least squares on 3,000 records, in which no column can be left out;
--     counted on all.
--   suppressed: NULL in the released table and not in the original;   changed: another number there
--   given_back: the suppressed (changed) values for which all x of the relation are released,  right: those that it gives
--   to a millionth of the greatest value
--    support: the known values, but for the commonest one (sums of nothing are 0), less the coefficients
-- Source: Garfinkel, Gopal & Goes (2002), Privacy protection of binary confidential data against deterministic, stochastic, and
--   insider threat, Management Science 48, 749-764 (what follows from linear constraints); Rousseeuw & Leroy (1987), Robust
--   regression (least trimmed squares).
--
--   original: id rent food total   released: id rent food total
--             1  1    9    10                1  1    9    10
--             2  2    4    6                 2  2    4    NULL
--             3  3    1    4                 3  3    1    4
--   FROM sdc_linear_relations('original', 'released', 'id', ['rent', 'food', 'total']):
--   variable suppressed givers given_back support
--   rent     0          []     0          0
--   food     0          []     0          0
--   total    1          []     0          0       too few records to tell
--
-- Relations of ratios and products are not found; nor is one whose columns fewer than half of the records know. With less than
-- 10 of support nothing is told.
--
-- Scope: table.
-- Not compiled: the relations are found by numpy, by trimmed least squares.
-- Parameters:
--   original  table    the table before masking
--   released  table    the table after it
--   id        column   identifies each record in both
--   columns   columns  the numeric columns; each is looked for by the others

CREATE OR REPLACE MACRO sdc__kernel_linear_relation(known, others, columns, place) AS sdc__needs_python('A relation of numbers')::DOUBLE[];

-- sdc_linear_relations: numeric columns whose suppressed or changed values are sums of other released numbers.
-- Gives: variable VARCHAR, suppressed BIGINT, changed BIGINT, givers VARCHAR[], coefficients DOUBLE[], constant DOUBLE, given_back
--   BIGINT (more risk), share_right DOUBLE, support BIGINT, contradictions BIGINT.
-- Rows: each variable.
-- Words: given_back: hidden numbers that sums of others give back.
-- Example: FROM sdc_linear_relations('persons', 'released', 'id', ['age', 'income']);
CREATE OR REPLACE MACRO sdc_linear_relations(original, released, id, columns) AS TABLE
    WITH sdc__sides AS NOT MATERIALIZED (FROM sdc__both_numbers(original, released, columns, id)),
    sdc__paired AS MATERIALIZED (
        SELECT sdc__o.sdc__person, sdc__b, sdc__a
        FROM (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__b FROM sdc__sides WHERE sdc__first) AS sdc__o
        JOIN (SELECT sdc__person, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__a FROM sdc__sides WHERE NOT sdc__first) AS sdc__r
          ON sdc__o.sdc__person = sdc__r.sdc__person
        LEFT JOIN sdc__refused_pairs('sdc__sides', id) AS sdc__none ON true
    ),
    sdc__named AS (
        SELECT unnest(range(1, len(sdc__n) + 1)) AS sdc__j, unnest(sdc__n) AS sdc__name, sdc__n AS sdc__names
        FROM (SELECT list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                    lambda n: substr(n, 8)) AS sdc__n
              FROM sdc__sides
              LIMIT 1)
    ),
    sdc__masked AS MATERIALIZED (
        SELECT sdc__j, any_value(sdc__name) AS sdc__name, any_value(sdc__names) AS sdc__names,
               count_if(sdc__b[sdc__j] IS NOT NULL AND sdc__a[sdc__j] IS NULL)::BIGINT AS sdc__suppressed,
               count_if(sdc__b[sdc__j] <> sdc__a[sdc__j])::BIGINT AS sdc__changed
        FROM sdc__paired, sdc__named GROUP BY sdc__j
    ),
    -- spread over the table, and the same ones whatever its order
    sdc__some AS MATERIALIZED (FROM sdc__paired ORDER BY hash(sdc__person) ASC, sdc__person ASC LIMIT 3000),
    sdc__related AS MATERIALIZED (
        SELECT sdc__m.*, sdc__kernel_linear_relation(sdc__known, sdc__others, len(sdc__names)::DOUBLE, (sdc__j - 1)::DOUBLE) AS sdc__c
        FROM (SELECT sdc__j,
                     list(coalesce(CASE WHEN sdc__changed > 0 THEN sdc__b[sdc__j] ELSE sdc__a[sdc__j] END,
                                   'nan'::DOUBLE)) AS sdc__known,
                     flatten(list(list_transform(sdc__a, lambda x: coalesce(x, 'nan'::DOUBLE)))) AS sdc__others
              FROM sdc__some, sdc__masked
              WHERE sdc__suppressed + sdc__changed > 0
              GROUP BY sdc__j) AS sdc__l
        JOIN sdc__masked AS sdc__m USING (sdc__j)
    ),
    sdc__tried AS (
        SELECT sdc__j, sdc__c[1] AS sdc__near, sdc__c[2] AS sdc__often, sdc__b[sdc__j] AS sdc__truth,
               sdc__a[sdc__j] AS sdc__shown,
               CASE WHEN sdc__changed > 0 THEN sdc__b[sdc__j] ELSE sdc__a[sdc__j] END AS sdc__t,
               CASE WHEN len(list_filter(sdc__a, lambda x, i: x IS NULL AND sdc__c[3 + i] <> 0)) = 0
                    THEN sdc__c[3] + list_sum(
                        list_transform(sdc__a,
                                       lambda x, i: CASE WHEN sdc__c[3 + i] <> 0 THEN sdc__c[3 + i] * x
                                                         ELSE 0 END)) END AS sdc__sum
        FROM sdc__paired, sdc__related WHERE len(sdc__c) > 0
    ),
    sdc__counted AS (
        SELECT sdc__j, count_if(sdc__t <> sdc__often AND sdc__sum IS NOT NULL)::BIGINT AS sdc__support,
               count_if(abs(sdc__t - sdc__sum) > sdc__near)::BIGINT AS sdc__apart,
               count_if(sdc__truth IS NOT NULL AND sdc__shown IS DISTINCT FROM sdc__truth AND sdc__sum IS NOT NULL)::BIGINT AS sdc__given,
               count_if(sdc__truth IS NOT NULL AND sdc__shown IS DISTINCT FROM sdc__truth
                        AND abs(sdc__truth - sdc__sum) <= sdc__near)::BIGINT AS sdc__right
        FROM sdc__tried GROUP BY sdc__j
    ),
    sdc__ruled AS (
        SELECT sdc__k.* EXCLUDE (sdc__support), sdc__support - len(list_filter(sdc__c[4:], lambda x: x <> 0)) AS sdc__support, sdc__c
        FROM sdc__counted AS sdc__k JOIN sdc__related USING (sdc__j)
        WHERE sdc__support - len(list_filter(sdc__c[4:], lambda x: x <> 0)) >= 10 AND 1000 * sdc__apart <= sdc__support
    )
    SELECT sdc__m.sdc__name AS variable, sdc__suppressed AS suppressed, sdc__changed AS changed,
           list_filter(sdc__m.sdc__names, lambda n, i: sdc__c[3 + i] <> 0) AS givers,
           coalesce(list_filter(sdc__c[4:], lambda x: x <> 0), []) AS coefficients, sdc__c[3] AS constant,
           coalesce(sdc__given, 0)::BIGINT AS given_back, 1e0 * sdc__right / nullif(sdc__given, 0) AS share_right,
           coalesce(sdc__support, 0)::BIGINT AS support, coalesce(sdc__apart, 0)::BIGINT AS contradictions
    FROM sdc__masked AS sdc__m LEFT JOIN sdc__ruled AS sdc__r ON sdc__r.sdc__j = sdc__m.sdc__j ORDER BY sdc__m.sdc__j ASC;
