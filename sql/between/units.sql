-- The values of columns as whole numbers, so that their sums and products are exact and can be added modulo a number.
--
--   u = round(x * 2^bits),   bits = 50 - the least number of bits that the agreed size of the column takes
-- A value counts to within 2^-51 of the agreed size, 2^-50 where the size lies just above a power of two; whole numbers count
-- exactly, as do all that have no more binary digits than there are bits. |u| is at most 2^50.
-- Source: Karr & Sanil (2004), Data quality and data confidentiality for microdata: implications and strategies, last section (the
--   sums that are shared); the fixed point is ours.
--
--   size 100: bits = 43;   0.5 is 4398046511104,   200 is an error
--
-- names, sizes, bits: a list each, of the columns in the same order. NULL, NaN and what lies beyond the size are errors, without the
-- value: a record that is left out on one side only would change the answer, and what others learn of it.
CREATE OR REPLACE MACRO sdc__as_agreed(listed, names, x) AS
    listed[list_position(list_transform(names, lambda n: sdc__folded(n)), sdc__folded(alias(x)))];

CREATE OR REPLACE MACRO sdc__agreed_number(x) AS
    CASE WHEN sdc__is_whole(typeof(x)) OR typeof(x) IN ('FLOAT', 'DOUBLE', 'BOOLEAN') OR starts_with(typeof(x), 'DECIMAL')
             THEN TRY_CAST(x AS DOUBLE)
         ELSE error('ColumnError: The column ' || alias(x) || ' has type ' || sdc__type_told(typeof(x))
                    || ': a regression or a sum is of numbers; make a view in which it is one.') END;

CREATE OR REPLACE MACRO sdc__unit(x, names, sizes, bits) AS
    CASE WHEN x IS NULL
             THEN error('ColumnError: The column ' || alias(x) || ' holds NULL: only complete records can be summed; '
                        || 'make a view that has the complete ones alone, and say so to the other parties.')
         WHEN NOT coalesce(abs(sdc__agreed_number(x)) <= sdc__as_agreed(sizes, names, x), false)
             THEN error('ColumnError: The column ' || alias(x) || ' holds a value beyond the size that was agreed for it, '
                        || sdc__as_agreed(sizes, names, x)::VARCHAR || ', or NaN: nothing was sent. Correct the record, or agree on '
                        || 'a greater size, one of the code book and not of the data.')
         ELSE (sdc__agreed_number(x) * pow(2e0, sdc__as_agreed(bits, names, x)))::BIGINT END;

-- The id of each record as text, and a column "sdc__u_<name>" for each that is named.
CREATE OR REPLACE MACRO sdc__units(tbl, id, names, sizes, bits) AS TABLE
    SELECT COLUMNS(sdc__columns((*), [id]))::VARCHAR AS sdc__record,
           sdc__unit(COLUMNS(sdc__columns((*), names)), names, sizes, bits) AS "sdc__u_\0"
    FROM query_table(tbl);
