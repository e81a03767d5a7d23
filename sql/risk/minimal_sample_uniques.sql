-- Minimal sample uniques: the smallest sets of keys on which a record is unique.
--
--   S is a minimal sample unique of a record: no other record agrees with it on every key of S, and
--   on S without any one of its keys some other record does
-- Source: Elliot, Manning & Ford (2002), A computational algorithm for handling the special uniques
--   problem; Elliot, Manning, Mayes, Gurd & Bane (2005), SUDA; SDC handbook, section 3.3.7.
--
--   persons: age sex   sdc_minimal_sample_uniques('persons', ['age', 'sex']):   age sex size columns
--            30  f                                                              41  f   1    [age]
--            30  m                                                              30  m   1    [sex]
--            30  f
--            41  f
--
-- Equal records are one cell first. Then one GROUP BY for each set of keys, set by set within a
-- size, sizes upward; what is unique on a set is minimal where no smaller set of the same cell lies in it.
--
-- Scope: cells.
-- Parameters:
--   tbl      table                     the table, view, common table expression or file
--   keys     columns                   the key variables
--   max_msu  whole number in [1, ...)  the largest size of a minimal sample unique to look for; NULL: every size
--   nulls    'category' or 'excluded'  NULL in a key is a value of its own, or no minimal unique uses it

-- The sets of at most `most` of m keys, as numbers whose bit i - 1 says whether key i is in the set.
CREATE OR REPLACE MACRO sdc__subsets(m, most) AS
    list_filter(list_reduce(
        list_prepend([0::BIGINT], list_transform(range(m), lambda i: [(1::BIGINT << i)])),
        lambda sets, key: sets || list_transform(list_filter(sets, lambda s: bit_count(s) < most), lambda s: s | key[1])
    ), lambda s: s > 0);

-- The largest size to look for: max_msu, or every size where it is NULL, and never more than the keys.
-- So many sets that Python's search takes a tenth of the time are refused (1,023: ten keys, every size).
CREATE OR REPLACE MACRO sdc__set_count(m, most) AS
    list_sum(list_transform(range(1, most + 1), lambda k:
        round(list_product(list_transform(range(k), lambda i: (m - i)::DOUBLE / (i + 1))))));

CREATE OR REPLACE MACRO sdc__largest_size(keys, max_msu) AS
    least(len(sdc__names(keys)), CASE WHEN max_msu IS NOT NULL THEN sdc__checked_whole(max_msu, 'max_msu', 1) END);

CREATE OR REPLACE MACRO sdc__max_msu(keys, max_msu) AS
    CASE WHEN sdc__set_count(len(sdc__names(keys)), sdc__largest_size(keys, max_msu)) > 1100
             THEN error('ParameterError: max_msu asks for more than 1,100 sets of ' || len(sdc__names(keys))::VARCHAR
                        || ' keys, too many for one query: use Microdata.suda in Python (or sdc-sql risk --suda), or give'
                        || ' a smaller one, or fewer keys.')
         ELSE sdc__largest_size(keys, max_msu) END;

-- How a NULL takes part: 'category' (a value like another), or 'excluded' (a value of its own among
-- the counts, but no minimal unique uses one: sdcMicro's way, which finds less).
CREATE OR REPLACE MACRO sdc__uses_nulls(nulls) AS
    CASE nulls WHEN 'category' THEN true WHEN 'excluded' THEN false
               ELSE error('ParameterError: nulls is ' || coalesce(nulls::VARCHAR, 'NULL')
                          || ': it must be ''category'' (NULL is a value of its own) or ''excluded'' (no minimal sample'
                          || ' unique uses a NULL).')
    END;

-- The values of a key as numbers, NULL for NULL: to group by numbers is much faster than by text.
CREATE OR REPLACE MACRO sdc__code(key) AS CASE WHEN key IS NOT NULL THEN (dense_rank() OVER (ORDER BY key ASC))::INTEGER END;
CREATE OR REPLACE MACRO sdc__code_column(name) AS sdc__identifier('sdc__code_' || name);

-- One GROUP BY: the cells that are unique on a set. A cell of several records is unique on none.
CREATE OR REPLACE MACRO sdc__set_query(mask, names, nulls) AS
    'SELECT ' || mask::VARCHAR || '::BIGINT AS sdc__mask, min(sdc__id) AS sdc__id FROM sdc__coded'
    || CASE WHEN sdc__uses_nulls(nulls) THEN ''
            ELSE ' WHERE ' || array_to_string(list_transform(names, lambda n: sdc__code_column(n) || ' IS NOT NULL'), ' AND ') END
    || ' GROUP BY ' || array_to_string(list_transform(names, lambda n: sdc__code_column(n)), ', ')
    || ' HAVING sum(sdc__records) = 1';

-- All sets of one size, and of what is unique on them what is minimal.
CREATE OR REPLACE MACRO sdc__level_query(size, sets, keys, nulls) AS
    'sdc__level_' || size::VARCHAR || ' AS MATERIALIZED (SELECT u.sdc__mask, u.sdc__id FROM ('
    || array_to_string(list_transform(list_filter(sets, lambda s: bit_count(s) = size),
                                      lambda s: sdc__set_query(s, sdc__named_set(keys, s), nulls)), ' UNION ALL ')
    || ') AS u' || CASE WHEN size = 1 THEN ')' ELSE
    ' LEFT JOIN (SELECT sdc__id, array_agg(sdc__mask) FILTER (sdc__mask IS NOT NULL) AS sdc__smaller FROM ('
    || array_to_string(list_transform(range(1, size), lambda j: 'FROM sdc__level_' || j::VARCHAR), ' UNION ALL ')
    || ') GROUP BY sdc__id) AS m ON u.sdc__id = m.sdc__id'
    || ' WHERE m.sdc__smaller IS NULL OR len(list_filter(m.sdc__smaller, lambda x: x & u.sdc__mask = x)) = 0)' END;

CREATE OR REPLACE MACRO sdc__msu_query(keys, most, nulls) AS
    'WITH ' || array_to_string(list_transform(range(1, most + 1),
                   lambda k: sdc__level_query(k, sdc__subsets(len(sdc__names(keys)), most), keys, nulls)), ', ')
    || ' SELECT sdc__id, sdc__mask FROM ('
    || array_to_string(list_transform(range(1, most + 1), lambda k: 'FROM sdc__level_' || k::VARCHAR), ' UNION ALL ') || ')';

-- The cells of the crossing, numbered.
CREATE OR REPLACE MACRO sdc__numbered_cells(tbl, keys) AS TABLE
    SELECT *, row_number() OVER () AS sdc__id FROM sdc__category_cells(tbl, keys, NULL);

-- cells: a CTE of numbered cells. For each minimal sample unique the cell, sdc__id, and the set, sdc__mask.
-- (An empty list of keys is left for sdc__category_cells to refuse.)
CREATE OR REPLACE MACRO sdc__msu_search(cells, keys, max_msu, nulls) AS TABLE
    WITH sdc__coded AS MATERIALIZED (
        SELECT sdc__id, sdc__records, sdc__code(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "sdc__code_\0"
        FROM query_table(cells)
    )
    FROM query(CASE WHEN coalesce(len(sdc__names(keys)), 0) = 0 THEN 'SELECT 0::BIGINT AS sdc__id, 0::BIGINT AS sdc__mask'
                    ELSE sdc__msu_query(keys, sdc__max_msu(keys, max_msu), nulls) END);

-- sdc_minimal_sample_uniques: the smallest sets of keys on which a record is unique, a row for each.
-- Gives: every column, size BIGINT, columns VARCHAR[].
-- Rows: minimal sample uniques.
-- Example: FROM sdc_minimal_sample_uniques('persons', ['age', 'sex']);
CREATE OR REPLACE MACRO sdc_minimal_sample_uniques(tbl, keys, max_msu := 3, nulls := 'category') AS TABLE
    WITH sdc__numbered AS MATERIALIZED (FROM sdc__numbered_cells(tbl, keys)),
    sdc__found AS (FROM sdc__msu_search('sdc__numbered', keys, max_msu, nulls))
    FROM sdc__minimal_sample_uniques(tbl, keys, 'sdc__numbered', 'sdc__found');
