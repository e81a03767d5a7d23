-- Lambert's intruder: how sure someone can be, who knows how the file was masked, that a released record is a given person's.
--
--   P_ij = P(x_i is the record of person j | X),  f_j(x) the density of the masked record of person j, a product over the attributes
--   exact:             the n records are those of n of the N persons, every choice and order alike (the sum over all of them)
--   mean_of_others:    r_ij / (sum_i r_ij + N - n),  r_ij = f_j(x_i) / the mean of the others' densities at x_i
--                      (example 4.2: exact where the others are alike, and for two persons)
--   with_replacement:  f_j(x_i) / sum_k f_k(x_i)                                       (section 5: n small beside N)
--   perceived risk of j:  max_i P_ij;  the intruder links j with that record, or with none (the null link) where 1 - sum_i P_ij is larger
--   D(X) = max_j max_i P_ij,  D_tot = sum_j max_i P_ij,  D_ave = D_tot / N,  D_tau = the number of persons with max_i P_ij >= tau
-- Source: Lambert (1993), Measures of disclosure risk and harm, Journal of Official Statistics 9, 313-331, sections 3 to 5; as
--   presented by J. Lynch (slides 15 to 32); the risk of matching is Spruill's (slide 29).
--
-- The external file has a record for each person of the population that the intruder thinks of: what he believes of the attributes before
-- masking, under the names that the released file has. The density of a masked value x of y, with a spread s:
--   normal     y + noise of standard deviation s
--   lognormal  y times noise: ln x normal around ln y with standard deviation s (y > 0)
--   uniform    from y - s to y + s
-- A NULL that was released says nothing. A released record that nobody can have given (density 0) is an error, for the beliefs are then
-- wrong. Without a method it is exact where that is up to a million steps (N n 2^n), otherwise the mean of the others. with_replacement
-- misses what the other released records tell, and is far too low where many are released (0.13 for 0.89 in example 4.1).
--
--   external: id x        released: id x     FROM sdc_intruder_links('external', 'released', ['x'], 'id', 1, 'lognormal'):
--             1  1                  1  7     target record probability
--             2  7.3891             2  20    1      1      0.8909         Lambert, example 4.1: p_1 = 0.89
--                                            1      2      0.1091
--                                            2      1      0.1091
--                                            2      2      0.8909
--
-- Scope: table.
-- Not compiled: the query is written from the lists of densities, and the exact sum is recursive; measure the two files in DuckDB.
-- Parameters:
--   external    table                         what the intruder knows: a record for each person of the population, or each kind of persons
--   released    table                         the masked file
--   columns     columns                       the attributes, numbers, of both files
--   id          column                        identifies the person in both; the released one is used to say which links are right
--   spread      value                         how far masking moves a value: a number or a column of the external file, one for all or a
--                                             list with one for each (texts, where a column is among them)
--   density     value                         'normal', 'lognormal', 'uniform', or a column of the external file that says which; one for
--                                             all or a list
--   stands_for  column or number in [1, ...)  how many persons of the population a record of the external file stands for; without it 1
--   method      'exact', 'mean_of_others' or 'with_replacement'  how the other records count; NULL: exact where there are few
--   least       number in [0, 1]              the least probability of a link that is listed
--   tau         number in [0, 1]              the probability from which a person counts as perceived

-- One value, or a list, as texts; and that of an attribute.
CREATE OR REPLACE MACRO sdc__either(given) AS
    CASE WHEN typeof(given) LIKE '%[]' THEN TRY_CAST(given AS VARCHAR[]) ELSE [given::VARCHAR] END;
CREATE OR REPLACE MACRO sdc__of_attribute(given, columns, i, name) AS CASE
    WHEN len(list_filter(sdc__either(given), lambda v: v IS NULL)) > 0 OR len(sdc__either(given)) = 0
        THEN error('ParameterError: ' || name
                   || ' is NULL, or holds one: give a number or a column for all attributes, or a list with one for each.')
    WHEN len(sdc__either(given)) = 1 THEN sdc__either(given)[1]
    WHEN len(sdc__either(given)) = len(sdc__names(columns)) THEN sdc__either(given)[i]
    ELSE error('ParameterError: ' || name || ' has ' || len(sdc__either(given))
               || ' values: give one for all, or one for each of the columns ' || sdc__quoted(columns) || '.') END;

-- What is believed, checked: the density, the spread, where it lies (ln y for a lognormal one); how many persons.
CREATE OR REPLACE MACRO sdc__density(kind) AS CASE WHEN kind IN ('normal', 'lognormal', 'uniform') THEN kind
    ELSE error('ParameterError: A density is none of ''normal'', ''lognormal'', ''uniform'': give one of these, or a'
               || ' column of the external file that holds them.') END;
CREATE OR REPLACE MACRO sdc__spread_of(s) AS CASE WHEN s > 0 AND s <= 1e150 THEN s
    ELSE error('ParameterError: A spread is NULL, zero, negative or no finite number: it must be above 0 (the'
               || ' standard deviation of the masking, or half the width).') END;
CREATE OR REPLACE MACRO sdc__believed(kind, y, name) AS CASE
    WHEN y IS NULL THEN error('ColumnError: The column ' || name
                              || ' of the external file holds NULL: leave these records or this column out, or say what'
                              || ' the intruder takes it for.')
    WHEN kind <> 'lognormal' THEN y WHEN y > 0 THEN ln(y)
    ELSE error('ColumnError: The column ' || name
               || ' of the external file holds 0 or less: a lognormal density needs values above 0.') END;
CREATE OR REPLACE MACRO sdc__persons_of(w) AS CASE WHEN w >= 1 AND w <= 1e12 THEN w
    ELSE error('WeightError: stands_for is NULL, below 1 or no finite number: a record of the external file stands'
               || ' for at least one person.') END;

-- The method, or the error: n released records (known: ids, different: of these), persons in the population.
CREATE OR REPLACE MACRO sdc__intruder_method(method, id, n, known, different, m, others, those, persons, whole) AS CASE
    WHEN known < n OR others < m
        THEN error('ColumnError: The id (' || id
                   || ') is NULL on records of the external or the released file: every record needs one of its own.')
    WHEN different < n OR those < m
        THEN error('ColumnError: The id (' || id
                   || ') is the same on several records of the external or the released file: it must be unique in each.')
    WHEN n > persons THEN error(
        'TableError: The released file has ' || n || ' records, and the external one stands for ' || round(persons, 1)
        || ' persons: the released records are of some of these; say with stands_for how many each stands for.')
    WHEN method IN ('mean_of_others', 'with_replacement') THEN method
    WHEN method = 'exact' AND NOT whole THEN error('ParameterError: The exact method needs whole numbers of persons in stands_for.')
    WHEN method = 'exact' AND (n > 20 OR persons * n * pow(2, n) > 16777216)
        THEN error('ParameterError: The exact method takes N n 2^n steps, too many for ' || n || ' records of ' || persons
                   || ' persons: take the method ''mean_of_others''.')
    WHEN method = 'exact' OR (method IS NULL AND whole AND n <= 20 AND persons * n * pow(2, n) <= 1048576) THEN 'exact'
    WHEN method IS NULL THEN 'mean_of_others'
    ELSE error('ParameterError: method is ' || method || ': it must be one of exact, mean_of_others, with_replacement.') END;

-- A column by its name, or a number, as text of the query.
CREATE OR REPLACE MACRO sdc__column_text(name) AS 'COLUMNS(sdc__columns((*), [' || sdc__text(name) || ']))';
CREATE OR REPLACE MACRO sdc__number_text(given) AS
    coalesce(TRY_CAST(given AS DOUBLE)::VARCHAR || '::DOUBLE', 'sdc__finite_number(' || sdc__column_text(given) || ')');
CREATE OR REPLACE MACRO sdc__density_text(kind) AS
    CASE WHEN kind IN ('normal', 'lognormal', 'uniform') THEN sdc__text(kind)
         ELSE 'sdc__density(' || sdc__column_text(kind) || '::VARCHAR)' END;

-- ln f_j(x_i) of an attribute, by its place: sdc__x and sdc__l, the released value and its logarithm; sdc__m, sdc__v and sdc__c
-- of the person.
CREATE OR REPLACE MACRO sdc__log_density_text(kind, i) AS replace(CASE kind
    WHEN 'uniform' THEN 'CASE WHEN abs(sdc__x# - sdc__m#) <= sdc__v# THEN sdc__c# WHEN sdc__x# IS NOT NULL THEN ''-infinity''::DOUBLE END'
    WHEN 'lognormal' THEN 'CASE WHEN sdc__x# <= 0 THEN ''-infinity''::DOUBLE ELSE sdc__c# - sdc__l# - ((sdc__l# - sdc__m#)'
                          || ' * sdc__v#) * ((sdc__l# - sdc__m#) * sdc__v#) * 0.5e0 END'
    WHEN 'normal' THEN 'sdc__c# - ((sdc__x# - sdc__m#) * sdc__v#) * ((sdc__x# - sdc__m#) * sdc__v#) * 0.5e0' END, '#', i::VARCHAR);
CREATE OR REPLACE MACRO sdc__log_densities_text(columns, density) AS
    array_to_string(list_transform(columns,
                                   lambda c, i: 'coalesce('
                                                || coalesce(
                                       sdc__log_density_text(sdc__of_attribute(density, columns, i, 'density'), i),
                                       'CASE sdc__k' || i || ' WHEN ''normal'' THEN ' || sdc__log_density_text('normal', i)
                                       || ' WHEN ''lognormal'' THEN ' || sdc__log_density_text('lognormal', i) || ' ELSE '
                                       || sdc__log_density_text('uniform', i) || ' END')
                                                || ', 0)'),
                    ' + ');

-- The exact sum, by the set of the released records that persons 1 .. j have (sdc__d 1), or persons N .. j (2): logarithms of the sums.
-- In each step a person has none of the records, or one that nobody had before.
CREATE OR REPLACE MACRO sdc__exact_links_text() AS
    ', sdc__people AS MATERIALIZED (SELECT row_number() OVER (ORDER BY sdc__j ASC, sdc__copy ASC) AS sdc__q, sdc__j,'
    || ' sdc__copy FROM (SELECT sdc__j, unnest(range(sdc__w::BIGINT)) AS sdc__copy FROM sdc__e, sdc__size WHERE sdc__way ='
    || ' ''exact''))'
    || ', sdc__few AS MATERIALIZED (SELECT sdc__i, sdc__j, sdc__f FROM sdc__all_pairs WHERE sdc__f > ''-infinity''::DOUBLE)'
    || ', sdc__moves AS MATERIALIZED (SELECT sdc__q, NULL::BIGINT AS sdc__bit, 0e0 AS sdc__f FROM sdc__people UNION ALL'
    || ' SELECT sdc__q, 1::BIGINT << least(sdc__i - 1, 20)::BIGINT, sdc__f FROM sdc__people JOIN sdc__few USING (sdc__j))'
    || ', sdc__paths(sdc__d, sdc__p, sdc__s, sdc__f) AS (SELECT sdc__d, 0::BIGINT, 0::BIGINT, 0e0 FROM (VALUES (1), (2)) AS'
    || ' t(sdc__d), sdc__size WHERE sdc__way = ''exact'' UNION ALL SELECT sdc__d, sdc__p, sdc__s, sdc__v[-1] +'
    || ' ln(list_sum(list_transform(sdc__v, lambda v: exp(v - sdc__v[-1]))))'
    || ' FROM (SELECT sdc__d, sdc__p, sdc__s, list_sort(list(sdc__v), ''ASC'', ''NULLS FIRST'') AS sdc__v FROM (SELECT'
    || ' sdc__d, sdc__p + 1 AS sdc__p, sdc__s + coalesce(sdc__bit, 0) AS sdc__s, sdc__paths.sdc__f + sdc__moves.sdc__f AS'
    || ' sdc__v'
    || ' FROM sdc__paths, sdc__size, sdc__moves WHERE sdc__q = CASE WHEN sdc__d = 1 THEN sdc__p + 1 ELSE'
    || ' sdc__persons::BIGINT - sdc__p END AND (sdc__bit IS NULL OR sdc__s & sdc__bit = 0)) GROUP BY sdc__d, sdc__p,'
    || ' sdc__s))'
    || ', sdc__done AS MATERIALIZED (FROM sdc__paths), sdc__sum AS MATERIALIZED (SELECT CASE WHEN count(sdc__done.sdc__f) ='
    || ' 1 OR any_value(sdc__way) <> ''exact'' THEN any_value(sdc__done.sdc__f) ELSE sdc__nobody_gave() END AS sdc__z'
    || ' FROM sdc__size LEFT JOIN sdc__done ON sdc__d = 1 AND sdc__p = sdc__persons AND sdc__s = (1::BIGINT << least(sdc__n, 20)) - 1)'
    || ', sdc__chances AS (SELECT sdc__i, sdc__j, sdc__exact_sum(exp(sdc__a.sdc__f + sdc__few.sdc__f + sdc__b.sdc__f -'
    || ' sdc__z), 90) AS sdc__chance FROM sdc__few JOIN sdc__people USING (sdc__j), sdc__sum, sdc__size, sdc__done AS'
    || ' sdc__a, sdc__done AS sdc__b'
    || ' WHERE sdc__copy = 0 AND sdc__a.sdc__d = 1 AND sdc__a.sdc__p = sdc__q - 1 AND sdc__a.sdc__s & (1::BIGINT <<'
    || ' least(sdc__i - 1, 20)::BIGINT) = 0 AND sdc__b.sdc__d = 2 AND sdc__b.sdc__p = sdc__persons - sdc__q'
    || ' AND sdc__b.sdc__s = (1::BIGINT << least(sdc__n, 20)) - 1 - (1::BIGINT << least(sdc__i - 1, 20)::BIGINT) -'
    || ' sdc__a.sdc__s GROUP BY sdc__i, sdc__j)'
    || ', sdc__exact AS MATERIALIZED (SELECT sdc__r.sdc__i, sdc__e.sdc__j, CASE WHEN sdc__chance > 0 THEN ln(sdc__chance /'
    || ' sdc__unfixed(sum(sdc__fixed(sdc__w * sdc__chance, 80)) OVER (PARTITION BY sdc__i), 80)) ELSE'
    || ' ''-infinity''::DOUBLE END AS sdc__score FROM sdc__r JOIN sdc__e ON sdc__way = ''exact'' LEFT JOIN sdc__chances'
    || ' USING (sdc__i, sdc__j))';

CREATE OR REPLACE MACRO sdc__nobody_gave() AS
    error('TableError: The density of a released record is 0 for everybody in the external file: nobody can have given'
          || ' it. Widen the spread, or add the persons that are missing.');

-- The sums of the densities at each released record. The largest is told apart from the rest, so that what is left without it is exact:
-- sdc__top its logarithm, sdc__whole the sum in units of it, sdc__rest the logarithm of the sum without one of the persons that have it.
CREATE OR REPLACE MACRO sdc__sums_text() AS
    ', sdc__tops AS MATERIALIZED (SELECT sdc__i, CASE WHEN list_extract(sdc__t, 1) > ''-infinity''::DOUBLE THEN'
    || ' list_extract(sdc__t, 1) ELSE sdc__nobody_gave() END AS sdc__top, list_extract(sdc__t, -1) AS sdc__next FROM'
    || ' (SELECT sdc__i, max(sdc__f, 2) AS sdc__t FROM sdc__many_pairs GROUP BY sdc__i))'
    || ', sdc__beside_tops AS MATERIALIZED (SELECT * FROM sdc__r JOIN sdc__tops USING (sdc__i))'
    || ', sdc__totals AS MATERIALIZED (SELECT sdc__i, any_value(sdc__top) AS sdc__top, any_value(sdc__next) AS sdc__next,'
    || ' sdc__exact_sum(CASE WHEN sdc__f = sdc__top THEN sdc__w END, 80) AS sdc__tied,'
    || ' coalesce(sdc__exact_sum(CASE WHEN sdc__f < sdc__top AND sdc__next > ''-infinity''::DOUBLE THEN sdc__w * exp(sdc__f'
    || ' - sdc__next) END, 80), 0) AS sdc__low FROM sdc__pairs_beside GROUP BY sdc__i)'
    || ', sdc__summed AS MATERIALIZED (SELECT sdc__r.*, sdc__top, sdc__tied + sdc__low * exp(sdc__next - sdc__top) AS'
    || ' sdc__whole, CASE WHEN sdc__tied > 1 THEN sdc__top + ln(sdc__tied - 1 + sdc__low * exp(sdc__next - sdc__top)) WHEN'
    || ' sdc__low > 0 THEN sdc__next + ln(sdc__low) ELSE ''-infinity''::DOUBLE END AS sdc__rest'
    || ' FROM sdc__r JOIN sdc__totals USING (sdc__i))';

-- The query: sdc__r and sdc__e, the two files; sdc__scored, of each pair what P_ij is proportional to, as a logarithm; sdc__targets, of
-- each person the largest (sdc__best), of how many records it is (to twelve digits; sdc__ties, sdc__mine: one's own among them), and P =
-- exp(sdc__score - sdc__best) * sdc__one.
CREATE OR REPLACE MACRO sdc__intruder_text(external, released, columns, id, spread, density, stands_for, method) AS
    CASE WHEN len(columns) = 0 THEN error('ColumnError: The list of columns is empty; name at least one attribute that'
                                          || ' both files have, as in [''income''].')
         WHEN len(list_distinct(list_transform(columns, lambda n: sdc__folded(n)))) < len(columns)
             THEN error('ColumnError: A column is named twice in ' || sdc__quoted(columns) || '.')
         ELSE '' END
    || 'WITH RECURSIVE sdc__r0 AS MATERIALIZED (SELECT ' || sdc__column_text(id) || '::VARCHAR AS sdc__person, '
       || array_to_string(
        list_transform(columns, lambda c, i: 'sdc__finite_number(' || sdc__column_text(c) || ') AS sdc__x' || i), ', ')
    || ' FROM sdc__exact_rows(' || sdc__text(released) || ', codes := [' || sdc__text(id) || ']))'
    || ', sdc__e0 AS MATERIALIZED (SELECT ' || sdc__column_text(id) || '::VARCHAR AS sdc__person, sdc__persons_of('
       || coalesce(sdc__number_text(stands_for::VARCHAR), '1e0') || ') AS sdc__w, '
    || array_to_string(
        list_transform(
            columns,
            lambda c, i: 'sdc__finite_number(' || sdc__column_text(c) || ') AS sdc__y' || i || ', sdc__spread_of('
                         || sdc__number_text(sdc__of_attribute(spread, columns, i, 'spread')) || ') AS sdc__s' || i || ', '
                         || sdc__density_text(sdc__of_attribute(density, columns, i, 'density')) || ' AS sdc__k' || i),
        ', ')
    || ' FROM sdc__exact_rows(' || sdc__text(external) || ', codes := [' || sdc__text(id) || ']))'
    || ', sdc__size AS MATERIALIZED (SELECT sdc__n, sdc__persons, sdc__intruder_method('
       || coalesce(sdc__text(method), 'NULL') || ', ' || sdc__text(id)
       || ', sdc__n, sdc__known, sdc__different, sdc__m, sdc__others, sdc__those, sdc__persons, sdc__are_whole) AS sdc__way'
    || ' FROM (SELECT count(*) AS sdc__n, count(sdc__person) AS sdc__known, count(DISTINCT sdc__person) AS sdc__different'
    || ' FROM sdc__r0), (SELECT count(*) AS sdc__m, count(sdc__person) AS sdc__others, count(DISTINCT sdc__person) AS'
    || ' sdc__those, sdc__exact_sum(sdc__w, 60) AS sdc__persons, bool_and(sdc__w = floor(sdc__w)) AS sdc__are_whole FROM'
    || ' sdc__e0))'
    || ', sdc__r AS MATERIALIZED (SELECT row_number() OVER (ORDER BY sdc__person ASC) AS sdc__i, sdc__r0.*, sdc__size.*'
       || array_to_string(
        list_transform(columns,
                       lambda c, i: ', CASE WHEN sdc__x' || i || ' > 0 THEN ln(sdc__x' || i || ') END AS sdc__l' || i),
        '')
       || ' FROM sdc__r0, sdc__size)'
    || ', sdc__e AS MATERIALIZED (SELECT row_number() OVER (ORDER BY sdc__e0.sdc__person ASC) AS sdc__j, sdc__e0.*,'
    || ' sdc__r.sdc__i AS sdc__own'
    || array_to_string(
        list_transform(columns,
                       lambda c, i: replace(', sdc__believed(sdc__k#, sdc__y#, ' || sdc__text(c)
                                            || ') AS sdc__m#, CASE WHEN sdc__k# = ''uniform'' THEN sdc__s# ELSE 1 /'
                                            || ' sdc__s# END AS sdc__v#, -ln(sdc__s#) - CASE WHEN sdc__k# = ''uniform'''
                                            || ' THEN ln(2e0) ELSE ln(2 * pi()) * 0.5e0 END AS sdc__c#',
                                            '#', i::VARCHAR)),
        '')
    || ' FROM sdc__e0 LEFT JOIN sdc__r ON sdc__e0.sdc__person = sdc__r.sdc__person)'
    || ', sdc__all_pairs AS NOT MATERIALIZED (SELECT sdc__i, sdc__j, ' || sdc__log_densities_text(columns, density)
       || ' AS sdc__f FROM sdc__r, sdc__e WHERE sdc__way = ''exact'')'
    || ', sdc__many_pairs AS NOT MATERIALIZED (SELECT sdc__i, ' || sdc__log_densities_text(columns, density)
       || ' AS sdc__f FROM sdc__r, sdc__e WHERE sdc__way <> ''exact'')'
    || replace(sdc__sums_text(), ', sdc__totals AS',
               ', sdc__pairs_beside AS NOT MATERIALIZED (SELECT sdc__i, sdc__top, sdc__next, sdc__w, '
               || sdc__log_densities_text(columns, density) || ' AS sdc__f FROM sdc__beside_tops, sdc__e), sdc__totals AS')
    || sdc__exact_links_text()
    || ', sdc__scored AS NOT MATERIALIZED (SELECT sdc__i, sdc__j, CASE WHEN sdc__way = ''with_replacement'' THEN sdc__f -'
    || ' sdc__top - ln(sdc__whole) WHEN sdc__f = sdc__top THEN sdc__f - sdc__rest + ln(greatest(sdc__persons - 1, 1)) WHEN'
    || ' sdc__f > ''-infinity''::DOUBLE'
    || ' THEN sdc__f - sdc__top - ln(sdc__whole - exp(sdc__f - sdc__top)) + ln(greatest(sdc__persons - 1, 1)) ELSE sdc__f'
       || ' END AS sdc__score FROM (SELECT sdc__i, sdc__j, sdc__way, sdc__persons, sdc__top, sdc__whole, sdc__rest, '
       || sdc__log_densities_text(columns, density) || ' AS sdc__f FROM sdc__summed, sdc__e)'
    || ' UNION ALL SELECT sdc__i, sdc__j, sdc__score FROM sdc__exact)'
    || ', sdc__bests AS MATERIALIZED (SELECT sdc__j, max(sdc__score) AS sdc__best FROM sdc__scored GROUP BY sdc__j)'
    || ', sdc__found AS MATERIALIZED (SELECT sdc__j, any_value(sdc__best) AS sdc__best, min(CASE WHEN sdc__alike THEN'
    || ' sdc__i END) AS sdc__first, sum(CASE WHEN sdc__alike THEN 1 END) AS sdc__ties,'
    || ' coalesce(bool_or(sdc__alike AND sdc__i = sdc__own), false) AS sdc__mine, sdc__exact_sum(CASE WHEN sdc__score ='
    || ' sdc__best THEN 1e0 ELSE exp(sdc__score - sdc__best) END, 80) AS sdc__all FROM (SELECT sdc__i, sdc__j, sdc__own,'
    || ' sdc__score, sdc__best, sdc__score >= sdc__best - 1e-12 AS sdc__alike FROM sdc__scored JOIN sdc__bests USING'
    || ' (sdc__j) JOIN (SELECT sdc__j, sdc__own FROM sdc__e) USING (sdc__j)) GROUP BY sdc__j)'
    || ', sdc__targets AS MATERIALIZED (SELECT sdc__e.sdc__j, sdc__person, sdc__w, sdc__own, sdc__n, sdc__persons,'
    || ' sdc__best, sdc__first, sdc__ties, sdc__mine, sdc__all, coalesce(CASE WHEN sdc__best = ''-infinity''::DOUBLE THEN 0'
    || ' WHEN sdc__way = ''mean_of_others'' THEN 1 / (sdc__all + CASE WHEN sdc__persons > sdc__n THEN (sdc__persons -'
    || ' sdc__n) * exp(-sdc__best) ELSE 0 END) ELSE exp(sdc__best) END, 0) AS sdc__one'
    || ' FROM sdc__e LEFT JOIN sdc__found USING (sdc__j), sdc__size)';

CREATE OR REPLACE MACRO sdc__share_between(value, name) AS
    CASE WHEN TRY_CAST(value AS DOUBLE) >= 0 AND TRY_CAST(value AS DOUBLE) <= 1 THEN TRY_CAST(value AS DOUBLE)
    ELSE error('ParameterError: ' || name || ' is ' || coalesce(value::VARCHAR, 'NULL') || ': it must be a number from 0 to 1.') END;

-- sdc_intruder_links: the probability that a released record is a person's, for each pair.
-- Gives: target VARCHAR, record VARCHAR, probability DOUBLE.
-- Rows: pairs of records.
-- Example: FROM sdc_intruder_links('persons', 'released', ['income'], 'id', 50);
CREATE OR REPLACE MACRO sdc_intruder_links(external, released, columns, id, spread, density := 'normal', stands_for := NULL,
                                           method := NULL, least := 0) AS TABLE
    SELECT sdc__target AS target, sdc__record AS record, sdc__p AS probability
    FROM query(sdc__intruder_text(external, released, sdc__names(columns), id, spread, density, stands_for, method)
        || ' SELECT sdc__t.sdc__person AS sdc__target, sdc__r.sdc__person AS sdc__record, CASE WHEN sdc__score = sdc__best'
        || ' THEN 1 ELSE exp(sdc__score - sdc__best) END * sdc__one AS sdc__p'
        || ' FROM sdc__scored JOIN sdc__targets AS sdc__t USING (sdc__j) JOIN sdc__r USING (sdc__i)')
    WHERE sdc__p >= sdc__share_between(least, 'least');

-- record: the likeliest (of several alike the first by its id); not_released: the probability of the null link; linked: whether
-- the intruder links at all;
-- correct: 1 where the likeliest record is the person's own, 1 / k where it is one of k alike; NULL where no id of the released
-- file is in the external one.
-- sdc_perceived_risk_records: for each person of the external file the record that the intruder takes for his or hers.
-- Gives: target VARCHAR, record VARCHAR, probability DOUBLE (more risk), not_released DOUBLE, linked BOOLEAN, correct DOUBLE (more risk).
-- Rows: records.
-- Example: FROM sdc_perceived_risk_records('persons', 'released', ['income'], 'id', 50);
CREATE OR REPLACE MACRO sdc_perceived_risk_records(external, released, columns, id, spread, density := 'normal',
                                                   stands_for := NULL, method := NULL) AS TABLE
    SELECT sdc__target AS target, sdc__record AS record, sdc__p AS probability, sdc__null AS not_released,
           sdc__at_least(sdc__p, sdc__null) AS linked, sdc__right AS correct
    FROM query(sdc__intruder_text(external, released, sdc__names(columns), id, spread, density, stands_for, method)
        || ' SELECT sdc__t.sdc__person AS sdc__target, CASE WHEN sdc__one > 0 THEN sdc__r.sdc__person END AS sdc__record,'
        || ' sdc__one AS sdc__p, greatest(1 - sdc__one * coalesce(sdc__all, 0), 0) AS sdc__null,'
        || ' CASE WHEN count(sdc__own) OVER () > 0 THEN CASE WHEN sdc__mine AND sdc__one > 0 THEN 1e0 / sdc__ties ELSE 0'
        || ' END END AS sdc__right FROM sdc__targets AS sdc__t LEFT JOIN sdc__r ON sdc__first = sdc__i');

-- perceived: persons with a probability of at least tau; linked: those whom the intruder links; correct_links: of these links the right
-- ones (expected, where several records are alike), rate: of the released records; best_correct: the right ones where he always links;
-- matched: released records whose nearest record of the external file is the person's own (standardised distance, Spruill's matching),
-- matching_rate: of the released records.
-- sdc_perceived_risk: the risk of perceived identification, and of true identification beside that of matching.
-- Gives: records BIGINT, population DOUBLE, maximum DOUBLE (more risk), average DOUBLE (more risk), total DOUBLE (more risk),
--   tau DOUBLE, perceived DOUBLE (more risk), linked DOUBLE (more risk), correct_links DOUBLE (more risk), rate DOUBLE (more risk),
--   best_correct DOUBLE (more risk), matched DOUBLE (more risk), matching_rate DOUBLE (more risk).
-- Rows: one.
-- Example: FROM sdc_perceived_risk('persons', 'released', ['income'], 'id', 50);
-- Limit: maximum. The largest probability with which the intruder takes a released record for a given person's.
CREATE OR REPLACE MACRO sdc_perceived_risk(external, released, columns, id, spread, density := 'normal', stands_for := NULL,
                                           method := NULL, tau := 0.5) AS TABLE
    FROM query(sdc__intruder_text(external, released, sdc__names(columns), id, spread, density, stands_for, method)
        || ', sdc__scales AS MATERIALIZED (SELECT '
           || array_to_string(
            list_transform(sdc__names(columns),
                           lambda c, i: replace('coalesce(1 / nullif(stddev_pop(sdc__y#), 0), 1) AS sdc__z#', '#',
                                                i::VARCHAR)),
            ', ')
           || ' FROM sdc__e)'
        || ', sdc__near AS (SELECT sdc__r.sdc__i, sum(CASE WHEN sdc__distance < sdc__mine THEN 1 ELSE 0 END) AS'
        || ' sdc__nearer, sum(CASE WHEN sdc__distance = sdc__mine THEN 1 ELSE 0 END) AS sdc__alike FROM (SELECT sdc__i,'
        || ' sdc__mine, '
        || array_to_string(
            list_transform(sdc__names(columns),
                           lambda c, i: replace('coalesce((sdc__x# - sdc__y#) * (sdc__x# - sdc__y#) * sdc__z# * sdc__z#,'
                                                || ' 0)',
                                                '#', i::VARCHAR)),
            ' + ')
           || ' AS sdc__distance FROM (SELECT sdc__r.*, '
        || array_to_string(
            list_transform(sdc__names(columns),
                           lambda c, i: replace('coalesce((sdc__x# - sdc__y#) * (sdc__x# - sdc__y#) * sdc__z# * sdc__z#,'
                                                || ' 0)',
                                                '#', i::VARCHAR)),
            ' + ')
        || ' AS sdc__mine FROM sdc__r JOIN sdc__e ON sdc__i = sdc__own, sdc__scales), sdc__e, sdc__scales) AS sdc__r GROUP'
        || ' BY sdc__r.sdc__i)'
        || ', sdc__matches AS (SELECT coalesce(sdc__exact_sum(CASE WHEN sdc__nearer = 0 THEN 1e0 / sdc__alike END, 60), 0)'
        || ' AS sdc__matched FROM sdc__near)'
        || ' SELECT any_value(sdc__n)::BIGINT AS records, any_value(sdc__persons) AS population, max(sdc__one) AS maximum,'
        || ' sdc__exact_sum(sdc__w * sdc__one, 80) / any_value(sdc__persons) AS average, sdc__exact_sum(sdc__w * sdc__one,'
        || ' 80) AS total, any_value(sdc__tau) AS tau,'
        || ' coalesce(sdc__exact_sum(CASE WHEN sdc__at_least(sdc__one, sdc__tau) THEN sdc__w END, 60), 0) AS perceived,'
        || ' coalesce(sdc__exact_sum(CASE WHEN sdc__linked THEN sdc__w END, 60), 0) AS linked,'
        || ' CASE WHEN count(sdc__own) > 0 THEN coalesce(sdc__exact_sum(CASE WHEN sdc__linked AND sdc__right THEN 1e0 /'
        || ' sdc__ties END, 60), 0) END AS correct_links, correct_links / any_value(sdc__n) AS rate,'
        || ' CASE WHEN count(sdc__own) > 0 THEN coalesce(sdc__exact_sum(CASE WHEN sdc__right THEN 1e0 / sdc__ties END, 60),'
        || ' 0) END AS best_correct,'
        || ' CASE WHEN count(sdc__own) > 0 THEN any_value(sdc__matched) END AS matched, matched / any_value(sdc__n) AS matching_rate'
        || ' FROM (SELECT *, sdc__one > 0 AND sdc__at_least(sdc__one, 1 - sdc__one * coalesce(sdc__all, 0)) AS sdc__linked,'
           || ' sdc__mine AND sdc__one > 0 AS sdc__right FROM sdc__targets), sdc__matches, (SELECT sdc__share_between('
           || coalesce(sdc__text(tau::VARCHAR), 'NULL') || ', ''tau'') AS sdc__tau)');
