-- The original frequencies of a column that PRAM changed in batches, each by a matrix of its own, as guaranteed PRAM does in a series.
--
--   T-hat = sum over batches b of (P_b^-1)^t T_X,b        V(T-hat) = sum over batches of V_b
-- Each batch is estimated by its own matrix, with its own standard errors (pram_matrix.sql). Batches are drawn independently of one
-- another, so their variances add. By one matrix for them all, such as the last one, the estimate is biased.
-- Source: SDC handbook, section 3.4.6.1, for one batch; variances of independent sums add.
--
--   released: id sex batch      matrices: batch from to probability
--             1  f   first                first f    f  0.9
--             2  m   second               first f    m  0.1 ...
-- The matrix has a column of the name of `batch`; each batch of the table needs its rows there. NULL is no category here.
--
-- Scope: cells.
-- Parameters:
--   tbl          table   the table, view, common table expression or file
--   column_name  column  the variable
--   batch        column  a column of the table and of the matrix: the batch that the record's value was drawn in
--   matrix       table   the probabilities of each batch: the batch, from, to, probability

CREATE OR REPLACE MACRO sdc__checked_batch(b) AS
    CASE WHEN b IS NULL THEN error('ParameterError: The batch of a record is NULL: without it nobody knows by which matrix its value was'
                                   || ' drawn. Leave such records out, or give their batch.') ELSE b END;

-- Of each batch what sdc__pram_dense has of one table: the categories in order, the matrix row by row, the released frequencies.
CREATE OR REPLACE MACRO sdc__pram_dense_by_batch(tbl, column_name, batch, matrix) AS TABLE
    WITH sdc__counts AS MATERIALIZED (
        SELECT sdc__b, sdc__x, count(*) AS sdc__t
        FROM (SELECT sdc__checked_batch(COLUMNS(sdc__columns((*), [batch]))) AS sdc__b, COLUMNS(sdc__columns((*), [column_name])) AS sdc__x
              FROM sdc__exact_rows(tbl, codes := [batch, column_name]))
        GROUP BY sdc__b, sdc__x HAVING count(sdc__x) > 0
    ),
    sdc__typed AS MATERIALIZED (
        SELECT sdc__category_of(sdc__m.sdc__s, sdc__t.sdc__b) AS sdc__b, sdc__category_of(sdc__m."from", sdc__t.sdc__x) AS sdc__from,
               sdc__category_of(sdc__m."to", sdc__t.sdc__x) AS sdc__to,
               sdc__checked_probability(TRY_CAST(sdc__m.probability AS DOUBLE)) AS sdc__p
        FROM (SELECT sdc__by_bytes(COLUMNS(sdc__columns((*), ['from', 'to', 'probability']))) AS "\0",
                     sdc__by_bytes(COLUMNS(sdc__columns((*), [batch]))) AS sdc__s FROM sdc__rows(matrix)) AS sdc__m
        LEFT JOIN (FROM sdc__counts LIMIT 0) AS sdc__t ON true
    ),
    sdc__categories AS MATERIALIZED (  -- of the batches that the table has
        SELECT sdc__b, unnest([sdc__from, sdc__to]) AS sdc__c FROM sdc__typed SEMI JOIN sdc__counts USING (sdc__b)
        UNION SELECT sdc__b, sdc__x FROM sdc__counts
    ),
    sdc__square AS (
        SELECT a.sdc__b, a.sdc__c AS sdc__a, b.sdc__c AS sdc__z, coalesce(sum(m.sdc__p), 0) AS sdc__p,
               CASE WHEN count(m.sdc__p) > 1
                        THEN error('ParameterError: The PRAM matrix of a batch lists a change (a from and a to) twice.') END AS sdc__twice
        FROM sdc__categories AS a JOIN sdc__categories AS b ON a.sdc__b = b.sdc__b
        LEFT JOIN sdc__typed AS m ON m.sdc__b = a.sdc__b AND m.sdc__from = a.sdc__c AND m.sdc__to = b.sdc__c
        WHERE CASE WHEN a.sdc__c IS NULL THEN error('ParameterError: NULL cannot be a category of a matrix that is to be'
                                                    || ' inverted or made invariant.')
                   WHEN a.sdc__b IN (SELECT sdc__b FROM sdc__typed) THEN true
                   ELSE error('ParameterError: A batch of the table has no rows in the table of matrices: give the matrix that its'
                              || ' values were drawn by.') END
        GROUP BY a.sdc__b, a.sdc__c, b.sdc__c
    )
    SELECT sdc__b, list(sdc__c ORDER BY sdc__c ASC) AS sdc__names, list(coalesce(sdc__t, 0)::DOUBLE ORDER BY sdc__c ASC) AS sdc__t,
           any_value(sdc__flat) AS sdc__p
    FROM sdc__categories
    LEFT JOIN (SELECT sdc__b, sdc__x AS sdc__c, sdc__t FROM sdc__counts) USING (sdc__b, sdc__c)
    JOIN (SELECT sdc__b, list(sdc__p ORDER BY sdc__a ASC, sdc__z ASC) AS sdc__flat
          FROM sdc__square WHERE sdc__twice IS NULL GROUP BY sdc__b) USING (sdc__b)
    GROUP BY sdc__b;

-- sdc_pram_estimate_by_batch: the original frequencies of a column that was released in batches, each estimated by its own matrix, and
--   added.
-- Gives: category VARCHAR, released DOUBLE, estimate DOUBLE, standard_error DOUBLE, batches BIGINT.
-- Rows: categories.
-- Example: FROM sdc_pram_estimate_by_batch('persons', 'sex', 'region', 'sexes_by_region');
CREATE OR REPLACE MACRO sdc_pram_estimate_by_batch(tbl, column_name, batch, matrix) AS TABLE
    WITH sdc__estimated AS (
        SELECT sdc__names, sdc__t, sdc__kernel_estimate(sdc__p, sdc__t) AS sdc__found
        FROM sdc__pram_dense_by_batch(tbl, column_name, batch, matrix)
    )
    SELECT category, sum(released) AS released, sum(estimate) AS estimate, sqrt(sum(standard_error ** 2)) AS standard_error,
           count(*) AS batches
    FROM (SELECT unnest(sdc__names) AS category, unnest(sdc__t) AS released, unnest(sdc__found[1]) AS estimate,
                 unnest(sdc__found[2]) AS standard_error
          FROM sdc__estimated)
    GROUP BY category ORDER BY category ASC;
