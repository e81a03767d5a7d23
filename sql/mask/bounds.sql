-- Masked numbers kept between bounds by reflection, then put on the grid (grid.sql).
--
--   lower 0, upper 10:   -3 -> 3    12 -> 8    27 -> 7    (as often as it takes)
-- With normal noise of standard deviation s a value at a bound moves inwards by s sqrt(2 / pi) = 0.8 s on average, one that lies 3 s
-- away by less than 0.001 s. Cutting off would pile values on the bound; a new draw would depend on how many it took.

CREATE OR REPLACE MACRO sdc__folded_between(d, width) AS
    least(d - 2 * width * floor(d / (2 * width)), 2 * width - (d - 2 * width * floor(d / (2 * width))));
CREATE OR REPLACE MACRO sdc__reflected(v, low, high) AS CASE
    WHEN v >= coalesce(low, '-infinity'::DOUBLE) AND v <= coalesce(high, 'infinity'::DOUBLE) THEN v
    WHEN low IS NOT NULL AND high IS NOT NULL THEN least(high, greatest(low, low + sdc__folded_between(v - low, high - low)))
    WHEN v < low THEN 2 * low - v
    ELSE 2 * high - v
END;

-- The bounds of a column, once checked; name: the column's, for the message.
CREATE OR REPLACE MACRO sdc__checked_bound(bound, low, high, whole, name) AS CASE
    WHEN low >= high THEN error('ParameterError: lower is ' || low::VARCHAR || ' and upper ' || high::VARCHAR
                                || ' for the column ' || name || ': give a lower bound below the upper one.')
    WHEN isnan(low) OR isnan(high)
        THEN error('ParameterError: A bound of the column ' || name || ' is NaN: give a number, or NULL for none.')
    WHEN whole AND ceil(low) > floor(high)
        THEN error('ParameterError: No whole number lies between lower (' || low::VARCHAR || ') and upper ('
                   || high::VARCHAR || ') of the column ' || name || ': widen the bounds.')
    ELSE bound
END;

-- x: the value before masking, which must lie between the bounds; NULL and NaN stay.
CREATE OR REPLACE MACRO sdc__fitted(v, x, low, high) AS CASE
    WHEN x IS NULL OR isnan(x) THEN x
    WHEN x < low OR x > high
        THEN error('ColumnError: Values lie outside their bounds, from ' || coalesce(low::VARCHAR, 'minus infinity')
                   || ' to ' || coalesce(high::VARCHAR, 'infinity') || ': widen the bounds or clean the column.')
    ELSE sdc__reflected(v, low, high)
END;
