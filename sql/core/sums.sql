-- Sums of DOUBLE whose bits do not depend on threads, chunks or the order of the rows: the values are made whole numbers
-- of 128 bits, in units of 1 / scale, whose addition is exact.
--
--   sdc__exact_sum(x) = (the sum of x * scale, each rounded to a whole number) / scale, rounded once to DOUBLE
-- With the scale 2^72 a value of 2^-20 (1e-6) and more counts exactly, a smaller one to within 2^-73 (1e-22). A sum of
-- 2^55 (3.6e16) and more is an error, as an infinite value is, never a wrong figure. The result is within one unit in the
-- last place of the exact sum, and is it where a DOUBLE can be.
--
--   1e12, 1, 1e-6, -1e12:   sum 1.0000009999   sdc__exact_sum 1.000001
--
-- scale is a power of two, so that the product is exact: choose it for the greatest sum.
-- (FILTER and OVER do not go with a macro: a condition stands in x, CASE WHEN ... THEN x END, and a window is
-- sdc__unfixed(sum(sdc__fixed(x)) OVER (...)). Other engines have no such integers: sdc_sql/compiler/README.md.)
CREATE OR REPLACE MACRO sdc__fixed(x, scale := 4722366482869645213696e0) AS (x * scale)::HUGEINT;
CREATE OR REPLACE MACRO sdc__unfixed(total, scale := 4722366482869645213696e0) AS total::DOUBLE / scale;
CREATE OR REPLACE MACRO sdc__exact_sum(x, scale := 4722366482869645213696e0) AS sum((x * scale)::HUGEINT)::DOUBLE / scale;
