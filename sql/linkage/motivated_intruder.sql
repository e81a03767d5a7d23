-- A motivated intruder: persons drawn at random, looked for in the released file by every linkage that fits.
--
--   records persons are drawn by the key, each as likely; each is looked for by
--   keys       the released records that agree in all categories, NULL agreeing with every value: one of these at random
--   distance   the released record that is nearest, one of those as near at random
--   agreement  the released record that agrees in what tells most (Fellegi & Sunter), of three categories and more
--   ranks      the record whose ranks of the numbers are nearest, within the widest distance of ranks that belong together
--   found      whose own record it is, s of n persons: u < probability of a correct link, u drawn by the key, one for each person
--   rate = s / n;   lower, upper = (s + z^2 / 2) / (n + z^2) -+ z / (n + z^2) sqrt(s (n - s) / n + z^2 / 4)         (Wilson 1927)
-- The first row, without a linkage, counts who is found by one of them at least: by the best for him. An intruder does not know which that
-- is, so that it is more than anyone finds. He knows the columns as they are in the source: the worst case. What was recoded is recoded in
-- the source first, as he would do who knows the classes; a category that was recoded in part is an error. Persons who are not released
-- are drawn too, and found by nobody. Rates of the whole file are those of sdc_true_reidentification, sdc_distance_linkage,
-- sdc_probabilistic_linkage and sdc_rank_linkage, which this samples: a test that a person can repeat, and follow up one by one
-- (sdc_motivated_intruder_records).
-- Source: Information Commissioner's Office (2012), Anonymisation: managing data protection risk, code of practice, pages 22-24 (the
--   motivated intruder); Elliot et al. (2016), The Anonymisation Decision-Making Framework, component 7 (intrusion tests); Wilson (1927),
--   Probable inference, the law of succession, and statistical inference, JASA 22, 209-212.
--
--   original: id sex age   released: id sex age
--             1  f   30              1  f   30
--             2  m   40              2  m   40
--             3  f   50              3  f   50
--   FROM sdc_motivated_intruder('original', 'released', ['sex', 'age'], 'id'):
--   linkage  records found rate lower  upper
--   NULL     3       3     1    0.4385 1       3 / (3 + 3.8415)
--   distance 3       3     1    0.4385 1
--   keys     3       3     1    0.4385 1
--
-- Scope: table.
-- Not compiled: the nearest records are searched by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original    table                            the source, before masking, what was recoded in its released classes
--   released    table                            the table after it
--   columns     columns                          the variables that an intruder knows; those that are not continuous are categories
--   id          column                           identifies each record in both
--   continuous  columns                          those of them that are numbers
--   linkage     'all', 'keys', 'distance', 'agreement' or 'ranks'  the linkage that is tried; 'all' that fit the columns
--   records     whole number in [1, ...)         how many persons are drawn; of a file that has no more, all
--   confidence  number in (0, 1)                 the probability of the intervals
--   stream      text                             names the test: another one draws other persons

CREATE OR REPLACE MACRO sdc__intruder_key(what, columns, stream) AS
    sdc__subkey(sdc__secret_key(), '', stream, 'motivated_intruder', what, sdc__columns_part(columns));

-- The persons who are drawn, each with the canonical form of the id.
CREATE OR REPLACE MACRO sdc__drawn_persons(original, columns, id, records, stream) AS TABLE
    WITH sdc__own AS (SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__person FROM sdc__exact_rows(original, codes := [id])),
    sdc__named AS (SELECT sdc__person, sdc__checked_id(sdc__person) AS sdc__name FROM sdc__own),
    sdc__drawn_for_each AS (
        SELECT sdc__person, sdc__name, sdc__uniform(sdc__k, sdc__name, '') AS sdc__u
        FROM sdc__named, (SELECT sdc__intruder_key('who', columns, stream) AS sdc__k)
    )
    SELECT sdc__person, sdc__name FROM sdc__drawn_for_each
    ORDER BY sdc__u ASC, sdc__name ASC LIMIT sdc__checked_whole(records, 'records', 1);

-- How many categories and numbers an intruder knows.
CREATE OR REPLACE MACRO sdc__kinds_known(columns, continuous) AS
    {'categories': len(sdc__names_not_among(columns, continuous)), 'numbers': len(sdc__names_if_any(continuous))};

-- Whether a linkage fits so many categories and numbers; where it is asked for and does, the name of its common table expression, or
-- that of the empty one.
CREATE OR REPLACE MACRO sdc__linkage_fits(name, known) AS
    CASE name WHEN 'keys' THEN known.categories > 0 WHEN 'agreement' THEN known.categories > 2 WHEN 'ranks' THEN known.numbers > 0
              ELSE true END;
CREATE OR REPLACE MACRO sdc__fitting_linkages(columns, continuous) AS
    list_filter(['keys', 'distance', 'agreement', 'ranks'],
                lambda h: sdc__linkage_fits(h, sdc__kinds_known(columns, continuous)));
CREATE OR REPLACE MACRO sdc__if_it_fits(name, linkage, known) AS
    CASE WHEN linkage IN ('all', name) AND sdc__linkage_fits(name, known) THEN 'sdc__by_' || name
         ELSE 'sdc__by_nothing' END;
CREATE OR REPLACE MACRO sdc__checked_linkage(linkage, columns, continuous) AS CASE
    WHEN sdc__checked_choice(linkage, 'linkage', ['all', 'keys', 'distance', 'agreement', 'ranks']) IS NULL THEN false
    WHEN linkage = 'all' OR sdc__linkage_fits(linkage, sdc__kinds_known(columns, continuous)) THEN true
    WHEN linkage = 'keys'
        THEN error('ParameterError: linkage is ''keys'', and all columns are continuous: keys are categories.')
    WHEN linkage = 'agreement'
        THEN error('ParameterError: linkage is ''agreement'', which needs three categories: fewer do not determine what tells most.')
    ELSE error('ParameterError: linkage is ''ranks'', and no column is continuous: name the numbers in continuous.') END;

-- Each of the persons who were drawn (who: the name of the relation), by each linkage with the probability of a correct link.
-- persons: where the original is a view that joins labels to its records, the table of the same persons, whose ids stand in one line.
-- (A common table expression that is not read is not bound.)
CREATE OR REPLACE MACRO sdc__looked_up(who, original, released, columns, id, continuous, linkage, stream, persons := NULL) AS TABLE
    WITH sdc__who AS (FROM query_table(who)),
    sdc__drawn AS (
        SELECT * EXCLUDE (sdc__own)
        FROM (SELECT *, COLUMNS(sdc__columns((*), [id])) AS sdc__own FROM sdc__exact_rows(original, codes := [id]))
        WHERE sdc__own IN (SELECT sdc__person FROM sdc__who)
    ),
    sdc__by_nothing AS (SELECT NULL AS sdc__person, NULL::DOUBLE AS sdc__p WHERE false),
    sdc__both AS NOT MATERIALIZED (FROM sdc__both_labels(original, released, sdc__names_not_among(columns, continuous), id)),
    sdc__sought AS (FROM sdc__both WHERE sdc__person IN (SELECT sdc__person FROM sdc__who)),
    sdc__ids_of_both AS NOT MATERIALIZED (
        FROM sdc__both_labels(coalesce(persons, original), released, sdc__names_not_among(columns, continuous), id)
    ),
    sdc__by_keys AS (
        SELECT sdc__person, probability AS sdc__p
        FROM sdc__linked_by_keys('sdc__both', 'sdc__sought', sdc__names_not_among(columns, continuous), id, 'wildcard', NULL,
                                 ids := 'sdc__ids_of_both')
    ),
    sdc__by_distance AS (
        SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__person, probability AS sdc__p
        FROM sdc_distance_linkage_records(released, 'sdc__drawn', columns, id, continuous := continuous, external := true)
    ),
    sdc__by_agreement AS (
        SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__person, greatest(probability, probability_known) AS sdc__p
        FROM sdc_probabilistic_linkage_records(released, 'sdc__drawn', sdc__names_not_among(columns, continuous), id)
    ),
    sdc__by_ranks AS (
        SELECT COLUMNS(sdc__columns((*), [id])) AS sdc__person, probability AS sdc__p
        FROM sdc_rank_linkage_records(original, released, continuous, id)
    ),
    sdc__every AS (
        SELECT 'keys' AS sdc__how, sdc__person, sdc__p
        FROM query_table(sdc__if_it_fits('keys', linkage, sdc__kinds_known(columns, continuous)))
        UNION ALL BY NAME
        SELECT 'distance' AS sdc__how, sdc__person, sdc__p
        FROM query_table(sdc__if_it_fits('distance', linkage, sdc__kinds_known(columns, continuous)))
        UNION ALL BY NAME
        SELECT 'agreement' AS sdc__how, sdc__person, sdc__p
        FROM query_table(sdc__if_it_fits('agreement', linkage, sdc__kinds_known(columns, continuous)))
        UNION ALL BY NAME
        SELECT 'ranks' AS sdc__how, sdc__person, sdc__p
        FROM query_table(sdc__if_it_fits('ranks', linkage, sdc__kinds_known(columns, continuous)))
    ),
    sdc__linkages AS (
        SELECT unnest(list_filter(sdc__fitting_linkages(columns, continuous), lambda h: linkage IN ('all', h))) AS sdc__how
    ),
    sdc__guesses AS (
        SELECT sdc__person, sdc__uniform(sdc__k, sdc__name, '') AS sdc__u
        FROM sdc__who, (SELECT sdc__intruder_key('found', columns, stream) AS sdc__k)
    )
    SELECT sdc__w.sdc__person, sdc__l.sdc__how, coalesce(sdc__p, 0) AS sdc__p,
           sdc__u < coalesce(sdc__p, 0) AS sdc__found
    FROM sdc__guesses AS sdc__w LEFT JOIN sdc__linkages AS sdc__l ON true  -- (where none fits, the check of all rows says so)
    LEFT JOIN sdc__every AS sdc__e ON sdc__e.sdc__person = sdc__w.sdc__person AND sdc__e.sdc__how = sdc__l.sdc__how
    WHERE sdc__checked_linkage(linkage, columns, continuous);

-- probability: that the linkage takes the person's own record; found: whether it does.
-- sdc_motivated_intruder_records: whom a motivated intruder finds of the persons drawn, by each linkage.
-- Gives: id ANY, linkage VARCHAR, probability DOUBLE (more risk), found BOOLEAN (more risk).
-- Rows: records and linkages.
-- Result: relation. The id, the linkage, the probability that it takes the person's own record, and whether it does.
-- Example: FROM sdc_motivated_intruder_records('persons', 'released', ['age', 'sex', 'income'], 'id', continuous := ['income']);
CREATE OR REPLACE MACRO sdc_motivated_intruder_records(original, released, columns, id, continuous := NULL, linkage := 'all',
                                                       records := 1000, stream := '') AS TABLE
    WITH sdc__persons_drawn AS MATERIALIZED (FROM sdc__drawn_persons(original, columns, id, records, stream)),
    sdc__said AS (
        SELECT sdc__person, sdc__how AS linkage, sdc__p AS probability, sdc__found AS found
        FROM sdc__looked_up('sdc__persons_drawn', original, released, columns, id, continuous, linkage, stream)
    )
    FROM query('SELECT sdc__person AS ' || sdc__identifier(sdc__beside(id, ['linkage', 'probability', 'found']))
               || ', linkage, probability, found FROM sdc__said');

-- sdc_motivated_intruder: how many persons of the source, drawn at random, a motivated intruder finds in the released file.
-- Gives: linkage VARCHAR or NULL, records BIGINT, found BIGINT (more risk), rate DOUBLE (more risk), lower DOUBLE,
--   upper DOUBLE (more risk).
-- Rows: each linkage (by any of them first).
-- Words: rate: share of the units whom a motivated intruder finds; upper: share of the units whom a motivated intruder finds, at most (at
--   95 per cent); found: units whom a motivated intruder finds.
-- Result: MotivatedIntruder. Whom an intruder finds of the persons drawn, with Wilson's interval. `linkage`: NULL for whoever is found by
--   one of them at least.
-- Raises: ColumnError where a category was recoded: the original has to be recoded alike first; ParameterError where what tells most
--   cannot be estimated: name another linkage.
-- Notes: The secret key draws the persons, and one of several records as near.
-- Example: FROM sdc_motivated_intruder('persons', 'released', ['age', 'sex', 'income'], 'id', continuous := ['income']);
-- Limit: upper. The upper end of the interval of the share of the persons whom a motivated intruder finds.
CREATE OR REPLACE MACRO sdc_motivated_intruder(original, released, columns, id, continuous := NULL, linkage := 'all', records := 1000,
                                               confidence := 0.95, stream := '') AS TABLE
    WITH sdc__persons_drawn AS MATERIALIZED (FROM sdc__drawn_persons(original, columns, id, records, stream)),
    sdc__links AS MATERIALIZED (
        FROM sdc__looked_up('sdc__persons_drawn', original, released, columns, id, continuous, linkage, stream)
    ),
    sdc__counted AS (
        SELECT NULL AS sdc__how, count(DISTINCT sdc__person) AS sdc__n, count(DISTINCT CASE WHEN sdc__found THEN sdc__person END) AS sdc__s
        FROM sdc__links
        UNION ALL
        SELECT sdc__how, count(*), count(*) FILTER (sdc__found) FROM sdc__links GROUP BY sdc__how
    )
    SELECT sdc__how AS linkage, sdc__n AS records, sdc__s AS found, sdc__s / sdc__n AS rate,
           CASE WHEN sdc__s = 0 THEN 0  -- as it is but for rounding
                ELSE sdc__wilson_rate(sdc__s, sdc__n, sdc__z) - sdc__wilson_error(sdc__s, sdc__n, sdc__z) END AS lower,
           CASE WHEN sdc__s = sdc__n THEN 1
                ELSE sdc__wilson_rate(sdc__s, sdc__n, sdc__z) + sdc__wilson_error(sdc__s, sdc__n, sdc__z) END AS upper
    FROM sdc__counted, (SELECT sdc__interval_quantile(confidence) AS sdc__z)
    ORDER BY sdc__how ASC NULLS FIRST;
