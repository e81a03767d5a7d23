-- The standard normal quantile z with P(Z <= z) = p, to about 16 digits.
-- Source: Wichura (1988), Algorithm AS 241: the percentage points of the normal distribution,
-- Applied Statistics 37, 477-484 (routine PPND16): three rational approximations, for the middle
-- and for two stretches of the tail.
--   sdc__normal_quantile(0.99) = 2.3263478740408408

-- a7 r^7 + ... + a1 r + a0.
CREATE OR REPLACE MACRO sdc__polynomial7(r, a7, a6, a5, a4, a3, a2, a1, a0) AS
    (((((((a7 * r + a6) * r + a5) * r + a4) * r + a3) * r + a2) * r + a1) * r + a0);

-- The middle, q = p - 1/2 with |q| <= 0.425; r = 0.425^2 - q^2.
CREATE OR REPLACE MACRO sdc__normal_middle(q, r) AS
    q * sdc__polynomial7(r,
            2.5090809287301226727e+3, 3.3430575583588128105e+4, 6.7265770927008700853e+4, 4.5921953931549871457e+4,
            1.3731693765509461125e+4, 1.9715909503065514427e+3, 1.3314166789178437745e+2, 3.3871328727963666080e+0)
      / sdc__polynomial7(r,
            5.2264952788528545610e+3, 2.8729085735721942674e+4, 3.9307895800092710610e+4, 2.1213794301586595867e+4,
            5.3941960214247511077e+3, 6.8718700749205790830e+2, 4.2313330701600911252e+1, 1.0e+0);

-- The nearer tail, s = sqrt(-ln(tail probability)) - 1.6.
CREATE OR REPLACE MACRO sdc__normal_tail(s) AS
    sdc__polynomial7(s,
            7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e+0,
            3.64784832476320460504e+0, 5.76949722146069140550e+0, 4.63033784615654529590e+0, 1.42343711074968357734e+0)
      / sdc__polynomial7(s,
            1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
            6.89767334985100004550e-1, 1.67638483018380384940e+0, 2.05319162663775882187e+0, 1.0e+0);

-- The far tail (below about 1e-11), s = sqrt(-ln(tail probability)) - 5.
CREATE OR REPLACE MACRO sdc__normal_far_tail(s) AS
    sdc__polynomial7(s,
            2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3, 2.65321895265761230930e-2,
            2.96560571828504891230e-1, 1.78482653991729133580e+0, 5.46378491116411436990e+0, 6.65790464350110377720e+0)
      / sdc__polynomial7(s,
            2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5, 7.86869131145613259100e-4,
            1.48753612908506148525e-2, 1.36929880922735805310e-1, 5.99832206555887937690e-1, 1.0e+0);

-- In two steps, so that a column holds what else is computed at each of its places in the polynomials (what stands in a CASE is not
-- looked for twice): half the time of a column of draws, a third of that of planning a small query.
CREATE OR REPLACE MACRO sdc__normal_square(p) AS 0.180625 - (p::DOUBLE - 0.5) * (p::DOUBLE - 0.5);
CREATE OR REPLACE MACRO sdc__normal_root(p) AS sqrt(-ln(least(p, 1 - p)::DOUBLE));
CREATE OR REPLACE MACRO sdc__normal_at(p, square, root) AS CASE
    WHEN abs(p - 0.5) <= 0.425 THEN sdc__normal_middle(p::DOUBLE - 0.5, square)
    WHEN least(p, 1 - p) > 1.4e-11 THEN sign(p - 0.5) * sdc__normal_tail(root - 1.6)
    ELSE sign(p - 0.5) * sdc__normal_far_tail(root - 5)
END;
CREATE OR REPLACE MACRO sdc__normal_quantile(p) AS sdc__normal_at(p, sdc__normal_square(p), sdc__normal_root(p));

-- Of an interval of so great a probability, in standard errors to either side: one row, so that its parts are columns (and so not
-- within a lambda).
CREATE OR REPLACE MACRO sdc__interval_quantile(confidence) AS (
    SELECT sdc__normal_at(sdc__p, sdc__square, sdc__root)
    FROM (SELECT sdc__p, sdc__normal_square(sdc__p) AS sdc__square, sdc__normal_root(sdc__p) AS sdc__root
          FROM (SELECT 0.5 + sdc__checked_fraction(confidence, 'confidence') / 2 AS sdc__p) AS sdc__a) AS sdc__b);

-- The same for several columns.
CREATE OR REPLACE MACRO sdc__normal_reduced(p) AS
    struct_pack(p := p, r := CASE WHEN abs(p - 0.5) <= 0.425 THEN sdc__normal_square(p) ELSE sdc__normal_root(p) END);
CREATE OR REPLACE MACRO sdc__normal_of_reduced(c) AS
    sdc__normal_at(struct_extract(c, 'p'), struct_extract(c, 'r'), struct_extract(c, 'r'));
