-- Latin hypercube sampling: numeric columns drawn wholly anew, one value from each n-th part of a column's distribution, and put in
-- an order in which their ranks correlate as those of the original numbers do.
--
--   1   the sorted values of a column in groups of `size` to 2 size - 1; those of a group with mean m and deviation s become
--       m + 3^(1/2) s (2 f - 1), f in each of its equal parts uniform                                   (one draw in each n-th part)
--   2   normal scores in a random order, made uncorrelated, times a root of R                           (Iman & Conover 1982; Florian 1992)
--   3   S = the rank correlations of the values in the order of 2; until max |S - R0| <= tolerance: R := R + R0 - S, and 2 again
-- R0: Spearman's rank correlations of the original numbers, equal ones with their mean rank.
-- Source: SDC handbook, section 3.4.7.4 (Dandekar, Cohen & Kirkendall 2002: Latin hypercube sampling with rank correlation refinement;
--   Florian 1992, An efficient sampling scheme: updated Latin hypercube sampling, Probabilistic Engineering Mechanics 7, 123-130); Iman &
--   Conover (1982), A distribution-free approach to inducing rank correlation among input variables, Communications in Statistics B 11,
--   311-334. (The papers were not at hand: 2 and 3 are the scheme as the handbook sketches it.)
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_latin_hypercube('firms', ['turnover', 'employees', 'profit'], 0.01, 'id');
--
-- Kept: rank correlations to the tolerance, which the sample is measured by before it is released: else it is an error that says how near
-- they came. (Columns of whole numbers or decimals are rounded after that.) Means and variances are kept in expectation; a mean errs by
-- at most the column's deviation / (size n^(1/2)), the error of a random sample / size. Equal values that fill a group, zeros say, stay.
-- Pearson's correlations are kept as far as the ranks tell them; relations of three columns, and those that turn, are lost.
-- A record has nothing of its own: the order is drawn. Relations with columns that are not drawn are lost, but for the stratum's. No value
-- is an original one but that of a heap, or by chance. Numbers lie on a grid of 2^-34 of the power of two by the column's deviation.
-- What remains is the distribution, finely: the outermost group tells the mean and deviation of `size` greatest values, and whoever
-- knows all of them but one has that: of releases under several names the means tell it nearer. Code the top before, or take a greater
-- size. Any change of the source draws everybody anew. Values may lie beyond the least and the greatest by 3^(1/2) deviations of
-- the outer group: a column without negative values can get some where its least group is skew.
--
-- NULL and NaN are errors, and so are constant columns and fewer than 2 size (or |columns| + 2) records, of each stratum.
--
-- Scope: table.
-- Keeps: rank correlations, to the tolerance; means and variances nearly.
-- Users: Means, variances and rank correlations hold nearly. Values are drawn, so that domains and relations that are not monotone do not
--   hold.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Households: as one record.
-- Repeated: once (any change of the file draws all records anew, and many independent draws tell the distribution nearer).
-- Series: refused (each release draws all records anew from the distribution of the file).
-- Loss: published.
-- Told: tolerance, size.
-- Publicly: values drawn wholly anew, with the distributions and rank correlations of the original ones.
-- Parameters:
--   tbl        table                    the table, view, common table expression or file
--   columns    columns                  the columns to draw anew, together, numeric
--   tolerance  number in (0, 1)         the greatest error of a rank correlation
--   id         column                   identifies each record
--   size       whole number in [3, ...)  the least number of values in a group
--   stratum    column                   a column within whose values all is done
--   stream     text                     names the pass of draws; give another one to mask a column a second time
--   release    text                     names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_latin_hypercube(stratum, x, tolerance, size, digests, names) AS
    sdc__needs_python('Latin hypercube sampling')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__checked_tolerance(t) AS
    CASE WHEN TRY_CAST(t AS DOUBLE) > 0 AND TRY_CAST(t AS DOUBLE) < 1 THEN TRY_CAST(t AS DOUBLE)
         ELSE error('ParameterError: tolerance is ' || coalesce(t::VARCHAR, 'NULL')
                    || ': it must be a number above 0 and below 1.') END;
-- Two words of a digest for each value.
CREATE OR REPLACE MACRO sdc__twice(columns) AS list_concat(sdc__names(columns), sdc__names(columns));

CREATE OR REPLACE MACRO sdc__latin_hypercube(tbl, columns, tolerance, id, size, stratum, stream, release) AS TABLE
    WITH sdc__read AS MATERIALIZED (FROM sdc__numbers_beside(tbl, columns, id, NULL, 'given', stratum)),
    sdc__lists AS MATERIALIZED (FROM sdc__lists_beside('sdc__read', NULL)),
    sdc__draws AS (
        FROM sdc__digests_of_all('sdc__read', 'sdc__lists', sdc__twice(columns), release, stream,
                                 concat('latin hypercube ', sdc__canonical(sdc__checked_tolerance(tolerance)), ' ',
                                        sdc__checked_whole(size, 'size', 3, NULL)))
    ),
    sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_latin_hypercube(sdc__stratum::VARCHAR, sdc__y, sdc__checked_tolerance(tolerance),
                                           sdc__checked_whole(size, 'size', 3, NULL)::DOUBLE, sdc__digests,
                                           sdc__lines(sdc__names)) AS sdc__masked
        FROM sdc__lists JOIN sdc__draws ON sdc__stratum IS NOT DISTINCT FROM sdc__drawn_in
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- sdc_latin_hypercube: numeric columns drawn wholly anew, with their distributions and rank correlations.
-- Example: FROM sdc_latin_hypercube('persons', ['income'], 0.01, 'id', size := 4);
CREATE OR REPLACE MACRO sdc_latin_hypercube(tbl, columns, tolerance, id, size := 10, stratum := NULL, stream := NULL,
                                            release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__latin_hypercube(tbl, columns, tolerance, id, size, stratum, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
