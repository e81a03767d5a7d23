-- Probabilistic record linkage: how many records an intruder links correctly by what agrees in pairs of records.
-- He compares every released record with every original one, and links those that agree in what tells most.
--
--   gamma_j = 1 where a pair of records agrees in variable j, else 0;  p = the share of the pairs that are matched (of one person)
--   m_j = P(gamma_j = 1 | matched),  u_j = P(gamma_j = 1 | unmatched), the variables independent within either
--   p, m and u by the EM algorithm from the numbers of pairs with each pattern gamma, without knowing which are matched   (Jaro 1989)
--   weight(gamma) = sum over j of log2(m_j / u_j) where gamma_j = 1, log2((1 - m_j) / (1 - u_j)) where it is 0
--   Patterns in the order of their weights: links from the top while the sum of P(gamma | unmatched) <= false_match, non-links from the
--   bottom
--   while the sum of P(gamma | matched) <= false_nonmatch, possible links between these               (Fellegi & Sunter 1969, section 2.4)
--   probability of a correct link of a released record = 1 / its candidates of the highest weight, where its own original is among these,
--   else 0
-- Source: Fellegi & Sunter (1969), A theory for record linkage, JASA 64(328), 1183-1210; Jaro (1989), Advances in record-linkage
--   methodology, JASA 84(406), 414-420; SDC handbook, section 3.3.8.2 (risk is the share of the records that are linked, and
--   correctly); Torra & Domingo-Ferrer (2003), Record linkage methods for multidatabase data mining.
--
--   original: id sex age region  released: id sex age region
--             1  f   30  north             1  f   30  north
--             2  f   40  south             2  f   40  south
--             3  m   40  south             3  m   50  south
--             4  m   50  north             4  m   50  north
--   FROM sdc_probabilistic_linkage_records('original', 'released', ['sex', 'age', 'region'], 'id'):
--   id candidates correct probability
--   1  1          true    1            agrees with 1 in all
--   2  1          true    1            agrees with 2 in all
--   3  1          false   0            with 4 in sex and age, with its own in sex and region
--   4  1          true    1            rate_estimated 0.75, rate_known 1
--
-- All pairs count, and none is enumerated: how many agree in a set of variables is counted by groups (numbers within a tolerance by
-- sorting), those that agree in just that set by inclusion and exclusion. 100,000 by 100,000 records in seconds. A missing value (NULL)
-- agrees with nothing, also not with a missing one: a suppressed value counts against all candidates alike. Of a category in which no
-- released record lacks what its original has, nothing was suppressed, and NULL is one more category; where some were, write what is
-- known to be missing (not applicable) as one, or the rate is too low. In each step m_j >= u_j: a variable that agrees more often in
-- unmatched pairs gets the weight 0, so that matched and unmatched cannot change places. Three variables are the least, or else p, m and
-- u are not determined. Where variables hang together (age and marital status, members of a household), EM may find pairs that are alike
-- instead of matched ones: expected_matches is then far from true_pairs, and rate_estimated too low for an intruder who knows more. So
-- the true m and u, those of the pairs with one id and of all others, are measured as well: rate_known is that intruder's, and rate the
-- higher of the two. Records are compared within their block only (block: variables that have to be equal, without NULL), faster; who is
-- not in the block of his or her original is never linked. Persons of one file who are not in the other may be there: rate is of those in
-- both. A recoded category (34 released as '30-39') is an error: recode the original alike first, as the intruder would.
--
-- Scope: table.
-- Not compiled: pairs are counted and the model is estimated by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original        table                          the table before masking, or another file that the intruder has
--   released        table                          the table after masking
--   columns         columns                        the variables compared, three or more; those that are not continuous are categories
--   id              column                         identifies a person, in both
--   continuous      columns                        those of them that are numbers, which agree within the tolerance
--   tolerance       number or numbers in [0, ...)  the largest difference that agrees: one number,
--       or one for each of the continuous columns
--   block           columns                        variables that have to be equal, or a pair is not compared
--   false_match     number in (0, 1)               the largest probability that an unmatched pair is linked; NULL: so that 1 released
--       record in 20 is linked wrong
--   false_nonmatch  number in (0, 1)               the largest probability that a matched pair is taken for unmatched

-- agreement, disagreement: the weights, log2(m / u) and log2((1 - m) / (1 - u)); true_m, true_u: of the pairs with one id and
-- of all others.
-- sdc_probabilistic_linkage_parameters: the estimated m and u of each variable, its weights, and the true ones.
-- Gives: variable VARCHAR, m DOUBLE, u DOUBLE, agreement DOUBLE, disagreement DOUBLE, true_m DOUBLE, true_u DOUBLE.
-- Rows: variables.
-- Result: LinkageParameters. How often a variable agrees: in matched pairs (m), in others (u), both estimated, and in the true ones.
--   `agreement`, `disagreement`: the weights, log2(m / u) and log2((1 - m) / (1 - u)).
-- Notes: m, u and the share of matched pairs come by EM, from the numbers of pairs with each pattern of agreement.
-- Example: FROM sdc_probabilistic_linkage_parameters('persons', 'released', ['age', 'sex', 'region'], 'id');
CREATE OR REPLACE MACRO sdc_probabilistic_linkage_parameters(original, released, columns, id, continuous := NULL,
                                                             tolerance := NULL, block := NULL) AS TABLE
    SELECT variable, m, u, log2(m / u) AS agreement, log2((1 - m) / (1 - u)) AS disagreement, true_m, true_u
    FROM (SELECT unnest(sdc__names) AS variable, unnest(sdc__k[2]) AS m, unnest(sdc__k[3]) AS u,
                 unnest(sdc__k[4]) AS true_m, unnest(sdc__k[5]) AS true_u
          FROM sdc__linkage(original, released, columns, id, continuous, tolerance, block));

-- agreeing: the variables that agree; pairs, true_pairs: all that agree in just these, and those of one id; matched, unmatched: the
-- probability of the pattern in either; expected_matches: how many of the pairs are matched, by the model; decision: 'link', 'possible'
-- or 'non-link'.
-- sdc_probabilistic_linkage_patterns: the patterns of agreement, the highest weight first, with their pairs and the decision.
-- Gives: agreeing VARCHAR[], pairs BIGINT, true_pairs BIGINT, weight DOUBLE, matched DOUBLE, unmatched DOUBLE, expected_matches DOUBLE,
--   decision VARCHAR.
-- Rows: patterns of agreement.
-- Result: LinkagePattern. The pairs that agree in just some variables: how many, how many are true, and what is decided of them. `matched`,
--   `unmatched`: the probability of the pattern in matched and other pairs; `expected_matches`: how many of the pairs are matched, by the
--   model; `decision`: link, possible or non-link.
-- Notes: There is no random decision for the pattern at a threshold (section 2.4 of the first): it is possible.
-- Example: FROM sdc_probabilistic_linkage_patterns('persons', 'released', ['age', 'sex', 'region'], 'id');
CREATE OR REPLACE MACRO sdc_probabilistic_linkage_patterns(original, released, columns, id, continuous := NULL,
                                                           tolerance := NULL, block := NULL, false_match := NULL,
                                                           false_nonmatch := 0.05) AS TABLE
    WITH sdc__run AS MATERIALIZED (FROM sdc__linkage(original, released, columns, id, continuous, tolerance, block))
    SELECT sdc__agreeing AS agreeing, sdc__pairs AS pairs, sdc__true AS true_pairs, sdc__weight AS weight,
           sdc__matched AS matched, sdc__unmatched AS unmatched, sdc__expected AS expected_matches,
           sdc__decision AS decision
    FROM sdc__linkage_patterns('sdc__run', false_match, false_nonmatch) ORDER BY sdc__weight DESC, sdc__agreeing ASC;

-- weight: the highest of an original record (NULL: none is in the block); candidates: how many have it; correct: the person's own is one
-- of them; probability: 1 / candidates if so; probability_known: the same with the true m and u.
-- sdc_probabilistic_linkage_records: the best candidates of each released record, and the probability that the link is correct.
-- Gives: id ANY, weight DOUBLE, candidates BIGINT, correct BOOLEAN, probability DOUBLE (more risk), probability_known DOUBLE (more risk).
-- Rows: records.
-- Result: relation. id, weight, candidates, correct, probability, and probability_known, that with the true m and u.
-- Example: FROM sdc_probabilistic_linkage_records('persons', 'released', ['age', 'sex', 'region'], 'id');
CREATE OR REPLACE MACRO sdc_probabilistic_linkage_records(original, released, columns, id, continuous := NULL,
                                                          tolerance := NULL, block := NULL) AS TABLE
    WITH sdc__linked AS (
        SELECT sdc__person, CASE WHEN isfinite(sdc__w) THEN sdc__w END AS weight, sdc__n::BIGINT AS candidates,
               sdc__own = 1 AS correct, sdc__own / greatest(sdc__n, 1) AS probability, sdc__known AS probability_known
        FROM (SELECT unnest(sdc__persons) AS sdc__person, unnest(sdc__firsts) AS sdc__first, unnest(sdc__k[9]) AS sdc__w,
                     unnest(sdc__k[10]) AS sdc__n, unnest(sdc__k[11]) AS sdc__own, unnest(sdc__k[12]) AS sdc__known
              FROM sdc__linkage(original, released, columns, id, continuous, tolerance, block))
        WHERE NOT sdc__first
    )
    FROM query('SELECT sdc__person AS '
               || sdc__identifier(sdc__beside(id, ['weight', 'candidates', 'correct', 'probability', 'probability_known']))
               || ', weight, candidates, correct, probability, probability_known FROM sdc__linked');

-- records: the released ones; true_pairs: persons of both files; pairs: those compared; expected_matches: how many of them are matched,
-- by the model; links, possible: the pairs so decided; expected_false_links: of the links, by the model; correct_links: those of one
-- person; link_rate: correct_links / true_pairs (the handbook's risk); rate_estimated, rate_known: the mean probability of a correct
-- link, with the estimated and with the true m and u; rate: the higher one.
-- sdc_probabilistic_linkage: how many records an intruder links correctly by probabilistic record linkage.
-- Gives: records BIGINT, originals BIGINT, true_pairs BIGINT, pairs BIGINT, expected_matches DOUBLE (more risk), false_match DOUBLE,
--   links BIGINT, expected_false_links DOUBLE, correct_links BIGINT (more risk), possible BIGINT, link_rate DOUBLE (more risk),
--   rate_estimated DOUBLE (more risk), rate_known DOUBLE (more risk), rate DOUBLE (more risk).
-- Rows: one.
-- Words: rate: share of the records that probabilistic linkage links correctly.
-- Result: ProbabilisticLinkage. What probabilistic record linkage finds of the released records, and how much of it is right. `true_pairs`:
--   persons of both files; `pairs`: all that are compared; `expected_matches`: how many of them are matched, by the model; `links`,
--   `possible`: pairs so decided; `expected_false_links`: of the links, by the model; `correct_links`: those of one person; `link_rate`:
--   their share of the true pairs, the handbook's risk; `rate_estimated`, `rate_known`: the mean probability that a record's best candidate
--   is the right one, with the estimated and with the true m and u; `rate`: the higher of the two.
-- Raises: InputError where the patterns of agreement do not tell matched pairs from others, or fewer than three variables are named;
--   ColumnError where a category was recoded: the original has to be recoded alike first.
-- Notes: NULL agrees with nothing, or in a category of which no value was suppressed is one more.
-- Example: FROM sdc_probabilistic_linkage('persons', 'released', ['age', 'sex', 'region'], 'id');
-- Limit: rate. The share of the records that probabilistic record linkage links correctly.
CREATE OR REPLACE MACRO sdc_probabilistic_linkage(original, released, columns, id, continuous := NULL, tolerance := NULL,
                                                  block := NULL, false_match := NULL, false_nonmatch := 0.05) AS TABLE
    WITH sdc__run AS MATERIALIZED (FROM sdc__linkage(original, released, columns, id, continuous, tolerance, block)),
    sdc__decided AS (
        SELECT sum(sdc__pairs)::BIGINT AS sdc__all, sdc__exact_sum(sdc__expected, 60) AS sdc__matches,
               any_value(sdc__mu) AS sdc__mu,
               coalesce(sum(sdc__pairs) FILTER (sdc__decision = 'link'), 0)::BIGINT AS sdc__links,
               coalesce(sdc__exact_sum(CASE WHEN sdc__decision = 'link' THEN sdc__pairs - sdc__expected END, 60),
                        0) AS sdc__false,
               coalesce(sum(sdc__true) FILTER (sdc__decision = 'link'), 0)::BIGINT AS sdc__right,
               coalesce(sum(sdc__pairs) FILTER (sdc__decision = 'possible'), 0)::BIGINT AS sdc__between
        FROM sdc__linkage_patterns('sdc__run', false_match, false_nonmatch)
    ),
    sdc__of_records AS (
        SELECT count(*) FILTER (NOT sdc__first) AS sdc__records, sum(sdc__times) FILTER (sdc__first)::BIGINT AS sdc__originals,
               count(sdc__person) FILTER (sdc__first) AS sdc__both,
               coalesce(sdc__exact_sum(CASE WHEN sdc__own = 1 THEN 1 / sdc__n END, 90), 0) AS sdc__expected,
               coalesce(sdc__exact_sum(CASE WHEN NOT sdc__first THEN sdc__known END, 90), 0) AS sdc__informed
        FROM (SELECT unnest(sdc__persons) AS sdc__person, unnest(sdc__firsts) AS sdc__first, unnest(sdc__times) AS sdc__times,
                     unnest(sdc__k[10]) AS sdc__n, unnest(sdc__k[11]) AS sdc__own, unnest(sdc__k[12]) AS sdc__known
              FROM sdc__run)
    ),
    sdc__rates AS (FROM sdc__decided, sdc__of_records)
    SELECT sdc__records AS records, sdc__originals AS originals, sdc__both AS true_pairs, sdc__all AS pairs,
           sdc__matches AS expected_matches, sdc__mu AS false_match, sdc__links AS links,
           sdc__false AS expected_false_links,
           sdc__right AS correct_links, sdc__between AS possible, sdc__right / sdc__both AS link_rate,
           sdc__expected / sdc__both AS rate_estimated, sdc__informed / sdc__both AS rate_known,
           greatest(sdc__expected, sdc__informed) / sdc__both AS rate
    FROM sdc__rates;
