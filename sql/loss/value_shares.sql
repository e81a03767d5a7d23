-- What share of the records has each value, before and after: what a picture of a variable is drawn from.
--
--   before = the records of the original in a class / its records,   after = the same of the released file
-- A class of a category is a value. Of a number it is an interval [low, high): all are as wide as the least of 1, 2 and 5 times a power of
-- ten that leaves no more classes than asked (and one at either end), begin at multiples of their width, and are the same for both files;
-- whole numbers have widths of 1 or more. Shares are of the records, or of their weights. No id is needed; the files may be of any sizes.
-- Source: Freedman, Pisani & Purves (2007), Statistics, 4th edition, chapter 3.
--
--   original: x sex   released: x sex   FROM sdc_value_shares('original', 'released', ['x', 'sex'], continuous := ['x']):
--             1 f               1 f     variable value low  high before after
--             1 f               1 m     x        1     1    2    0.5    0.75
--             3 m               1 m     x        3     3    4    0.5    0.25
--             3 m               3 m     sex      f     NULL NULL 0.5    0.25
--                                       sex      m     NULL NULL 0.5    0.75
--
-- Scope: cells.
-- Not compiled: it lists the values of several variables, which other engines have no words for.
-- Parameters:
--   original    table                     the table before masking, or from which a synthetic one was made
--   released    table                     the table after it
--   columns     columns                   the variables; those that are not continuous are categories
--   continuous  columns                   those of them that are numbers
--   weight      column                    of both tables, whose sums are the shares; NULL: the records are counted
--   classes     whole number in [2, ...)  of a number, about so many

-- The least of 1, 2, 5 and 10 times a power of ten that is at least x; 1 where x is 0.
CREATE OR REPLACE MACRO sdc__round_width(x) AS
    CASE WHEN coalesce(x > 0, false)
             THEN list_min(list_filter([m * 10 ** floor(log10(x)) for m in [1, 2, 5, 10, 20]], lambda w: w >= x)) ELSE 1e0 END;

-- Where the i-th interval begins, to the decimals of the width.
CREATE OR REPLACE MACRO sdc__class_edge(i, width) AS
    CASE WHEN width BETWEEN 1e-12 AND 1 THEN round(i * width, -floor(log10(width))::INTEGER) ELSE i * width END;

-- value: NULL is the missing value; of an interval 'low to high', where it holds one whole number that number. In the order of the values.
-- sdc_value_shares: the share of the records with each value of a variable, before and after masking.
-- Gives: variable VARCHAR, value VARCHAR or NULL, low DOUBLE or NULL, high DOUBLE or NULL, before DOUBLE, after DOUBLE.
-- Rows: each variable and value.
-- Result: ValueShare. The shares of a value before and after, 0 to 1; of a number those of the interval from `low` up to `high`.
-- Notes: It shows values of the original, a rare one among them: it is for the house that holds the original. NULL is a category; a missing
--   number is a class of its own.
-- Picture: shares.
-- Example: FROM sdc_value_shares('persons', 'released', ['sex', 'income'], continuous := ['income']);
CREATE OR REPLACE MACRO sdc_value_shares(original, released, columns, continuous := NULL, weight := NULL, classes := 40) AS TABLE
    WITH sdc__kinds AS MATERIALIZED (
        FROM sdc__weighed_kinds(original, released, columns, sdc__names_not_among(columns, continuous),
                                sdc__names_among(columns, continuous), weight)
        WHERE len(sdc__some_of(continuous, columns, 'continuous')) >= 0
    ),
    sdc__shares AS MATERIALIZED (
        FROM sdc__shares_by_value('sdc__kinds', sdc__names_not_among(columns, continuous), sdc__names_among(columns, continuous))
    ),
    sdc__widths AS (
        SELECT sdc__variable AS sdc__of, coalesce(bool_and(sdc__value = floor(sdc__value)), true) AS sdc__whole,
               sdc__round_width(max(sdc__value) / sdc__checked_whole(classes, 'classes', 2) - min(sdc__value) / classes) AS sdc__width
        FROM sdc__shares WHERE sdc__numeric GROUP BY sdc__variable
    ),
    sdc__placed AS (
        SELECT sdc__variable, sdc__text, sdc__numeric, sdc__whole, sdc__p, sdc__q,
               CASE WHEN sdc__whole THEN greatest(sdc__width, 1) ELSE sdc__width END AS sdc__w,
               floor(round(sdc__value / CASE WHEN sdc__whole THEN greatest(sdc__width, 1) ELSE sdc__width END, 9)) AS sdc__i
        FROM sdc__shares LEFT JOIN sdc__widths ON sdc__of = sdc__variable
    ),
    sdc__classed AS (
        SELECT sdc__variable AS sdc__name, sdc__numeric AS sdc__is_number, sdc__text AS sdc__label, sdc__i AS sdc__number,
               sdc__class_edge(sdc__i, any_value(sdc__w)) AS sdc__low, sdc__class_edge(sdc__i + 1, any_value(sdc__w)) AS sdc__high,
               any_value(sdc__whole AND sdc__w = 1) AS sdc__single, sdc__exact_sum(sdc__p, 90) AS sdc__before,
               sdc__exact_sum(sdc__q, 90) AS sdc__after
        FROM sdc__placed GROUP BY sdc__variable, sdc__numeric, sdc__text, sdc__i
    ),
    sdc__named AS (SELECT unnest(sdc__names(columns)) AS sdc__asked, unnest(range(1, len(sdc__names(columns)) + 1)) AS sdc__place)
    SELECT sdc__name AS variable,
           CASE WHEN NOT sdc__is_number THEN sdc__label WHEN sdc__single THEN sdc__figure_text(sdc__low)
                ELSE sdc__figure_text(sdc__low) || ' to ' || sdc__figure_text(sdc__high) END AS value,
           sdc__low AS low, sdc__high AS high, sdc__before AS before, sdc__after AS after
    FROM sdc__named JOIN sdc__classed ON sdc__folded(sdc__name) = sdc__folded(sdc__asked)
    ORDER BY sdc__place ASC, sdc__number ASC NULLS LAST, TRY_CAST(sdc__label AS DOUBLE) ASC NULLS LAST, sdc__label ASC NULLS LAST;
