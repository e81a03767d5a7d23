-- Local suppression: values of keys replaced by NULL in some records, as few as can be, until no record stands out.
--
--   'identical'  each released row, NULL taken as a value, is shared by at least k released records:
--                sdc_k_anonymity passes on the file, and an intruder who knows who took part finds at least k
--   'strong'     each released record agrees, on the keys it keeps, with at least k records of the original:
--                records are decided one by one, and the fewest suppressions are found exactly; right against
--                an intruder who does not know who took part
--   'wildcard'   each released record is compatible with at least k released ones, NULL agreeing with every value
-- Source: SDC handbook, section 3.4.3.2; Templ, Kowarik & Meindl (2015), Journal of Statistical Software 67(4), section 3.2
--   ('wildcard' is sdcMicro's reading); Samarati & Sweeney (1998) ('identical').
--
-- What 'strong' and 'wildcard' do not say, with k = 2:
--
--   original: a b     released: a b      (a, b) is suppressed, since no one shares b; (a, c) are two, and stay. Of the three
--             a c               a c      originals with a, two are released whole: who knows that all took part knows that
--             a c               a c      the NULL was not c, or it would have stayed. Where the rule is known, a suppression
--                                        itself says "rare". sdc_compatible_records counts whom this singles out, and
--                                        sdc_certain_matches whom an intruder finds who knows the keys of all.
-- 'identical' suppresses one of the others too, or all three; it hides the value among k records that look the same.
-- As a count 'wildcard' is degenerate: k - 1 records blanked whole make any file anonymous. Here no record loses more than
-- it would need by itself.
--
-- Ghosts are columns that would tell what was suppressed (the district where the region is): they become NULL in the same records. They are
-- no keys: records are not compared by them.
-- With max_share the dearer a key becomes the more of it would be suppressed: a heuristic, and an error where it finds nothing within the
-- limits. What its answer costs beside what any would cost at least, sdc__suppression_gap says (not of 'wildcard', where no bound is
-- known). With a subset, its records alone are made safe and alone are changed; all records are counted, those that are not in it as they
-- stand (what guarantee they have themselves sdc_suppression_report says). A record of which it is NULL, as a condition on age is where
-- the age is missing, is not in it: the step tells how many are.
-- A value that was NULL before counts as suppressed, and costs nothing. Of equally cheap sets the keys of most categories go first.
-- To find the fewest for 'identical' is NP-hard: a greedy answer is made better for about a second.
-- sdcMicro's importance is an order, 1 for the key to be kept first, m for that to be suppressed first: 2^(m - rank) as costs makes a
-- value of one key dearer than one of each that comes after it.
-- Keys of the household (its region, dwelling, size) are suppressed for all its members or for none: what one shows, the others have. The
-- guarantee is counted on the file as its households complete it. What can be counted, as the size, stays: it is known while the number
-- stands. k records can be one family: with unit := 'household' a released row is one of members of k households
-- (sdc_household_k_anonymity passes). No draws: no key is needed. 16 keys at the most.
-- The cells of the keys decide, and of cells whose records do not all lose the same the order of the ids: on Spark, where the cells alone
-- come together, the same records lose the same values. Households are not in the cells: by these one task there masks all records.
-- In a series of releases a released id shows one row in all of them, and k is proved on them together: of ids that stand in each
-- release in which it stands, with the same row (series_suppression.sql). The first release is this mask; of a later one the newcomers
-- are suppressed beside the rows that stand.
--
-- Scope: cells.
-- Keeps: every value that is not suppressed.
-- Guarantees: what `guarantee` names, with k; of the released table sdc_suppression_report counts anew who is without it.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Suppresses: values.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (a value that is suppressed in one release is shown in another, as soon as other records stand beside it).
-- Series: values (a released id shows one row in all its releases, and ends where a key that it shows changes or too few others are
--   left).
-- Publicly: values suppressed where a record would have stood out.
-- Parameters:
--   tbl         table                          the table, view, common table expression or file
--   keys        columns                        the key variables, whose values are suppressed
--   k           whole number in [2, ...)       the least number of records
--   id          column                         identifies each record
--   guarantee   'identical', 'strong' or 'wildcard'  what is to hold of each released record
--   importance  number or numbers in (0, ...)  what a suppressed value costs: one number for each of the keys, or NULL, all alike
--   cost        'equal' or 'entropy'           what that is multiplied by: 1, or the entropy of the key
--   max_share   number or numbers in [0, 1] or NULL  at most which share of a key's values (of a stratum) is suppressed, or NULL: one for
--                                                    each of the keys, or for all
--   stratum     column                         a column within whose values k records are to be found
--   subset      column                         of truth values: which records are to be safe and may be suppressed; NULL: all
--   ghosts      lists of columns               columns that become NULL with a key, of each key by its name: {'region': ['district']}
--   household   column                         the household numbers, where keys are of the household; NULL: every record is by itself
--   household_columns  columns                 the columns of the household, which all members of a household lose or none; NULL: none
--   unit        'record' or 'household'        what k counts: with 'household' (of 'identical') each released row is one of members of k
--                                              households

-- Whether keys are of the household: these are then suppressed for all members or for none (suppression_by_household.sql).
CREATE OR REPLACE MACRO sdc__by_households(keys, household, columns, max_share, subset, unit) AS CASE
    WHEN columns IS NULL AND household IS NOT NULL AND unit = 'record'
        THEN error('ParameterError: A household is given, and nothing that is suppressed by it: name the keys that are the same'
                   || ' for all members, as in household_columns := [''region''], or say unit := ''household''.')
    WHEN columns IS NULL THEN false
    WHEN household IS NULL THEN error('ParameterError: household_columns are given and no household: name its column, as'
                                      || ' in household := ''hh''.')
    WHEN sdc__is_among(household, keys) THEN error(
        'ColumnError: ' || household::VARCHAR
        || ' is the household and also a key: its suppression would leave records without one. Leave it out of the keys.')
    WHEN len(list_filter(sdc__names(columns), lambda c: sdc__is_among(c, keys))) = 0 THEN false
    WHEN max_share IS NOT NULL
        THEN error('ParameterError: max_share does not go with keys of the household, which are suppressed for all members'
                   || ' or for none: leave it out, or leave these out of the keys.')
    WHEN subset IS NOT NULL
        THEN error('ParameterError: subset does not go with keys of the household, which are suppressed for all members or'
                   || ' for none: leave it out, or leave these out of the keys.')
    ELSE true END;
CREATE OR REPLACE MACRO sdc__checked_guarantee(guarantee) AS
    sdc__checked_choice(guarantee, 'guarantee', ['identical', 'strong', 'wildcard']);
CREATE OR REPLACE MACRO sdc__checked_cost(cost) AS sdc__checked_choice(cost, 'cost', ['equal', 'entropy']);
CREATE OR REPLACE MACRO sdc__local_suppression(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum, subset,
                                               ghosts, household, household_columns, unit) AS TABLE
    WITH sdc__records_done AS (
        FROM sdc__local_suppression_by_record(
            tbl, keys, k, id, sdc__checked_guarantee(guarantee), importance, sdc__checked_cost(cost), max_share, stratum, subset, ghosts)
    ),
    sdc__households_done AS (
        FROM sdc__local_suppression_by_household(
            tbl, keys, k, id, sdc__checked_guarantee(guarantee), importance, sdc__checked_cost(cost), stratum, ghosts, household,
            household_columns, unit)
    ),
    sdc__either AS (
        FROM query_table(CASE WHEN sdc__by_households(keys, household, household_columns, max_share, subset, unit)
                                  THEN 'sdc__households_done'
                              ELSE 'sdc__records_done' END)
    ),
    sdc__for_households AS (
        FROM sdc__suppressed_for_households('sdc__either', tbl, keys, k, id, importance, stratum, ghosts, household,
                                            household_columns)
    )
    FROM query_table(CASE WHEN sdc__of_units(unit, guarantee, household, max_share, subset) THEN 'sdc__for_households'
                          ELSE 'sdc__either' END);

-- Title: Local suppression until k records are alike; Local suppression of {}.
-- sdc_local_suppression: values of keys suppressed, as few as can be, until no record stands out among k.
-- Example: FROM sdc_local_suppression('persons', ['age', 'sex', 'region'], 2, 'id');
CREATE OR REPLACE MACRO sdc_local_suppression(tbl, keys, k, id, guarantee := 'identical', importance := NULL,
                                              cost := 'equal', max_share := NULL, stratum := NULL, subset := NULL,
                                              ghosts := NULL, household := NULL, household_columns := NULL,
                                              unit := 'record') AS TABLE
    WITH sdc__done AS (
        FROM sdc__local_suppression(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum, subset, ghosts,
                                    household, household_columns, unit)
    )
    FROM sdc__released(tbl, sdc__with_ghosts(keys, ghosts), id, 'sdc__done');

CREATE OR REPLACE MACRO sdc__suppression_gap(tbl, keys, k, id, guarantee, importance, cost, max_share, stratum, subset, ghosts) AS TABLE
    WITH sdc__again AS NOT MATERIALIZED (FROM sdc__with_id(tbl, id)),
    sdc__celled AS MATERIALIZED (FROM sdc__cells_to_suppress('sdc__again', keys, id, stratum, subset, ghosts)),
    sdc__found AS (
        SELECT sdc__kernel_suppression_gap(sdc__stratum, sdc__rows, sdc__hashes, sdc__sizes, sdc__k,
                                           sdc__checked_choice(guarantee, 'guarantee', ['identical', 'strong', 'wildcard']),
                                           sdc__importance, sdc__checked_choice(cost, 'cost', ['equal', 'entropy']),
                                           sdc__shares, sdc__keys) AS sdc__costs
        FROM sdc__suppression_lists('sdc__celled', keys, k, importance, max_share)
    )
    SELECT sum(sdc__costs[1]) AS suppression_cost,
           CASE WHEN NOT isnan(sum(sdc__costs[2])) THEN sum(sdc__costs[2]) END AS least_cost
    FROM sdc__found;
