-- What recodings would do to the risk: every candidate counted from the cells, which are made once.
--
--   a candidate gives each key a level of its hierarchy; its cells are the cells of the file with these labels put together:
--   f' = sum of f, F^' = sum of F^ over the cells that become one
-- Figures are those that sdc_theta, sdc_frequency_summary, sdc_k_anonymity, sdc_global_risk and sdc_class_sizes give on the recoded file.
--   hellinger  sqrt(1 - sum sqrt(p q)) over the combinations of values: p the share of the records before recoding, q = f' / (n m)
--              that of a user who spreads the f' records of a cell evenly over the m combinations that its labels stand for in the
--              hierarchies; 0: nothing lost
-- Without uniques theta and its bound are 0, as those of sdc_theta: no unique match can be made, and none be correct.
-- Source: SDC handbook, sections 3.3.5 and 3.4.3.2; Skinner & Elliot (2002), (7) and (9); Karr & Sanil (2004), (2); Bayardo &
--   Agrawal (2005).
--
--   persons: age sex
--            30  f
--            41  f
--            41  m
--   FROM sdc_preview_recodings('persons', ['age', 'sex'], 'hierarchies', candidates := [['age', 'sex'], ['everyone', 'sex']]):
--   levels level_names     records cells sample_uniques
--   [0, 0] [age, sex]      3       3     3
--   [2, 0] [everyone, sex] 3       2     1
--
-- Nothing is changed. NULL in a key is a value of its own and needs a row in the hierarchy, as every value does. Without a sampling
-- fraction theta is NULL, without a weight the expected re-identifications are: nothing is assumed of either.
--
-- Scope: cells.
-- Not compiled: the cells are rolled up in Python, from one candidate to the next; preview in DuckDB.
-- Parameters:
--   tbl                table                      the table, view, common table expression or file
--   keys               columns                    the key variables
--   hierarchies        table                      the hierarchies of the keys: variable, value, level, level_name, label (sdc_hierarchy)
--   candidates         values                     lists of levels, by name or number, one for each key; 'all' for every combination;
--                                                 NULL: each key alone at each of its levels
--   weight             column or number           the expansion weights, or what every record weighs
--   sampling_fraction  number in (0, 1)           pi, the fraction of the population in the file
--   k                  whole number in [2, ...)   the least number of records of a cell
--   confidence         number in (0, 1)           of theta's one-sided upper bound
--   small_weights      'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or taken to stand for these

CREATE OR REPLACE MACRO sdc__kernel_roll_up(cells, positions, hierarchies, candidates) AS
    sdc__needs_python('The preview of recodings')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__few_nodes(nodes) AS
    CASE WHEN nodes <= 1000000 THEN nodes::BIGINT
         ELSE error('ParameterError: The hierarchies have ' || format('{:,}', nodes::HUGEINT)
                    || ' combinations of levels together, and 1,000,000 are the most: give a list of candidates.') END;

CREATE OR REPLACE MACRO sdc__no_level(key, given) AS
    error('ParameterError: A level of ' || key || ' is ' || coalesce(given, 'NULL')
          || ', which its hierarchy has not: give the name of one, or its number from 0.')::INTEGER;

-- The candidates with the number of each key's level, none twice: sdc__place, sdc__levels and sdc__names, in the order of the keys.
CREATE OR REPLACE MACRO sdc__candidates(checked, keys, candidates) AS TABLE
    WITH sdc__levels_of AS (
        SELECT DISTINCT sdc__i, sdc__key, sdc__level, sdc__level_name
        FROM (SELECT unnest(sdc__names(keys)) AS sdc__key, unnest(range(len(sdc__names(keys)))) AS sdc__i)
        JOIN query_table(checked) ON sdc__variable = sdc__folded(sdc__key)
    ),
    sdc__heights_of AS (
        SELECT list(sdc__height ORDER BY sdc__i ASC) AS sdc__heights, sdc__few_nodes(product(sdc__height + 1)) AS sdc__nodes
        FROM (SELECT sdc__i, max(sdc__level) AS sdc__height FROM sdc__levels_of GROUP BY sdc__i)
    ),
    sdc__alone AS (
        SELECT sdc__i * 1000 + sdc__level AS sdc__place,
               list_transform(range(len(sdc__names(keys))),
                              lambda j: CASE WHEN j = sdc__i THEN sdc__level ELSE 0 END::VARCHAR) AS sdc__asked
        FROM sdc__levels_of WHERE sdc__level > 0 OR sdc__i = 0
    ),
    sdc__all AS (
        SELECT sdc__place,
               list_transform(sdc__heights,
                              lambda h, j: (sdc__place
                                            // coalesce(list_product(list_transform(sdc__heights[j + 1:], lambda o: o + 1)),
                                                        1)::BIGINT % (h + 1))::VARCHAR) AS sdc__asked
        FROM (SELECT sdc__heights, unnest(range(sdc__nodes)) AS sdc__place FROM sdc__heights_of)
    ),
    sdc__listed AS (
        SELECT unnest(range(len(sdc__lists))) AS sdc__place, unnest(sdc__lists) AS sdc__asked
        FROM (SELECT CASE WHEN len(TRY_CAST(candidates AS VARCHAR[][])) > 0 THEN TRY_CAST(candidates AS VARCHAR[][])
                          ELSE error('ParameterError: candidates is ' || coalesce(candidates::VARCHAR, 'NULL')
                                     || ': it must be lists of levels, one for each key, as in [[0, 1],'
                                     || ' [1, 1]]; or ''all''.') END AS sdc__lists)
    ),
    sdc__given AS (
        FROM query_table(CASE WHEN candidates IS NULL THEN 'sdc__alone'
                              WHEN candidates::VARCHAR = 'all' THEN 'sdc__all'
                              ELSE 'sdc__listed' END)
    ),
    sdc__single AS (
        SELECT sdc__place, unnest(range(len(sdc__names(keys)))) AS sdc__j,
               unnest(CASE WHEN len(sdc__asked) = len(sdc__names(keys)) THEN sdc__asked
                           ELSE error('ParameterError: A candidate has ' || coalesce(len(sdc__asked)::VARCHAR, 'no')
                                      || ' levels and there are ' || len(sdc__names(keys))
                                      || ' keys: give each key one, 0 where it stays.') END) AS sdc__text
        FROM sdc__given
    ),
    sdc__found AS (
        SELECT sdc__place,
               list(coalesce(sdc__level, sdc__no_level(keys[sdc__j + 1], sdc__text)) ORDER BY sdc__j ASC) AS sdc__levels,
               list(sdc__level_name ORDER BY sdc__j ASC) AS sdc__names
        FROM sdc__single
        LEFT JOIN (SELECT sdc__i, sdc__level, sdc__level_name,
                          unnest(list_distinct([sdc__level::VARCHAR, sdc__level_name])) AS sdc__called
                   FROM sdc__levels_of)
          ON sdc__i = sdc__j AND sdc__called = sdc__text
        GROUP BY sdc__place
    )
    SELECT min(sdc__place) AS sdc__place, sdc__levels, sdc__names FROM sdc__found GROUP BY sdc__levels, sdc__names;

-- What the kernel gives of the candidates, a list a row; sdc__places: theirs in its order.
CREATE OR REPLACE MACRO sdc__rolled_up(tbl, keys, checked, candidates, weight) AS TABLE
    WITH sdc__celled AS MATERIALIZED (FROM sdc__category_cells(tbl, keys, CASE WHEN typeof(weight) = 'VARCHAR' THEN weight END)),
    sdc__leaves AS MATERIALIZED (
        SELECT sdc__variable, sdc__value,
               row_number() OVER (PARTITION BY sdc__variable ORDER BY sdc__value ASC NULLS FIRST) - 1 AS sdc__label
        FROM query_table(checked) WHERE sdc__level = 0
    ),
    sdc__placed AS MATERIALIZED (FROM sdc__relabelled('sdc__celled', keys, 'sdc__leaves')),
    -- the keys stand in the order of the table: where each of those given is, counted from 0
    sdc__columns_of AS MATERIALIZED (
        SELECT list_transform(sdc__names(keys),
                              lambda k: list_position(list_transform(sdc__names, lambda n: sdc__folded(n)), sdc__folded(k))
                                        - 1)::DOUBLE[] AS sdc__positions
        FROM (SELECT struct_keys(struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__')))) AS sdc__names FROM sdc__placed LIMIT 1)
    ),
    sdc__cell_lists AS MATERIALIZED (
        SELECT list([sdc__records::DOUBLE, sdc__w, *COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))]::DOUBLE[]) AS sdc__all
        FROM sdc__placed),
    sdc__level_lists AS MATERIALIZED (
        SELECT list([list_position(list_transform(sdc__names(keys), lambda k: sdc__folded(k)), sdc__variable) - 1, sdc__row,
                     sdc__level, sdc__number, sdc__missing]::DOUBLE[]) AS sdc__steps
        FROM (SELECT sdc__c.sdc__variable, sdc__leaves.sdc__label AS sdc__row, sdc__c.sdc__level,
                     dense_rank() OVER (PARTITION BY sdc__c.sdc__variable, sdc__c.sdc__level
                                        ORDER BY sdc__c.sdc__label ASC NULLS FIRST) - 1 AS sdc__number,
                     (sdc__c.sdc__label IS NULL)::TINYINT AS sdc__missing
              FROM query_table(checked) AS sdc__c
              JOIN sdc__leaves ON sdc__leaves.sdc__variable = sdc__c.sdc__variable
                   AND sdc__leaves.sdc__value IS NOT DISTINCT FROM sdc__c.sdc__value)
    ),
    sdc__candidate_lists AS (
        SELECT list(sdc__levels::DOUBLE[] ORDER BY sdc__place ASC) AS sdc__lists,
               list(sdc__place ORDER BY sdc__place ASC) AS sdc__places
        FROM query_table(candidates)
    )
    SELECT sdc__places, sdc__kernel_roll_up(sdc__all, sdc__positions, sdc__steps, sdc__lists) AS sdc__columns
    FROM sdc__cell_lists, sdc__columns_of, sdc__level_lists, sdc__candidate_lists;

-- sdc_preview_recodings: the risk of the file under every candidate recoding of its keys.
-- Gives: levels INTEGER[], level_names VARCHAR[], records BIGINT, cells BIGINT, sample_uniques BIGINT, k BIGINT, below_k BIGINT,
--   theta DOUBLE, upper_bound DOUBLE, expected_reidentifications DOUBLE, reidentification_rate DOUBLE, discernibility DOUBLE,
--   hellinger DOUBLE.
-- Rows: candidates.
-- Example: FROM sdc_preview_recodings('persons', ['age', 'sex'], 'hierarchies', weight := 'w', sampling_fraction := 0.1);
CREATE OR REPLACE MACRO sdc_preview_recodings(tbl, keys, hierarchies, candidates := NULL, weight := NULL,
                                              sampling_fraction := NULL, k := 3, confidence := 0.99,
                                              small_weights := 'error') AS TABLE
    WITH sdc__checked AS MATERIALIZED (FROM sdc__hierarchies(hierarchies, keys)),
    sdc__asked AS MATERIALIZED (FROM sdc__candidates('sdc__checked', keys, candidates)),
    sdc__answer AS MATERIALIZED (FROM sdc__rolled_up(tbl, keys, 'sdc__checked', 'sdc__asked', weight)),
    sdc__frequencies_of AS MATERIALIZED (
        SELECT sdc__places[sdc__at::BIGINT + 1] AS sdc__place, sdc__f::BIGINT AS sdc__f, sdc__cells::BIGINT AS sdc__cells,
               CASE WHEN weight IS NOT NULL AND typeof(weight) <> 'VARCHAR'
                        THEN sdc__f * sdc__checked_weight(TRY_CAST(weight AS DOUBLE)) END AS sdc__w
        FROM (SELECT sdc__places, unnest(sdc__columns[1]) AS sdc__at, unnest(sdc__columns[2]) AS sdc__f,
                     unnest(sdc__columns[3]) AS sdc__cells
              FROM sdc__answer)
    ),
    -- sdc__weighed: the expected re-identifications where each record has a weight of its own
    sdc__wholes AS (
        SELECT sdc__places[sdc__at::BIGINT + 1] AS sdc__of, sdc__apart, sdc__gone::BIGINT AS sdc__gone,
               CASE WHEN NOT isnan(sdc__few)
                         AND sdc__checked_population(sdc__least, sdc__few, small_weights := small_weights) > 0
                        THEN sdc__weighed END AS sdc__weighed
        FROM (SELECT sdc__places, unnest(sdc__columns[4]) AS sdc__at, unnest(sdc__columns[5]) AS sdc__apart,
                     unnest(sdc__columns[6]) AS sdc__gone, unnest(sdc__columns[7]) AS sdc__weighed,
                     unnest(sdc__columns[8]) AS sdc__few, unnest(sdc__columns[9]) AS sdc__least
              FROM sdc__answer)
    ),
    sdc__risks AS (
        SELECT sdc__f AS sdc__of_f, sdc__w AS sdc__of_w,
               sdc_posterior_risk(
                   sdc__f, sdc__f / sdc__checked_population(sdc__w, sdc__f, small_weights := small_weights)) AS sdc__risk
        FROM (SELECT DISTINCT sdc__f, sdc__w FROM sdc__frequencies_of WHERE sdc__w IS NOT NULL)
    ),
    sdc__counts AS (
        SELECT sdc__place, sum(sdc__cells * sdc__f)::BIGINT AS records, sum(sdc__cells)::BIGINT AS cells,
               coalesce(sum(sdc__cells) FILTER (sdc__f = 1), 0)::BIGINT AS n1,
               coalesce(sum(sdc__cells) FILTER (sdc__f = 2), 0)::BIGINT AS n2,
               coalesce(sum(sdc__cells) FILTER (sdc__f = 3), 0)::BIGINT AS n3,
               coalesce(sum(sdc__cells * sdc__f) FILTER (sdc__f < sdc__checked_whole(k, 'k', 2)), 0)::BIGINT AS below_k,
               CASE WHEN sampling_fraction IS NULL THEN NULL
                    ELSE sdc__checked_fraction(sampling_fraction, 'sampling fraction') END AS sdc__pi,
               sdc__exact_sum(sdc__cells * sdc__f * sdc__risk, 90) AS sdc__alike, sum(sdc__cells * sdc__f * sdc__f)::DOUBLE AS sdc__squares
        FROM sdc__frequencies_of LEFT JOIN sdc__risks ON sdc__of_f = sdc__f AND sdc__of_w = sdc__w
        GROUP BY sdc__place
    )
    SELECT sdc__levels AS levels, sdc__names AS level_names, records, cells, n1 AS sample_uniques,
           sdc__checked_whole(k, 'k', 2) AS k, below_k,
           CASE WHEN sdc__pi IS NOT NULL THEN theta END AS theta, CASE WHEN sdc__pi IS NOT NULL THEN upper_bound END AS upper_bound,
           coalesce(sdc__alike, sdc__weighed) AS expected_reidentifications,
           coalesce(sdc__alike, sdc__weighed) / records AS reidentification_rate,
           sdc__squares + sdc__gone * (records - sdc__gone)::DOUBLE AS discernibility, least(1, sqrt(sdc__apart / records)) AS hellinger
    FROM sdc__theta_estimates('sdc__counts', confidence) JOIN sdc__asked USING (sdc__place) JOIN sdc__wholes ON sdc__of = sdc__place
    ORDER BY sdc__place ASC;
