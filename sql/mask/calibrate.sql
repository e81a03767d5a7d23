-- Calibration: weights brought to known totals of several margins, each by a factor within bounds (raking, logit or linear).
--
--   w' = g w,  g = F(u), u = a_i + b_j + ...,   sum of w' over each category of each margin = its known total
--   raking   F(u) = min(U, max(L, exp(u)))                                                        (case 2, cut at the bounds)
--   logit    F(u) = (L (U - 1) + U (1 - L) e^(A u)) / (U - 1 + (1 - L) e^(A u)), A = (U - L) / ((1 - L)(U - 1))    (case 6)
--   linear   F(u) = min(U, max(L, 1 + u))                                                         (case 7, truncated linear)
-- Of all factors within the bounds that meet the totals, these are nearest to 1 in the distance of that name; raking without bounds gives
-- those of iterative proportional fitting, linear where no factor is at a bound those of the regression estimator. With one margin, g is
-- the known total of the category over its weighted one (post-stratification), but where weights are bounded. Margins may overlap (age
-- beside the year of birth, a region beside its provinces): what they have in common is met once. The totals are met to within 1e-9 of
-- themselves, by Newton's method where iterative proportional fitting is slow; where they cannot be, it is an error that names the
-- margin. The logit needs L < 1 < U for every record, and comes to no bound; the linear distance needs L above 0.
-- Source: Deville & Särndal (1992), Calibration estimators in survey sampling, JASA 87, 376-382 (cases 2, 6 and 7); Deming &
--   Stephan (1940); SDC handbook, section 3.4.2.8 (step 4 of MASSC).
--
--   persons: id sex w     totals: variable value total
--            1  f   10            sex      f     30
--            2  f   10            sex      m     12
--            3  m   10
--   FROM sdc_calibrate('persons', 'w', 'totals', 'id', margins := ['sex']):
--   id sex w
--   1  f   15
--   2  f   15
--   3  m   12
--
-- Known totals are of the population, or of the file before records left it (sdc_totals). A margin over several variables is a column
-- that crosses them. A weight tells of its record's margins; bounds and few categories keep it from naming one: give no margin that is
-- not released, and look at weights that few records have.
--
-- Scope: table.
-- Keeps: the known totals of each margin, to within 1e-9 of themselves.
-- Users: Estimate by the released weights, whose totals are known ones. Standard errors that do not heed it come out too great.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (one record more changes the weights of others, and the total of an auxiliary variable grows by that of the new
--   record).
-- Series: refused (weights are calibrated to totals, and of two releases the difference of the totals is a newcomer's).
-- Parameters:
--   tbl          table               the table, view, common table expression or file
--   column_name  column              the sampling weights, which become DOUBLE
--   totals       table               the known totals, with the columns variable, value (as text) and total, a row for each category of
--                                    each margin
--   id           column              identifies each record
--   margins      columns             the variables of which totals are known (in Python by default all that the totals name)
--   lower        number in [0, ...)  the least factor (by default there is none)
--   upper        number in (0, ...)  the greatest factor
--   most         number in (0, ...)  the greatest weight afterwards
--   distance     'raking', 'logit' or 'linear'  in which the factors are the nearest to 1
--   columns      columns             the variables of which totals are wanted
--   weight       column              the sampling weights; without them records are counted

CREATE OR REPLACE MACRO sdc__kernel_calibrate(weights, codes, totals, names, lower, upper, distance) AS
    sdc__needs_python('Calibration')::DOUBLE[];

-- rows: the name of a relation with sdc__weight and the columns; the values of each as texts, and the columns by their places.
CREATE OR REPLACE MACRO sdc__margin_values(rows, columns) AS TABLE
    WITH sdc__texts AS (SELECT sdc__id, sdc__weight, COLUMNS(sdc__columns((*), columns))::VARCHAR AS "sdc__x_\0" FROM query_table(rows))
    SELECT sdc__id, sdc__weight, [*COLUMNS(lambda c: starts_with(c, 'sdc__x_'))] AS sdc__values,
           list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__x_')))), lambda n: substr(n, 8)) AS sdc__names
    FROM sdc__texts;

-- The weight of a record, or 1 where none is given.
CREATE OR REPLACE MACRO sdc__weighted_rows(tbl, id, weight, codes) AS TABLE
    SELECT CASE WHEN weight IS NULL THEN 1e0
                ELSE sdc__checked_weight(TRY_CAST(COLUMNS(sdc__column((*), weight)) AS DOUBLE)) END AS sdc__weight,
           *
    FROM sdc__identified(tbl, id, codes := codes);

-- sdc_totals: the weighted totals of each category of some variables, as sdc_calibrate takes them.
-- Gives: variable VARCHAR, value VARCHAR, total DOUBLE.
-- Rows: totals.
-- Example: FROM sdc_totals('persons', ['sex', 'region'], 'w');
CREATE OR REPLACE MACRO sdc_totals(tbl, columns, weight := NULL) AS TABLE
    WITH sdc__of AS (
        SELECT NULL AS sdc__id,
               CASE WHEN weight IS NULL THEN 1e0
                    ELSE sdc__checked_weight(TRY_CAST(COLUMNS(sdc__column((*), weight)) AS DOUBLE)) END AS sdc__weight,
               *
        FROM sdc__exact_rows(tbl, codes := columns)
    )
    SELECT variable, value, total
    FROM (SELECT sdc__j, sdc__variable AS variable, sdc__value AS value, sdc__exact_sum(sdc__weight) AS total
          FROM (SELECT sdc__weight, unnest(sdc__values) AS sdc__value, unnest(sdc__names) AS sdc__variable,
                       unnest(range(len(sdc__names))) AS sdc__j
                FROM sdc__margin_values('sdc__of', columns))
          GROUP BY ALL)
    ORDER BY sdc__j ASC, value ASC NULLS FIRST;

-- What is wrong with the totals of a margin, as a whole; false where nothing is.
CREATE OR REPLACE MACRO sdc__is_wrong_margin(name, margins, bad, twice, unknown, strange, empty) AS CASE
    WHEN NOT sdc__is_among(name, margins)
        THEN error('ColumnError: The totals have a variable that is none of the margins ' || sdc__quoted(margins)
                   || ': leave its rows out, or name it among the margins.')
    WHEN bad > 0 THEN error('ParameterError: ' || bad || ' totals of ' || name
                            || ' are NULL, negative, infinite or no number: give the known sums of weights.')
    WHEN twice > 0 THEN error('ParameterError: ' || twice || ' values of ' || name || ' have several totals: give one for each.')
    WHEN unknown > 0 THEN error('ParameterError: ' || unknown || ' records have a value of ' || name
                                || ' that has no total: the totals need a row for each category (NULL too).')
    WHEN strange > 0 THEN error('ParameterError: ' || strange || ' totals of ' || name
                                || ' are of values that no record has, so that they cannot be met: join categories, or'
                                || ' leave the margin out.')
    WHEN empty > 0 THEN error('ParameterError: ' || empty || ' totals of ' || name
                              || ' are 0 where there are records, whose weights cannot be 0: take these records out first.')
    ELSE false END;

-- Each category of each margin, with its total and its number from 0.
CREATE OR REPLACE MACRO sdc__margin_totals(crossed, totals, margins) AS TABLE
    WITH sdc__there AS (
        SELECT sdc__folded(sdc__name) AS sdc__name, sdc__j, sdc__value, sum(sdc__n)::BIGINT AS sdc__records
        FROM (SELECT unnest(sdc__values) AS sdc__value, unnest(sdc__names) AS sdc__name,
                     unnest(range(len(sdc__names))) AS sdc__j, sdc__n
              FROM query_table(crossed))
        GROUP BY ALL
    ),
    sdc__given AS (
        SELECT COLUMNS(sdc__columns((*), ['variable', 'value', 'total'])) AS "sdc__\0"
        FROM sdc__exact_rows(totals, codes := ['variable', 'value'])
    ),
    sdc__known AS (
        SELECT sdc__folded(sdc__variable::VARCHAR) AS sdc__variable, sdc__value::VARCHAR AS sdc__value,
               any_value(TRY_CAST(sdc__total AS DOUBLE)) AS sdc__total, count(*) AS sdc__times,
               bool_and(coalesce(TRY_CAST(sdc__total AS DOUBLE) >= 0 AND TRY_CAST(sdc__total AS DOUBLE) <= 1e15, false)) AS sdc__is_good
        FROM sdc__given GROUP BY ALL
    ),
    sdc__both AS (
        SELECT coalesce(sdc__name, sdc__variable) AS sdc__margin, sdc__j,
               coalesce(sdc__there.sdc__value, sdc__known.sdc__value) AS sdc__value, sdc__records, sdc__total, sdc__times,
               sdc__is_good
        FROM sdc__there
        FULL JOIN sdc__known ON sdc__name = sdc__variable
                  AND sdc__there.sdc__value IS NOT DISTINCT FROM sdc__known.sdc__value
    )
    SELECT sdc__j, sdc__value, sdc__total, row_number() OVER (PARTITION BY sdc__j ORDER BY sdc__value ASC NULLS FIRST) - 1 AS sdc__code
    FROM sdc__both
    JOIN (SELECT sdc__margin,
                 sdc__is_wrong_margin(sdc__margin, margins, count(*) FILTER (WHERE NOT sdc__is_good),
                                      count(*) FILTER (WHERE sdc__times > 1),
                                      coalesce(sum(sdc__records) FILTER (WHERE sdc__times IS NULL), 0),
                                      count(*) FILTER (WHERE sdc__records IS NULL AND sdc__total > 0),
                                      count(*) FILTER (WHERE sdc__records > 0 AND sdc__total = 0)) AS sdc__is_wrong
          FROM sdc__both
          GROUP BY sdc__margin) AS sdc__checked USING (sdc__margin)
    WHERE NOT sdc__is_wrong AND sdc__records > 0;

CREATE OR REPLACE MACRO sdc__bound_given(value, name, otherwise) AS
    CASE WHEN value IS NULL THEN otherwise
         WHEN TRY_CAST(value AS DOUBLE) >= 0 AND TRY_CAST(value AS DOUBLE) < 'infinity'::DOUBLE
              AND (name = 'lower' OR TRY_CAST(value AS DOUBLE) > 0)
             THEN TRY_CAST(value AS DOUBLE)
         ELSE error('ParameterError: ' || name || ' is ' || value::VARCHAR || ': it must be a finite number, '
                    || CASE name WHEN 'lower' THEN 'at least' ELSE 'above' END || ' 0.') END;

-- The calibrated weight of each record. rows: the name of a relation with sdc__id, sdc__weight and the margins.
CREATE OR REPLACE MACRO sdc__raked(rows, margins, totals, lower, upper, most, distance) AS TABLE
    WITH sdc__valued AS MATERIALIZED (
        SELECT *, CASE WHEN most IS NOT NULL THEN sdc__weight END AS sdc__own FROM sdc__margin_values(rows, margins)
    ),
    sdc__crossed AS MATERIALIZED (
        SELECT *, row_number() OVER (ORDER BY sdc__values ASC, sdc__own ASC) AS sdc__cell
        FROM (SELECT sdc__values, sdc__own, any_value(sdc__names) AS sdc__names, count(*) AS sdc__n,
                     sdc__exact_sum(sdc__weight) AS sdc__w
              FROM sdc__valued
              GROUP BY sdc__values, sdc__own)
    ),
    sdc__wanted AS MATERIALIZED (FROM sdc__margin_totals('sdc__crossed', totals, margins)),
    sdc__sums AS (
        SELECT min(sdc__sum) AS sdc__least, max(sdc__sum) AS sdc__greatest
        FROM (SELECT sdc__exact_sum(sdc__total) AS sdc__sum FROM sdc__wanted GROUP BY sdc__j)
    ),
    sdc__coded AS (
        SELECT sdc__cell, any_value(sdc__w) AS sdc__w, any_value(sdc__own) AS sdc__own,
               list(sdc__code::DOUBLE ORDER BY sdc__of.sdc__j ASC) AS sdc__codes
        FROM (SELECT sdc__cell, sdc__w, sdc__own, unnest(sdc__values) AS sdc__value,
                     unnest(range(len(sdc__values))) AS sdc__j
              FROM sdc__crossed) AS sdc__of
        JOIN sdc__wanted ON sdc__wanted.sdc__j = sdc__of.sdc__j AND sdc__wanted.sdc__value IS NOT DISTINCT FROM sdc__of.sdc__value
        GROUP BY sdc__cell
    ),
    sdc__found AS MATERIALIZED (
        SELECT sdc__kernel_calibrate(sdc__ws, sdc__cs, sdc__ts, sdc__ns, sdc__low, sdc__high,
                                     sdc__checked_choice(distance, 'distance', ['raking', 'logit', 'linear'])) AS sdc__g
        FROM (SELECT list(sdc__w ORDER BY sdc__cell ASC) AS sdc__ws, list(sdc__codes ORDER BY sdc__cell ASC) AS sdc__cs,
                     list(sdc__bound_given(lower, 'lower', 0e0) ORDER BY sdc__cell ASC) AS sdc__low,
                     list(least(sdc__bound_given(upper, 'upper', 'infinity'::DOUBLE),
                                sdc__bound_given(most, 'most', 'infinity'::DOUBLE) / coalesce(sdc__own, 1))
                          ORDER BY sdc__cell ASC) AS sdc__high
              FROM sdc__coded),
             (SELECT list([sdc__j, sdc__code, sdc__total]::DOUBLE[] ORDER BY sdc__j ASC, sdc__code ASC) AS sdc__ts FROM sdc__wanted),
             (SELECT array_to_string(any_value(sdc__names), chr(10)) AS sdc__ns FROM sdc__crossed), sdc__sums
        WHERE CASE WHEN sdc__greatest <= sdc__least * (1 + 1e-9) THEN true
                   ELSE error('ParameterError: The totals of the margins ' || sdc__quoted(margins)
                              || ' do not add up to the same: the greatest of their sums is '
                              || round(sdc__greatest / sdc__least, 6)
                              || ' times the least. They are of one population: correct them, or leave one margin out.') END
    )
    SELECT sdc__id, sdc__weight * sdc__factor AS sdc__weight
    FROM sdc__valued
    JOIN sdc__crossed ON sdc__crossed.sdc__values = sdc__valued.sdc__values
         AND sdc__crossed.sdc__own IS NOT DISTINCT FROM sdc__valued.sdc__own
    JOIN (SELECT unnest(sdc__g) AS sdc__factor, unnest(range(1, len(sdc__g) + 1)) AS sdc__cell
          FROM sdc__found) AS sdc__factors ON sdc__factors.sdc__cell = sdc__crossed.sdc__cell;

CREATE OR REPLACE MACRO sdc__calibrated(old, weight) AS CASE WHEN old IS NULL THEN NULL ELSE weight END;
CREATE OR REPLACE MACRO sdc__calibrate(tbl, columns, totals, id, margins, lower, upper, most, distance) AS TABLE
    WITH sdc__weighed AS (FROM sdc__weighted_rows(tbl, id, columns[1], margins)),
    sdc__new AS (FROM sdc__raked('sdc__weighed', margins, totals, lower, upper, most, distance)),
    sdc__old AS (SELECT sdc__id, COLUMNS(sdc__to_mask((*), columns, id)) FROM sdc__identified(tbl, id))
    SELECT sdc__new.sdc__id, sdc__calibrated(COLUMNS(lambda c: NOT starts_with(c, 'sdc__')), sdc__new.sdc__weight) AS "\0"
    FROM sdc__new JOIN sdc__old ON sdc__new.sdc__id = sdc__old.sdc__id;

-- sdc_calibrate: weights calibrated to known totals of margins, within bounds.
-- Example: FROM sdc_calibrate('persons', 'w', 'sex_totals', 'id', margins := ['sex'], upper := 4);
CREATE OR REPLACE MACRO sdc_calibrate(tbl, column_name, totals, id, margins := NULL, lower := NULL, upper := NULL,
                                      most := NULL, distance := 'raking') AS TABLE
    WITH sdc__done AS (FROM sdc__calibrate(tbl, [column_name], totals, id, margins, lower, upper, most, distance))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');

-- What the log holds of the calibrated weights.
CREATE OR REPLACE MACRO sdc__weight_effect(tbl, column_name) AS TABLE
    SELECT min(sdc__x) AS least, max(sdc__x) AS greatest,
           count(*) * sdc__exact_sum(sdc__x * sdc__x / sdc__most / sdc__most, 60)
           / pow(sdc__exact_sum(sdc__x / sdc__most, 60), 2) AS weight_effect
    FROM (SELECT sdc__x, max(sdc__x) OVER () AS sdc__most
          FROM (SELECT COLUMNS(sdc__columns((*), [column_name])) AS sdc__x FROM query_table(tbl)));
