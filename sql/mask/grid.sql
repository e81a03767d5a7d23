-- The grid of released numbers: points that depend on no original, so that the last bits of a released number tell nothing of it.
--
--   noise added, standard deviation s      multiples of 2^(round(log2 s) - 20), of the decimals of the column where these are coarser
--   multiplied by normal noise             the first 24 bits of the released number (its own exponent), more where noise is below 1 / 16
--   averaged, interpolated, Höhne's        the first 32 bits, so that values far from 0 stay apart
-- Why: all 53 bits of x + e show the exponents of both. A sum with a bit at 2^b holds noise below 2^(b + 53), so |x| < |z| + 2^(b + 53);
-- and noise that is drawn by 52 bits has gaps, in which a wrong x would put it: of 5,000 zeros among 10,000 whole numbers 2,854 were
-- named with certainty at s = 4. The draws are finer than 2^-20 s up to 6 s, so that each point of the grid can come of each original.
-- A factor follows the value and so must the grid: on one grid for a column small values would be released as they are. Averages are no
-- finer than the last digit of any of their values, which would name the group of a value with many digits.
-- Source: Mironov (2012), On significance of the least significant bits for differential privacy, CCS; Dekker (1971), A
--   floating-point technique for extending the available precision, Numerische Mathematik 18, section 5 (the first bits of a
--   number: Veltkamp).

-- The distance of the points; 0, for none, where there is no noise. (The middle between two powers of two is no decimal number: all engines
-- find the same power. Below 2^-500 none is needed: values that lie so near one another are refused.)
CREATE OR REPLACE MACRO sdc__grid_step(deviation) AS
    CASE WHEN deviation > 0 THEN pow(2e0, greatest(round_even(ln(deviation) / 0.6931471805599453e0, 0), -480e0) - 20e0) ELSE 0e0 END;

-- Between bounds that are near one another the grid is that of their distance (width: its step, NULL for none), but never finer
-- than 2^-40 of the noise.
CREATE OR REPLACE MACRO sdc__step_between(step, width) AS CASE WHEN width < step THEN greatest(width, step / 1048576e0) ELSE step END;

-- The points beside a bound, where a column has decimals (unit: 10^decimals, else NULL): the first one inwards.
CREATE OR REPLACE MACRO sdc__decimal_unit(type) AS
    CASE WHEN sdc__is_whole(type) THEN 1e0
         WHEN starts_with(type, 'DECIMAL') THEN pow(1e1, TRY_CAST(regexp_extract(type, ',(\d+)', 1) AS INTEGER)) END;
CREATE OR REPLACE MACRO sdc__least_point(low, unit) AS
    CASE WHEN unit IS NULL OR round_even(low * unit, 0) / unit = low THEN low ELSE ceil(low * unit) / unit END;
CREATE OR REPLACE MACRO sdc__greatest_point(high, unit) AS
    CASE WHEN unit IS NULL OR round_even(high * unit, 0) / unit = high THEN high ELSE floor(high * unit) / unit END;

-- A number on the grid, without step (NULL, 0) as it is; then to the decimals of its column and between the bounds, which are the user's
-- and show nothing. (+ 0: of -0.0, whose sign would be that of the value, comes 0.0. An argument is pasted wherever it is named: first a
-- column each.)
CREATE OR REPLACE MACRO sdc__multiple(v, step) AS CASE WHEN step > 0 AND abs(v) < 1e150 THEN round_even(v / step, 0) * step ELSE v END;
CREATE OR REPLACE MACRO sdc__within_points(v, low, high, unit) AS
    least(coalesce(high, 'infinity'::DOUBLE),
          greatest(coalesce(low, '-infinity'::DOUBLE),
                   CASE WHEN unit IS NULL THEN v ELSE round_even(v * unit, 0) / unit END)) + 0e0;

-- The first bits of a number: v (2^(53 - bits) + 1) holds them above its last ones.
CREATE OR REPLACE MACRO sdc__own_bits(v, bits := 32) AS
    CASE WHEN abs(v) < 1e290 AND bits <= 50
             THEN v * (pow(2e0, 53 - bits) + 1e0) - (v * (pow(2e0, 53 - bits) + 1e0) - v) + 0e0
         ELSE v + 0e0 END;
-- Of a product with a factor of deviation `size`: its noise has 20 of them.
CREATE OR REPLACE MACRO sdc__product_bits(size) AS
    CASE WHEN size > 0 THEN greatest(24e0, 20e0 - round_even(ln(size) / 0.6931471805599453e0, 0)) ELSE 53e0 END;

-- An average of values that lie far from 0 and near one another (dates as numbers) keeps 2^-20 of their range where that is finer. step:
-- the grid of the range of the released values, NULL where they are all the same and stay.
-- (The lambdas filter and measure a list once.)
CREATE OR REPLACE MACRO sdc__range_step(width) AS CASE WHEN isfinite(width) AND width > 0 THEN sdc__grid_step(width) END;
CREATE OR REPLACE MACRO sdc__list_step(x) AS
    list_transform(list_transform([list_filter(x, lambda v: isfinite(v))], lambda f: list_max(f) - list_min(f)),
                   lambda w: sdc__range_step(w))[1];
CREATE OR REPLACE MACRO sdc__averaged(v, step) AS
    CASE WHEN step IS NULL THEN v + 0e0 WHEN abs(v) > 4294967296e0 * step THEN sdc__multiple(v, step) + 0e0 ELSE sdc__own_bits(v) END;

-- The masked values of each record, as sdc__spread gives them (gathered.sql), where they are averages.
CREATE OR REPLACE MACRO sdc__average_of(v, steps, names) AS sdc__averaged(v, steps[list_position(names, alias(v))]);
CREATE OR REPLACE MACRO sdc__spread_averages(tbl, columns, masked) AS TABLE
    WITH sdc__stepped AS (
        SELECT sdc__ids, sdc__names, sdc__masked, list_transform(sdc__masked, lambda c: sdc__list_step(c)) AS sdc__steps
        FROM query_table(masked)
    ),
    sdc__lists AS (
        SELECT sdc__ids, sdc__names, sdc__steps, sdc__masked[list_position(sdc__names, alias(COLUMNS(sdc__columns((*), columns))))] AS "\0"
        FROM sdc__stepped LEFT JOIN (FROM sdc__unasked(tbl) LIMIT 0) ON true
    ),
    sdc__averages_of AS (
        SELECT unnest(sdc__ids) AS sdc__id, sdc__names, sdc__steps,
               unnest(COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS "\0"
        FROM sdc__lists
    ),
    sdc__values AS (
        SELECT sdc__id, sdc__average_of(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__steps, sdc__names) AS "\0"
        FROM sdc__averages_of
    )
    FROM sdc__typed(tbl, columns, 'sdc__values');
