-- The sums of all products of two columns, each with each, and of the columns themselves: X'X of a design with its constant, exactly.
--
--   sum_ij = sum over records u_i u_j,   u_0 = 1
-- Source: Karr & Sanil (2004), Data quality and data confidentiality for microdata: implications and strategies, last section:
--   X'X is the sum of the parties' own, and X'y likewise.
--
--   tbl: sdc__u_x sdc__u_y   sdc__cross_sums('tbl'):
--        1        10         sdc__j sdc__u_x sdc__u_y
--        2        30         0      3        40         the sums
--                            1      5        70         x with x and y
--                            2      70       1000
--
-- What leaves a house are these sums in shares, of which all but the house's own are noise. All parties learn the total, and so each the
-- total less its own: of three, what the two others have together. All parties but one have the sums of that one between them. All are
-- taken to be honest but curious. (sdc_sql/between/README.md)
-- Of columns of at most 2^50 the sums of 2^27 records are within 127 bits; beyond that DuckDB ends in an error.
-- A record is taken once for each row of the matrix.
CREATE OR REPLACE MACRO sdc__cross_sums(tbl) AS TABLE
    SELECT sdc__j, sum(COLUMNS(lambda c: starts_with(c, 'sdc__u_'))::HUGEINT * sdc__y) AS "\0"
    FROM (
        SELECT COLUMNS(lambda c: starts_with(c, 'sdc__u_')),
               unnest(range(len([*COLUMNS(lambda c: starts_with(c, 'sdc__u_'))]) + 1)) AS sdc__j,
               unnest([1, *COLUMNS(lambda c: starts_with(c, 'sdc__u_'))]) AS sdc__y
        FROM query_table(tbl)
    ) GROUP BY sdc__j ORDER BY sdc__j ASC;
