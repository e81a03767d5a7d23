-- Additive noise on numeric columns, correlated or not, means and covariances kept or distributions kept.
--
--   uncorrelated   z_j = x_j + e_j, var(e_j) = alpha sigma_j^2                                (3.4.4.1)
--   correlated     z = x + e, cov(e) = alpha Sigma; cov(z) = (1 + alpha) Sigma                (3.4), 3.4.4.2
--   linear         (x + e) / sqrt(1 + alpha) + d: means and covariances kept (Kim)            3.4.4.3
--   nonlinear      noise on the normal scores, through the empirical distribution (Sullivan)  3.4.4.4
--   outliers       correlated noise on records beyond `threshold` robust s.d. only            3.4.2.1
-- Source: SDC handbook, section 3.4.4.
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_noise('persons', ['income'], 0.1, 'id');
--
-- nonlinear: one new record moves all values a little (by less than a thousandth of the noise), and draws nobody anew. Ten nightly
-- releases, 1 % of the records new each night, average to no more than one (known within a tenth of the noise's deviation: 8 %; by ten
-- named releases, which are independent, 25 %). But who knows all other values has 99 % of the records exactly from their differences.
-- Release it once.
-- outliers: a new record changes nothing, until the rounded size of the noise changes and all is drawn anew: 22 % by ten nights, 8 % by
-- one. An outlier of one night that is none on another is released as it is. (tests/mask/test_nightly.py; of the others only an absolute
-- standard_deviation never changes.)
--
-- The sum is released on a grid of 2^-20 of the noise's deviation (of linear noise: of the column's; of nonlinear noise with 32 bits),
-- see grid.sql. NULL stays NULL. Integer columns stay whole (rounded := true does the same to others). Bounds, rounded and discrete are
-- one for all columns or a list, one for each.
--
-- Scope: moments where method is 'uncorrelated', 'correlated' or 'linear', else table.
-- Keeps: the means, in expectation; correlated: correlations; linear: means and covariances, to the grid; nonlinear: distributions.
-- Users: uncorrelated: Means hold. Variances come out too great, correlations and slopes on the column too near 0; correlated: Means and
--   correlations of the masked columns hold. Variances come out too great; linear: Means and covariances of all records hold, means and
--   covariances of the masked columns in small domains do not; nonlinear: Distributions hold nearly, and means. Relations with other
--   columns come out too weak; outliers: Means hold nearly. What hangs on outliers does not.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Parameters:
--   tbl                 table                            the table, view, common table expression or file
--   columns             columns                          the columns to mask
--   alpha               number in [0, 1e150)             the variance of the noise over that of the variable
--   standard_deviation  number or numbers in [0, 1e150)  in place of alpha: the standard deviation of the noise, in the units of the column
--   id                  column                           identifies each record
--   method              'uncorrelated', 'correlated', 'linear', 'nonlinear' or 'outliers'  how the noise is made
--   threshold           number in [0, ...)               of outliers: how many robust standard deviations from the median
--   lower               number or numbers in (..., upper) or NULL  a bound that masked values keep by reflection
--   upper               number or numbers or NULL        a bound that masked values keep by reflection
--   rounded             truth value or truth values      whether masked values are whole numbers
--   discrete            truth value or truth values      of nonlinear: whether masked values are among the original ones
--   stratum             column                           a column within whose values moments are taken
--   stream              text                             names the pass of draws; give another one to mask a column a second time
--   release             text                             names the release; give another one for independent draws
--   unit                'record' or 'household'          whose draws: with 'household' (of uncorrelated), members who share a value go on
--                                                        sharing it
--   household           column                           the household of a record, where unit is 'household'

-- Noise on the scale of ranks: over all records of a stratum together.
CREATE OR REPLACE MACRO sdc__of_ranks(v, kept, step, low, high) AS
    CASE WHEN kept OR v IS NULL OR isnan(v) THEN v
         ELSE least(coalesce(high, 'infinity'::DOUBLE),
                    greatest(coalesce(low, '-infinity'::DOUBLE), sdc__averaged(v, step))) END;
CREATE OR REPLACE MACRO sdc__noise_by_ranks(tbl, columns, alpha, id, method, lower, upper, rounded, discrete, stratum,
                                            stream, release) AS TABLE
    WITH sdc__asked AS (
        SELECT *, sdc__each(lower, columns, sdc__names)::DOUBLE[] AS sdc__low,
               sdc__each(upper, columns, sdc__names)::DOUBLE[] AS sdc__high,
               sdc__each(discrete, columns, sdc__names)::BOOLEAN[] AS sdc__discrete
        FROM sdc__gathered(tbl, columns, id, stratum, 'record', 'noise ' || method,
                           sdc__part(sdc__canonical_number(sdc__checked_number(alpha, 'alpha'))), stream, release,
                           310 + 100 * len(sdc__names(columns)))
    ),
    sdc__noisy AS (
        SELECT sdc__ids, sdc__names, sdc__low, sdc__high, sdc__discrete,
               sdc__kernel_noise(
                   sdc__stratum::VARCHAR,
                   sdc__checked_choice(method, 'method', ['uncorrelated', 'correlated', 'linear', 'nonlinear', 'outliers']),
                   sdc__x, sdc__z, sdc__v, sdc__checked_number(alpha, 'alpha'), sdc__low, sdc__high,
                   list_transform(list_zip(sdc__whole, sdc__each(rounded, columns, sdc__names)::BOOLEAN[]),
                                  lambda z: z[1] OR z[2]),
                   sdc__discrete) AS sdc__masked
        FROM sdc__asked
    ),
    -- what is no original value is released on the grid
    sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               list_transform(
                   sdc__masked,
                   lambda c, j: list_transform(
                       c,
                       lambda v: sdc__of_ranks(v, alpha = 0 OR coalesce(sdc__discrete[j], false), sdc__steps[j],
                                               sdc__low[j], sdc__high[j]))) AS sdc__masked
        FROM (SELECT *, list_transform(sdc__masked, lambda c: sdc__list_step(c)) AS sdc__steps FROM sdc__noisy)
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- design: the name of a table with the rows of sdc__noise_design, or of the common table expression that computes them.
CREATE OR REPLACE MACRO sdc__noise_designed(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete,
                                            stratum, stream, release, unit, household, design) AS TABLE
    WITH sdc__records AS (FROM sdc__noise_records(tbl, columns, id, stratum, unit, household)),
    sdc__uncorrelated AS (FROM sdc__noise_uncorrelated('sdc__records', alpha, stratum)),
    sdc__correlated AS (FROM sdc__noise_correlated('sdc__records', alpha, stratum, method)),
    sdc__noisy_uncorrelated AS (FROM sdc__noise_by_column('sdc__records', design, stratum, stream, release)),
    sdc__noisy_correlated AS (FROM sdc__noise_by_record('sdc__records', design, columns, stratum, stream, release)),
    sdc__noisy_linear AS (FROM sdc__noise_transformed('sdc__noisy_correlated', alpha, stratum)),
    sdc__noisy_outliers AS (FROM sdc__noise_on_outliers('sdc__records', 'sdc__noisy_correlated', threshold, stratum)),
    sdc__by_record AS (FROM sdc__noise_added(tbl, columns, 'sdc__noisy_' || method, lower, upper, rounded)),
    sdc__by_kernel AS (FROM sdc__noise_by_ranks(tbl, columns, alpha, id, method, lower, upper, rounded, discrete, stratum, stream, release))
    FROM query_table(CASE WHEN sdc__unit_fits(unit, household, method, 'uncorrelated')
                               OR method IN ('correlated', 'linear', 'outliers')
                              THEN 'sdc__by_record'
                          ELSE 'sdc__by_kernel' END);

-- Of a series: noise of the columns that are new in a record, given the noise that was released in its others (noise_design.sql).
-- given: the name of a table with sdc__id and sdc__known_noise, the noise of the kept columns in the order of their names.
CREATE OR REPLACE MACRO sdc__shifted_noise(c, names, shifts) AS
    struct_pack(x := struct_extract(c, 'x'), e := struct_extract(c, 'e') + sdc__of_column(shifts, names, c));
CREATE OR REPLACE MACRO sdc__noise_given(tbl, columns, kept, id, lower, upper, rounded, stratum, stream, release, design, given) AS TABLE
    WITH sdc__records AS (FROM sdc__noise_records(tbl, columns, id, stratum, 'record', NULL)),
    sdc__conditional AS MATERIALIZED (FROM sdc__noise_conditional(tbl, columns, kept, design)),
    sdc__drawn AS (FROM sdc__noise_by_record('sdc__records', 'sdc__conditional', columns, stratum, stream, release)),
    sdc__expected AS (
        SELECT sdc__d.*, list_transform(sdc__slopes,
                                        lambda b: sdc__product_sum(list_append(b, 0e0), list_append(sdc__known_noise, 0e0))) AS sdc__shifts
        FROM sdc__drawn AS sdc__d
        JOIN (SELECT sdc__by_bytes(sdc__stratum) AS sdc__of_slopes, sdc__slopes FROM sdc__conditional) AS sdc__c
          ON sdc__in_stratum(stratum, sdc__d.sdc__stratum, sdc__c.sdc__of_slopes)
        JOIN (SELECT sdc__by_bytes(sdc__id) AS sdc__its, sdc__known_noise FROM query_table(given)) AS sdc__g
          ON sdc__by_bytes(sdc__d.sdc__id) = sdc__g.sdc__its
    ),
    sdc__shifted AS (
        SELECT sdc__id, sdc__stratum, sdc__names, sdc__means, sdc__steps,
               sdc__shifted_noise(COLUMNS(lambda c: starts_with(c, 'sdc__x_')), sdc__names, sdc__shifts) AS "\0"
        FROM sdc__expected
    )
    FROM sdc__noise_added(tbl, columns, 'sdc__shifted', lower, upper, rounded);

-- Of a batch of a series: who waits, since the first release had no noise for his stratum, or since the columns that did not change
-- leave less than a tenth of a column's noise to be drawn: two of its releases would tell by how much it changed.
CREATE OR REPLACE MACRO sdc__noise_batch(tbl, columns, kept, id, stratum, design) AS TABLE
    WITH sdc__records AS (FROM sdc__noise_records(tbl, columns, id, stratum, 'record', NULL)),
    sdc__conditional AS MATERIALIZED (FROM sdc__noise_conditional(tbl, columns, kept, design)),
    sdc__strata AS (SELECT sdc__by_bytes(sdc__stratum) AS sdc__of, sdc__left FROM sdc__conditional)
    SELECT sdc__id, coalesce(sdc__left < 0.1, true) AS waits
    FROM sdc__records AS sdc__r LEFT JOIN sdc__strata AS sdc__s ON sdc__in_stratum(stratum, sdc__r.sdc__stratum, sdc__s.sdc__of);

CREATE OR REPLACE MACRO sdc__noise(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete, stratum,
                                   stream, release, unit, household) AS TABLE
    FROM sdc__noise_designed(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete, stratum, stream,
                             release, unit, household,
                             CASE WHEN method = 'uncorrelated' THEN 'sdc__uncorrelated' ELSE 'sdc__correlated' END);

-- The design alone, and the figures of it that are applied, for the log: by stratum the standard deviations of the noise, or its
-- coefficients in the order of the names.
CREATE OR REPLACE MACRO sdc__noise_design(tbl, columns, alpha, id, method, stratum) AS TABLE
    WITH sdc__records AS (FROM sdc__noise_records(tbl, columns, id, stratum, 'record', NULL)),
    sdc__uncorrelated AS (FROM sdc__noise_uncorrelated('sdc__records', alpha, stratum)),
    sdc__correlated AS (FROM sdc__noise_correlated('sdc__records', alpha, stratum, method))
    FROM query_table(CASE WHEN method = 'uncorrelated' THEN 'sdc__uncorrelated' ELSE 'sdc__correlated' END);
CREATE OR REPLACE MACRO sdc__noise_applied(design) AS TABLE
    SELECT list(struct_pack(stratum := sdc__stratum::VARCHAR, columns := sdc__names, standard_deviations := sdc__sds,
                            coefficients := sdc__root)
                ORDER BY sdc__by_bytes(sdc__stratum) ASC NULLS LAST) AS applied
    FROM query_table(design);

-- Compiled: the method 'uncorrelated'.
-- Python: the methods 'correlated', 'linear', 'nonlinear' and 'outliers' need it; 'uncorrelated' is SQL alone.
-- Loss: withheld where method is 'linear', else published (from it follows Kim's alpha, which undoes the masking).
-- Told: method; alpha where method is 'uncorrelated' or 'correlated'.
-- Repeated: once (the deviation follows the file: where its third digit changes, all are drawn anew; a standard_deviation that is given
--   does not).
-- Series: parameters where method is 'uncorrelated', values where method is 'correlated', else refused (draws hang on the moments or
--   ranks of the file; deviations and covariances are those of the first release, and a value that changes beside one that does not is
--   drawn given what was drawn for that).
-- Strata: apart.
-- Households: by unit where method is 'uncorrelated', else as one record.
-- sdc_noise: noise added to numeric columns.
-- Example: FROM sdc_noise('persons', ['income'], 0.1, 'id');
CREATE OR REPLACE MACRO sdc_noise(tbl, columns, alpha, id, method := 'uncorrelated', threshold := 3, lower := NULL,
                                  upper := NULL, rounded := false, discrete := false, stratum := NULL, stream := NULL,
                                  release := '', unit := 'record', household := NULL) AS TABLE
    WITH sdc__done AS (
        FROM sdc__noise(tbl, columns, alpha, id, method, threshold, lower, upper, rounded, discrete, stratum, stream,
                        release, unit, household)
    )
    FROM sdc__released(tbl, columns, id, 'sdc__done');

CREATE OR REPLACE MACRO sdc__checked_deviation(s) AS
    CASE WHEN TRY_CAST(s AS DOUBLE) >= 0 AND TRY_CAST(s AS DOUBLE) < 1e150 THEN TRY_CAST(s AS DOUBLE)
         ELSE error('ParameterError: standard_deviation is ' || coalesce(s::VARCHAR, 'NULL')
                    || ': it must be a number, at least 0 and below 1e150, in the units of the column.') END;
CREATE OR REPLACE MACRO sdc__noise_absolute(tbl, columns, standard_deviation, id, lower, upper, rounded, stream, release,
                                            unit, household) AS TABLE
    WITH sdc__records AS (FROM sdc__noise_records(tbl, columns, id, NULL, unit, household)),
    sdc__given AS (
        SELECT *, list_transform(sdc__sds, lambda s: sdc__grid_step(s)) AS sdc__steps
        FROM (SELECT NULL AS sdc__stratum, sdc__names, NULL::DOUBLE[] AS sdc__means,
                     list_transform(sdc__each(standard_deviation, columns, sdc__names)::DOUBLE[],
                                    lambda s: sdc__checked_deviation(s)) AS sdc__sds
              FROM (SELECT struct_keys(struct_pack(*COLUMNS(sdc__columns((*), columns)))) AS sdc__names FROM sdc__unasked(tbl) LIMIT 1))
    ),
    sdc__noisy AS (FROM sdc__noise_by_column('sdc__records', 'sdc__given', NULL, stream, release))
    FROM sdc__noise_added(tbl, columns, 'sdc__noisy', lower, upper, rounded);

-- A record is masked by itself: new records may come, and a table masked anew each night releases the same values.
-- Verb: noise
-- Scope: record.
-- Compiled: by SQL alone.
-- Keeps: the means, in expectation.
-- Users: Means hold. Variances come out too great, correlations and slopes on the column too near 0, before they are corrected.
-- Loss: published.
-- Told: standard_deviation.
-- Repeated: again.
-- Series: parameters.
-- Households: by unit.
-- sdc_noise_absolute: noise of a given standard deviation added to numeric columns.
-- Example: FROM sdc_noise_absolute('persons', ['income'], 50, 'id');
CREATE OR REPLACE MACRO sdc_noise_absolute(tbl, columns, standard_deviation, id, lower := NULL, upper := NULL,
                                           rounded := false, stream := NULL, release := '', unit := 'record',
                                           household := NULL) AS TABLE
    WITH sdc__done AS (
        FROM sdc__noise_absolute(tbl, columns, standard_deviation, id, lower, upper, rounded, stream, release, unit,
                                 household)
    )
    FROM sdc__released(tbl, columns, id, 'sdc__done');
