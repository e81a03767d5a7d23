-- Hybrid masking: each record combined with the nearest record of a synthetic sample.
--
--   additive        Z = alpha X + (1 - alpha) X_S
--   multiplicative  Z = X^alpha X_S^(1 - alpha),  X > 0                                    (sampled and paired by logarithms)
--   X_S: of n / k synthetic records, drawn by Latin hypercube sampling (latin_hypercube.sql), the nearest to X by differences in deviations
--   of the columns; several records may have the same.
-- Source: SDC handbook, section 3.4.7.9 (Dandekar, Domingo-Ferrer & Sebe 2002, LHS-based hybrid microdata vs rank swapping and
--   microaggregation, Inference Control in Statistical Databases, LNCS 2316, 153-162), whose k is 1.
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_hybrid_masking('firms', ['turnover', 'employees', 'profit', 'assets'], 0.3, 'id', k := 5);
--
-- Nothing is kept exactly: a record stays by its own, the nearer the greater alpha, the smaller k and the fewer columns. In one column the
-- nearest of n synthetic records is next to the own value, whatever alpha: the paper's method masks hardly at all there. So it is an error
-- where what is released of a column explains more than 0.99 of its own values. With k synthetic records are fewer: as in
-- microaggregation about k share one, and alpha := 0 releases it alone. Synthetic records are drawn, not averages: means are kept nearly,
-- variances shrink a little where k is greater than 1.
-- What remains: Z tells X to (1 - alpha) times its distance from X_S. Any change of the source, another alpha, method or k draws all
-- synthetic records anew; the mean of many releases under other names tends to a function of X that rises with it, which an order tells.
-- The greatest value is paired with the greatest synthetic one: code the top before. Release it once.
-- Sums lie on a grid of 2^-20 of the power of two by the column's deviation, products have their first 24 bits (grid.sql).
--
-- NULL and NaN are errors, and so is what latin_hypercube refuses, of each stratum.
--
-- Scope: table.
-- Keeps: each record nearly; means and relations nearly.
-- Users: Means and relations hold nearly. Each value is a mixture with a drawn one, so that single values and domains do not hold.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Households: as one record.
-- Repeated: once (any change of the file draws all records anew, and the mean of independent draws comes near the original).
-- Series: refused (each release draws all records anew from a model of the file).
-- Loss: published.
-- Told: method.
-- Publicly: values combined with those of a synthetic record.
-- Parameters:
--   tbl        table                             the table, view, common table expression or file
--   columns    columns                           the columns to mask, together, numeric
--   alpha      number in [0, 1)                  the share of the own value
--   id         column                            identifies each record
--   method     'additive' or 'multiplicative'    how the two are combined; multiplicative: of numbers above 0
--   k          whole number in [1, ...)          for so many records one synthetic record is drawn
--   tolerance  number in (0, 1)                  of the synthetic records: the greatest error of a rank correlation
--   size       whole number in [3, ...)          of the synthetic records: the least number of values in a group
--   stratum    column                            a column within whose values all is done
--   stream     text                              names the pass of draws; give another one to mask a column a second time
--   release    text                              names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__kernel_hybrid_masking(stratum, x, alpha, method, k, tolerance, size, digests, names) AS
    sdc__needs_python('Hybrid masking')::DOUBLE[][];

CREATE OR REPLACE MACRO sdc__hybrid_masking(tbl, columns, alpha, id, method, k, tolerance, size, stratum, stream, release) AS TABLE
    WITH sdc__asked AS MATERIALIZED (
        SELECT sdc__checked_choice(method, 'method', ['additive', 'multiplicative']) AS sdc__method, sdc__own_share(alpha) AS sdc__alpha,
               sdc__checked_whole(k, 'k', 1)::DOUBLE AS sdc__k, sdc__checked_tolerance(tolerance) AS sdc__tolerance,
               sdc__checked_whole(size, 'size', 3)::DOUBLE AS sdc__size
    ),
    sdc__read AS MATERIALIZED (FROM sdc__numbers_beside(tbl, columns, id, NULL, 'given', stratum)),
    sdc__lists AS MATERIALIZED (FROM sdc__lists_beside('sdc__read', NULL)),
    sdc__draws AS (
        FROM sdc__digests_of_all('sdc__read', 'sdc__lists', list_concat(sdc__twice(columns), sdc__names(columns)), release, stream,
                                 (SELECT array_to_string(['hybrid masking', sdc__method, sdc__canonical(sdc__alpha), sdc__canonical(sdc__k),
                                                          sdc__canonical(sdc__tolerance), sdc__canonical(sdc__size)], ' ')
                                  FROM sdc__asked))
    ),
    sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_hybrid_masking(sdc__stratum::VARCHAR, sdc__y, sdc__alpha, sdc__method, sdc__k, sdc__tolerance, sdc__size,
                                          sdc__digests, sdc__lines(sdc__names)) AS sdc__masked
        FROM sdc__lists JOIN sdc__draws ON sdc__stratum IS NOT DISTINCT FROM sdc__drawn_in, sdc__asked
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- sdc_hybrid_masking: numeric columns of each record combined with those of the nearest synthetic record.
-- Example: FROM sdc_hybrid_masking('persons', ['income', 'age'], 0, 'id', k := 3, size := 3, tolerance := 0.5);
CREATE OR REPLACE MACRO sdc_hybrid_masking(tbl, columns, alpha, id, method := 'additive', k := 1, tolerance := 0.05, size := 10,
                                           stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (
        FROM sdc__hybrid_masking(tbl, columns, alpha, id, method, k, tolerance, size, stratum, stream, release)
    )
    FROM sdc__released(tbl, columns, id, 'sdc__done');
