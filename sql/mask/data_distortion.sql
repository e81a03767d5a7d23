-- Data distortion by probability distribution: a distribution is fitted to each column, and its values are replaced by draws from it,
-- rank by rank.
--
--   1   each family by maximum likelihood; D = max |F_n(x) - F(x)|                                (Kolmogorov-Smirnov)
--   2   p = (1 + samples of F whose own D, fitted anew, is as great) / (1 + samples)              (parametric bootstrap, 199 samples)
--       taken is the family of the least D among those with p > significance
--   3   y = F^-1(u), u drawn; the value of rank r becomes y_(r), the r-th smallest draw
-- Families with a free origin: normal, logistic, laplace, extreme value (Gumbel, of maxima), extreme value of minima, uniform, beta (the
-- ends of these two are round numbers beyond the least and greatest value; of beta 0 and 1 where all values lie between: with other ends
-- it is rejected too often). With the origin 0, for positive values: exponential, gamma, Weibull, lognormal, loglogistic, and Pareto (its
-- least value is the next lower number of three digits). For whole numbers from 0 to 2,000 also Poisson, geometric, binomial (trials
-- unknown), negative binomial. Not here: triangular (its mode is a person's value) and hypergeometric; gamma and Weibull have no free
-- origin.
-- Where all are rejected, frequencies are imposed: in `intervals` (8 to 20; eighths of the records, of which the outermost are halved,
-- with ends on round numbers and 3 records or more in each) as many values are drawn, uniformly, as there were.
-- Of the handbook's ten values the extreme value distribution has mode 1105.78, scale 732.43 and D = 0.1138 here too; nearer is the Weibull
-- distribution, 0.1086, which its program seems to have fitted otherwise.
-- Source: SDC handbook, section 3.4.7.1 (Liew, Choi & Liew 1985, ACM Transactions on Database Systems 10, 395-411); the p-value: Stute,
--   Gonzalez Manteiga & Presedo Quindimil (1993), Metrika 40, 243-256; the factor: Stephens (1970), JRSS B 32, 115-122.
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_data_distortion('firms', ['turnover', 'employees'], NULL, 'id');
--
-- `explained` in the log has for each column the families by D, with parameters, p and what became of each ("farther": a nearer one was
-- taken before its p was needed). Of more than 1,000 records samples of 1,000 are drawn, by Stephens' factor; where p would be below a
-- tenth of 0.005 with known parameters, it is given as that. The test hangs on no key.
-- What is released of a record is its rank and what all tell of the distribution: no value is an original one, but by chance. Two
-- releases give the ranks and twice the draws: by how far a record more moves the mean (its value / n) nothing is seen among draws that
-- err by sd / sqrt(n). Any change of the source draws everybody anew.
-- What remains: rank by rank keeps the ranks, exactly. Who knows a person's rank has nearly the value (the r-th of n draws errs by sqrt(p
-- (1 - p) / n) / f(x)); the order of all persons is released, and ranks of known persons bound those between. The greatest value is not
-- released, but the greatest draw is of its size where a long tail was fitted, and ends of intervals tell it to a tenth of the last
-- interval: code the top before. Many releases under other names give all order statistics, and so the parameters. The parameters in the
-- log are exact: with those of a file of one record less they give its value. They are not for publication.
-- Each column is fitted by itself: sums and differences between columns are lost, rank correlations stay. Heaps (rounded or equal values)
-- are lost: equal values are ranked at random. A value that a type cannot hold (below 0 of an unsigned one) is an error.
--
-- NULL and NaN stay where they are, which tells that a value is missing. At least 8 values, 3 of them different, of each stratum.
--
-- Scope: table.
-- Keeps: ranks, exactly; the distribution of each column, as far as the family fits it.
-- Users: The distribution of each column holds nearly, and so does the order of its values.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Households: as one record.
-- Loss: published.
-- Told: significance, intervals.
-- Repeated: once (any change of the file draws all records anew, and the mean of independent draws comes near the original).
-- Series: refused (each release draws all records anew from a distribution that is fitted to the file).
-- Publicly: values drawn from a distribution that fits the column, in the order of the original ones.
-- Parameters:
--   tbl           table                     the table, view, common table expression or file
--   columns       columns                   the columns to draw anew, numeric
--   families      names                     the families that may be taken; NULL: all
--   id            column                    identifies each record
--   significance  number in (0, 1)          a family with this p-value or less is rejected
--   intervals     whole number in [8, 20]   the most intervals, where all families are rejected
--   stratum       column                    a column within whose values distributions are fitted
--   stream        text                      names the pass of draws; give another one to mask a column a second time
--   release       text                      names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_distribution_fits(stratum, x, whole, families, significance, intervals, names) AS
    sdc__needs_python('Data distortion')::VARCHAR[][];
CREATE OR REPLACE MACRO sdc__kernel_distorted(stratum, x, uniforms, breakers, fits) AS
    sdc__needs_python('Data distortion')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__checked_significance(p) AS
    CASE WHEN TRY_CAST(p AS DOUBLE) > 0 AND TRY_CAST(p AS DOUBLE) < 1 THEN TRY_CAST(p AS DOUBLE)
         ELSE error('ParameterError: significance is ' || coalesce(p::VARCHAR, 'NULL')
                    || ': it must be a number above 0 and below 1.') END;

-- The design: of each stratum and column the fits, a line each, what is drawn from first.
CREATE OR REPLACE MACRO sdc__distribution_fits(records, families, significance, intervals) AS TABLE
    SELECT sdc__stratum, sdc__names,
           sdc__kernel_distribution_fits(sdc__stratum::VARCHAR, sdc__x, sdc__whole,
               CASE WHEN families IS NOT NULL THEN sdc__lines(sdc__names(families)) END,
               sdc__checked_significance(significance), sdc__checked_whole(intervals, 'intervals', 8, 20)::DOUBLE,
               sdc__lines(sdc__names)) AS sdc__fits
    FROM (
        SELECT sdc__stratum,
               any_value(list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))),
                                        lambda n: substr(n, 8))) AS sdc__names,
               any_value([*COLUMNS(lambda c: starts_with(c, 'sdc__t_'))]::BIGINT[]) AS sdc__whole,
               list([*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))]) AS sdc__x
        FROM query_table(records) GROUP BY sdc__stratum
    );
CREATE OR REPLACE MACRO sdc__data_distortion_design(tbl, columns, families, id, significance, intervals, stratum) AS TABLE
    WITH sdc__records AS (FROM sdc__synthetic_records(tbl, columns, id, stratum))
    FROM sdc__distribution_fits('sdc__records', families, significance, intervals);

CREATE OR REPLACE MACRO sdc__distortion_draws(records, tbl, columns, families, significance, intervals, stratum, stream, release,
    design) AS TABLE
    WITH sdc__lists AS (
        FROM sdc__synthetic_lists(records, columns, release, stream, 'data distortion',
            concat(sdc__part(array_to_string(list_sort(list_transform(sdc__names(families), lambda f: lower(f)), 'ASC'), ',')),
                   sdc__part(sdc__checked_significance(significance)::DOUBLE::VARCHAR),
                   sdc__part(intervals::VARCHAR), sdc__part(stratum::VARCHAR)))
    ),
    sdc__filled AS (
        SELECT sdc__ids, l.sdc__names, sdc__kernel_distorted(l.sdc__stratum::VARCHAR, sdc__x, sdc__u, sdc__v, sdc__fits) AS sdc__masked
        FROM sdc__lists AS l JOIN query_table(design) AS d ON l.sdc__stratum IS NOT DISTINCT FROM d.sdc__stratum
    )
    FROM sdc__spread_averages(tbl, columns, 'sdc__filled');

-- design: the name of a table with the rows of sdc__data_distortion_design, or of the common table expression that computes them.
CREATE OR REPLACE MACRO sdc__data_distortion_designed(tbl, columns, families, id, significance, intervals, stratum, stream, release,
    design) AS TABLE
    WITH sdc__records AS MATERIALIZED (FROM sdc__synthetic_records(tbl, columns, id, stratum)),
    sdc__fitted AS (FROM sdc__distribution_fits('sdc__records', families, significance, intervals))
    FROM sdc__distortion_draws('sdc__records', tbl, columns, families, significance, intervals, stratum, stream, release, design);
CREATE OR REPLACE MACRO sdc__data_distortion(tbl, columns, families, id, significance, intervals, stratum, stream, release) AS TABLE
    FROM sdc__data_distortion_designed(tbl, columns, families, id, significance, intervals, stratum, stream, release, 'sdc__fitted');

CREATE OR REPLACE MACRO sdc__data_distortion_applied(design) AS TABLE
    WITH sdc__lines_of AS (
        SELECT sdc__stratum, unnest(sdc__names) AS sdc__name, unnest(sdc__fits) AS sdc__lines FROM query_table(design)
    ),
    sdc__parts_of AS (
        SELECT sdc__stratum, sdc__name, generate_subscripts(sdc__lines, 1) AS sdc__i, string_split(unnest(sdc__lines), chr(9)) AS sdc__p
        FROM sdc__lines_of
    )
    SELECT list(struct_pack(stratum := sdc__stratum::VARCHAR, "column" := sdc__name, family := sdc__p[2], parameters := sdc__p[6],
                            statistic := TRY_CAST(sdc__p[4] AS DOUBLE),
                            p_value := TRY_CAST(sdc__p[5] AS DOUBLE), verdict := sdc__p[1])
                ORDER BY sdc__by_bytes(sdc__stratum) ASC NULLS LAST, sdc__name ASC, sdc__i ASC) AS explained
    FROM sdc__parts_of;

-- sdc_data_distortion: values of numeric columns replaced, rank by rank, by draws from the distribution that fits them.
-- Example: FROM sdc_data_distortion('persons', ['income'], NULL, 'id');
CREATE OR REPLACE MACRO sdc_data_distortion(tbl, columns, families, id, significance := 0.05, intervals := 20,
                                               stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__data_distortion(tbl, columns, families, id, significance, intervals, stratum, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
