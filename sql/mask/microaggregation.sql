-- Microaggregation: groups of at least k alike records release one value in place of their own.
--
--   mdav, vmdav              groups of k to 2k - 1 near records over all columns (standardised)    3.4.5.4
--   univariate               one column, the least loss (Hansen & Mukherjee)                       3.4.5.3
--   individual_ranking       each column by itself: little is lost, little protected               3.4.5.2
--   principal_component, sum_of_z   groups along one axis                                          3.4.5.2
-- Source: SDC handbook, sections 3.4.2.3 and 3.4.5; vmdav: A. Solanas & A. Martinez-Balleste (2006), V-MDAV: a multivariate
--   microaggregation with variable group size, COMPSTAT 2006, 917-925.
--
--   CREATE TABLE released AS FROM sdc_microaggregate('firms', ['turnover', 'profit'], 3, 'id');
--
-- Records with NULL in some of the columns are grouped with those that lack the same: fewer than k of a kind is an error.
-- No draws: no key is needed. A mean or median is released with its first 32 bits (grid.sql).
--
-- What `blocks` costs hangs on the records in a block. Of the variance are lost by k = 5 (SSE/SST, standardised; one block is
-- MDAV as it stands):
--   blocks                                                       1        4       16       64      256
--   22,272 couples, experience, hours and income            0.26 %   0.29 %   0.41 %   1.10 %   3.80 %
--   20,000 normal, three columns, correlations 0.5          0.55 %   0.56 %   0.62 %   1.16 %   3.54 %
--   834 firms (Tarragona), three columns                    13.2 %   13.3 %   13.3 %   18.0 %
-- With a thousand records in a block a tenth to six tenths more is lost than without blocks, with 300 to 350 twice to four times as much:
-- give no more blocks than time asks for.
--
-- Scope: table.
-- Bits: last digits.
-- Coarsens: no.
-- Loss: published.
-- Repeated: once (a mean changes with its group: two releases are two equations of the same values, and the difference of their totals
--   is the value of one newcomer).
-- Series: refused (the category of a group changes with it; keeping the groups of categories is not built yet).
-- Parameters:
--   tbl       table                     the table, view, common table expression or file
--   columns   columns                   the columns to mask
--   k         whole number in [2, ...)  the least number of records in a group
--   id        column                    identifies each record
--   method    'mdav', 'vmdav', 'univariate', 'individual_ranking', 'principal_component' or 'sum_of_z'  how groups are formed
--   centroid  'mean' or 'median'        the value that a group releases
--   blocks    whole number in [1, ...)  of mdav: within so many blocks along the first principal component, for large files; costs
--                                       information (above)
--   gamma     number in [0, ...)        of vmdav: the larger, the more groups grow beyond k
--   scale     'ordinal' or 'nominal'    whether the categories are ordered
--   stratum   column                    a column within whose values groups are formed

CREATE OR REPLACE MACRO sdc__microaggregate(tbl, columns, k, id, method, centroid, blocks, gamma, stratum) AS TABLE
    WITH sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_microaggregate(
                   sdc__stratum::VARCHAR, sdc__x, sdc__checked_number(k, 'k'),
                   sdc__checked_choice(method, 'method',
                                       ['mdav', 'vmdav', 'univariate', 'individual_ranking', 'principal_component',
                                        'sum_of_z']),
                   sdc__checked_choice(centroid, 'centroid', ['mean', 'median']), sdc__checked_number(blocks, 'blocks'),
                   sdc__checked_number(gamma, 'gamma')) AS sdc__masked
        FROM sdc__gathered(tbl, columns, id, stratum, 'column', NULL, NULL, NULL, NULL, 140 + 31 * len(sdc__names(columns)))
    )
    FROM sdc__spread_averages(tbl, columns, 'sdc__filled');

-- Keeps: the means of the columns, where the centroid is 'mean', to 2^-32 of the values.
-- Guarantees: each combination of the released values is shared by at least k records (by 'individual_ranking': each value).
-- Users: Means and totals of all records hold where groups have the mean, those of small domains nearly. Variances come out too small, and
--   correlations of columns that were grouped together too great.
-- Values: numbers.
-- Told: method, k, centroid.
-- Series: values (the groups of the first release stay, and a new value joins the nearest average: no new one is published. Of a record
--   that changes in one of several columns the combination may be shared by fewer than k).
-- Strata: apart.
-- Households: as one record.
-- Title: Microaggregation of numbers; Microaggregation of {}.
-- sdc_microaggregate: numeric columns replaced by the mean (or median) of groups of at least k alike records.
-- Example: FROM sdc_microaggregate('persons', ['age', 'income'], 3, 'id');
CREATE OR REPLACE MACRO sdc_microaggregate(tbl, columns, k, id, method := 'mdav', centroid := 'mean', blocks := 1,
                                           gamma := 0.2, stratum := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__microaggregate(tbl, columns, k, id, method, centroid, blocks, gamma, stratum))
    FROM sdc__released(tbl, columns, id, 'sdc__done');

-- Of categories: ordinal ones (in the order of their type: that of an ENUM is its definition's) become their group's
-- median, nominal ones its most frequent category (3.4.5.5). Groups are MDAV's: on ranks, or on whether categories agree.
-- NULL is a category of its own, after the others.
CREATE OR REPLACE MACRO sdc__microaggregate_categorical(tbl, columns, k, id, scale, stratum) AS TABLE
    WITH sdc__ranked AS (
        SELECT sdc__id,
               sdc__stratum_value(stratum, COLUMNS(sdc__named_column((*), stratum))) AS sdc__stratum,
               struct_keys(struct_pack(*COLUMNS(sdc__to_mask((*), columns, id)))) AS sdc__names,
               dense_rank() OVER (ORDER BY COLUMNS(sdc__to_mask((*), columns, id)) ASC NULLS LAST) AS "sdc__c_\0",
               COLUMNS(sdc__to_mask((*), columns, id))::VARCHAR AS "sdc__l_\0"
        FROM sdc__identified_at_once(tbl, id, 230 + 75 * len(sdc__names(columns)), codes := list_append(sdc__names(columns), stratum),
                                     compared := [stratum])
    ),
    sdc__gathered AS (
        SELECT sdc__stratum, list(sdc__id ORDER BY sdc__id ASC) AS sdc__ids, any_value(sdc__names) AS sdc__names,
               list([*COLUMNS(lambda c: starts_with(c, 'sdc__c_'))] ORDER BY sdc__id ASC) AS sdc__codes,
               list([*COLUMNS(lambda c: starts_with(c, 'sdc__l_'))] ORDER BY sdc__id ASC) AS sdc__labels
        FROM sdc__ranked GROUP BY sdc__stratum
    ),
    sdc__filled AS (
        SELECT sdc__ids, sdc__names,
               sdc__kernel_microaggregate_categorical(
                   sdc__stratum::VARCHAR, sdc__codes, sdc__labels, sdc__checked_number(k, 'k'),
                   sdc__checked_choice(scale, 'scale', ['ordinal', 'nominal'])) AS sdc__masked
        FROM sdc__gathered
    )
    FROM sdc__spread(tbl, columns, 'sdc__filled');

-- Keeps: which categories there are.
-- Guarantees: each combination of the released categories is shared by at least k records.
-- Users: Counts of common categories hold nearly. Rare ones come out too rare, relations with other columns too strong or too weak.
-- Values: codes.
-- Bits: exact.
-- Told: k.
-- Strata: apart.
-- Households: as one record.
-- Title: Microaggregation of categories; Microaggregation of {}.
-- sdc_microaggregate_categorical: categories replaced by the median, or the most frequent one, of groups of at least k alike records.
-- Example: FROM sdc_microaggregate_categorical('persons', ['sex', 'region'], 3, 'id', scale := 'nominal');
CREATE OR REPLACE MACRO sdc_microaggregate_categorical(tbl, columns, k, id, scale := 'ordinal', stratum := NULL) AS TABLE
    WITH sdc__done AS (FROM sdc__microaggregate_categorical(tbl, columns, k, id, scale, stratum))
    FROM sdc__released(tbl, columns, id, 'sdc__done');
