-- The rules of Statistics Netherlands for microdata files, each answered by a row: what was found, and is it violated?
--
--   sdc_research_file_rules('persons', ['region', 'sex', 'age'], 'w', {'extremely': ['region'], 'very': ['sex'], 'identifying': ['age']}):
--   rule violated
--   1    NULL      not measured: give direct_identifiers
--   2    true      of the combinations of a region, a sex and an age none has 100 persons
--   ...
-- Source: SDC handbook, section 3.7, "Microdata for researchers" (rules 1 to 5) and "Microdata for the general public" (1 to 10).
--
-- violated is NULL where a rule was not measured: such a rule is not kept, a person has to look. A file keeps the rules only
-- when every row says false. Persons in the population are estimated by the sums of weights ("at least" so many: a frequency
-- equal to the bound keeps the rule). What no table can tell (its order, the detail of an occupation beside a region's) is never measured.
--
-- Scope: table.
-- Not compiled: its rows are sentences made of dates and of numbers as DuckDB writes them; check the rules in DuckDB.
-- Parameters:
--   tbl                  table                      the table, view, common table expression or file
--   keys                 columns                    the key variables
--   weight               column or number           the expansion weights, or what every record weighs
--   levels               levels                     the keys by level of identification: {'extremely': [..], 'very': [..], 'identifying':
--                                                   [..]}
--   inhabitants          column                     the number of inhabitants of the record's region
--   direct_identifiers   names                      of columns that would identify directly; an empty list says that there are none
--   panel                truth value                whether the persons were asked repeatedly
--   household            column                     the household numbers
--   household_variables  columns                    whose combination at least five households must share
--   indirect_regions     columns                    indirect regional variables, such as the size class of the place of residence
--   province             column                     the provinces; it need not be released
--   municipality         column                     the municipalities; it need not be released
--   withheld             names                      of columns that must not be released: direct regions, nationality, ...; an empty
--                                                   list: none
--   sensitive            names                      of sensitive columns; an empty list says that there are none
--   reference_date       date                       the last day the data are of
--   release_date         date                       the day of release; NULL: today
--   nulls                'category' or 'wildcard'   NULL in a key is a value of its own, or agrees with every value
--   small_weights        'error' or 'at_least_one'  a cell whose weights sum to less than its records: refused, or taken to stand for these

-- The caller's columns where he names some, else any column as a placeholder.
CREATE OR REPLACE MACRO sdc__optional_columns(have, named) AS
    CASE WHEN coalesce(len(sdc__names(named)), 0) = 0 THEN have[1:1] ELSE sdc__columns(have, named) END;

CREATE OR REPLACE MACRO sdc__answer(rule, requirement, measured, needs, found, violated) AS TABLE
    SELECT rule AS rule, requirement AS requirement,
           CASE WHEN measured THEN found ELSE 'not measured: ' || needs END AS found, CASE WHEN measured THEN violated END AS violated;

-- Names that are text, each of them: a NULL is no name, and no column of that name would be found.
CREATE OR REPLACE MACRO sdc__all_named(given) AS
    CASE WHEN given IS NOT NULL AND TRY_CAST(given AS VARCHAR[]) IS NULL
             THEN error('ParameterError: ' || given::VARCHAR
                        || ' stands for a list of columns, and is no list: write [''age''], or [''age'', ''sex''].')
         WHEN list_count(sdc__names(given)) < len(sdc__names(given))
             THEN error('ParameterError: The list of columns ' || sdc__names(given)::VARCHAR
                        || ' holds a NULL where a name should be.')
         ELSE sdc__names(given) END;

-- Whether columns that must not be released are there. given: names that would be such columns; [] says that there are none.
-- borrowed: columns that another rule is measured by and that must not be released either: with one of them the table at hand is
-- not the file to be released.
CREATE OR REPLACE MACRO sdc__absent_rule(tbl, rule, requirement, given, borrowed, needs) AS TABLE
    SELECT a.* FROM (
        SELECT list_filter(sdc__all_named(given), lambda n: sdc__is_among(n, sdc__names)) AS sdc__there,
               list_filter(sdc__names(borrowed), lambda n: n IS NOT NULL) AS sdc__borrowed
        FROM (SELECT struct_keys(struct_pack(*COLUMNS(*))) AS sdc__names FROM sdc__rows(tbl) LIMIT 1)
    ), LATERAL (SELECT rule AS rule, requirement AS requirement,
                       CASE WHEN sdc__there IS NULL THEN 'not measured: ' || needs
                            WHEN len(sdc__there) > 0 THEN 'in the table: ' || sdc__quoted(sdc__there)
                            WHEN len(sdc__borrowed) > 0
                                THEN 'not measured: ' || sdc__quoted(sdc__borrowed)
                                     || ' are in the table for rule 3; release the file without them'
                            ELSE 'none of them is in the table' END AS found,
                       CASE WHEN len(sdc__there) > 0 THEN true WHEN len(sdc__borrowed) = 0 THEN len(sdc__there) > 0 END AS violated) AS a;

-- Whether each combination of the sets of keys is frequent enough in the population.
CREATE OR REPLACE MACRO sdc__frequent_rule(tbl, keys, weight, rule, requirement, threshold, levels, needs, measured, nulls,
                                           small_weights) AS TABLE
    WITH sdc__every AS (
        FROM sdc__combinations(tbl, keys, sdc__key_rule(keys, threshold, NULL, levels), weight, false, nulls, small_weights)
    )
    SELECT rule AS rule, requirement AS requirement,
           CASE WHEN NOT measured THEN 'not measured: ' || needs
                ELSE coalesce(sum(unsafe_combinations), 0)::VARCHAR || ' of ' || coalesce(sum(combinations), 0)::VARCHAR
                     || ' combinations are rarer; the rarest has '
                     || coalesce(round(min(least_frequency), 6)::VARCHAR, 'no') || ' persons' END AS found,
           CASE WHEN measured THEN coalesce(sum(unsafe_combinations), 0) > 0 END AS violated
    FROM sdc__threshold_summary('sdc__every');

-- The regions that can be told apart, and their inhabitants.
CREATE OR REPLACE MACRO sdc__region_rule(tbl, regions, inhabitants, rule, least) AS TABLE
    SELECT rule AS rule, 'a region has at least ' || least || ' inhabitants' AS requirement,
           CASE WHEN regions IS NULL THEN 'not measured: give levels, with the regional columns as extremely identifying'
                WHEN len(regions) = 0 THEN 'no region is told apart'
                WHEN inhabitants IS NULL THEN 'not measured: give inhabitants, the column with the number of inhabitants of the region'
                ELSE count(*) FILTER (sdc__inhabitants < least) || ' of ' || count(*)
                     || ' regions have fewer; the smallest ' || min(sdc__inhabitants)::VARCHAR END AS found,
           CASE WHEN len(regions) = 0 THEN false
                WHEN inhabitants IS NOT NULL AND regions IS NOT NULL THEN count(*) FILTER (sdc__inhabitants < least) > 0 END AS violated
    FROM (SELECT CASE WHEN inhabitants IS NULL THEN NULL
                      WHEN count(sdc__n) < count(*) OR min(sdc__n) <> max(sdc__n) OR NOT min(sdc__n) > 0
                          THEN error('ColumnError: The inhabitants of a region (' || inhabitants
                                     || ') are NULL, not positive or not one number: each region needs one number.')
                      ELSE min(sdc__n) END AS sdc__inhabitants
          FROM (SELECT struct_pack(*COLUMNS(sdc__optional_columns((*), regions))) AS sdc__region,
                       sdc__value(inhabitants, COLUMNS(sdc__column((*), inhabitants))) AS sdc__n
                FROM sdc__exact_rows(tbl, codes := regions))
          GROUP BY sdc__region);

-- sdc_research_file_rules: the rules of a file for researchers, one row each: what was found, and whether it is violated.
-- Gives: rule INTEGER, requirement VARCHAR, found VARCHAR, violated BOOLEAN.
-- Rows: rules.
-- Example: FROM sdc_research_file_rules('persons', ['region', 'sex', 'age'], 'w', {'extremely': ['region'], 'very': ['sex'],
--   'identifying': ['age']});
CREATE OR REPLACE MACRO sdc_research_file_rules(tbl, keys, weight, levels, inhabitants := NULL, direct_identifiers := NULL,
                                                panel := NULL, nulls := 'category', small_weights := 'error') AS TABLE
    FROM sdc__absent_rule(tbl, 1, 'no direct identifiers', direct_identifiers, [],
                          'give direct_identifiers, the names of columns that would be such')
    UNION ALL
    FROM sdc__frequent_rule(
        tbl, keys, weight, 2,
        'each combination of an extremely, a very and an identifying variable at least 100 times in the population', 100,
        levels, 'give a weight and the levels of the keys', weight IS NOT NULL AND levels IS NOT NULL, nulls, small_weights)
    UNION ALL
    FROM sdc__answer(3, 'occupation, firm and education no more detailed than the most detailed region allows', false,
                     'a person has to compare their detail', NULL, NULL)
    UNION ALL
    FROM sdc__region_rule(tbl, CASE WHEN levels IS NOT NULL THEN sdc__levels_listed(levels)[1] END,
                          inhabitants, 4, 10000)
    WHERE sdc__are_levels(levels)
    UNION ALL
    FROM sdc__answer(5, 'no direct regional data in a panel', panel IS NOT NULL AND (levels IS NOT NULL OR NOT panel),
                     'say panel, true or false, and give levels',
                     CASE WHEN NOT panel THEN 'no panel'
                          ELSE 'a panel with ' || len(sdc__levels_listed(levels)[1])
                               || ' regional columns' END,
                     panel AND len(sdc__levels_listed(levels)[1]) > 0)
    WHERE sdc__are_levels(levels);

-- Areas, each with the persons in it, its provinces and its largest municipality.
CREATE OR REPLACE MACRO sdc__areas(tbl, areas, weight, province, municipality) AS TABLE
    SELECT sdc__area, sdc__exact_sum(sdc__w) AS sdc__persons, count(DISTINCT sdc__province) AS sdc__provinces,
           max(sdc__town) AS sdc__largest
    FROM (SELECT *, sdc__unfixed(sum(sdc__fixed(sdc__w)) OVER (PARTITION BY sdc__area, sdc__municipality)) AS sdc__town
          FROM (SELECT struct_pack(*COLUMNS(sdc__optional_columns((*), areas))) AS sdc__area,
                       CASE WHEN weight IS NOT NULL THEN sdc__checked_weight(
                                sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__w,
                       COLUMNS(sdc__named_column((*), province)) AS sdc__province,
                       COLUMNS(sdc__named_column((*), municipality)) AS sdc__municipality
                FROM sdc__exact_rows(tbl, codes := list_concat(sdc__names(areas), [province, municipality]::VARCHAR[]))))
    GROUP BY sdc__area;

CREATE OR REPLACE MACRO sdc__area_rule(tbl, areas, weight, province, municipality) AS TABLE
    WITH sdc__found AS (FROM sdc__areas(tbl, areas, weight, province, municipality))
    SELECT 3 AS rule, sdc__r.requirement,
           CASE WHEN areas IS NULL THEN 'not measured: give indirect_regions, the columns of indirect regional variables ([] for none)'
                WHEN len(areas) = 0 THEN 'no indirect regional variable'
                WHEN sdc__r.needs IS NULL THEN sdc__r.found
                ELSE 'not measured: ' || sdc__r.needs END AS found,
           CASE WHEN len(areas) = 0 THEN false WHEN areas IS NOT NULL AND sdc__r.needs IS NULL THEN sdc__r.violated END AS violated
    FROM (SELECT unnest([
        {'requirement': 'one kind of indirect regional variable only', 'needs': NULL::VARCHAR,
         'found': len(areas) || ' columns', 'violated': len(areas) > 1},
        {'requirement': 'an area has at least 200000 persons in the target population',
         'needs': CASE WHEN weight IS NULL THEN 'give a weight' END,
         'found': count(*) FILTER (NOT sdc__at_least(sdc__persons, 200000)) || ' of ' || count(*)
         || ' areas have fewer; the smallest ' || round(min(sdc__persons), 6)::VARCHAR,
         'violated': count(*) FILTER (NOT sdc__at_least(sdc__persons, 200000)) > 0},
        {'requirement': 'an area has municipalities of at least six provinces',
         'needs': CASE WHEN province IS NULL THEN 'give province, the column of provinces' END,
         'found': count(*) FILTER (sdc__provinces < 6) || ' of ' || count(*) || ' areas have fewer; the fewest '
         || min(sdc__provinces),
         'violated': count(*) FILTER (sdc__provinces < 6) > 0},
        {'requirement': 'a municipality has less than half the inhabitants of its area',
         'needs': CASE WHEN municipality IS NULL OR weight IS NULL THEN 'give municipality, the column of municipalities, and a weight' END,
         'found': count(*) FILTER (sdc__at_least(sdc__largest, sdc__persons / 2)) || ' of ' || count(*) || ' areas have a larger one',
         'violated': count(*) FILTER (sdc__at_least(sdc__largest, sdc__persons / 2)) > 0}
    ], recursive := false) AS sdc__r FROM sdc__found);

-- Households of several persons whose combination of household variables fewer than five households have.
CREATE OR REPLACE MACRO sdc__household_rule(tbl, household, variables) AS TABLE
    SELECT 9 AS rule,
           'a combination of household variables of a household of several persons in at least five'
           || ' households of the file' AS requirement,
           CASE WHEN household IS NULL OR variables IS NULL
                    THEN 'not measured: give household, the column of household numbers, and household_variables'
                WHEN len(variables) = 0 THEN 'no household variable'
                ELSE count(*) FILTER (sdc__rare) || ' of ' || count(*) || ' combinations are rarer' END AS found,
           CASE WHEN household IS NOT NULL AND len(variables) = 0 THEN false
                WHEN household IS NOT NULL AND variables IS NOT NULL THEN count(*) FILTER (sdc__rare) > 0 END AS violated
    FROM (SELECT count(DISTINCT sdc__household) < 5 AND max(sdc__size) > 1 AS sdc__rare
          FROM (SELECT *, count(*) OVER (PARTITION BY sdc__household) AS sdc__size
                FROM (SELECT CASE WHEN household IS NULL THEN NULL
                                  ELSE coalesce(COLUMNS(sdc__named_column((*), household)),
                                                error('ColumnError: A household number is NULL:'
                                                      || ' every person must belong to a household'
                                                      || ' (give persons living alone a number of'
                                                      || ' their own).')) END AS sdc__household,
                             struct_pack(*COLUMNS(sdc__optional_columns((*), variables))) AS sdc__combination
                      FROM sdc__exact_rows(tbl, codes := list_append(sdc__names(variables), household))))
          GROUP BY sdc__combination);

-- Weights: one for all tells nothing; others a person has to judge.
CREATE OR REPLACE MACRO sdc__weight_rule(tbl, weight) AS TABLE
    SELECT 6 AS rule, 'no identifying information in the sampling weights' AS requirement,
           CASE WHEN weight IS NULL THEN 'not measured: give a weight' WHEN count(DISTINCT sdc__w) = 1 THEN 'one weight for all'
                ELSE 'not measured: a person has to judge what the ' || count(DISTINCT sdc__w) || ' different weights tell' END AS found,
           CASE WHEN weight IS NOT NULL AND count(DISTINCT sdc__w) = 1 THEN false END AS violated
    FROM (SELECT CASE WHEN weight IS NOT NULL
                          THEN sdc__checked_weight(sdc__value(weight, COLUMNS(sdc__column((*), weight)))) END AS sdc__w
          FROM sdc__rows(tbl));

-- The identifying variables: the keys, and the indirect regional variables that are not listed among them.
CREATE OR REPLACE MACRO sdc__identifying(keys, regions) AS
    list_concat(sdc__names(keys), list_filter(sdc__names_if_any(regions), lambda r: NOT sdc__is_among(r, keys)));

-- sdc_public_use_file_rules: the rules of a public use file, one row each: what was found, and whether it is violated.
-- Gives: rule INTEGER, requirement VARCHAR, found VARCHAR, violated BOOLEAN.
-- Rows: rules.
-- Example: FROM sdc_public_use_file_rules('persons', ['region', 'sex', 'age'], 'w');
CREATE OR REPLACE MACRO sdc_public_use_file_rules(
        tbl, keys, weight, household := NULL, household_variables := NULL, indirect_regions := NULL, province := NULL,
        municipality := NULL, withheld := NULL, sensitive := NULL, reference_date := NULL, release_date := NULL,
        nulls := 'category', small_weights := 'error') AS TABLE
    FROM sdc__answer(1, 'at least one year old', reference_date IS NOT NULL, 'give reference_date, the last day the data are of',
                     'data of ' || reference_date::DATE::VARCHAR || ', released ' || coalesce(release_date::DATE, current_date)::VARCHAR,
                     -- by the calendar; a year after 29 February is 1 March
                     reference_date::DATE > coalesce(release_date::DATE, current_date) - INTERVAL 1 YEAR)
    UNION ALL
    FROM sdc__absent_rule(tbl, 2, 'no direct identifiers, direct regions, nationality, country of birth or ethnicity',
                          withheld, [province, municipality], 'give withheld, the names of columns that would be such')
    UNION ALL
    FROM sdc__area_rule(tbl, indirect_regions, weight, province, municipality)
    UNION ALL
    FROM sdc__answer(4, 'at most 15 identifying variables', true, NULL, len(sdc__identifying(keys, indirect_regions)) || ' variables',
                     len(sdc__identifying(keys, indirect_regions)) > 15)
    UNION ALL
    FROM sdc__absent_rule(tbl, 5, 'no sensitive variables', sensitive, [], 'give sensitive, the names of columns that would be such')
    UNION ALL
    FROM sdc__weight_rule(tbl, weight)
    UNION ALL
    FROM sdc__frequent_rule(tbl, sdc__identifying(keys, indirect_regions), weight, 7,
                            'each value of an identifying variable at least 200000 times in the population', [200000], NULL,
                            'give a weight', weight IS NOT NULL, nulls, small_weights)
    UNION ALL
    FROM sdc__frequent_rule(tbl, sdc__identifying(keys, indirect_regions), weight, 8,
                            'each crossing of two identifying variables at least 1000 times in the population',
                            [NULL, 1000], NULL, 'give a weight', weight IS NOT NULL, nulls, small_weights)
    UNION ALL
    FROM sdc__household_rule(tbl, household, household_variables)
    UNION ALL
    FROM sdc__answer(10, 'records in random order', false, 'a table has no order: release it ORDER BY a keyed draw', NULL, NULL);
