-- Resampling: the value of rank j becomes the average of the j-th ranked values of t samples with replacement.
-- Source: SDC handbook, section 3.4.2.6 (Heer 1993; Domingo-Ferrer & Mateo-Sanz 1999).
--
--   SET VARIABLE sdc_key = '...';
--   CREATE TABLE released AS FROM sdc_resample('persons', 'income', 3, 'id');
--
-- One numeric column; NULL stays. Averages (t > 1) are released with their first 32 bits (grid.sql).
--
-- One new record moves the values of about two records in three a little (by a thirtieth of the masking), and draws nobody anew: ten
-- nightly releases, 1 % of the records new each night, tell no more than one (known within a tenth of the masking: 8 % by one, 1 % by
-- their mean; of ten named releases, which are independent, 18 %; tests/mask/test_nightly.py). The order of the values is released in any
-- case.
--
-- Scope: table.
-- Keeps: the order of the values, and nearly their distribution.
-- Users: Distributions hold nearly. The extremes are drawn in, and variances come out somewhat too small.
-- Values: numbers.
-- Bits: last digits.
-- Coarsens: no.
-- Loss: published.
-- Told: nothing.
-- Repeated: once (what is released of a record moves with the file).
-- Series: refused (the released values are drawn from the values of one file).
-- Strata: apart.
-- Households: as one record.
-- Parameters:
--   tbl          table                     the table, view, common table expression or file
--   column_name  column                    the column to mask, numeric
--   samples      whole number in [1, ...)  t; the more, the less is masked
--   id           column                    identifies each record
--   stratum      column                    a column from within whose values samples are taken
--   stream       text                      names the pass of draws; give another one to mask a column a second time
--   release      text                      names the release; give another one for independent draws

CREATE OR REPLACE MACRO sdc__resample(tbl, columns, samples, id, stratum, stream, release) AS TABLE
    WITH sdc__numbers AS (
        SELECT sdc__id, sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
               sdc__number(COLUMNS(sdc__to_mask((*), columns, id))) AS sdc__x, sdc__subkeys[sdc__folded(columns[1])] AS sdc__subkey
        FROM sdc__identified_at_once(tbl, id, 320, codes := [stratum]),
             sdc__column_subkeys(columns, release, stream, 'resampling', samples::BIGINT::VARCHAR)
    ),
    sdc__texts AS (SELECT *, sdc__checked_id(sdc__id) AS sdc__named, sdc__part(sdc__canonical(sdc__x)) AS sdc__value FROM sdc__numbers),
    sdc__drawn AS (
        SELECT sdc__id, sdc__stratum, sdc__x,
               sdc__uniforms(sdc__subkey, sdc__named, sdc__value, sdc__checked_whole(samples, 'samples', 1)) AS sdc__u,
               sdc__x IS NULL OR isnan(sdc__x) AS sdc__stays
        FROM sdc__texts
    ),
    -- the records of a stratum, in whatever order; equal values are ranked by their first draw
    sdc__listed AS (
        SELECT sdc__stratum,
               list({'x': sdc__x, 'first': sdc__u[1], 'id': sdc__id, 'u': sdc__u}) FILTER (WHERE NOT sdc__stays) AS sdc__entries,
               list({'id': sdc__id, 'x': sdc__x}) FILTER (WHERE sdc__stays) AS sdc__kept
        FROM sdc__drawn GROUP BY sdc__stratum
    ),
    sdc__ordered AS (
        SELECT *, list_transform(sdc__entries, lambda e: e.x) AS sdc__numbers,
               sdc__ascending(sdc__stratum, list_transform(sdc__entries, lambda e: e.x),
                              list_transform(sdc__entries, lambda e: e.first), sdc__entries) AS sdc__order
        FROM sdc__listed
    ),
    sdc__filled AS (
        SELECT sdc__entries,
               sdc__kernel_resample(sdc__stratum::VARCHAR, sdc__order, sdc__numbers,
                                    list_transform(sdc__entries, lambda e: e.u)) AS sdc__masked
        FROM sdc__ordered
    ),
    sdc__values AS (
        SELECT sdc__of.id AS sdc__id, CASE WHEN samples = 1 THEN sdc__x ELSE sdc__averaged(sdc__x, sdc__step) END AS sdc__x
        FROM (SELECT unnest(sdc__entries) AS sdc__of, unnest(sdc__masked) AS sdc__x, sdc__step
              FROM (SELECT *, sdc__list_step(sdc__masked) AS sdc__step FROM sdc__filled))
        UNION ALL
        SELECT sdc__of.id, sdc__of.x FROM (SELECT unnest(sdc__kept) AS sdc__of FROM sdc__listed)
    )
    SELECT sdc__id, unnest(cast_to_type(row(sdc__x), sdc__type)) FROM sdc__values
    LEFT JOIN (SELECT struct_pack(*COLUMNS(sdc__columns((*), columns))) AS sdc__type FROM sdc__unasked(tbl) LIMIT 0) ON true;

-- sdc_resample: values of a column replaced by the average of samples, rank by rank.
-- Example: FROM sdc_resample('persons', 'income', 3, 'id');
CREATE OR REPLACE MACRO sdc_resample(tbl, column_name, samples, id, stratum := NULL, stream := NULL, release := '') AS TABLE
    WITH sdc__done AS (FROM sdc__resample(tbl, [column_name], samples, id, stratum, stream, release))
    FROM sdc__released(tbl, [column_name], id, 'sdc__done');
