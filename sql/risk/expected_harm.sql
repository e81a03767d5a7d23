-- The harm that an intruder is expected to do to each respondent, from the probabilities of what he does and a table of its costs.
--
--   E H = sum over what may happen of its probability times its cost:
--                            inference correct  incorrect  none
--   identification correct   c_TT               c_TF       c_TN
--                  incorrect c_FT               c_FF       c_FN
--                  none      0
-- Source: Lambert (1993), Measures of disclosure risk and harm, Journal of Official Statistics 9, 313-331, section 6; as presented by
--   J. Lynch (slide 36: 0 if the record is not identified; c_FN and c_TN where nothing is inferred).
--
-- identification: 'correct', 'incorrect' or 'none' (the null link);  inference: the same, of the attribute that is sought ('none':
-- nothing inferred). The probabilities of a respondent sum to at most 1; what is missing to 1 is no identification. They may be those of
-- sdc_intruder_links and of sdc_flip_posterior. What can happen and has no cost is an error, but no identification, which costs 0 where
-- nothing else is said.
--
--   outcomes: id identification inference probability    costs: identification inference cost
--             1  correct        correct   0.3                   correct        correct   100
--             1  incorrect      correct   0.2                   incorrect      correct   40
--   FROM sdc_expected_harm_records('outcomes', 'costs', 'id'):    FROM sdc_expected_harm('outcomes', 'costs', 'id'):
--   respondent expected_harm                                      respondents total average maximum
--   1          38               30 + 8                            1           38    38      38
--
-- Scope: table.
-- Not compiled: the probabilities are those of links that are found in DuckDB; reckon the harm beside them.
-- Parameters:
--   tbl    table   for each respondent what may happen: identification, inference and its probability
--   costs  table   identification, inference and its cost, one row for each that may happen
--   id     column  identifies the respondent

CREATE OR REPLACE MACRO sdc__happens(value, name) AS CASE WHEN value::VARCHAR IN ('correct', 'incorrect', 'none') THEN value::VARCHAR
    ELSE error('ColumnError: The column ' || name || ' holds something else than correct, incorrect or none.') END;

CREATE OR REPLACE MACRO sdc__chance_of(p) AS CASE WHEN TRY_CAST(p AS DOUBLE) >= 0 AND TRY_CAST(p AS DOUBLE) <= 1 THEN TRY_CAST(p AS DOUBLE)
    ELSE error('ColumnError: A probability is NULL, no number, below 0 or above 1.') END;

-- respondent: the id, as text.
-- sdc_expected_harm_records: the expected harm to each respondent.
-- Gives: respondent VARCHAR, expected_harm DOUBLE (more risk).
-- Rows: records.
-- Example: FROM sdc_expected_harm_records('outcomes', 'costs', 'id');
CREATE OR REPLACE MACRO sdc_expected_harm_records(tbl, costs, id) AS TABLE
    WITH sdc__outcomes AS (
        SELECT COLUMNS(sdc__columns((*), [id]))::VARCHAR AS sdc__person,
               sdc__happens(COLUMNS(sdc__columns((*), ['identification'])), 'identification') AS sdc__link,
               sdc__happens(COLUMNS(sdc__columns((*), ['inference'])), 'inference') AS sdc__of,
               sdc__chance_of(COLUMNS(sdc__columns((*), ['probability']))) AS sdc__p
        FROM sdc__exact_rows(tbl, codes := [id])
    ),
    sdc__costs AS (
        SELECT sdc__link, sdc__of, CASE WHEN count(*) = 1 AND count(sdc__c) = 1 AND abs(any_value(sdc__c)) <= 1e15 THEN any_value(sdc__c)
                                        ELSE error('TableError: In the table of costs a cost is NULL or'
                                                   || ' no finite number, or a case has two: give one for'
                                                   || ' each identification and inference.') END AS sdc__cost
        FROM (SELECT sdc__happens(COLUMNS(sdc__columns((*), ['identification'])), 'identification') AS sdc__link,
                     sdc__happens(COLUMNS(sdc__columns((*), ['inference'])), 'inference') AS sdc__of,
                     TRY_CAST(COLUMNS(sdc__columns((*), ['cost'])) AS DOUBLE) AS sdc__c
              FROM sdc__exact_rows(costs))
        GROUP BY sdc__link, sdc__of
    )
    SELECT sdc__o.sdc__person AS respondent,
           CASE WHEN sdc__o.sdc__person IS NULL THEN error(
                    'ColumnError: The id (' || id || ') is NULL on a record: every respondent needs one of their own.')
                WHEN sdc__exact_sum(sdc__p, 90) <= 1 + 1e-9 THEN sdc__exact_sum(
                    CASE WHEN sdc__p > 0 THEN sdc__p * coalesce(
                             sdc__cost,
                             CASE WHEN sdc__o.sdc__link = 'none' THEN 0
                                  ELSE error('TableError: The table of costs has no cost for an identification that is '
                                             || sdc__o.sdc__link || ' with an inference that is ' || sdc__o.sdc__of
                                             || ': add its row.') END)
                         ELSE 0 END,
                    60)
                ELSE error('ColumnError: The probabilities of a respondent sum to more than 1: they'
                           || ' are of cases of which one happens.') END AS expected_harm
    FROM sdc__outcomes AS sdc__o LEFT JOIN sdc__costs AS sdc__k ON sdc__o.sdc__link = sdc__k.sdc__link AND sdc__o.sdc__of = sdc__k.sdc__of
    GROUP BY sdc__o.sdc__person;

-- sdc_expected_harm: the expected harm of a release, over its respondents.
-- Gives: respondents BIGINT, total DOUBLE (more risk), average DOUBLE (more risk), maximum DOUBLE (more risk).
-- Rows: one.
-- Words: total: expected harm to all respondents; average: expected harm to a respondent; maximum: greatest harm that a respondent has to
--   expect.
-- Example: FROM sdc_expected_harm('outcomes', 'costs', 'id');
-- Limit: maximum. The largest harm that a respondent has to expect.
CREATE OR REPLACE MACRO sdc_expected_harm(tbl, costs, id) AS TABLE
    SELECT count(*) AS respondents, sdc__exact_sum(expected_harm, 60) AS total,
           sdc__exact_sum(expected_harm, 60) / count(*) AS average, max(expected_harm) AS maximum
    FROM sdc_expected_harm_records(tbl, costs, id);
