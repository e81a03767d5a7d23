-- Data shuffling: numeric columns drawn anew by their rank correlations with other columns, and then given their own values back by rank.
--
--   x*, s*   normal scores: the normal quantiles of the mid-ranks, (rank - 1/2) / n, of the confidential columns and of those given
--   y*       = s* B + e,   B by least squares,   cov(e) = that of x* - s* B                 the conditional distribution (2006, section 3)
--   y_(r)    = x_(r), the r-th smallest y* takes the r-th smallest value of the column       the reverse mapping
-- Beside 1 and the scores stand indicators of the values of given columns of text; other given columns (numbers, dates, ENUM,
-- truth values) are ranked.
-- Source: Muralidhar & Sarathy (2006), Data shuffling: a new masking approach for numerical data, Management Science 52, 658-670
--   (the paper itself was not at hand: its product-moment correlations 2 sin(pi r / 6) of the ranks are here those of the normal
--   scores, which are never indefinite); Conover (1999), Practical Nonparametric Statistics, section 5.10 (normal scores).
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_data_shuffling('firms', ['turnover', 'profit'], ['employees', 'branch'], 'id');
--
-- The released values of a column are the original ones, all of them. Monotone relations among the columns, and with those given, are
-- kept; sums (parts and their total), relations that turn, and those with columns that are not given are lost. Given columns stay as they
-- are, and may be collinear. Given its record's given columns, a released value has nothing of the record's own: y* is drawn from B,
-- given columns and the draw of the id alone, which the value does not enter. So two releases, or the mean of twenty, tell no more than
-- what regression on the given columns tells of a record, which any file with these relations does; `explained` in the log is its share,
-- and above 0.99 of a column it is an error. (tests/mask/test_data_shuffling.py.) What it does not withstand: the values are there.
-- Whoever knows a person's rank knows the value exactly; the greatest one is in the file, and an intruder who knows whose it is knows
-- what it is. Of two releases of which one has a record more, the difference of the values is that record's value, and so with strata, or
-- a part of the file beside the whole. Under one release name a record keeps its draw: files of two months link by what is released in
-- them. A value that the members of a household share stands as often as it has members, which may tell whose it is: shuffle it in a
-- table of households. Code the top and bottom, or round, before.
--
-- NULL and NaN stay where they are; relations are those of the records with all columns. A given column that is ranked must have no NULL;
-- of text NULL is a value. No record may count for more than a quarter of its own prediction (its leverage): at least 4 records for each
-- indicator or ranked column, and for each value of a text; else it is an error.
--
-- Scope: table.
-- Keeps: the values of each column as a whole, exactly; rank correlations among the columns and with the given ones, within sampling error.
-- Users: The distribution of each column is exact, and the order of its relations with the others holds in all records together, not in
--   small domains.
-- Values: numbers.
-- Bits: exact.
-- Coarsens: no.
-- Strata: apart.
-- Households: as one record.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (who comes or leaves moves the values of others, and the difference of two releases' sets of values is that of the
--   newcomers).
-- Series: refused (the newcomers' values are the difference of two releases' sets of values).
-- Publicly: values drawn by their relations with other columns, and replaced by the original ones of the same rank.
-- Parameters:
--   tbl      table    the table, view, common table expression or file
--   columns  columns  the columns to mask, numeric
--   given    columns  other columns, which are released as they are, and relations with which are kept; NULL or an empty list: values are
--                     drawn whatever the record
--   id       column   identifies each record
--   stratum  column   a column within whose values values are shuffled
--   stream   text     names the pass of draws; give another one to mask a column a second time
--   release  text     names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_data_shuffling(stratum, x, given, nominal, normals, names) AS
    sdc__needs_python('Data shuffling')::DOUBLE[][];
CREATE OR REPLACE MACRO sdc__kernel_explained(stratum, x, given, nominal, names) AS
    sdc__needs_python('Data shuffling')::DOUBLE[];

-- Whether the values of a given column are names, or have an order by which they are ranked.
CREATE OR REPLACE MACRO sdc__is_ranked_type(type) AS
    sdc__is_whole(type) OR type IN ('FLOAT', 'DOUBLE', 'BOOLEAN', 'DATE') OR regexp_matches(type, '^(DECIMAL|TIME|ENUM)');
CREATE OR REPLACE MACRO sdc__is_nominal(v, given) AS
    CASE WHEN coalesce(len(sdc__names(given)), 0) = 0 OR NOT sdc__is_ranked_type(typeof(v)) THEN true
         WHEN v IS NULL OR (typeof(v) IN ('FLOAT', 'DOUBLE') AND isnan(TRY_CAST(v AS DOUBLE)))
             THEN error('ColumnError: The given column ' || substr(alias(v), 8)
                        || ' is NULL or NaN for a record, which has no rank then: fill it in, leave the column out, or'
                        || ' recode it to text, of which NULL is a value.')
         ELSE false END;

-- By stratum, in the order of the ids: the values of the columns, each under its own name, and what the kernel reads of them.
CREATE OR REPLACE MACRO sdc__shuffling_lists(tbl, columns, given, id, stratum, stream, release, method) AS TABLE
    WITH sdc__read AS (
        SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
               COLUMNS(sdc__to_mask((*), columns, id)),
               sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__x_\0",
               sdc__within_value(given, COLUMNS(sdc__within((*), given))) AS "sdc__s_\0",
               CASE WHEN method IS NOT NULL
                    THEN sdc__off_zero(sdc__uniform(
                                           sdc__subkeys[sdc__folded(alias(COLUMNS(sdc__to_mask((*), columns, id))))],
                                           sdc__checked_id(sdc__id), '')) END AS "sdc__p_\0"
        FROM sdc__identified_at_once(tbl, id, 270 + 115 * len(sdc__names(columns)) + 40 * len(sdc__names_if_any(given)),
                                     codes := [stratum]),
             sdc__column_subkeys(columns, release, stream, method, '')
        WHERE sdc__stand_apart(columns, given, 'given')
    ),
    sdc__reduced_of AS (
        SELECT *, sdc__normal_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__p_'))) AS "sdc__r_\0",
               dense_rank() OVER (ORDER BY COLUMNS(lambda c: starts_with(c, 'sdc__s_')) ASC NULLS FIRST) AS "sdc__g_\0",
               sdc__is_nominal(COLUMNS(lambda c: starts_with(c, 'sdc__s_')), given) AS "sdc__t_\0"
        FROM sdc__read
    ),
    sdc__drawn AS (SELECT *, sdc__normal_of_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__r_'))) AS "sdc__z_\0" FROM sdc__reduced_of)
    SELECT sdc__stratum,
           list(sdc__id ORDER BY sdc__id ASC) AS sdc__ids,
           list(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')) ORDER BY sdc__id ASC) AS "\0",
           any_value(list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                    lambda n: substr(n, 8))) AS sdc__names,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] ORDER BY sdc__id ASC) AS sdc__x,
           list(CASE WHEN coalesce(len(sdc__names(given)), 0) = 0 THEN []
                     ELSE [*COLUMNS(lambda c: starts_with(c, 'sdc__g_'))] END::BIGINT[]
                ORDER BY sdc__id ASC) AS sdc__given,
           any_value(CASE WHEN coalesce(len(sdc__names(given)), 0) = 0 THEN []
                          ELSE [*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))] END::BIGINT[]) AS sdc__nominal,
           list([*COLUMNS(lambda c: starts_with(c, 'sdc__z_'))] ORDER BY sdc__id ASC) AS sdc__z
    FROM sdc__drawn GROUP BY sdc__stratum;

CREATE OR REPLACE MACRO sdc__taken(values_of, places, names) AS
    list_select(values_of, places[list_position(names, alias(values_of))]::BIGINT[]);

CREATE OR REPLACE MACRO sdc__data_shuffling(tbl, columns, given, id, stratum, stream, release) AS TABLE
    WITH sdc__lists AS (FROM sdc__shuffling_lists(tbl, columns, given, id, stratum, stream, release, 'data shuffling')),
    sdc__drawn AS (
        SELECT *,
               sdc__kernel_data_shuffling(sdc__stratum::VARCHAR, sdc__x, sdc__given, sdc__nominal, sdc__z,
                                          sdc__lines(sdc__names)) AS sdc__places
        FROM sdc__lists
    )
    SELECT unnest(sdc__ids) AS sdc__id,
           unnest(sdc__taken(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__places, sdc__names)) AS "\0"
    FROM sdc__drawn;

-- What the log holds: of each column the share of the variance of its scores that the given columns explain, the greatest of all strata.
CREATE OR REPLACE MACRO sdc__shuffling_explained(tbl, columns, given, id, stratum) AS TABLE
    WITH sdc__lists AS (FROM sdc__shuffling_lists(tbl, columns, given, id, stratum, NULL, NULL, NULL)),
    sdc__shares AS (
        SELECT sdc__names,
               sdc__kernel_explained(sdc__stratum::VARCHAR, sdc__x, sdc__given, sdc__nominal,
                                     sdc__lines(sdc__names)) AS sdc__share
        FROM sdc__lists
    )
    FROM sdc__most_explained('sdc__shares');

-- sdc_data_shuffling: values of numeric columns shuffled, by their relations with each other and with given columns.
-- Example: FROM sdc_data_shuffling('persons', ['income'], ['sex'], 'id');
CREATE OR REPLACE MACRO sdc_data_shuffling(tbl, columns, given, id, stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__data_shuffling(tbl, columns, given, id, stratum, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
