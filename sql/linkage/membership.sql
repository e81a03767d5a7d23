-- Whether a release shows who was in the file that it was made from: membership inference with a control.
--
--   d_i the distance to the closest released record, of each record i of the original (a member) and the holdout (a control). Who takes
--   those with a small d_i for members is right so often:
--   area = the share of the pairs of a member and a control in which the member is closer, ties counted half     0.5: nothing is told
--   advantage = max over t of (the share of members with d_i <= t) - (the share of controls with d_i <= t)
--   error^2 = u (U - u) / U * sum over the units of (the sum of their ranks less the mean)^2 / (U - 1) / (members * controls)^2
--   lower, upper = area -+ z error      excess = lower - 0.5                                 above 0: more than chance explains
-- U units (households, or records), u of them of the original: of a release that knows of neither file, every choice of u units is as
-- likely to be the original, and the error is that of their rank sum, exact but for households of unequal sizes. Of four parts:
--   all              every record of original and holdout
--   isolated         the hundred of them that are farthest from all others, ties too: those whom a generator would have to learn by heart
--   all copies, isolated copies    the same by the mean over the copies of the distance to the closest record in each
-- A release of several copies is one table with them all, and copy names the column that numbers them: the first two parts take the closest
-- record of any copy, the others what the copies say together. Of one copy they are the same. The advantage of the best
-- threshold is above 0 by chance too: set limits on the excess. A fresh sample has excess > 0 in one part of 200 at the confidence of 0.99.
-- The distance is that of holdout_distance.sql.
-- Source: Yeom, Giacomelli, Fredrikson & Jha (2018), Privacy risk in machine learning, CSF 2018, definition 4 (advantage); Chen, Yu, Zhang
--   & Fritz (2020), GAN-leaks, CCS 2020, section 4.2 (the distance to the closest released record); Wilcoxon's rank sum for the error.
--
--   original: x    holdout: x    released: x    FROM sdc_membership('original', 'released', 'holdout', ['x'], continuous := ['x']):
--             0             1              0    part            members controls area   error  advantage
--             10            12             10   all             4       4        0.7812 0.2126 0.5
--             20            23             21   isolated        4       4        0.7812 0.2126 0.5
--             30            34                  all copies      4       4        0.7812 0.2126 0.5
--                                               isolated copies 4       4        0.7812 0.2126 0.5
--
-- The members are at 0, 0, 1 and 9, the controls at 1, 2, 2 and 13: 4 + 4 + 3.5 + 1 of 16 pairs. Below 1 are half the members, no control.
--
-- Scope: table.
-- Not compiled: the closest records are searched by numpy; compare the tables in DuckDB.
-- Parameters:
--   original    table                              the table from which the released one was made, without the holdout
--   released    table                              the table to be released, all its copies under one another
--   holdout     table                              records of the same population of which nothing was made
--   columns     columns                            the variables; those that are neither continuous nor ordinal are categories
--   household   column                             the household numbers of original and holdout; without it each record is by itself
--   copy        column                             the number of the copy of a released record; without it there is one
--   ordinal     columns                            those of them whose categories have an order
--   continuous  columns                            those of them that are numbers
--   scaling     'standardised', 'range' or 'none'  what a difference of numbers is divided by: the standard deviation ('standardised')
--       or the 'range' in original and holdout, or nothing ('none')
--   weights     number or numbers in [0, ...)      what each variable counts in the squared distance: one number,
--       or one for each of the columns
--   isolated    whole number in [1, ...)           how many records of original and holdout together are isolated
--   confidence  number in (0, 1)                   of the interval of the area

CREATE OR REPLACE MACRO sdc__kernel_membership(columns, categories, ordinal, file, unit, weights, scaling, isolated) AS
    sdc__needs_python('Membership inference')::DOUBLE[][];

-- sdc_membership: how well the distance to a release tells those it was made from apart from a holdout.
-- Gives: part VARCHAR, members BIGINT, controls BIGINT, area DOUBLE or NULL (more risk), error DOUBLE or NULL,
--   lower DOUBLE or NULL (more risk), upper DOUBLE or NULL (more risk), advantage DOUBLE or NULL (more risk),
--   excess DOUBLE or NULL (more risk).
-- Rows: each part.
-- Words: area: how well someone guesses whose record was used (area under the curve); excess: how well someone guesses whose record was
--   used, beyond chance.
-- Result: Membership. How well members are told from controls: the area under the curve, its interval, and the greatest advantage.
--   The parts are `all` records and the `isolated` ones, each by the closest record of any copy, and by the mean over the `copies`;
--   `excess` is the lower end of the interval over 0.5. NULL where a part has no member or no control.
-- Raises: ColumnError where a household is in both the original and the holdout; InputError where the holdout holds the very records of the
--   original, a number is missing, or a weight is negative.
-- Notes: NULL of a category is one of them; a number is not NULL. No id is needed. Limit the excess to 0.
-- Example: FROM sdc_membership('persons', 'released', 'held', ['age', 'sex', 'income'], continuous := ['income']);
-- Limit: excess. What the area under the curve of an intruder who infers membership exceeds chance by, at the least.
CREATE OR REPLACE MACRO sdc_membership(original, released, holdout, columns, household := NULL, copy := NULL, ordinal := NULL,
                                       continuous := NULL, scaling := 'standardised', weights := NULL, isolated := 100,
                                       confidence := 0.99) AS TABLE
    WITH sdc__found AS (
        SELECT sdc__kernel_membership(
                   sdc__values, len(sdc__names_not_among(sdc__names_not_among(columns, continuous), ordinal))::DOUBLE,
                   len(sdc__names_among(columns, ordinal))::DOUBLE, sdc__file, sdc__number,
                   sdc__distance_weights(weights, columns, sdc__names),
                   sdc__checked_choice(scaling, 'scaling', ['standardised', 'range', 'none']),
                   sdc__checked_whole(isolated, 'isolated', 1)::DOUBLE) AS sdc__k,
               sdc__interval_quantile(confidence) AS sdc__z
        FROM sdc__three_files_listed(original, released, holdout, columns,
                                     sdc__names_not_among(sdc__names_not_among(columns, continuous), ordinal),
                                     sdc__names_among(columns, ordinal), sdc__names_among(columns, continuous), household, copy)
        WHERE sdc__kinds_named(sdc__some_of(continuous, columns, 'continuous'), sdc__some_of(ordinal, columns, 'ordinal'))
    ),
    sdc__parts AS (
        SELECT unnest(range(1, 5)) AS sdc__place, unnest(['all', 'isolated', 'all copies', 'isolated copies']) AS sdc__part,
               unnest(list_transform(sdc__k, lambda f: list_transform(f, lambda v: CASE WHEN isfinite(v) THEN v END))) AS sdc__f, sdc__z
        FROM sdc__found
    )
    SELECT sdc__part AS part, sdc__f[1]::BIGINT AS members, sdc__f[2]::BIGINT AS controls, sdc__f[3] AS area, sdc__f[4] AS error,
           sdc__f[3] - sdc__z * sdc__f[4] AS lower, sdc__f[3] + sdc__z * sdc__f[4] AS upper, sdc__f[5] AS advantage,
           sdc__f[3] - sdc__z * sdc__f[4] - 0.5 AS excess
    FROM sdc__parts ORDER BY sdc__place ASC;
