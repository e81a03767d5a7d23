-- Elementary functions that SQL lacks, to a few units in the last place.

-- ln(1 + x) for x > -1, accurate for small x: the rounding of 1 + x is divided out again
-- (Kahan; in Goldberg 1991, What every computer scientist should know about floating-point
-- arithmetic, theorem 4).
--   sdc__ln1p(1e-10) = 9.9999999995e-11
CREATE OR REPLACE MACRO sdc__ln1p(x) AS
    CASE WHEN 1.0::DOUBLE + x = 1 THEN x ELSE x * (ln(1.0::DOUBLE + x) / ((1.0::DOUBLE + x) - 1)) END;

-- exp(x) - 1, accurate for small x, by the same device (Kahan; in Higham 2002, Accuracy and
-- stability of numerical algorithms, section 1.14.1).
--   sdc__expm1(1e-10) = 1.00000000005e-10
CREATE OR REPLACE MACRO sdc__expm1(x) AS
    CASE WHEN exp(x::DOUBLE) = 1 THEN x
         WHEN exp(x::DOUBLE) - 1 = -1 THEN -1
         ELSE (exp(x::DOUBLE) - 1) * (x / ln(exp(x::DOUBLE)))
    END;
