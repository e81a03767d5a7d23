-- Records drawn anew from the smoothed joint distribution of the file: a bootstrap sample whose numbers have noise, and of whose categories
-- some are drawn from their margins.
--
--   i drawn of the n records, alike;  h: the smoothing;  S: the covariances of the numbers
--   number     y = mean + (x_i - mean + h e) / sqrt(1 + h^2),   e normal with the covariances S       (the kernel, shrunk)
--   category   c = c_i with probability 1 - h, else c_k of another draw k                             (the margin)
-- So F' has the means, variances and covariances of the numbers and the margins of the categories; of two categories
--   P'(a, b) = (1 - h)^2 P(a, b) + (1 - (1 - h)^2) P(a) P(b),
-- and the mean of a number among those of a category is nearer to that of all, by the factor (1 - h) / sqrt(1 + h^2). A sample of n from F'
-- has all this within sampling error.
-- Source: SDC handbook, section 3.4.7.3 (Fienberg 1994; Fienberg, Makov & Steele 1998: the distribution function is smoothed, and sampled);
--   the kernel: Silverman & Young (1987), The bootstrap: to smooth or not to smooth? Biometrika 74, 469-479, (2.2), whose shrinking keeps
--   the variance.
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_bootstrap('persons', ['income', 'age', 'region'], ['region'], 'id');
--
-- A released record is of another person than its id, of one in the mean: of a record's own columns nothing is left in its place, and so
-- relations of the columns that are drawn with those that are not are lost, but for the stratum's. No number is released as it is, but by
-- chance (numbers lie on a grid by the deviation of the noise, grid.sql; whole numbers and decimals are rounded). Noise is normal: heaps,
-- zeros and bounds are lost, and released values may be negative.
-- What remains: a category is released as often as it stands there, in the mean, and the q categories of a released record are all those of
-- one person with probability (1 - h)^q or more: a combination that one person alone has is released (1 - h)^q times in the mean. A number
-- far from all others is released once in the mean, about h of its column's deviations beside itself. Recode rare categories, and code
-- the top, before.
-- The draws depend on all values: any change of the source draws everybody anew, and of two releases one of which has a record more
-- the means differ by its value / n among errors of sd / sqrt(n). But many releases under other names together give F', and from it what
-- lies far out. Release it once.
--
-- NULL and NaN of a number stay with the record that is drawn; NULL is a category. At least 4 records and 2 different values of each
-- number, in each stratum.
--
-- Scope: table.
-- Keeps: means, variances and covariances of numbers, and the margins of categories, in expectation; relations of categories shrunk.
-- Users: Distributions and relations hold nearly. Values are drawn, and no record is one of the original ones.
-- Values: codes.
-- Bits: last digits.
-- Coarsens: no.
-- Households: as one record.
-- Repeated: once (any change of the file draws all records anew, and many independent draws together tell what lies far out).
-- Series: refused (each release draws all records anew from models of the file).
-- Loss: published.
-- Told: smoothing.
-- Publicly: records drawn anew from the smoothed distribution of the file.
-- Parameters:
--   tbl         table             the table, view, common table expression or file
--   columns     columns           the columns to draw anew, together: numbers, and the categories
--   categories  columns           those of them that are categories, of any type; NULL or an empty list: none
--   id          column            identifies each record
--   smoothing   number in (0, 1]  h: the deviation of the noise in deviations of its column, and the share of the categories that are drawn
--                                 from their margin
--   stratum     column            a column within whose values all is done
--   stream      text              names the pass of draws; give another one to mask a column a second time
--   release     text              names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_bootstrap(stratum, x, categories, smoothing, digests, names) AS
    sdc__needs_python('The bootstrap')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__checked_smoothing(h) AS
    CASE WHEN TRY_CAST(h AS DOUBLE) > 0 AND TRY_CAST(h AS DOUBLE) <= 1 THEN TRY_CAST(h AS DOUBLE)
         ELSE error('ParameterError: smoothing is ' || coalesce(h::VARCHAR, 'NULL')
                    || ': it must be a number above 0 and at most 1.') END;
CREATE OR REPLACE MACRO sdc__categories_are_drawn(columns, categories) AS
    CASE WHEN len(list_filter(sdc__names_if_any(categories), lambda n: NOT sdc__is_among(n, columns))) > 0
             THEN error('ColumnError: categories names '
                        || sdc__quoted(list_filter(sdc__names(categories), lambda n: NOT sdc__is_among(n, columns)))
                        || ', which is not among the columns to draw: name it there too.')
         WHEN len(list_distinct(list_transform(sdc__names_if_any(categories), lambda n: sdc__folded(n))))
              < len(sdc__names_if_any(categories))
             THEN error('ColumnError: categories names a column twice: name each once.')
         ELSE true END;

-- Each record: its values, those that are numbers (NULL of a category), and all as text.
CREATE OR REPLACE MACRO sdc__number_drawn(v, categories) AS
    CASE WHEN sdc__is_among(alias(v), sdc__names_if_any(categories)) THEN NULL ELSE sdc__number(v) END;
CREATE OR REPLACE MACRO sdc__bootstrap_records(tbl, columns, categories, id, stratum) AS TABLE
    SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
           COLUMNS(sdc__to_mask((*), columns, id)),
           sdc__number_drawn(COLUMNS(sdc__to_mask((*), columns, id)), categories) AS "sdc__x_\0",
           sdc__part(sdc__canonical(COLUMNS(sdc__to_mask((*), columns, id)))) AS "sdc__o_\0"
    FROM sdc__identified_at_once(tbl, id, 150 + 130 * len(sdc__names(columns)),
                                 codes := list_concat(sdc__names_if_any(categories), sdc__names_if_any([stratum])))
    WHERE sdc__categories_are_drawn(columns, categories);

-- By stratum, in the order of the ids: the values of the columns, each under its own name, the numbers in the order of the names, and bytes
-- of which all draws of a record are made (two words a column, four of the record).
CREATE OR REPLACE MACRO sdc__bootstrap_lists(records, columns, categories, smoothing, stream, release) AS TABLE
    WITH sdc__keyed AS MATERIALIZED (
        SELECT sdc__subkey(sdc__secret_key(), release, stream, 'bootstrap', sdc__how, sdc__columns_part(columns)) AS sdc__key_of
        FROM (SELECT sdc__joined_parts([sdc__columns_part(sdc__names_if_any(categories)),
                                        sdc__canonical_number(sdc__checked_smoothing(smoothing))]) AS sdc__how)
    ),
    sdc__subkeyed_by AS MATERIALIZED (
        SELECT sdc__whole_subkey(sdc__key_of, sdc__source) AS sdc__subkeyed
        FROM sdc__source_of(records, (SELECT sdc__key_of FROM sdc__keyed)), sdc__keyed
    ),
    sdc__named AS (SELECT *, sdc__checked_id(sdc__id) AS sdc__name FROM query_table(records), sdc__subkeyed_by),
    sdc__digests_of AS (
        SELECT *, unhex(array_to_string(list_transform(range((len(sdc__names(columns)) + 5) // 4),
                                                       lambda b: sdc__digest_of(sdc__subkeyed, b, sdc__name, '')),
                                        '')) AS sdc__d
        FROM sdc__named
    ),
    sdc__by_stratum AS (
        SELECT sdc__stratum, list(sdc__id ORDER BY sdc__id ASC) AS sdc__ids, list(sdc__d ORDER BY sdc__id ASC) AS sdc__digests,
               list(COLUMNS(lambda c: NOT starts_with(c, 'sdc__') OR starts_with(c, 'sdc__x_')) ORDER BY sdc__id ASC) AS "\0"
        FROM sdc__digests_of GROUP BY sdc__stratum
    ),
    sdc__named_lists AS (
        SELECT * EXCLUDE (sdc__x_all), list_select(sdc__all_names, sdc__places) AS sdc__names,
               list_select(sdc__x_all, sdc__places) AS sdc__x
        FROM (SELECT *, list_grade_up(list_transform(sdc__all_names, lambda n: sdc__folded(n)), 'ASC', 'NULLS FIRST') AS sdc__places
              FROM (SELECT *, list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                             lambda n: substr(n, 8)) AS sdc__all_names,
                           [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))]::DOUBLE[][] AS sdc__x_all
                    FROM sdc__by_stratum))
    )
    SELECT *, list_transform(sdc__names, lambda n: sdc__is_among(n, sdc__names_if_any(categories))::BIGINT) AS sdc__categories
    FROM sdc__named_lists;

-- The new values of a column: of a category those at the places that were drawn, of a number what was drawn. (A cast from DOUBLE is never
-- made where the column is a category.)
CREATE OR REPLACE MACRO sdc__bootstrapped(values_of, drawn, names, categories) AS
    CASE WHEN sdc__is_among(alias(values_of), sdc__names_if_any(categories))
             THEN list_select(values_of, drawn[list_position(names, alias(values_of))]::BIGINT[])
         ELSE cast_to_type(drawn[list_position(names, alias(values_of))], values_of) END;

CREATE OR REPLACE MACRO sdc__bootstrap(tbl, columns, categories, id, smoothing, stratum, stream, release) AS TABLE
    WITH sdc__records AS MATERIALIZED (FROM sdc__bootstrap_records(tbl, columns, categories, id, stratum)),
    sdc__lists AS (FROM sdc__bootstrap_lists('sdc__records', columns, categories, smoothing, stream, release)),
    sdc__drawn AS (
        SELECT COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__ids, sdc__names,
               sdc__kernel_bootstrap(sdc__stratum::VARCHAR, sdc__x, sdc__categories, sdc__checked_smoothing(smoothing), sdc__digests,
                                     sdc__lines(sdc__names)) AS sdc__new
        FROM sdc__lists
    )
    SELECT unnest(sdc__ids) AS sdc__id,
           unnest(sdc__bootstrapped(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__new, sdc__names, categories)) AS "\0"
    FROM sdc__drawn;

-- sdc_bootstrap: records drawn anew from the smoothed joint distribution of numbers and categories.
-- Example: FROM sdc_bootstrap('persons', ['income', 'sex'], ['sex'], 'id');
CREATE OR REPLACE MACRO sdc_bootstrap(tbl, columns, categories, id, smoothing := 0.3, stratum := NULL, stream := NULL,
                                      release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__bootstrap(tbl, columns, categories, id, smoothing, stratum, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
