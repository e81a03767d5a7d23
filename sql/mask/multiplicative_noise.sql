-- Multiplicative noise on numeric columns.
--
--   plain        x (1 + size N(0, 1))
--   hoehne       every record up or down by the factor 1 +- size, plus noise of s.d. spread; means and variances restored
--   hoehne_sum   values down or up in turn by |size + spread N(0, 1)|, in descending order; sums kept
-- Source: SDC handbook, section 3.4.2.2 (Höhne 2004).
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_multiplicative_noise('firms', ['turnover'], 0.1, 'id', method := 'hoehne', spread := 0.01);
--
-- Scope: record where method is 'plain', else table.
-- Keeps: plain: the means, in expectation; hoehne: means and variances; hoehne_sum: sums.
-- Parameters:
--   tbl      table    the table, view, common table expression or file
--   columns  columns  the columns to mask
--   size     number   the standard deviation of the factors, or by Höhne's methods their distance from 1
--   id       column   identifies each record
--   method   'plain', 'hoehne' or 'hoehne_sum'  how values are multiplied
--   spread   number   of Höhne's methods: the standard deviation of the noise on the factors
--   stratum  column   a column within whose values moments and sums are kept
--   stream   text     names the pass of draws; give another one to mask a column a second time
--   release  text     names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__multiplicative_noise(tbl, columns, size, id, method, spread, stratum, stream, release) AS TABLE
    WITH sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_multiplicative(sdc__stratum::VARCHAR, method, sdc__x, sdc__z, CASE WHEN method = 'hoehne' THEN sdc__u END, size::DOUBLE, spread::DOUBLE) AS sdc__masked
        FROM sdc__gathered(tbl, columns, id, stratum, CASE WHEN method = 'hoehne' THEN 'record' ELSE 'column' END, 'multiplicative noise ' || method,
                           concat(sdc__part(sdc__canonical(size::DOUBLE)), sdc__part(sdc__canonical(spread::DOUBLE))), stream, release)
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- sdc_multiplicative_noise: numeric columns multiplied by noise.
-- Example: FROM sdc_multiplicative_noise('persons', ['income'], 0.1, 'id');
CREATE OR REPLACE MACRO sdc_multiplicative_noise(tbl, columns, size, id, method := 'plain', spread := 0, stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__multiplicative_noise(tbl, columns, size, id, method, spread, stratum, stream, release))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
