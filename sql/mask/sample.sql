-- A sample of the records: persons, or whole households, leave the file, and those that stay weigh as much more.
--
--   pi = n_h / N_h       of the n_h units drawn from the N_h of a stratum (Bernoulli: the fraction)
--   w' = w / pi          weights;   f' = f pi   the sampling fractions of a column
-- bernoulli   each unit by itself with the probability pi: the size is random.
-- simple      n_h units of each stratum, all sets of n_h alike.
-- systematic  every (N_h / n_h)-th unit in an order, from a start drawn for each stratum: exactly n_h.
-- A fraction draws round(fraction N_h) units of a stratum, at least one. A size is shared among strata in proportion to their units, by
-- largest remainders; where a stratum would have none it is an error.
-- neyman, a column y: a size is shared so that the variance of the estimated total of y is the least that whole numbers allow,
--   min sum N_h^2 S_h^2 / n_h,   sum n_h = n,   min(least, N_h) <= n_h <= N_h         (near n_h = n N_h S_h / sum N S: Neyman)
-- S_h the standard deviation of y (of a household the sum of its members) in the stratum. From the lower bounds on, the next unit goes
-- each time to the stratum with the greatest N_h S_h / sqrt(n_h (n_h + 1)), which is the optimum. Without `neyman` but with `least` S_h
-- is 1. The probabilities, and so the weights, then tell of S_h: a stratum whose weights are small has a large deviation, or an outlier.
-- Take a y that is released, or of another source.
-- Source: SDC handbook, section 3.4.3.1; Cochran (1977), Sampling Techniques, ch. 2, 5 (5.5: Neyman) and 8; Wright (2014), A simple
--   method of exact optimal sample allocation under stratification with any mixed constraint patterns, Statistics and Probability
--   Letters; Ohlsson (1995), Coordination of samples using permanent random numbers, in Business Survey Methods, 153-169.
--
--   persons: id sex w     FROM sdc_sample('persons', 'id', fraction := 0.5, weight := 'w'):   id sex w
--            1  f   10                                                                        2  f   20
--            2  f   10                                                                        4  m   20
--            3  m   10
--            4  m   10
--
-- A unit's draw depends on the key, the release, the pass and its id alone, neither on the fraction nor on the values, and the same persons
-- are drawn next month. Of two samples of one design (simple or bernoulli, the same strata, the same unit), of which the larger draws no
-- fewer of any stratum, the smaller lies within the larger: the two tell no more than the larger one. Samples of two designs (other strata,
-- households and persons, systematic ones) and samples under different release names cover more of the file together than each of them. Of
-- households drawn by themselves who moves is in the sample where his household is. Only for whom it hides who is in the file: what an
-- intruder finds in it is as before, and a value that is unique in the population still is (a continuous variable nearly always). Whoever
-- knows the list and one who was drawn systematically knows the others; equal values of the order stand at random.
--
-- Scope: table.
-- Not compiled: records leave the table and weights become numbers of another type: draw the sample in DuckDB, and read it elsewhere.
-- Users: Estimate by the released weights, or divide counts by the fraction that was drawn. Standard errors are those of a sample.
-- Values: codes.
-- Bits: exact.
-- Coarsens: no.
-- Records: fewer.
-- Loss: published.
-- Told: fraction, size, method, stratum, household, neyman, least.
-- Repeated: again where method is 'simple' or 'bernoulli', else once (in a systematic sample who is drawn hangs on all before).
-- Series: parameters where method is 'bernoulli', else refused (who is drawn hangs on how many records there are: who was drawn
--   would not stay drawn).
-- Parameters:
--   tbl                table                       the table, view, common table expression or file
--   id                 column                      identifies each record
--   fraction           column or number in (0, 1)  the share of the units that is drawn; of a column that of each unit (equal within a
--                                                  stratum, but for Bernoulli sampling), where 1 takes all
--   size               whole number in [1, ...)    in its place: how many units are drawn, over all strata
--   method             'simple', 'bernoulli' or 'systematic'  how units are drawn
--   weight             column                      the sampling weights, which are divided by pi and become DOUBLE
--   sampling_fraction  column                      the sampling fractions of the records, which are multiplied by pi
--   stratum            column                      a column within each of whose values a sample is drawn
--   household          column                      draws whole households, by this column; without it persons
--   order_by           column                      the order of systematic sampling (of a household its least value)
--   neyman             column                      shares the size among the strata by N_h times the standard deviation of this column, a
--                                                  number
--   least              whole number in [1, ...)    of a size: how many units of each stratum are drawn at the least, or all where it has
--                                                  fewer
--   stream             text                        names the pass of draws; give another one to sample a second time
--   release            text                        names the release; give another one for independent draws

-- What is asked, checked: true, or the error. total: the units there are.
CREATE OR REPLACE MACRO sdc__is_sample_design(method, fraction, size, order_by, total, stratum, neyman, least) AS CASE
    WHEN method IS NULL OR NOT list_contains(['simple', 'bernoulli', 'systematic'], method::VARCHAR)
        THEN error('ParameterError: method is ' || coalesce(method::VARCHAR, 'NULL')
                   || ': it must be ''simple'', ''bernoulli'' or ''systematic''.')
    WHEN (fraction IS NULL) = (size IS NULL)
        THEN error('ParameterError: A sample needs either a fraction (between 0 and 1) or a size (how many units): give one of them.')
    WHEN method = 'bernoulli' AND size IS NOT NULL
        THEN error('ParameterError: The size of a Bernoulli sample is random: give a fraction, or another method.')
    WHEN (method = 'systematic') <> (order_by IS NOT NULL)
        THEN error('ParameterError: A systematic sample needs the order in which it goes through the units, order_by, and'
                   || ' no other method takes one.')
    WHEN size IS NOT NULL AND sdc__checked_whole(size, 'size', 1) >= total
        THEN error('ParameterError: size is ' || size || ': it must be less than the number of units, which are ' || total || '.')
    WHEN (neyman IS NOT NULL OR least IS NOT NULL) AND (size IS NULL OR stratum IS NULL)
        THEN error('ParameterError: ' || CASE WHEN neyman IS NULL THEN 'least' ELSE 'neyman' END
                   || ' says how a size is shared among strata: give a size and a stratum too.')
    WHEN least IS NOT NULL THEN sdc__checked_whole(least, 'least', 1) IS NOT NULL
    ELSE true END;

-- A household lies in one stratum, and a stratum has one fraction.
CREATE OR REPLACE MACRO sdc__one_of(least, greatest, known, records, what) AS
    CASE WHEN least IS NOT DISTINCT FROM greatest AND known IN (0, records) THEN least ELSE error('ColumnError: ' || what) END;

CREATE OR REPLACE MACRO sdc__known_number(v, name) AS
    CASE WHEN v IS NULL OR isnan(v) THEN error('ColumnError: A record has no ' || name
                                               || ', by which the sample is allocated: fill it in, or name another column.')
         ELSE v END;

-- The units, each with its stratum, its fraction and its draw.
CREATE OR REPLACE MACRO sdc__sampling_units(tbl, id, fraction, stratum, household, order_by, neyman, stream, release) AS TABLE
    WITH sdc__members AS (
        SELECT sdc__checked_id(sdc__id) AS sdc__name,
               sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
               sdc__stratum_value(order_by, COLUMNS(sdc__named_column((*), order_by))) AS sdc__order,
               CASE WHEN neyman IS NOT NULL
                    THEN sdc__known_number(sdc__number(COLUMNS(sdc__named_column((*), neyman))), neyman) END AS sdc__y,
               CASE WHEN fraction IS NOT NULL THEN sdc__checked_inclusion(
                        fraction, sdc__value(fraction, COLUMNS(sdc__column((*), fraction)))) END AS sdc__fraction,
               CASE WHEN household IS NULL THEN sdc__checked_id(sdc__id)
                    ELSE coalesce(sdc__canonical(COLUMNS(sdc__named_column((*), household))),
                                  error('ColumnError: A record has no household (' || household
                                        || ' is NULL): a person living alone has one of his own.')) END AS sdc__unit
        FROM sdc__identified(tbl, id, codes := [stratum, household, order_by], compared := [stratum, household])
    ),
    sdc__keyed AS (
        SELECT sdc__subkey(sdc__secret_key(), release, stream, 'sample', '',
                           sdc__part(coalesce(sdc__folded(household::VARCHAR), ''))) AS sdc__k
    )
    SELECT sdc__unit, sdc__stratum, sdc__order, sdc__fraction, sdc__members, sdc__y AS sdc__x_y,
           sdc__uniform(sdc__k, sdc__unit, '') AS sdc__u
    FROM (SELECT sdc__unit, list(sdc__name) AS sdc__members, min(sdc__order) AS sdc__order,
                 list_sum(list_sort(list(sdc__y), 'ASC', 'NULLS LAST')) AS sdc__y,  -- in an order, so that its bits do not hang on threads
                 sdc__one_of(min(sdc__stratum), max(sdc__stratum), count(sdc__stratum), count(*),
                             'A household lies in several strata (' || stratum
                             || '): strata of whole households hold all members.') AS sdc__stratum,
                 sdc__one_of(min(sdc__fraction), max(sdc__fraction), count(sdc__fraction), count(*),
                             'The members of a household have several fractions: it is drawn as a whole,'
                             || ' with one.') AS sdc__fraction
          FROM sdc__members GROUP BY sdc__unit), sdc__keyed;

CREATE OR REPLACE MACRO sdc__left_to_share(size, lowest, greatest_size, neyman) AS CASE
    WHEN lowest > size THEN error('ParameterError: size is ' || size || ': the least of the strata are ' || lowest
                                  || ' units together already: give a larger size, or a smaller least.')
    WHEN greatest_size = 0
        THEN error('ParameterError: ' || neyman
                   || ' does not vary in any stratum, and tells nothing of how to share a size: leave neyman out.')
    ELSE size - lowest END;

-- The sizes by which the variance of a total is the least: from the lower bounds on, unit by unit. No row where size is NULL.
CREATE OR REPLACE MACRO sdc__optimal_sizes(units, size, neyman, lowest) AS TABLE
    WITH sdc__valued AS (SELECT sdc__stratum, sdc__x_y FROM query_table(units)),
    sdc__strata AS (
        SELECT sdc__stratum, sdc__records AS sdc__total, least(lowest, sdc__records) AS sdc__low,
               sdc__records * CASE WHEN neyman IS NULL THEN 1e0 ELSE coalesce(sdc__sds[1], 0) END AS sdc__size
        FROM sdc__moments('sdc__valued', 'strata') WHERE size IS NOT NULL
    ),
    sdc__asked AS (SELECT sdc__left_to_share(size, sum(sdc__low)::BIGINT, max(sdc__size), neyman) AS sdc__left FROM sdc__strata),
    sdc__nexts AS (
        SELECT sdc__stratum, sdc__total, sdc__size,
               unnest(range(sdc__low, least(sdc__total, sdc__low + sdc__left))) AS sdc__have
        FROM sdc__strata, sdc__asked
    ),
    sdc__turns AS (
        SELECT sdc__stratum,
               row_number() OVER (ORDER BY sdc__size / sqrt(sdc__have * (sdc__have + 1e0)) DESC, sdc__total DESC,
                                           sdc__stratum ASC NULLS FIRST, sdc__have ASC) AS sdc__turn
        FROM sdc__nexts
    ),
    sdc__more AS (
        SELECT sdc__stratum AS sdc__given, count(*) AS sdc__added
        FROM sdc__turns, sdc__asked
        WHERE sdc__turn <= sdc__left
        GROUP BY sdc__stratum
    )
    SELECT sdc__stratum AS sdc__of, sdc__low + coalesce(sdc__added, 0) AS sdc__optimum
    FROM sdc__strata LEFT JOIN sdc__more ON sdc__given IS NOT DISTINCT FROM sdc__stratum
    WHERE (SELECT sdc__left FROM sdc__asked) >= 0;

-- How many units of each stratum are there and drawn; n: NULL for a Bernoulli sample.
CREATE OR REPLACE MACRO sdc__sample_sizes(units, fraction, size, method, order_by, stratum, neyman, least) AS TABLE
    WITH sdc__strata AS (
        SELECT sdc__stratum, count(*) AS sdc__total, min(sdc__fraction) AS sdc__least, max(sdc__fraction) AS sdc__most,
               sum(count(*)) OVER ()::BIGINT AS sdc__all
        FROM query_table(units) GROUP BY sdc__stratum
    ),
    sdc__quotas AS (
        SELECT *, size::BIGINT * sdc__total // sdc__all AS sdc__base, size::BIGINT * sdc__total % sdc__all AS sdc__rest
        FROM sdc__strata WHERE sdc__is_sample_design(method, fraction, size, order_by, sdc__all, stratum, neyman, least)
    ),
    sdc__optimal AS (
        FROM sdc__optimal_sizes(units, CASE WHEN coalesce(neyman, least::VARCHAR) IS NOT NULL THEN size::BIGINT END, neyman,
                                coalesce(least::BIGINT, 1))
    ),
    sdc__shared AS (
        SELECT *,
               sdc__base + (row_number() OVER (ORDER BY sdc__rest DESC, sdc__total DESC, sdc__stratum ASC NULLS FIRST)
                            <= size::BIGINT - sum(sdc__base) OVER ())::BIGINT AS sdc__share
        FROM sdc__quotas
    )
    SELECT sdc__stratum, sdc__total, CASE
        WHEN method = 'bernoulli' THEN NULL
        WHEN size IS NOT NULL AND sdc__share = 0
                AND sdc__optimum IS NULL
            THEN error('ParameterError: Of ' || count(*) FILTER (WHERE sdc__share = 0) OVER ()
                       || ' strata none would be drawn, and nobody would stand for them: give a larger size, or a'
                       || ' fraction, by which each has one at least.')
        WHEN size IS NOT NULL THEN coalesce(sdc__optimum, sdc__share)
        WHEN sdc__least <> sdc__most THEN error('ColumnError: A stratum has several fractions: a sample within strata has'
                                                || ' one in each; Bernoulli sampling takes one for each unit.')
        ELSE greatest(1, floor(sdc__least * sdc__total + 0.5)::BIGINT) END AS sdc__n
    FROM sdc__shared LEFT JOIN sdc__optimal ON sdc__of IS NOT DISTINCT FROM sdc__stratum;

-- A Bernoulli sample of what was sampled before by the same draws would keep more than its fraction, and weights would be too large: the
-- greatest of the draws tells of it, which of n independent ones is below x with probability x^n.
CREATE OR REPLACE MACRO sdc__is_first_draw(method, greatest, units) AS
    CASE WHEN method <> 'bernoulli' OR pow(greatest, units) > 1e-9 THEN true
         ELSE error('ParameterError: These records were sampled before with the same draws, and too many would stay:'
                    || ' name another pass of draws, stream := ''2'', say.') END;

-- The ids that are drawn, as texts, each with its probability.
CREATE OR REPLACE MACRO sdc__sampled(tbl, id, fraction, size, method, stratum, household, order_by, neyman, least, stream, release) AS TABLE
    WITH sdc__units AS MATERIALIZED (FROM sdc__sampling_units(tbl, id, fraction, stratum, household, order_by, neyman, stream, release)),
    sdc__sizes AS MATERIALIZED (FROM sdc__sample_sizes('sdc__units', fraction, size, method, order_by, stratum, neyman, least)),
    sdc__starts AS (
        SELECT sdc__subkey(sdc__secret_key(), release, stream, 'systematic sample', '',
                           sdc__columns_part([order_by])) AS sdc__k
    ),
    sdc__placed AS (
        SELECT sdc__members, sdc__u, sdc__fraction, sdc__total, sdc__n,
               row_number() OVER (PARTITION BY sdc__of.sdc__stratum
                                  ORDER BY sdc__order ASC NULLS LAST, sdc__u ASC, sdc__unit ASC) - 1 AS sdc__i,
               CASE WHEN method = 'systematic'
                        THEN floor(sdc__uniform(sdc__k, sdc__part(sdc__canonical(sdc__of.sdc__stratum)), '')
                                   * sdc__total)::BIGINT END AS sdc__start
        FROM sdc__units AS sdc__of
        JOIN sdc__sizes ON row(sdc__sizes.sdc__stratum) IS NOT DISTINCT FROM row(sdc__of.sdc__stratum), sdc__starts
    ),
    sdc__kept AS MATERIALIZED (
        SELECT unnest(sdc__members) AS sdc__name,
               CASE WHEN method = 'bernoulli' THEN sdc__fraction ELSE sdc__n * 1e0 / sdc__total END AS sdc__pi
        FROM sdc__placed, (SELECT sdc__is_first_draw(method, max(sdc__u), count(*)) AS sdc__is_first FROM sdc__units)
        WHERE sdc__is_first AND CASE method WHEN 'bernoulli' THEN sdc__u < sdc__fraction WHEN 'simple' THEN sdc__i < sdc__n
                          ELSE (sdc__start + (sdc__i + 1) * sdc__n) // sdc__total > (sdc__start + sdc__i * sdc__n) // sdc__total END
    )
    FROM sdc__kept
    UNION ALL
    SELECT NULL, NULL FROM (SELECT count(*) AS sdc__drawn FROM sdc__kept)
    WHERE CASE WHEN sdc__drawn > 0 THEN false
               ELSE error('ParameterError: No unit was drawn: give a larger fraction, or a sample of a fixed size.') END;

-- A weight or a fraction after the sample; sdc__pi stands among them so that there is always one.
CREATE OR REPLACE MACRO sdc__by_pi(v, pi, sampling_fraction) AS CASE
    WHEN alias(v) = 'sdc__pi' THEN pi
    WHEN sdc__folded(alias(v)) = sdc__folded(sampling_fraction::VARCHAR)
        THEN sdc__checked_inclusion(sampling_fraction, TRY_CAST(v AS DOUBLE)) * pi
    ELSE sdc__checked_weight(TRY_CAST(v AS DOUBLE)) / pi END;

CREATE OR REPLACE MACRO sdc__adjusted(have, adjusted, id) AS
    CASE WHEN len(adjusted) = 0 THEN ['sdc__pi'] ELSE list_append(sdc__to_mask(have, adjusted, id), 'sdc__pi') END;
CREATE OR REPLACE MACRO sdc__own_kept(have, columns) AS
    list_filter(have, lambda h: NOT starts_with(h, 'sdc__') AND NOT sdc__is_among(h, columns));

-- staying: the records that stay, with sdc__id and sdc__pi; the columns in the order of the table.
CREATE OR REPLACE MACRO sdc__weighed(tbl, staying, adjusted, sampling_fraction, id) AS TABLE
    (SELECT CASE WHEN COLUMNS(*) IS NULL THEN NULL END AS "\0" FROM sdc__unasked(tbl) LIMIT 0)
    UNION ALL BY NAME
    (SELECT * EXCLUDE (sdc__pi)
     FROM (SELECT COLUMNS(sdc__own_kept((*), adjusted)),
                  sdc__by_pi(COLUMNS(sdc__adjusted((*), adjusted, id)), sdc__pi, sampling_fraction) AS "\0"
           FROM query_table(staying)));

-- sdc_sample: a sample of persons or of whole households, with their weights adjusted.
-- Gives: every column.
-- Rows: records.
-- Command: sample
-- Example: FROM sdc_sample('persons', 'id', fraction := 0.5, weight := 'w');
CREATE OR REPLACE MACRO sdc_sample(tbl, id, fraction := NULL, size := NULL, method := 'simple', weight := NULL,
                                   sampling_fraction := NULL, stratum := NULL, household := NULL, order_by := NULL,
                                   neyman := NULL, least := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__drawn AS MATERIALIZED (
        FROM sdc__sampled(tbl, id, fraction, size, method, stratum, household, order_by, neyman, least, stream, release)),
    sdc__staying AS (
        SELECT sdc__with.*, sdc__pi
        FROM sdc__with_id(tbl, id, codes := [stratum, household, order_by, id],
                          compared := [stratum, household]) AS sdc__with
        JOIN sdc__drawn ON sdc__name = sdc__checked_id(sdc__id)
    )
    FROM sdc__weighed(tbl, 'sdc__staying', list_filter([weight, sampling_fraction], lambda c: c IS NOT NULL), sampling_fraction, id);
