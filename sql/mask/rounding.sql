-- Rounding to multiples of a base: to the nearest (halfway up), or up or down at random without bias.
--
--   x = b (i + r), 0 <= r < 1: nearest: i + (r >= 1/2); random: i + 1 with probability r, else i
-- A multiple of the base stays. The sets of attraction are [b i - b/2, b i + b/2).
-- Source: SDC handbook, section 3.4.2.5; Willenborg & de Waal (2001), Elements of Statistical Disclosure Control, ch. 5.
--
--   persons: id income     FROM sdc_round('persons', ['income'], 50, 'id'):   id income
--            1  1234                                                          1  1250
-- A base of one over a whole number (0.1, 0.25) is counted by multiplication: 0.15 goes to 0.2 although its double lies below.
--
-- With x_max, the largest possible value, the points end at the last multiple that is not above it, p_r = b floor(x_max / b), whose set
-- of attraction is [p_r - b/2, x_max]: no released value is impossible, and a greater value is an error. Values above p_r + b/2 are moved
-- by more than half a base, by less than one. Other points, and points of several columns: round_points.sql.
--
-- Multiples that the column's type cannot hold (of 2.5 in INTEGER, of 0.25 in DECIMAL(9, 1)) would be released as values that
-- are none: an error.
--
-- Scope: record.
-- Users: Means and totals of many records hold. A single value, a quantile or a difference of few records is right to within the base.
-- Values: numbers.
-- Bits: exact.
-- Coarsens: into values.
-- Loss: published.
-- Told: base.
-- Repeated: again.
-- Series: parameters.
-- Parameters:
--   tbl        table                    the table, view, common table expression or file
--   columns    columns                  the columns to mask
--   base       number in (0, ...)       the distance of the rounding points, in the units of the columns
--   id         column                   identifies each record
--   x_max      number                   the largest possible value of the columns
--   stream     text                     names the pass of draws; give another one to mask a column a second time
--   release    text                     names the release; give another one for independent draws
--   unit       'record' or 'household'  whose draws: with 'household', members who share a value go on sharing it
--   household  column                   the household of a record, where unit is 'household'

CREATE OR REPLACE MACRO sdc__base(base) AS
    CASE WHEN TRY_CAST(base AS DOUBLE) > 0 AND TRY_CAST(base AS DOUBLE) < 'infinity'::DOUBLE THEN TRY_CAST(base AS DOUBLE)
         ELSE error('ParameterError: The base is ' || coalesce(base::VARCHAR, 'NULL')
                    || ': it must be positive and finite (the distance of the rounding points).') END;
-- Whether a number, and so its multiples, is one of a type: a whole number, or one of so many decimals.
CREATE OR REPLACE MACRO sdc__is_of_type(x, type) AS CASE
    WHEN sdc__is_whole(type) THEN x = floor(x)
    WHEN starts_with(type, 'DECIMAL') THEN x = round(x, TRY_CAST(regexp_extract(type, ',(\d+)', 1) AS INTEGER))
    ELSE true END;
-- Whether a column holds multiples of a base; else an error. What stands here is asked once, and below only its number is written again.
CREATE OR REPLACE MACRO sdc__holds_base(v, base) AS
    CASE WHEN sdc__base(base) > 0 AND sdc__is_of_type(TRY_CAST(base AS DOUBLE), typeof(v)) THEN true
         ELSE error('ParameterError: The base is ' || base::VARCHAR || ', and ' || alias(v) || ' has type ' || typeof(v)
                    || ', which does not hold its multiples: cast the column to DOUBLE first, or give another base.') END;
-- base: a number above 0, as x and n are numbers
CREATE OR REPLACE MACRO sdc__is_part(base) AS base < 1 AND round(1e0 / base) * base = 1;
CREATE OR REPLACE MACRO sdc__in_bases(x, base) AS CASE WHEN sdc__is_part(base) THEN x * round(1e0 / base) ELSE x / base END;
CREATE OR REPLACE MACRO sdc__of_bases(n, base) AS CASE WHEN sdc__is_part(base) THEN n / round(1e0 / base) ELSE n * base END + 0e0;
-- NaN and infinity stay; u: 0.5 exactly for the nearest, else a draw.
CREATE OR REPLACE MACRO sdc__rounded(x, base) AS
    sdc__of_bases(floor(sdc__in_bases(x, base)) + (sdc__in_bases(x, base) - floor(sdc__in_bases(x, base)) >= 0.5)::INTEGER, base);
CREATE OR REPLACE MACRO sdc__rounded_at_random(x, base, u) AS
    sdc__of_bases(floor(sdc__in_bases(x, base)) + (u < sdc__in_bases(x, base) - floor(sdc__in_bases(x, base)))::INTEGER, base);

-- The type of a value is its column's again. (NULL stays, with x_max too: least() would leave it out.)
CREATE OR REPLACE MACRO sdc__round_value(v, base, x_max) AS cast_to_type(CASE
    WHEN sdc__holds_base(v, base) AND sdc__number(v) IS NULL THEN NULL
    WHEN x_max IS NULL OR isnan(TRY_CAST(v AS DOUBLE)) THEN sdc__rounded(TRY_CAST(v AS DOUBLE), TRY_CAST(base AS DOUBLE))
    WHEN TRY_CAST(v AS DOUBLE) > sdc__checked_number(x_max, 'x_max')
        THEN error('ParameterError: A value of ' || alias(v) || ' is above x_max, ' || x_max::VARCHAR
                   || ', the largest that is possible: give a greater x_max.')
    ELSE least(sdc__rounded(TRY_CAST(v AS DOUBLE), TRY_CAST(base AS DOUBLE)),
               sdc__of_bases(floor(sdc__in_bases(TRY_CAST(x_max AS DOUBLE), TRY_CAST(base AS DOUBLE))), TRY_CAST(base AS DOUBLE))) END,
         v);
-- A draw depends on the base and on the value, in millionths of the base.
CREATE OR REPLACE MACRO sdc__round_value_at_random(v, base, subkeys, id) AS cast_to_type(CASE
    WHEN sdc__holds_base(v, base) AND sdc__number(v) IS NULL THEN NULL
    ELSE sdc__rounded_at_random(TRY_CAST(v AS DOUBLE), TRY_CAST(base AS DOUBLE),
                                sdc__uniform(subkeys[sdc__folded(alias(v))], id,
                                             sdc__in_units(TRY_CAST(v AS DOUBLE), TRY_CAST(base AS DOUBLE)))) END,
         v);

CREATE OR REPLACE MACRO sdc__round(tbl, columns, base, id, x_max) AS TABLE
    SELECT sdc__id, sdc__round_value(COLUMNS(sdc__to_mask((*), columns, id)), base, x_max) AS "\0" FROM sdc__identified(tbl, id);
CREATE OR REPLACE MACRO sdc__round_at_random(tbl, columns, base, id, stream, release, unit, household) AS TABLE
    SELECT sdc__id, sdc__round_value_at_random(COLUMNS(sdc__to_mask((*), columns, id)), base, sdc__subkeys, sdc__named) AS "\0"
    FROM sdc__named_records(tbl, columns, id, unit, household, NULL),
         sdc__column_subkeys(columns, release, stream, 'random rounding', sdc__canonical_number(sdc__base(base)));

-- Keeps: every value to within half a base, with x_max those above its last multiple to within a base.
-- Before: round_to_base
-- Title: Rounding to multiples of a base; Rounding of {}.
-- sdc_round: columns rounded to the nearest multiple of a base.
-- Example: FROM sdc_round('persons', ['income'], 50, 'id');
CREATE OR REPLACE MACRO sdc_round(tbl, columns, base, id, x_max := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__round(tbl, columns, base, id, x_max)) FROM sdc__released(tbl, columns, id, 'sdc__done');

-- Keeps: every value in expectation, and to within a base.
-- Verb: round, at_random
-- Before: sdc_random_round
-- Households: by unit.
-- Title: Rounding at random, without bias; Rounding at random of {}.
-- sdc_round_at_random: columns rounded up or down to multiples of a base, at random without bias.
-- Example: FROM sdc_round_at_random('persons', ['income'], 50, 'id');
CREATE OR REPLACE MACRO sdc_round_at_random(tbl, columns, base, id, stream := NULL, release := '', unit := 'record',
                                            household := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__round_at_random(tbl, columns, base, id, stream, release, unit, household))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
