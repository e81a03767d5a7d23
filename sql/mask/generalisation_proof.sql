-- What a generalisation released, counted anew before it is written: an error where a record stands out.
--
-- The counts are those of sdc_k_anonymity, which knows nothing of the search. released: the id and the generalised keys.

CREATE OR REPLACE MACRO sdc__generalisation_proof(released, keys, k) AS TABLE
    SELECT max(records) AS below_k FROM sdc_k_anonymity(released, keys, k) WHERE sdc__held(records, 'k-anonymity');
