-- Microhybrid: numeric columns drawn anew within groups of k alike records, so that what the generator keeps is kept in each group.
--
--   1   groups of k to 2k - 1 records by MDAV on the standardised columns, drawn and given            (microaggregation)
--   2   in each group, of n records:
--       ipso       y' = mean + x B + r,  r'r = those of the residuals; drawn orthogonal to 1 and x    (method C; section 3.4.7.5)
--       hybrid     y' = mean + x B + alpha r + (1 - alpha^2)^(1/2) e,  e'e = r'r, orthogonal to 1, x and r      (section 3.4.7.7)
--       bootstrap  y' = mean + (y_i - mean + h e) / (1 + h^2)^(1/2),  i drawn in the group, e normal with its covariances
-- k = n draws one synthetic group; the smaller k, the nearer are the released records to the own ones.
-- Source: SDC handbook, section 3.4.7.8, procedure 1 (Domingo-Ferrer & Gonzalez-Nicolas 2010, Hybrid microdata using microaggregation,
--   Information Sciences 180, 2834-2844).
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_microhybrid('firms', ['turnover', 'employees', 'profit'], 10, 'id');
--
-- By ipso and hybrid the means and covariances of each group are kept, and so those of the file, also with the given columns: to 1e-9 of
-- the columns' deviations in columns of DOUBLE, which lie on a grid of 2^-34 of the power of two by the deviation of the whole column
-- (grid.sql): it shows neither the group nor a value. Whole numbers and decimals are rounded. By the bootstrap they are kept in
-- expectation. Third and fourth moments, and moments of parts of the file, are kept the better the smaller k is. A column that is the same
-- for a whole group stays in it, as zeros do.
-- What it does not withstand: the group of a record is known to whoever knows its values roughly, and its mean is released: k - 1 who
-- know their own values have that of the last, and with small k a released value is as near to the own one as the group is narrow, of one
-- column nearly the value itself (sdc_sse_sst shows it). A value that a whole group has is released as it is. Homogeneous groups, and
-- two releases one of which has a record more, tell what microaggregation tells. Any change of the source draws everybody anew. Release
-- it once.
--
-- Where columns are given, a record that has more than a quarter of the weight in what is fitted for it in its group is an error, as in
-- sdc_ipso: groups must then be large. NULL and NaN are errors, and so is a k below 4, below 2 |x| + |y| + 1 (by hybrid also 2 |y| + |x|
-- + 1), x given and y drawn; or fewer than k records in a stratum.
--
-- Scope: table.
-- Keeps: means and covariances of each group, exactly (bootstrap: in expectation).
-- Users: Means and covariances hold, in all records and in the groups. Relations that are not linear hold nearly.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Households: as one record.
-- Repeated: once (any change of the file draws all records anew, and the mean of independent draws comes near the original).
-- Series: refused (each release draws all records anew from models of the file).
-- Loss: published.
-- Told: k, generator.
-- Publicly: values drawn anew within groups of alike records, whose means and covariances stay what they are.
-- Parameters:
--   tbl        table                             the table, view, common table expression or file
--   columns    columns                           the columns to draw anew, together, numeric
--   k          whole number in [4, ...)          the least number of records in a group
--   id         column                            identifies each record
--   generator  'ipso', 'hybrid' or 'bootstrap'   how a group is drawn
--   given      columns                           other numeric columns, which are released as they are (ipso and hybrid)
--   alpha      number in [0, 1)                  of hybrid: the share of the own residual
--   smoothing  number in (0, 1]                  of bootstrap: the deviation of the noise in deviations of the group
--   blocks     whole number in [1, ...)          groups are sought within so many blocks along the first principal component, for large
--                                                files
--   stratum    column                            a column within whose values all is done
--   stream     text                              names the pass of draws; give another one to mask a column a second time
--   release    text                              names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_microhybrid(stratum, y, x, k, blocks, generator, alpha, smoothing, digests) AS
    sdc__needs_python('Microhybrid')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__drawn_alone(given, generator) AS
    CASE WHEN generator = 'bootstrap' AND len(sdc__names_if_any(given)) > 0
             THEN error('ParameterError: given goes with the generators ipso and hybrid: the bootstrap draws whole records; name these'
                        || ' columns among those to draw.')
         ELSE true END;

CREATE OR REPLACE MACRO sdc__microhybrid(tbl, columns, k, id, generator, given, alpha, smoothing, blocks, stratum, stream, release) AS TABLE
    WITH sdc__asked AS MATERIALIZED (
        SELECT sdc__checked_choice(generator, 'generator', ['ipso', 'hybrid', 'bootstrap']) AS sdc__generator,
               sdc__checked_whole(k, 'k', 4)::DOUBLE AS sdc__k, sdc__checked_whole(blocks, 'blocks', 1)::DOUBLE AS sdc__blocks,
               sdc__own_share(alpha) AS sdc__alpha, sdc__checked_smoothing(smoothing) AS sdc__smoothing
        WHERE sdc__drawn_alone(given, generator)
    ),
    sdc__read AS MATERIALIZED (FROM sdc__numbers_beside(tbl, columns, id, given, 'given', stratum)),
    sdc__lists AS MATERIALIZED (FROM sdc__lists_beside('sdc__read', given)),
    sdc__draws AS (
        FROM sdc__digests_of_all('sdc__read', 'sdc__lists', sdc__twice(columns), release, stream,
                                 (SELECT array_to_string(['microhybrid', sdc__generator, sdc__canonical(sdc__k), sdc__canonical(sdc__alpha),
                                                          sdc__canonical(sdc__smoothing), sdc__canonical(sdc__blocks)], ' ')
                                  FROM sdc__asked))
    ),
    sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_microhybrid(sdc__stratum::VARCHAR, sdc__y, sdc__x, sdc__k, sdc__blocks, sdc__generator, sdc__alpha,
                                       sdc__smoothing, sdc__digests) AS sdc__masked
        FROM sdc__lists JOIN sdc__draws ON sdc__stratum IS NOT DISTINCT FROM sdc__drawn_in, sdc__asked
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- sdc_microhybrid: numeric columns drawn anew within groups of k alike records, means and covariances of each kept.
-- Example: FROM sdc_microhybrid('persons', ['income'], 4, 'id');
CREATE OR REPLACE MACRO sdc_microhybrid(tbl, columns, k, id, generator := 'ipso', given := NULL, alpha := 0.5, smoothing := 0.3,
                                        blocks := 1, stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (
        FROM sdc__microhybrid(tbl, columns, k, id, generator, given, alpha, smoothing, blocks, stratum, stream, release)
    )
    FROM sdc__released(tbl, columns, id, 'sdc__done');
