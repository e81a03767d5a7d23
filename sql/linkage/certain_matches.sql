-- Whom an intruder finds in a suppressed file who knows the keys of all participants.
-- No released record may be left without a person.
--
--   the graph of compatible records: an original one and a released one that agree on every key that is not NULL in the released one
--   matches_i = the released records that original i is in some assignment of all released records to different originals
--   certain: matches_i = 1, and i has a record in every such assignment
-- Source: Gionis, Mazza & Tassa (2008), k-Anonymization revisited, ICDE, 744-753 (a match: an edge that is part of a perfect matching;
--   matches_below_k is 0 where the file is globally (1,k)-anonymous); Dulmage & Mendelsohn (1958), Coverings of bipartite graphs,
--   Canadian Journal of Mathematics 10, 517-534 (where the sides differ in size).
--
--   original: a b   released: a    b      FROM sdc_certain_matches('original', 'released', ['a', 'b'], k := 2):
--             0 2             0    NULL   k records matches_below_k certain_matches
--             1 0             1    0      2 3       3               3
--             0 0             NULL 0        (0, 2) is (0, NULL); so (0, 0) is not, and must be (NULL, 0); (1, 0) is what is left
--
-- sdc_suppression_report counts one of them (compatible_with_one), and sdc_k_anonymity with NULL a wildcard none: both look at one record
-- at a time. One assignment is the file itself. A pair is in some other one where both stand in one strong component of the graph, its
-- edges from original to released, and of the assignment back; so the certain ones are alone with their record. Cells of equal records
-- are the nodes: records that look alike are never told apart. Original records that are not released (a sample, a record left out) are
-- assigned to nobody, and the intruder does not know which; with all of them as likely, more are left in doubt. Released records that fit
-- no original were changed otherwise, and are assigned to nobody as well: of what was recoded or perturbed this says too little.
-- NULL in the original agrees with NULL in the released file only.
--
-- Scope: table.
-- Not compiled: the assignment is found by numpy; compare the two tables in DuckDB.
-- Parameters:
--   original  table                     the table before suppression
--   released  table                     the table after suppression
--   keys      columns                   the key variables
--   k         whole number in [2, ...)  the least number of records

-- olds, news: the pairs of compatible cells by their numbers from 0; before, after: the records of each cell in either file.
-- Two numbers a cell: the matches of each of its records, and whether it is certain.
CREATE OR REPLACE MACRO sdc__kernel_certain_matches(olds, news, before, after) AS
    sdc__needs_python('The assignment of all records')::BIGINT[];

-- For each number of matches the original records that have as many, and whether they are certain.
-- cells: of sdc__both_cells; pairs: their sdc__compatible_pairs. So a proof counts them once for this and for the report.
CREATE OR REPLACE MACRO sdc__assigned(cells, pairs) AS TABLE
    WITH sdc__paired AS (
        SELECT coalesce(list(sdc__old_cell - 1), []::BIGINT[]) AS sdc__olds, coalesce(list(sdc__new_cell - 1), []::BIGINT[]) AS sdc__news
        FROM query_table(pairs)
    ),
    sdc__listed AS (
        SELECT list(sdc__before ORDER BY sdc__cell ASC) AS sdc__befores,
               list(sdc__after ORDER BY sdc__cell ASC) AS sdc__afters
        FROM query_table(cells)
    ),
    sdc__found AS (
        SELECT sdc__befores, sdc__kernel_certain_matches(sdc__olds, sdc__news, sdc__befores, sdc__afters) AS sdc__twos
        FROM sdc__paired, sdc__listed
    )
    SELECT sdc__twos[2 * sdc__i - 1] AS sdc__matches, sdc__twos[2 * sdc__i] = 1 AS sdc__certain, sdc__befores[sdc__i] AS sdc__records
    FROM (SELECT *, unnest(range(1, len(sdc__befores) + 1)) AS sdc__i FROM sdc__found);

CREATE OR REPLACE MACRO sdc__certain_of_cells(cells, pairs, original, released, keys, k) AS TABLE
    SELECT any_value(sdc__least) AS k, sum(sdc__records)::BIGINT AS records,
           coalesce(sum(sdc__records) FILTER (sdc__matches < sdc__least), 0)::BIGINT AS matches_below_k,
           coalesce(sum(sdc__records) FILTER (sdc__certain), 0)::BIGINT AS certain_matches
    FROM sdc__assigned(cells, pairs), (SELECT sdc__checked_whole(k, 'k', 2) AS sdc__least)
    WHERE (SELECT sum(sdc__values) FROM sdc__missing_values(original, released, keys)) >= 0;

-- matches_below_k: original records that fewer than k released ones can be; certain_matches: whose released record is known.
-- sdc_certain_matches: how many records an intruder finds for certain who knows the keys of all participants.
-- Gives: k BIGINT, records BIGINT, matches_below_k BIGINT (more risk), certain_matches BIGINT (more risk).
-- Rows: one.
-- Result: CertainMatches. How many original records are found by who assigns all released records to different persons at once.
--   `matches_below_k`: original records that fewer than k released ones can be; `certain_matches`: those whose released record is known for
--   certain.
-- Raises: TableError where the released table has values that the original lacks: they are given the wrong way round.
-- Notes: No released record may be left without a person: what one of them must be, no other can. So more are found than by looking at one
--   record at a time (`suppression_report`).
-- Example: FROM sdc_certain_matches('persons', 'released', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_certain_matches(original, released, keys, k := 3) AS TABLE
    WITH sdc__both AS MATERIALIZED (FROM sdc__both_cells(original, released, keys)),
    sdc__pairs AS MATERIALIZED (FROM sdc__compatible_pairs('sdc__both'))
    FROM sdc__certain_of_cells('sdc__both', 'sdc__pairs', original, released, keys, k);
