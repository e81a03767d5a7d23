-- What local suppression released, counted anew before it is written: an error where the guarantee does not hold.
--
-- The counts are those of sdc_suppression_report and sdc_k_anonymity, which know nothing of the search. released: the id and the
-- suppressed keys.

CREATE OR REPLACE MACRO sdc__held(below, guarantee) AS
    CASE WHEN below = 0 THEN true
         ELSE error('TableError: ' || below || ' released records are without the guarantee ''' || guarantee || ''': nothing was written. Is the table a view that changes as it is read? Store it as a table first.') END;
CREATE OR REPLACE MACRO sdc__suppression_proof(tbl, released, keys, k, guarantee) AS TABLE
    SELECT * EXCLUDE (k), 0 AS below_wildcard FROM sdc_suppression_report(tbl, released, keys, k)
    WHERE sdc__held(CASE guarantee WHEN 'identical' THEN below_identical ELSE below_strong END, guarantee);
CREATE OR REPLACE MACRO sdc__suppression_proof_wildcard(tbl, released, keys, k) AS TABLE
    SELECT sdc__r.* EXCLUDE (k), sdc__w.records AS below_wildcard
    FROM sdc_suppression_report(tbl, released, keys, k) AS sdc__r, (SELECT max(records) AS records FROM sdc_k_anonymity(released, keys, k, nulls := 'wildcard')) AS sdc__w
    WHERE sdc__held(sdc__w.records, 'wildcard');
