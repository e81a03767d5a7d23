-- Multiplicative noise on numeric columns.
--
--   plain        x (1 + size N(0, 1))
--   hoehne       every record up or down by the factor 1 +- size, plus noise of s.d. spread; means and variances restored
--   hoehne_sum   values down or up in turn by |size + spread N(0, 1)|, in descending order; sums kept
-- Source: SDC handbook, section 3.4.2.2 (Höhne 2004).
-- hoehne_sum is for one release only. Its signs hang on the order of all values: a record more, another stratum or another condition
-- turns about half of them, and the midpoint of two releases of such a value is the original, exactly under the same draws, to within the
-- spread under others. In Python a second run on the column is an error where sdc_steps shows it; elsewhere it is yours to see to. Its
-- spread is at least a tenth of the size (with none, a value leaves two candidates), and at most a third.
--
-- Products are released with their first 24 bits or more, Höhne's with 32 (grid.sql). 0 stays 0.
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_multiplicative_noise('firms', ['turnover'], 0.1, 'id', method := 'hoehne', spread := 0.01);
--
-- Scope: record where method is 'plain', else table.
-- Keeps: plain: the means, in expectation; hoehne: means and variances, hoehne_sum: sums, to 2^-32 of themselves.
-- Users: Means and totals hold. Variances come out too great, and correlations too near 0.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Loss: published where method is 'plain', else withheld (from it follow the factors, which undo the masking).
-- Told: method; size where method is 'plain'.
-- Repeated: again where method is 'plain', else once (signs, sums or factors hang on all records).
-- Series: parameters where method is 'plain', else refused (signs, sums or factors hang on the records of one file).
-- Strata: apart.
-- Households: by unit where method is 'plain', else as one record.
-- Parameters:
--   tbl        table                              the table, view, common table expression or file
--   columns    columns                            the columns to mask
--   size       number in [0, 1e150)               the standard deviation of the factors, or by Höhne's methods their distance from 1
--   id         column                             identifies each record
--   method     'plain', 'hoehne' or 'hoehne_sum'  how values are multiplied
--   spread     number in [0, 1e150)               of Höhne's methods: the standard deviation of the noise on the factors; of hoehne_sum
--                                                 from size / 10 to size / 3
--   stratum    column                             a column within whose values moments and sums are kept
--   stream     text                               names the pass of draws; give another one to mask a column a second time
--   release    text                               names the release; give another one for independent draws
--   unit       'record' or 'household'            whose draws: with 'household' (of plain), members who share a value go on sharing it
--   household  column                             the household of a record, where unit is 'household'

CREATE OR REPLACE MACRO sdc__checked_factors(size) AS
    CASE WHEN TRY_CAST(size AS DOUBLE) >= 0 AND TRY_CAST(size AS DOUBLE) < 1e150 THEN TRY_CAST(size AS DOUBLE)
         ELSE error('ParameterError: size is ' || coalesce(size::VARCHAR, 'NULL')
                    || ': it must be a number, at least 0 and below 1e150.') END;
CREATE OR REPLACE MACRO sdc__finite(x, name) AS
    CASE WHEN isnan(x) OR abs(x) <= 1e150 THEN x
         WHEN x IS NOT NULL THEN error('ColumnError: The column ' || name
                                       || ' holds infinite values or values beyond 1e150, whose squares are infinite:'
                                       || ' replace or rescale them.') END;

CREATE OR REPLACE MACRO sdc__finite_value(v) AS sdc__finite(sdc__number(v), alias(v));
CREATE OR REPLACE MACRO sdc__uniform_to_multiply(v, subkeys, named) AS
    sdc__off_zero(sdc__uniform(subkeys[sdc__folded(alias(v))], named, sdc__part(sdc__canonical_number(sdc__number(v)))));
CREATE OR REPLACE MACRO sdc__multiplied(x, size, names, normals) AS x * (1 + size * sdc__of_column(normals, names, x));
CREATE OR REPLACE MACRO sdc__multiplied_plainly(tbl, columns, size, id, spread, stratum, stream, release, unit, household) AS TABLE
    WITH sdc__drawn AS (
        SELECT sdc__id, sdc__size, sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
               sdc__finite_value(COLUMNS(sdc__to_mask((*), columns, id))) AS "sdc__x_\0",
               sdc__uniform_to_multiply(COLUMNS(sdc__to_mask((*), columns, id)), sdc__subkeys, sdc__named) AS "sdc__u_\0"
        FROM sdc__named_records(tbl, columns, id, unit, household, NULL), (SELECT sdc__checked_factors(size) AS sdc__size),
             sdc__column_subkeys(columns, release, stream, 'multiplicative noise plain',
                                 concat(sdc__part(sdc__canonical_number(sdc__checked_number(size, 'size'))),
                                        sdc__part(sdc__canonical_number(sdc__checked_number(spread, 'spread')))))
    ),
    sdc__reduced_of AS (SELECT *, sdc__normal_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__u_'))) AS "sdc__r_\0" FROM sdc__drawn),
    sdc__normals_of AS (SELECT *, sdc__normal_of_reduced(COLUMNS(lambda c: starts_with(c, 'sdc__r_'))) AS "sdc__z_\0" FROM sdc__reduced_of),
    sdc__listed AS (SELECT *, [*COLUMNS(lambda c: starts_with(c, 'sdc__z_'))] AS sdc__normals FROM sdc__normals_of),
    sdc__own AS (SELECT struct_keys(struct_pack(*COLUMNS(sdc__columns((*), columns)))) AS sdc__names FROM sdc__unasked(tbl) LIMIT 1),
    sdc__products AS (
        SELECT sdc__id, sdc__product_bits(sdc__size) AS sdc__bits,
               sdc__multiplied(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__size, sdc__names, sdc__normals) AS "\0"
        FROM sdc__listed, sdc__own
    ),
    sdc__values AS (SELECT sdc__id, sdc__own_bits(COLUMNS('(?s)^sdc__x_(.*)$'), sdc__bits) AS "\1" FROM sdc__products)
    FROM sdc__typed(tbl, columns, 'sdc__values');

CREATE OR REPLACE MACRO sdc__multiplied_together(tbl, columns, size, id, method, spread, stratum, stream, release) AS TABLE
    WITH sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_multiplicative(
                   sdc__stratum::VARCHAR, sdc__checked_choice(method, 'method', ['plain', 'hoehne', 'hoehne_sum']), sdc__x,
                   sdc__z, CASE WHEN method = 'hoehne' THEN sdc__u END, sdc__checked_number(size, 'size'),
                   sdc__checked_number(spread, 'spread')) AS sdc__masked
        FROM sdc__gathered(tbl, columns, id, stratum, CASE WHEN method = 'hoehne' THEN 'record' ELSE 'column' END,
                           'multiplicative noise ' || method,
                           concat(sdc__part(sdc__canonical_number(sdc__checked_number(size, 'size'))),
                                  sdc__part(sdc__canonical_number(sdc__checked_number(spread, 'spread')))),
                           stream, release, 310 + 70 * len(sdc__names(columns)))
    )
    FROM sdc__spread_averages(tbl, columns, 'sdc__filled');

CREATE OR REPLACE MACRO sdc__multiplicative_noise(tbl, columns, size, id, method, spread, stratum, stream, release, unit,
                                                  household) AS TABLE
    WITH sdc__plain AS (FROM sdc__multiplied_plainly(tbl, columns, size, id, spread, stratum, stream, release, unit, household)),
    sdc__hoehne AS (FROM sdc__multiplied_together(tbl, columns, size, id, method, spread, stratum, stream, release))
    FROM query_table(CASE WHEN sdc__unit_fits(unit, household, method, 'plain') THEN 'sdc__plain' ELSE 'sdc__hoehne' END);

-- Python: the methods 'hoehne' and 'hoehne_sum' need it; 'plain' is SQL alone.
-- sdc_multiplicative_noise: numeric columns multiplied by noise.
-- Example: FROM sdc_multiplicative_noise('persons', ['income'], 0.1, 'id');
CREATE OR REPLACE MACRO sdc_multiplicative_noise(tbl, columns, size, id, method := 'plain', spread := 0, stratum := NULL,
                                                 stream := NULL, release := '', unit := 'record',
                                                 household := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__multiplicative_noise(tbl, columns, size, id, method, spread, stratum, stream, release, unit, household))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
