-- Whether released records are closer to those they were made from than to a holdout, of which nothing was made.
--
--   share = mean over the released records r of (the records of the original / all records) among those equal to the closest one
--   n units in the original, N in original and holdout together, m released records, q_u those that are closest to the unit u:
--   expected = n / N      error^2 = n (N - n) / N * sum over u of (q_u - m / N)^2 / (N - 1) / m^2
--   lower, upper = share -+ z error       excess = lower - expected                 above 0: more than chance explains
-- The closest record is looked for among original and holdout together, so that it does not depend on which is which, and of a release that
-- knows of neither, every choice of n of the N units is as likely to be the original: the error is that of a sample without replacement,
-- exact for files of any size, for ties, and for households, whose members are in one file. This is the yardstick that discrete files
-- need: a fresh sample of a few categories repeats most records, and repeats those of the holdout as often. Of three groups:
--   all        every released record: whether the file as a whole leans to the original
--   closest    the twentieth of them that are nearest to any record (ties too): a few copies are among these, and all else is left out
--   isolated   those next to an isolated record, of the twentieth of original and holdout that is farthest from all
--              others, and nearer to it than half its distance to the next one: outliers, copied or changed a little
-- closer, as_close: the released records that are closer to the original, and as close to both;
-- copies, holdout_copies: those at distance 0.
-- A fresh sample has excess > 0 in one group of 200 at the confidence of 0.99. The distance is that of distance_to_closest.sql; numbers
-- are divided by their spread in original and holdout together. Where a file has few cells and each many records, a copy is as anybody's
-- record, and copies of one in ten cannot be told from chance. Of records that are as near but not equal the first counts, in an order by
-- their values. What is told is whether more was learned from these records than from others like them: what follows of everybody alike,
-- a regression say, is no excess. A holdout that had a part in the fit hides every copy: draw it before (sdc_holdout).
-- Source: Platzer & Reutterer (2021), Holdout-based empirical assessment of mixed-type synthetic data, Frontiers in Big Data 4:679939
--   (the share closer to the training records than to as many others); the variance is that of a mean without replacement, Cochran (1977),
--   Sampling techniques, theorem 2.2.
--
--   original: x    holdout: x    released: x    FROM sdc_holdout_distance('original', 'released', 'holdout', ['x'], continuous := ['x']):
--             0             1              0    part     records copies holdout_copies share expected error excess
--             10            11             10   all      4       4      0              1     0.5      0.189 0.0132
--             20            21             20   closest  4       4      0              1     0.5      0.189 0.0132
--             30            31             30   isolated 4       4      0              1     0.5      0.189 0.0132
--
-- Of eight records four have a released one, and none half of one: 4 * 4 / 8 * (8 / 4) / 7 / 4^2 = 0.0357 is the square of the error.
--
-- Scope: table.
-- Not compiled: the closest records are searched by numpy; compare the tables in DuckDB.
-- Parameters:
--   original    table                              the table from which the released one was made, without the holdout
--   released    table                              the table to be released
--   holdout     table                              records of the same population of which nothing was made
--   columns     columns                            the variables; those that are neither continuous nor ordinal are categories
--   household   column                             the household numbers of original and holdout; without it each record is by itself
--   ordinal     columns                            those of them whose categories have an order
--   continuous  columns                            those of them that are numbers
--   scaling     'standardised', 'range' or 'none'  what a difference of numbers is divided by: the standard deviation ('standardised')
--       or the 'range' in original and holdout, or nothing ('none')
--   weights     number or numbers in [0, ...)      what each variable counts in the squared distance: one number,
--       or one for each of the columns
--   confidence  number in (0, 1)                   of the interval of the share

CREATE OR REPLACE MACRO sdc__kernel_holdout_distance(columns, categories, ordinal, file, unit, weights, scaling) AS
    sdc__needs_python('The distance to a holdout')::DOUBLE[][];

-- sdc_holdout_distance: the share of released records closer to the original than to a holdout, with its interval.
-- Gives: part VARCHAR, records BIGINT, closer BIGINT (more risk), as_close BIGINT, copies BIGINT (more risk), holdout_copies BIGINT,
--   share DOUBLE or NULL (more risk), expected DOUBLE or NULL, error DOUBLE or NULL, lower DOUBLE or NULL (more risk),
--   upper DOUBLE or NULL (more risk), excess DOUBLE or NULL (more risk).
-- Rows: each part.
-- Result: HoldoutDistance. The released records of a part, and the share of them that falls to the original. The parts are `all`, the
--   `closest` twentieth, and those next to `isolated` records; beside the `share` stand the one `expected`, its interval, and the
--   `excess` of the lower end over what is expected, 0 in a part without records, which has no share. `copies` are at distance 0.
-- Raises: ColumnError where a household is in both the original and the holdout; InputError where the holdout holds the very records of the
--   original, a number is missing, or a weight is negative.
-- Notes: NULL of a category is one of them; a number is not NULL. No id is needed. Limit the excess to 0.
-- Example: FROM sdc_holdout_distance('persons', 'released', 'held', ['age', 'sex', 'income'], continuous := ['income']);
-- Limit: excess. What the share of released records closer to the original than to the holdout exceeds chance by, at the least.
CREATE OR REPLACE MACRO sdc_holdout_distance(original, released, holdout, columns, household := NULL, ordinal := NULL,
                                             continuous := NULL, scaling := 'standardised', weights := NULL,
                                             confidence := 0.99) AS TABLE
    WITH sdc__found AS (
        SELECT sdc__kernel_holdout_distance(
                   sdc__values, len(sdc__names_not_among(sdc__names_not_among(columns, continuous), ordinal))::DOUBLE,
                   len(sdc__names_among(columns, ordinal))::DOUBLE, sdc__file, sdc__number,
                   sdc__distance_weights(weights, columns, sdc__names),
                   sdc__checked_choice(scaling, 'scaling', ['standardised', 'range', 'none'])) AS sdc__k,
               sdc__interval_quantile(confidence) AS sdc__z
        FROM sdc__three_files_listed(original, released, holdout, columns,
                                     sdc__names_not_among(sdc__names_not_among(columns, continuous), ordinal),
                                     sdc__names_among(columns, ordinal), sdc__names_among(columns, continuous), household,
                                     NULL)
        WHERE sdc__kinds_named(sdc__some_of(continuous, columns, 'continuous'), sdc__some_of(ordinal, columns, 'ordinal'))
    ),
    sdc__parts AS (
        SELECT unnest(range(1, 4)) AS sdc__place, unnest(['all', 'closest', 'isolated']) AS sdc__part,
               unnest(list_transform(sdc__k, lambda f: list_transform(f, lambda v: CASE WHEN isfinite(v) THEN v END))) AS sdc__f, sdc__z
        FROM sdc__found
    )
    SELECT sdc__part AS part, sdc__f[1]::BIGINT AS records, sdc__f[2]::BIGINT AS closer, sdc__f[3]::BIGINT AS as_close,
           sdc__f[4]::BIGINT AS copies, sdc__f[5]::BIGINT AS holdout_copies, sdc__f[6] AS share, sdc__f[7] AS expected,
           sdc__f[8] AS error, sdc__f[6] - sdc__z * sdc__f[8] AS lower, sdc__f[6] + sdc__z * sdc__f[8] AS upper,
           CASE WHEN sdc__f[1] = 0 THEN 0 ELSE sdc__f[6] - sdc__z * sdc__f[8] - sdc__f[7] END AS excess
    FROM sdc__parts ORDER BY sdc__place ASC;
