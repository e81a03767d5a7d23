-- The share of the information that is lost, over variables of all scales.
--
--   lambda   = sum over the variables j and the records i of d(x'_ij, x_ij) / (m n)      (3.15)
--   lambda_j = sum over the records of d(x'_ij, x_ij) / n                                (3.16)
--   nominal     d = 0 where x' = x, else 1                                               (3.10)
--   ordinal     d = steps between the categories / (number of categories - 1)            (3.11)
--   continuous  d = 2 / pi arctan |x' - x|                                               (3.14)
-- (3.10) is printed with its cases exchanged, as if equal values were lost ones: this is what it means. NULL is a category of its own,
-- the lowest of an ordinal variable. A category that recoding made has the number of the lowest original one that became it (at 3.11).
-- A suppressed value (NULL that was none), as after (3.16): nominal, d = 1; ordinal, the farther end of the categories; continuous, the
-- greatest value where x is at most the median, else the least. A number where the original is NULL: d = 1.
-- With a weight w each mean over records is sum w d / sum w; whole weights are as many records each (the median is theirs, too).
-- The arctan is of the difference in the units of the variable: in cents it is nearly 1 where it is less in euros. Rescale the variables
-- first (by what is a notable difference), or read IL1 besides.
-- Source: SDC handbook, section 3.5.4, (3.10) to (3.16); Mlodak (2020); Mlodak, Pietrzak & Jozefowski (2022).
--
--   original: id sex size x  released: id sex size x
--             1  f   1    0            1  f   1    1
--             2  m   2    5            2  f   3    5
--             3  m   3    9            3  m   3    9
--   FROM sdc_lambda_loss('original', 'released', ['sex', 'size', 'x'], 'id', ordinal := ['size'], continuous := ['x']):
--   variable scale       records changed loss
--   NULL     NULL        3       3       0.2222  (1/3 + 1/6 + 1/6) / 3
--   sex      nominal     3       1       0.3333
--   size     ordinal     3       1       0.1667  1 step of 2
--   x        continuous  3       1       0.1667  2 / pi arctan 1 = 1/2
--
-- Scope: table.
-- Not compiled: it puts the categories of both tables in the order that DuckDB gives them.
-- Parameters:
--   original    table    the table before masking or recoding
--   released    table    the table after it
--   columns     columns  the variables
--   id          column   identifies each record
--   ordinal     columns  those of them whose categories have an order
--   continuous  columns  those of them that are numbers; the others are nominal
--   weight      column   a column of the original, what each record counts for (whole weights: as many records each);
--       without it the records are counted

-- Of each number: what it is taken for where it was suppressed.
CREATE OR REPLACE MACRO sdc__number_losses(original, released, columns, id, weight) AS TABLE
    WITH sdc__pairs AS MATERIALIZED (FROM sdc__number_pairs(original, released, columns, id, weight)),
    -- the least value up to which half of the weight lies: what is at most the median is at most this
    sdc__heaped AS (
        SELECT sdc__place, sdc__x,
               sum(sum(sdc__fixed(sdc__weight))) OVER (PARTITION BY sdc__place ORDER BY sdc__x ASC) AS sdc__up_to,
               sum(sum(sdc__fixed(sdc__weight))) OVER (PARTITION BY sdc__place) AS sdc__whole
        FROM sdc__pairs WHERE weight IS NOT NULL AND sdc__x IS NOT NULL GROUP BY sdc__place, sdc__x
    ),
    sdc__middles AS (
        SELECT sdc__place AS sdc__at, min(sdc__x) AS sdc__half
        FROM sdc__heaped
        WHERE 2 * sdc__up_to >= sdc__whole
        GROUP BY sdc__place
    ),
    sdc__ranges AS (
        SELECT sdc__of, sdc__low, sdc__high, coalesce(sdc__half, sdc__median) AS sdc__middle
        FROM (SELECT sdc__place AS sdc__of, min(sdc__x) AS sdc__low, max(sdc__x) AS sdc__high,
                     CASE WHEN weight IS NULL THEN median(sdc__x) END AS sdc__median
              FROM sdc__pairs
              GROUP BY sdc__place)
        LEFT JOIN sdc__middles ON sdc__at = sdc__of
    )
    SELECT sdc__place, count(*) AS sdc__records, count(*) FILTER (WHERE sdc__x IS DISTINCT FROM sdc__y) AS sdc__changed,
           sdc__exact_sum(
               sdc__weight
               * CASE WHEN sdc__x IS NULL THEN (sdc__y IS NOT NULL)::BIGINT::DOUBLE
                      ELSE 2 / pi() * atan(
                          sdc__finite_size(
                              abs(sdc__x - coalesce(
                                      sdc__y, CASE WHEN sdc__x <= sdc__middle THEN sdc__high ELSE sdc__low END)))) END,
               72) / sdc__exact_sum(sdc__weight, 72) AS sdc__loss
    FROM sdc__pairs JOIN sdc__ranges ON sdc__of = sdc__place GROUP BY sdc__place;

-- variable NULL: lambda, all of them; changed: there over all variables.
-- sdc_lambda_loss: lambda, the share of the information that is lost, and lambda_j of each variable.
-- Gives: variable VARCHAR or NULL, scale VARCHAR or NULL, records BIGINT, changed BIGINT (more loss), loss DOUBLE (more loss).
-- Rows: each variable (all of them together first).
-- Words: loss: share of the information that was lost (lambda).
-- Result: LambdaLoss. Lambda of a variable, 0 to 1, and the records whose value changed; variable NULL: all of them.
-- Notes: The loss of a number depends on the unit it is in.
-- Told: loss.
-- Example: FROM sdc_lambda_loss('persons', 'released', ['sex', 'age', 'income'], 'id', ordinal := ['age'], continuous := ['income']);
-- Limit: loss. The share of the information (lambda, of a variable lambda_j) that was lost.
CREATE OR REPLACE MACRO sdc_lambda_loss(original, released, columns, id, ordinal := NULL, continuous := NULL, weight := NULL) AS TABLE
    WITH sdc__steps AS (FROM sdc__category_steps(original, released, sdc__names_not_among(columns, continuous), id, ordinal, weight)),
    sdc__categories AS (
        SELECT sdc__variable, CASE WHEN sdc__ordered THEN 'ordinal' ELSE 'nominal' END AS sdc__scale, sdc__records, sdc__changed,
               CASE WHEN sdc__mean = 0 THEN 0
                    ELSE sdc__mean / CASE WHEN sdc__ordered THEN sdc__categories - 1 ELSE 1 END END AS sdc__loss
        FROM sdc__steps
    ),
    sdc__numbers_named AS (FROM sdc__names_of(original, sdc__names_among(columns, continuous))),
    sdc__numbers AS (
        SELECT sdc__names[sdc__place] AS sdc__variable, 'continuous' AS sdc__scale, sdc__records, sdc__changed, sdc__loss
        FROM sdc__number_losses(original, released, sdc__names_among(columns, continuous), id, weight), sdc__numbers_named
    ),
    sdc__nothing AS (
        SELECT NULL::VARCHAR AS sdc__variable, NULL::VARCHAR AS sdc__scale, NULL::BIGINT AS sdc__records,
               NULL::BIGINT AS sdc__changed, NULL::DOUBLE AS sdc__loss
        LIMIT 0
    ),
    sdc__each AS MATERIALIZED (
        SELECT *, list_position(list_transform(sdc__names(columns), lambda n: sdc__folded(n)), sdc__folded(sdc__variable)) AS sdc__row
        FROM (FROM query_table(CASE WHEN len(sdc__names_not_among(columns, continuous)) > 0 OR len(sdc__names(columns)) = 0
                                        THEN 'sdc__categories'
                                    ELSE 'sdc__nothing' END)
              UNION ALL
              FROM query_table(CASE WHEN len(sdc__names_among(columns, continuous)) > 0 THEN 'sdc__numbers'
                                    ELSE 'sdc__nothing' END))
    )
    SELECT sdc__variable AS variable, sdc__scale AS scale, sdc__records AS records, sdc__changed AS changed, sdc__loss AS loss
    FROM (FROM sdc__each
          UNION ALL
          SELECT NULL, NULL, max(sdc__records), sum(sdc__changed)::BIGINT, sdc__exact_sum(sdc__loss, 90) / count(*), 0
          FROM sdc__each
          WHERE len(sdc__some_of(continuous, columns, 'continuous')) + len(
              sdc__some_of(ordinal, sdc__names_not_among(columns, continuous), 'ordinal')) >= 0)
    ORDER BY sdc__row ASC;
