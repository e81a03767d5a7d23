-- A misclassification matrix, checked against the cells of a file: what the intruder's own data say of a person whose record
-- says `from`.
--
--   M_jj* = P(X~ = j* | X = j),   X the key as the file has it, X~ as the intruder has it               (11)
-- Source: Skinner & Elliot (2002), section 4.
-- Tables as for PRAM (from, to, probability; pram.sql), rows summing to 1.
--
--   persons: sex   matrix: from to probability   sdc_pram_reversed('persons', 'sex', 'matrix'):
--            f             f    f  0.9           from to probability
--            m             f    m  0.1           f    f  0.8182       0.9 / (0.9 + 0.2)
--                          m    f  0.2           f    m  0.1818
--                          m    m  0.8           m    f  0.1111
--                                                m    m  0.8889       0.8 / (0.1 + 0.8)
--
-- A change that is not listed has probability 0; NULL stays NULL where it is no `from`.
-- Mind the direction: rows are the file's categories. PRAM's own matrix goes from the original to the released category; where
-- the file is the released one and the intruder knows the originals, sdc_pram_reversed inverts it by Bayes' theorem:
--   P(xi = k | X = l) = T_k p_kl / sum_k' T_k' p_k'l ,  T the frequencies of the original file (SDC handbook, section 3.4.6)
-- Of several keys, each masked by a matrix of its own, the reversed matrices are exact together only where the keys are
-- independent; otherwise reverse one matrix of their crossing (sdc_pram_reversed_crossing, with structs as categories; of
-- independent changes its probabilities are the products of the keys' own).
--
-- Scope: cells.
-- Not compiled: a matrix is cast to the types of its table's columns, which are not known when the query is compiled.
-- Parameters:
--   original     table    the file before PRAM
--   column_name  column   the variable
--   columns      columns  the variables, changed together
--   matrix       table    the matrix of PRAM: from, to, probability

-- The columns of a matrix, and no others: a matrix of several strata has rows of each stratum for a category.
CREATE OR REPLACE MACRO sdc__besides(have, named) AS list_filter(have, lambda h: NOT sdc__is_among(h, named));
CREATE OR REPLACE MACRO sdc__matrix_columns(have, named) AS CASE
    WHEN len(sdc__besides(have, named)) > 0 AND len(sdc__missing(have, named)) = 0
        THEN [sdc__besides(have, named)[1]
              || '" stands in the matrix besides from, to and probability: where each stratum has a matrix of its own, take'
              || ' the rows and the records of one stratum at a time; else leave that column out; so "'
              || sdc__besides(have, named)[1]]
    ELSE sdc__columns(have, named)
END;

-- sdc__from, sdc__to, sdc__p for the categories there are. given: a CTE with sdc__from and sdc__to as rows of one category of the
-- column's type, sdc__value (what sdc__to is the row of), sdc__p, and sdc__s (NULL), as the checks of PRAM want them;
-- categories: a CTE with sdc__x and sdc__blank.
CREATE OR REPLACE MACRO sdc__misclassified(given, categories, name) AS TABLE
    WITH sdc__sums AS (FROM sdc__pram_rows(given))
    SELECT sdc__c.sdc__x AS sdc__from,
           CASE WHEN sdc__r.sdc__sound THEN sdc__g.sdc__value ELSE sdc__c.sdc__x END AS sdc__to,
           CASE WHEN sdc__r.sdc__sound THEN sdc__g.sdc__p WHEN sdc__c.sdc__blank THEN 1
                ELSE error('ParameterError: A category of ' || name
                           || ' is not in its PRAM or misclassification matrix: give its row (from,'
                           || ' to, probability).') END::DOUBLE AS sdc__p
    FROM query_table(categories) AS sdc__c
    LEFT JOIN sdc__sums AS sdc__r ON row(sdc__c.sdc__x) = sdc__r.sdc__from
    LEFT JOIN query_table(given) AS sdc__g ON sdc__r.sdc__sound AND row(sdc__c.sdc__x) = sdc__g.sdc__from AND sdc__g.sdc__p > 0;

CREATE OR REPLACE MACRO sdc__misclassification(cells, column_name, matrix) AS TABLE
    WITH sdc__categories AS MATERIALIZED (
        SELECT DISTINCT sdc__x, sdc__x IS NULL AS sdc__blank
        FROM (SELECT COLUMNS(sdc__columns((*), [column_name])) AS sdc__x FROM query_table(cells))
    ),
    sdc__given AS MATERIALIZED (
        SELECT NULL AS sdc__s, row(sdc__category_of(sdc__m."from", sdc__t.sdc__x)) AS sdc__from,
               row(sdc__category_of(sdc__m."to", sdc__t.sdc__x)) AS sdc__to,
               sdc__category_of(sdc__m."to", sdc__t.sdc__x) AS sdc__value,
               sdc__checked_probability(TRY_CAST(sdc__m.probability AS DOUBLE)) AS sdc__p
        FROM (SELECT sdc__by_bytes(COLUMNS(sdc__matrix_columns((*), ['from', 'to', 'probability']))) AS "\0"
              FROM sdc__rows(matrix)) AS sdc__m
        LEFT JOIN (FROM sdc__categories LIMIT 0) AS sdc__t ON true
    )
    FROM sdc__misclassified('sdc__given', 'sdc__categories', column_name);

-- The same of several columns together: `from` and `to` are structs.
CREATE OR REPLACE MACRO sdc__misclassification_crossing(cells, columns, matrix) AS TABLE
    WITH sdc__categories AS MATERIALIZED (
        SELECT sdc__x, list_bool_and([*COLUMNS(lambda c: starts_with(c, 'sdc__n_'))]) AS sdc__blank
        FROM (SELECT DISTINCT struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__x,
                              COLUMNS(sdc__columns((*), columns)) IS NULL AS "sdc__n_\0"
              FROM query_table(cells))
    ),
    sdc__given AS MATERIALIZED (
        SELECT NULL AS sdc__s, row(sdc__category_of(sdc__m."from", sdc__t.sdc__x)) AS sdc__from,
               row(sdc__category_of(sdc__m."to", sdc__t.sdc__x)) AS sdc__to,
               sdc__category_of(sdc__m."to", sdc__t.sdc__x) AS sdc__value,
               sdc__checked_probability(TRY_CAST(sdc__m.probability AS DOUBLE)) AS sdc__p
        FROM (SELECT sdc__by_bytes(COLUMNS(sdc__matrix_columns((*), ['from', 'to', 'probability']))) AS "\0"
              FROM sdc__rows(matrix)) AS sdc__m
        LEFT JOIN (FROM sdc__categories LIMIT 0) AS sdc__t ON true
    )
    FROM sdc__misclassified('sdc__given', 'sdc__categories', array_to_string(columns, ', '));

-- Bayes' theorem. weighted: a CTE with sdc__from (original), sdc__to (released) and sdc__w, T_k p_kl.
CREATE OR REPLACE MACRO sdc__reversed(weighted) AS TABLE
    SELECT sdc__to AS "from", sdc__from AS "to",
           sdc__w / sdc__unfixed(sum(sdc__fixed(sdc__w, 90)) OVER (PARTITION BY sdc__to), 90) AS probability
    FROM query_table(weighted);

-- from: the released category; to: the original one.
-- sdc_pram_reversed: a PRAM matrix inverted by Bayes' theorem: the probabilities of the original category given the released one.
-- Gives: from VARCHAR, to VARCHAR, probability DOUBLE.
-- Rows: pairs of categories.
-- Example: FROM sdc_pram_reversed('persons', 'sex', 'sexes');
CREATE OR REPLACE MACRO sdc_pram_reversed(original, column_name, matrix) AS TABLE
    WITH sdc__categories AS MATERIALIZED (
        SELECT sdc__x, sdc__x IS NULL AS sdc__blank, count(*) AS sdc__t
        FROM (SELECT COLUMNS(sdc__columns((*), [column_name])) AS sdc__x
              FROM sdc__exact_rows(original, codes := [column_name]))
        GROUP BY sdc__x
    ),
    sdc__given AS MATERIALIZED (
        SELECT NULL AS sdc__s, row(sdc__category_of(sdc__m."from", sdc__t.sdc__x)) AS sdc__from,
               row(sdc__category_of(sdc__m."to", sdc__t.sdc__x)) AS sdc__to,
               sdc__category_of(sdc__m."to", sdc__t.sdc__x) AS sdc__value,
               sdc__checked_probability(TRY_CAST(sdc__m.probability AS DOUBLE)) AS sdc__p
        FROM (SELECT sdc__by_bytes(COLUMNS(sdc__matrix_columns((*), ['from', 'to', 'probability']))) AS "\0"
              FROM sdc__rows(matrix)) AS sdc__m
        LEFT JOIN (SELECT sdc__x FROM sdc__categories LIMIT 0) AS sdc__t ON true
    ),
    sdc__weighted AS (
        SELECT sdc__m.sdc__from, sdc__m.sdc__to, sdc__t * sdc__p AS sdc__w
        FROM sdc__misclassified('sdc__given', 'sdc__categories', column_name) AS sdc__m
        JOIN sdc__categories AS sdc__c ON row(sdc__m.sdc__from) = row(sdc__c.sdc__x)
    )
    FROM sdc__reversed('sdc__weighted');

-- The categories that the original file has; of the matrix only their rows are used.
-- sdc_pram_reversed_crossing: the same of several columns together: a matrix of their crossing, with structs as categories.
-- Gives: from ANY, to ANY, probability DOUBLE.
-- Rows: pairs of categories.
-- Example: FROM sdc_pram_reversed_crossing('persons', ['sex', 'region'], 'crossings');
CREATE OR REPLACE MACRO sdc_pram_reversed_crossing(original, columns, matrix) AS TABLE
    WITH sdc__whole AS MATERIALIZED (
        SELECT COLUMNS(sdc__columns((*), columns)), count(*) AS sdc__t FROM sdc__exact_rows(original, codes := columns) GROUP BY ALL
    ),
    sdc__counts AS (SELECT struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__x, sdc__t FROM sdc__whole),
    sdc__weighted AS (
        SELECT sdc__m.sdc__from, sdc__m.sdc__to, sdc__t * sdc__p AS sdc__w
        FROM sdc__misclassification_crossing('sdc__whole', columns, matrix) AS sdc__m
        JOIN sdc__counts AS sdc__c ON row(sdc__m.sdc__from) = row(sdc__c.sdc__x)
    )
    FROM sdc__reversed('sdc__weighted');
