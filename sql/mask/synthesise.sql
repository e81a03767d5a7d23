-- Synthetic files: columns drawn anew, one after the other, each given those before it.
--
--   1   of the first column a record's value is drawn from all records (with given columns it hangs on these)
--   2   of column j a model on the columns before it and those given, by its method; the values drawn so far say where a record stands
--   3   a donor is drawn there, a record of the source, whose value it gets
--   4   a number or time that fewer than k records have is drawn anew: a place among the k nearest such records on either side, and the
--       value between those there; the outermost k count as their mean. 0 and what k records have at least stay. A name that fewer than k
--       records have is not released: the donor is drawn among the others
--   5   so many candidates are drawn of each record. A logistic regression on all columns and their pairs tells the source from them; with
--       its odds w one of a record's candidates is chosen with probability w / sum of w. It is fitted to 25,000 records, and moved one of
--       Newton's steps on to the means of all
--   'trees'            the leaf of a tree, cut where a cut gains most (of numbers the sum of squares of their ranks falls, of names Gini's
--                      index), leaves enough records on either side, and gains so many times (6) what a cut by chance does, which is the
--                      variance within the node
--   'table'            the cell of the table of all columns before (saturated), of enough records: of columns with the weakest
--                      connection none where the cell has fewer
--   'logistic', 'multinomial'   the class, drawn by a regression on these columns (the log-linear model of its pairs with each of them)
--   'normal_scores'    the rank, whose normal score is drawn by a linear regression
--   'predictive_mean'  one of the k records whose means, as a linear regression predicts them, are nearest
--   'sample'           any record: the margin
-- Missing is a value of its own in each. Of a column before at most 255 values or intervals of like frequency are told apart by trees and
-- tables, of names the 30 most frequent by regressions; trees tell the seven most frequent names that they explain apart; a level of a tree
-- of more than 4,096 nodes is not cut further.
-- Source: SDC handbook, sections 3.4.7.2 and 3.4.7.6; Reiter (2005), Using CART to generate partially synthetic public use microdata,
--   Journal of Official Statistics 21(3), 441-462; Nowok, Raab & Dibben (2016), synthpop: bespoke creation of synthetic data in R, Journal
--   of Statistical Software 74(11); trees: Breiman, Friedman, Olshen & Stone (1984), Classification and regression trees; populations:
--   Raghunathan, Reiter & Rubin (2003), Multiple imputation for statistical disclosure limitation, Journal of Official Statistics
--   19(1), 1-16; candidates: Rubin (1987), Multiple imputation for nonresponse in surveys, Wiley (sampling importance resampling).
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_synthesise('persons', ['sex', 'age', 'income'], 'id', given := ['region'],
--                                                rules := ['age >= 16 OR income IS NULL']);
--
-- Where all columns are named but the id, the file is completely synthetic: the id is then a number that tells nothing, and of no record
-- of the release is it said whose it is; but it may be made of one person's values. Given columns are released as they are, and the file
-- is partially synthetic; so it is where `drawn` names a column that says which records are drawn (those at risk). A column that is
-- neither named nor given stays, without relation to those that are drawn: name it, or drop it. A weight is drawn like any number, or left
-- out of the file: the weight of a record beside the values of another is the weight of nobody; columns of the design likewise.
-- Copies for sdc_synthetic_estimate: copy := 1, 2, ..., proper := true. A population of whom a sample was asked is synthesised where
-- `fitted` says who was, and `given` names what is known of all; a sample of each copy is released then.
-- With a household its size stays, and so nobody is without one: first the columns of households are drawn, given the size; then persons in
-- the order of their ids, each given the household, its first person and the one before (from the third on by one model), those of the
-- structure for all of them before any other.
-- Every rule, a condition on the released table, holds for every record, or it is an error. A tree finds most of them by itself, where
-- the column of the condition comes before. NULL counts as a condition that does not hold.
-- A number that is a code (region 7) belongs to `codes`: it is a name then, and no number between two.
--
-- What remains: a synthetic record may be made of one person's values again, as a fresh sample repeats records by chance. Of half of the
-- 22,272 couples of fixtures/, the other half held out (501 of which are copies, in 12 columns), the excess of sdc_holdout_distance of all
-- records and of the closest, whole copies, and the area of sdc_membership:
--   as by default (mean of four)                     0.003, -0.002,   486, 0.507
--   leaf := 100, gain := 0, candidates := 1          0.014, -0.026,   479, 0.513
--   leaf := 20, gain := 0, candidates := 1           0.055,  0.078,   767, 0.536
--   leaf := 5, gain := 0, candidates := 1            0.152,  0.306, 1,720, 0.586
-- A cut that gains little tells its few records apart from others by chance: such trees draw records of the source again. Mean attribution
-- is within 0.02 of that of a fresh sample. Other files, other figures: hold a part out (sdc_holdout) and limit the excess of
-- sdc_holdout_distance and sdc_membership. A proper copy is of draws of records, and tells more. A smoothed number may be somebody's by
-- chance, where numbers are whole or have few decimals. The draws hang on all values: any change of the source draws everybody anew.
--
-- NULL and NaN are drawn as values of their own. At least 2 k records, and of a column of names half of them with names that k records
-- have. A number is one that a DOUBLE holds exactly, else a code.
--
-- Scope: table.
-- Keeps: distributions of the columns and relations among them, as far as the models find them.
-- Users: Values are drawn from models, and a relation that no model had is lost. A standard error from one copy comes out too small.
--   Several copies are combined by the rules for synthetic data (Reiter 2003).
-- Values: codes.
-- Bits: last digits.
-- Coarsens: no.
-- Households: as one record.
-- Repeated: once (any change of the file draws all records anew, and many releases together tell what the models have of single records).
-- Series: refused (many releases together tell what the models have of single records).
-- Loss: published.
-- Told: methods, k, leaf, gain, candidates, proper.
-- Publicly: values drawn anew, each given those before it.
-- Parameters:
--   tbl      table                     the table, view, common table expression or file
--   columns  columns                   the columns to draw, in this order
--   id       column                    identifies each record
--   given    columns                   other columns, which are released as they are, and on which those that are drawn hang; NULL: none
--   codes    columns                   numeric columns whose numbers are codes: none is drawn between two; NULL: none
--   methods  names                     how columns are drawn: one for all, or one for each: trees, table, logistic, multinomial,
--                                      normal_scores, predictive_mean, sample
--   k        whole number in [2, ...)  the fewest records of a value that is released as it is
--   leaf     whole number in [2, ...)  the fewest records of a leaf or cell
--   gain     number in [0, ...)        how many times what a cut by chance gains a cut of a tree must gain; 0: any gain
--   candidates  whole number in [1, 100]  how many are drawn of each record, of which one is chosen; NULL: 4 where trees draw a column and
--                                         the file is not proper, else 1
--   rules    names                     conditions in SQL that hold for every record, or nothing is released; NULL: none
--   fitted   column                    of truth values: the records that models are fitted to; NULL: all
--   drawn    column                    of truth values: the records that get new values; NULL: all
--   proper   truth value               whether models are fitted to a bootstrap sample of the records, as copies to be combined ask
--   household          column          says who lives with whom, which stays; persons in the order of their ids; NULL: each by himself
--   household_columns  columns         those of the columns that are the household's, drawn first, alike for all its members; NULL: none
--   structure          columns         those of the columns that say who is in a household (sex, age), drawn for all its members before any
--                                      other; NULL: none
--   copy     whole number in [1, ...)  the number of the copy; each has draws of its own
--   stream   text                      names the pass of draws; give another one to mask a column a second time
--   release  text                      names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_synthesise(records, places, labels, counts, ordered, kinds, roles, k, leaf, gain, candidates, methods,
                                               names, proper) AS
    sdc__needs_python('A synthetic file')::DOUBLE[][];

-- 0: a number, 1: a date or time, 2: a name. What the kernel reads of it: the number, days or microseconds, or a number made of the name.
CREATE OR REPLACE MACRO sdc__synthesis_kind(v, codes) AS
    CASE WHEN sdc__is_among(alias(v), sdc__names_if_any(codes)) THEN 2
         WHEN sdc__is_whole(typeof(v)) OR typeof(v) IN ('FLOAT', 'DOUBLE') OR starts_with(typeof(v), 'DECIMAL') THEN 0
         WHEN typeof(v) IN ('DATE', 'TIMESTAMP', 'TIMESTAMP_S', 'TIMESTAMP_MS') THEN 1 ELSE 2 END;
CREATE OR REPLACE MACRO sdc__name_number(v) AS (md5_number_lower(sdc__canonical(v)) >> 12)::DOUBLE;
CREATE OR REPLACE MACRO sdc__exact_double(v) AS
    CASE WHEN abs(TRY_CAST(v AS DOUBLE)) >= 1e150 AND NOT isnan(TRY_CAST(v AS DOUBLE))
             THEN error('ColumnError: The column ' || alias(v) || ' holds infinite values or values beyond 1e150: replace or rescale them.')
         WHEN typeof(v) NOT IN ('FLOAT', 'DOUBLE') AND abs(TRY_CAST(replace(v::VARCHAR, '.', '') AS DOUBLE)) >= 9007199254740992
             THEN error('ColumnError: The column ' || alias(v) || ' holds numbers of more than 15 digits, which are no amounts: name it'
                        || ' among codes, or leave it out.')
         ELSE TRY_CAST(v AS DOUBLE) END;
CREATE OR REPLACE MACRO sdc__synthesis_read(v, codes) AS
    CASE sdc__synthesis_kind(v, codes)
         WHEN 0 THEN sdc__exact_double(v)
         WHEN 1 THEN CASE typeof(v) WHEN 'DATE' THEN epoch(TRY_CAST(v::VARCHAR AS TIMESTAMP)) / 86400
                          ELSE epoch_us(TRY_CAST(v::VARCHAR AS TIMESTAMP))::DOUBLE END
         ELSE sdc__name_number(v) END;
CREATE OR REPLACE MACRO sdc__code_columns(columns, given, codes) AS
    CASE WHEN len(list_filter(sdc__names_if_any(codes),
                              lambda n: NOT sdc__is_among(n, list_concat(sdc__names(columns), sdc__names_if_any(given))))) > 0
             THEN error('ColumnError: codes names a column that is neither drawn nor given: name it among columns or given, or leave it'
                        || ' out.')
         ELSE true END;
CREATE OR REPLACE MACRO sdc__truth(name, v) AS
    CASE WHEN typeof(v) NOT IN ('BOOLEAN', '"NULL"')
             THEN error('ColumnError: The column ' || alias(v) || ' (' || name || ') has type ' || typeof(v)
                        || ': it must be of truth values, which say of each record whether it is one.')
         ELSE coalesce(TRY_CAST(v AS BOOLEAN), false) END;
CREATE OR REPLACE MACRO sdc__goes_with_household(household, columns, given, fitted, drawn) AS
    CASE WHEN household IS NULL THEN true
         WHEN sdc__is_among(household, columns) OR sdc__is_among(household, sdc__names_if_any(given))
             THEN error('ColumnError: The household is among the columns, drawn or given: it says who lives with whom, and stays.')
         WHEN fitted IS NOT NULL OR drawn IS NOT NULL
             THEN error('ParameterError: fitted and drawn do not go with a household, which is drawn as a whole: leave them out.')
         ELSE true END;
CREATE OR REPLACE MACRO sdc__roles(names, household, household_columns, structure) AS
    CASE WHEN household IS NULL AND len(list_concat(sdc__names_if_any(household_columns), sdc__names_if_any(structure))) > 0
             THEN error('ParameterError: household_columns and structure go with a household: name its column.')
         WHEN len(list_filter(list_concat(sdc__names_if_any(household_columns), sdc__names_if_any(structure)),
                              lambda n: NOT sdc__is_among(n, names))) > 0
             THEN error('ColumnError: household_columns or structure name a column that is not drawn: name it among the columns.')
         ELSE list_transform(names, lambda n: CASE WHEN sdc__is_among(n, sdc__names_if_any(household_columns)) THEN 1
                                                   WHEN sdc__is_among(n, sdc__names_if_any(structure)) THEN 2 ELSE 0 END) END;
CREATE OR REPLACE MACRO sdc__truth_if_any(name, named, v) AS CASE WHEN named IS NULL THEN true ELSE sdc__truth(name, v) END;

-- Each record: numbers of its columns and of those given, whether it is fitted to and drawn, its place, and uniform numbers of its id and
-- values.
CREATE OR REPLACE MACRO sdc__synthesis_records(tbl, columns, id, given, codes, fitted, drawn, household, subkeyed) AS TABLE
    WITH sdc__read AS (
        SELECT sdc__id, row_number() OVER () AS sdc__p,
               sdc__truth_if_any('fitted', fitted, COLUMNS(sdc__named_column((*), fitted))) AS sdc__f,
               sdc__truth_if_any('drawn', drawn, COLUMNS(sdc__named_column((*), drawn))) AS sdc__a,
               sdc__stratum_value(household, COLUMNS(sdc__named_column((*), household))) AS sdc__house_of,
               COLUMNS(sdc__to_mask((*), columns, id)),
               sdc__synthesis_kind(COLUMNS(sdc__to_mask((*), columns, id)), codes) AS "sdc__t_\0",
               sdc__synthesis_read(COLUMNS(sdc__to_mask((*), columns, id)), codes) AS "sdc__x_\0",
               sdc__part(sdc__canonical(COLUMNS(sdc__to_mask((*), columns, id)))) AS "sdc__o_\0",
               sdc__synthesis_kind(COLUMNS(sdc__within((*), given)), codes) AS "sdc__h_\0",
               CASE WHEN NOT sdc__none_beside(given) THEN sdc__synthesis_read(COLUMNS(sdc__within((*), given)), codes) END AS "sdc__g_\0",
               CASE WHEN NOT sdc__none_beside(given)
                    THEN sdc__part(sdc__canonical(COLUMNS(sdc__within((*), given)))) END AS "sdc__q_\0"
        FROM sdc__identified_at_once(tbl, id, 380 + 10 * len(list_concat(sdc__names(columns), sdc__names_if_any(given))),
                                     codes := list_concat(sdc__names(columns), sdc__names_if_any(given)))
        WHERE sdc__stand_apart(columns, given, 'given') AND sdc__code_columns(columns, given, codes)
              AND sdc__goes_with_household(household, columns, given, fitted, drawn)
    ),
    sdc__alone AS (SELECT *, NULL AS sdc__house, NULL AS sdc__at FROM sdc__read),
    sdc__housed AS (
        SELECT *, min(sdc__p) OVER (PARTITION BY sdc__house_of) AS sdc__house,
               row_number() OVER (PARTITION BY sdc__house_of ORDER BY sdc__id ASC) AS sdc__at
        FROM sdc__read
        WHERE CASE WHEN sdc__house_of IS NOT NULL THEN true
                   ELSE error('ColumnError: The household of a record is NULL: every person must belong to one (persons living alone to'
                              || ' one of their own).') END
    ),
    sdc__joined_of AS (
        SELECT sdc__id, sdc__p, sdc__f, sdc__a, sdc__house, sdc__at, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')),
               COLUMNS(lambda c: starts_with(c, 'sdc__t_')),
               COLUMNS(lambda c: starts_with(c, 'sdc__h_')), [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__x,
               [*COLUMNS(lambda c: starts_with(c, 'sdc__g_'))] AS sdc__g,
               sdc__digest(subkeyed, sdc__checked_id(sdc__id),
                           concat(*COLUMNS(lambda c: starts_with(c, 'sdc__o_') OR starts_with(c, 'sdc__q_')), sdc__f, sdc__a,
                                  sdc__part(sdc__canonical(sdc__house_of)))) AS sdc__d
        FROM query_table(CASE WHEN household IS NULL THEN 'sdc__alone' ELSE 'sdc__housed' END)
    )
    SELECT sdc__id, sdc__p, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')),
               COLUMNS(lambda c: starts_with(c, 'sdc__t_')),
           COLUMNS(lambda c: starts_with(c, 'sdc__h_')),
           list_concat(sdc__x, CASE WHEN sdc__none_beside(given) THEN [] ELSE sdc__g END,
                       [sdc__f::DOUBLE + 2 * sdc__a::DOUBLE, sdc__p::DOUBLE, sdc__house::DOUBLE, sdc__at::DOUBLE,
                        sdc__uniform_of(sdc__d, 1), sdc__uniform_of(sdc__d, 2),
                        sdc__uniform_of(sdc__d, 3), sdc__uniform_of(sdc__d, 4)]) AS sdc__record
    FROM sdc__joined_of;

-- All records in one row, in whatever order; and of each column the different names.
CREATE OR REPLACE MACRO sdc__if_name(v, codes) AS CASE WHEN sdc__synthesis_kind(v, codes) = 2 THEN v END;
CREATE OR REPLACE MACRO sdc__synthesis_lists(records, columns, given, codes) AS TABLE
    WITH sdc__listed AS (
        SELECT list(sdc__record) AS sdc__records, list({'id': sdc__id, 'p': sdc__p}) AS sdc__places,
               any_value(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__t_')))) AS sdc__t,
               any_value([*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))]) AS sdc__kinds,
               any_value(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__h_')))) AS sdc__h,
               any_value([*COLUMNS(lambda c: starts_with(c, 'sdc__h_'))]) AS sdc__beside,
               list(DISTINCT sdc__if_name(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), codes)) AS "\0"
        FROM query_table(records)
    ),
    sdc__named AS (
        SELECT sdc__records, sdc__places, list_transform(struct_keys(sdc__t), lambda n: substr(n, 8)) AS sdc__names,
               list_transform(struct_keys(sdc__h), lambda n: substr(n, 8)) AS sdc__givens,
               list_concat(sdc__kinds, CASE WHEN sdc__none_beside(given) THEN [] ELSE sdc__beside END)::BIGINT[] AS sdc__kinds,
               list_filter(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), lambda v: v IS NOT NULL) AS "\0"
        FROM sdc__listed
    ),
    sdc__numbered AS (
        SELECT *, list_transform(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), lambda v: sdc__name_number(v)) AS "sdc__l_\0"
        FROM sdc__named
    )
    SELECT * EXCLUDE (sdc__givens), [*COLUMNS(lambda c: starts_with(c, 'sdc__l_'))] AS sdc__labels,
           list_concat(sdc__names, CASE WHEN sdc__none_beside(given) THEN [] ELSE sdc__givens END) AS sdc__all,
           list_transform(sdc__names(columns),
                          lambda c: list_position(list_transform(sdc__names, lambda n: sdc__folded(n)), sdc__folded(c))) AS sdc__order
    FROM sdc__numbered;

-- The values of a column in the order of sdc__places; answer: numbers, or places among the labels.
CREATE OR REPLACE MACRO sdc__number_texts(answer, type) AS
    list_transform(answer, lambda x: CASE type WHEN 'DATE[]' THEN (DATE '1970-01-01' + x::INTEGER)::VARCHAR
                                               WHEN 'TIMESTAMP[]' THEN make_timestamp(x::BIGINT)::VARCHAR
                                               WHEN 'TIMESTAMP_S[]' THEN make_timestamp(x::BIGINT)::VARCHAR
                                               WHEN 'TIMESTAMP_MS[]' THEN make_timestamp(x::BIGINT)::VARCHAR
                                               ELSE x::VARCHAR END);
CREATE OR REPLACE MACRO sdc__synthetic_values(labels, names, kinds, answers) AS
    CASE WHEN kinds[list_position(names, alias(labels))] = 2
             THEN list_select(labels, answers[list_position(names, alias(labels))]::BIGINT[])
         ELSE cast_to_type(sdc__number_texts(answers[list_position(names, alias(labels))], typeof(labels)), labels) END;

CREATE OR REPLACE MACRO sdc__proper(proper) AS
    CASE WHEN TRY_CAST(proper AS BOOLEAN) IS NOT NULL THEN TRY_CAST(proper AS BOOLEAN)
         ELSE error('ParameterError: proper is ' || coalesce(proper::VARCHAR, 'NULL') || ': it must be true or false.') END;
CREATE OR REPLACE MACRO sdc__checked_gain(gain) AS
    CASE WHEN sdc__checked_number(gain, 'gain') >= 0 THEN gain::DOUBLE
         ELSE error('ParameterError: gain is ' || coalesce(gain::VARCHAR, 'NULL') || ': it must be a number of at least 0.') END;
CREATE OR REPLACE MACRO sdc__synthesis_methods() AS
    ['trees', 'table', 'logistic', 'multinomial', 'normal_scores', 'predictive_mean', 'sample'];
CREATE OR REPLACE MACRO sdc__checked_methods(methods, columns) AS
    list_transform(sdc__each(methods, columns, sdc__names(columns)),
                   lambda m: sdc__checked_choice(m, 'methods', sdc__synthesis_methods()));
-- Copies whose estimates are combined vary as the models say, and no more is put right; so do regressions that the user chose.
CREATE OR REPLACE MACRO sdc__candidates_each(candidates, methods, columns, proper) AS
    CASE WHEN candidates IS NOT NULL THEN sdc__checked_whole(candidates, 'candidates', 1, 100)
         WHEN list_contains(sdc__checked_methods(methods, columns), 'trees') AND NOT sdc__proper(proper) THEN 4 ELSE 1 END;
CREATE OR REPLACE MACRO sdc__unruled(tbl, columns, id, given, codes, methods, k, leaf, gain, candidates, fitted, drawn, proper, household,
                                      household_columns, structure, copy, stream, release) AS TABLE
    WITH sdc__keyed AS MATERIALIZED (
        SELECT sdc__subkey(sdc__secret_key(), release, stream, 'synthesise', concat(sdc__how, sdc__of_given, sdc__whose),
                           sdc__joined_parts(list_transform(sdc__names(columns), lambda c: sdc__folded(c)))) AS sdc__key
        FROM (SELECT sdc__joined_parts([array_to_string(sdc__checked_methods(methods, columns), ','),
                                        sdc__checked_whole(k, 'k', 2)::VARCHAR, sdc__checked_whole(copy, 'copy', 1)::VARCHAR,
                                        sdc__checked_whole(leaf, 'leaf', 2)::VARCHAR, sdc__checked_gain(gain)::VARCHAR,
                                        sdc__candidates_each(candidates, methods, columns, proper)::VARCHAR,
                                        sdc__proper(proper)::VARCHAR]) AS sdc__how,
                     sdc__columns_part(sdc__names_if_any(given)) AS sdc__of_given, -- (no part of its own: the draws would be others)
                     sdc__joined_parts([sdc__columns_part(sdc__names_if_any(codes)), household,
                                        sdc__columns_part(sdc__names_if_any(household_columns)),
                                        sdc__columns_part(sdc__names_if_any(structure))]) AS sdc__whose)
    ),
    sdc__records AS (
        FROM sdc__synthesis_records(tbl, columns, id, given, codes, fitted, drawn, household, (SELECT sdc__key FROM sdc__keyed))
    ),
    sdc__lists AS (FROM sdc__synthesis_lists('sdc__records', columns, given, codes)),
    sdc__answered AS (
        SELECT sdc__places, sdc__names, sdc__kinds, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')),
               sdc__kernel_synthesise(sdc__records, list_transform(sdc__places, lambda s: s.p), flatten(sdc__labels)::DOUBLE[],
                                      list_transform(sdc__labels, lambda l: len(l)), sdc__order, sdc__kinds,
                                      sdc__roles(sdc__names, household, household_columns, structure), k::DOUBLE,
                                      sdc__checked_whole(leaf, 'leaf', 2)::DOUBLE, sdc__checked_gain(gain),
                                      sdc__candidates_each(candidates, methods, columns, proper)::DOUBLE,
                                      array_to_string(sdc__checked_methods(methods, columns), chr(10)), sdc__lines(sdc__all),
                                      sdc__proper(proper)::DOUBLE) AS sdc__answer
        FROM sdc__lists
    ),
    sdc__columns_of AS (
        SELECT sdc__places,
               sdc__synthetic_values(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__names, sdc__kinds, sdc__answer) AS "\0"
        FROM sdc__answered
    ),
    sdc__spread_of AS (
        SELECT unnest(sdc__places) AS sdc__place, unnest(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "\0" FROM sdc__columns_of
    )
    SELECT sdc__place.id AS sdc__id, COLUMNS(lambda c: NOT starts_with(c, 'sdc__')) FROM sdc__spread_of;

-- Whether no record of the released table breaks a rule.
CREATE OR REPLACE MACRO sdc__broken_rules(rules) AS
    CASE WHEN len(sdc__names_if_any(rules)) = 0 THEN 'SELECT 0 AS sdc__n'
         ELSE 'SELECT count(*) AS sdc__n FROM sdc__whole WHERE '
              || array_to_string(list_transform(sdc__names(rules), lambda r: 'NOT coalesce((' || r || '), false)'), ' OR ') END;
CREATE OR REPLACE MACRO sdc__rules_hold(broken) AS
    CASE WHEN broken = 0 THEN true
         ELSE error('TableError: A rule does not hold for ' || broken || ' of the drawn records: name the columns of its condition before'
                    || ' the one that it is on, or give them, so that trees find it; does it hold in the source?') END;
CREATE OR REPLACE MACRO sdc__synthesise(tbl, columns, id, given, codes, methods, k, leaf, gain, candidates, rules, fitted, drawn, proper,
                                        household, household_columns, structure, copy, stream, release) AS TABLE
    WITH sdc__values AS MATERIALIZED (
        FROM sdc__unruled(tbl, columns, id, given, codes, methods, k, leaf, gain, candidates, fitted, drawn, proper, household,
                          household_columns, structure, copy, stream, release)
    ),
    sdc__whole AS (FROM sdc__released(tbl, columns, id, 'sdc__values'))
    SELECT sdc__values.* FROM sdc__values, query(sdc__broken_rules(rules)) AS sdc__found WHERE sdc__rules_hold(sdc__found.sdc__n);

-- sdc_synthesise: columns drawn anew, each given those before it: a synthetic file, whole or in part.
-- Example: FROM sdc_synthesise('persons', ['sex', 'income'], 'id', k := 3);
CREATE OR REPLACE MACRO sdc_synthesise(tbl, columns, id, given := NULL, codes := NULL, methods := 'trees', k := 5, leaf := 20, gain := 6,
                                       candidates := NULL, rules := NULL, fitted := NULL, drawn := NULL, proper := false,
                                       household := NULL, household_columns := NULL, structure := NULL, copy := 1, stream := NULL,
                                       release := '') AS TABLE
    WITH sdc__done AS (
        FROM sdc__synthesise(tbl, columns, id, given, codes, methods, k, leaf, gain, candidates, rules, fitted, drawn, proper, household,
                             household_columns, structure, copy, stream, release)
    )
    FROM sdc__released(tbl, columns, id, 'sdc__done');
