-- l-diversity: the sensitive values in each cell are many and none dominates.
--
--   distinct_l  = the number of values in the cell
--   entropy_l   = exp(-sum_v p_v ln p_v)                                   definition 4.1
--   recursive_l = the largest l with r_1 < c (r_l + r_l+1 + ... + r_m)     definition 4.2
--                 where r_1 >= r_2 >= ... are the counts of the values (0 where not even l = 1 holds);
--                 equality but for the last digits of the product is no <
-- Source: Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), l-diversity: privacy beyond
--   k-anonymity, ACM TKDD 1(1), section 4.
-- The l of the file is the least of its cells.
-- Several sensitive variables (section 4.3): the file is l-diverse when it is so for each variable with
-- the others among the keys: `others := [...]` adds them. There is no nulls := 'wildcard': the records
-- compatible with a cell would lend it values that none of its own records has, and overstate its diversity.
--
--   persons: age illness    sdc_l_diversity_cells('persons', ['age'], 'illness'):
--            30  flu        age sample_frequency distinct_l entropy_l recursive_l
--            30  cancer     30  2                2          2         2
--            41  flu        41  1                1          1         1
--
--   FROM sdc_l_diversity('persons', ['age'], 'illness'):     FROM sdc_l_diversity_records('persons', ['age'], 'illness'):
--   records cells distinct_l entropy_l recursive_l           age illness distinct_l entropy_l recursive_l
--   3       2     1          1         1                     30  flu     2          2         2
--                                                            30  cancer  2          2         2
--                                                            41  flu     1          1         1
--
-- Scope: cells.
-- Wildcards: refused.
-- Notes: Records that match through a wildcard would add values that no record of the cell has, and overstate its diversity. A file with
--   several sensitive variables is l-diverse when each of them is, with the others given as `others`.
-- Parameters:
--   tbl        table               the table, view, common table expression or file
--   keys       columns             the key variables
--   sensitive  column              the sensitive variable; NULL in it is a value of its own
--   c          number in (0, ...)  the c of recursive (c, l)-diversity
--   others     columns             further sensitive variables, which count as keys

CREATE OR REPLACE MACRO sdc__l_diversity(tbl, keys, sensitive, c) AS TABLE
    WITH sdc__counted AS (FROM sdc__attribute_counts(tbl, keys, sensitive)),
    sdc__ranked AS (
        SELECT sdc__key, sdc__n, row_number() OVER sdc__down AS sdc__l,
               max(sdc__n) OVER (PARTITION BY sdc__key) AS sdc__r1,
               sum(sdc__n) OVER (PARTITION BY sdc__key
                                 ORDER BY sdc__n DESC,
                                          sdc__value ASC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS sdc__tail
        FROM sdc__counted
        WINDOW sdc__down AS (PARTITION BY sdc__key ORDER BY sdc__n DESC, sdc__value ASC)
    )
    SELECT sdc__key, sum(sdc__n)::BIGINT AS sdc__f, count(*) AS sdc__distinct,
           CASE WHEN count(*) = 1 THEN 1
                ELSE exp(ln(sum(sdc__n)) - sdc__exact_sum(sdc__n * ln(sdc__n)) / sum(sdc__n)) END::DOUBLE AS sdc__entropy,
           coalesce(max(sdc__l) FILTER (NOT sdc__at_least(
                                            sdc__r1, sdc__checked_positive(c, 'c of recursive l-diversity') * sdc__tail)),
                    0)::BIGINT AS sdc__recursive
    FROM sdc__ranked
    GROUP BY sdc__key;

-- sdc_l_diversity_cells: the cells of the keys, and how diverse a sensitive variable is in each.
-- Gives: the key columns, sample_frequency BIGINT (less risk), distinct_l BIGINT (less risk), entropy_l DOUBLE (less risk),
--   recursive_l BIGINT (less risk).
-- Rows: cells.
-- Result: relation. The key columns, `sample_frequency`, `distinct_l`, `entropy_l`, `recursive_l`.
-- Example: FROM sdc_l_diversity_cells('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_l_diversity_cells(tbl, keys, sensitive, c := 2, others := NULL) AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 'distinct_l', 'entropy_l', 'recursive_l'])),
           sdc__f AS sample_frequency, sdc__distinct AS distinct_l, sdc__entropy AS entropy_l, sdc__recursive AS recursive_l
    FROM (SELECT unnest(sdc__key), * EXCLUDE (sdc__key) FROM sdc__l_diversity(tbl, sdc__both(keys, others), sensitive, c));

-- sdc_l_diversity_records: every record, and how diverse a sensitive variable is in its cell.
-- Gives: every column, distinct_l BIGINT (less risk), entropy_l DOUBLE (less risk), recursive_l BIGINT (less risk).
-- Rows: records.
-- Result: relation. Every column, `distinct_l`, `entropy_l`, `recursive_l`.
-- Example: FROM sdc_l_diversity_records('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_l_diversity_records(tbl, keys, sensitive, c := 2, others := NULL) AS TABLE
    SELECT COLUMNS(sdc__without((*), ['distinct_l', 'entropy_l', 'recursive_l'])),
           sdc__distinct AS distinct_l, sdc__entropy AS entropy_l, sdc__recursive AS recursive_l
    FROM (SELECT r.* EXCLUDE (sdc__key), sdc__found(d.sdc__distinct) AS sdc__distinct, d.sdc__entropy, d.sdc__recursive
          FROM sdc__keyed(tbl, sdc__both(keys, others)) AS r
          LEFT JOIN sdc__l_diversity(tbl, sdc__both(keys, others), sensitive, c) AS d ON r.sdc__key = d.sdc__key);

-- sdc_l_diversity: how diverse a sensitive variable is in the least diverse cell.
-- Gives: records BIGINT, cells BIGINT, distinct_l BIGINT (less risk), entropy_l DOUBLE (less risk), recursive_l BIGINT (less risk).
-- Rows: one.
-- Words: distinct_l: fewest values of the sensitive variable in a cell; entropy_l: least l-diversity of a cell, by entropy; recursive_l:
--   least recursive l-diversity of a cell.
-- Result: LDiversity. The least l of the cells: distinct values, entropy l (definition 4.1), recursive l (4.2).
-- Example: FROM sdc_l_diversity('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_l_diversity(tbl, keys, sensitive, c := 2, others := NULL) AS TABLE
    SELECT sum(sdc__f)::BIGINT AS records, count(*) AS cells, min(sdc__distinct) AS distinct_l,
           min(sdc__entropy) AS entropy_l, min(sdc__recursive) AS recursive_l
    FROM sdc__l_diversity(tbl, sdc__both(keys, others), sensitive, c);
