-- Sums of DOUBLE whose bits do not depend on threads, chunks or the order of the rows: each value becomes a whole number
-- of 128 bits in units of 2^-bits, and the addition of whole numbers is exact.
--
--   sdc__exact_sum(x, bits) = (sum of x * 2^bits, each rounded to a whole number) / 2^bits, as a DOUBLE
-- A value counts to within 2^-(bits + 1), exactly from 2^(52 - bits) up. The result is within one unit in the last place of the
-- sum of these, and is it wherever a DOUBLE can be. A sum of 2^(127 - bits) or more, an infinite value and NaN are errors of DuckDB
-- (out of range, overflow), never a wrong figure.
--
--   bits           exact from   a sum is below
--   72 (default)   1e-6         3.6e16           weights
--   90             4e-12        1.3e11           risks and probabilities of records, logarithms of probabilities
--   60             0.004        1.4e20           persons of a population, expanded
--
--   1e12, 1, 1e-6, -1e12:   sum 1   sdc__exact_sum 1.000001
--
-- (FILTER and OVER do not go with a macro: a condition stands in x, CASE WHEN ... THEN x END, and a window is
-- sdc__unfixed(sum(sdc__fixed(x)) OVER (...)). Other engines sum DOUBLEs: sdc_sql/compiler/README.md.)
CREATE OR REPLACE MACRO sdc__fixed(x, bits := 72) AS (x * pow(2e0, bits))::HUGEINT;
CREATE OR REPLACE MACRO sdc__unfixed(total, bits := 72) AS total::DOUBLE / pow(2e0, bits);
CREATE OR REPLACE MACRO sdc__exact_sum(x, bits := 72) AS sdc__unfixed(sum(sdc__fixed(x, bits)), bits);

-- Such a whole number in three parts of 43 bits, which any engine adds up without loss, and the number again from their sums.
CREATE OR REPLACE MACRO sdc__parted_number(n) AS
    [(n & 8796093022207::HUGEINT)::BIGINT, ((n >> 43) & 8796093022207::HUGEINT)::BIGINT, (n >> 86)::BIGINT];
CREATE OR REPLACE MACRO sdc__joined_number(low, middle, high) AS
    low::HUGEINT + middle::HUGEINT * (1::HUGEINT << 43) + high::HUGEINT * (1::HUGEINT << 86);

-- The power of two that brings a size to between 1 and 2, for numbers of any size (log2 may be off by one step at a power of two: just as
-- good). Products of two such numbers, and 2^35 of them, are summed with 88 bits.
CREATE OR REPLACE MACRO sdc__shift(size) AS CASE WHEN size > 0 THEN pow(2e0, -floor(log2(size))) ELSE 1e0 END;
