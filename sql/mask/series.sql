-- Digests of a series of releases: what its private ledger has in the place of ids and values.
--
--   id     d_i  = 128 bits of sha256(subkey, id)               subkey of the key, the series, 'id'
--   record c_i  = 128 bits of sha256(subkey, record)           subkey of the key, the series, 'content'; the XOR of them is the table's
--   value  d_ij = 128 bits of sha256(subkey, id, value)        subkey of the key, the series, the step, the column
-- Keyed, by subkeys of their own (draws.sql): without the id in it the frequencies of digests would tell most values of a column with few.
-- The XOR of keyed digests of records, which differ by their ids, is forged by nobody without the key (MSet-XOR-Hash: Clarke, Devadas, van
-- Dijk, Gassend & Suh, 2003, Incremental multiset hash functions, ASIACRYPT), and needs no order: a digest of the content of a table for
-- who has no key is sorted (content_digest.sql).
-- Whoever has the secret key can try all possible values: with it the digests hide nothing that has few of them.

CREATE OR REPLACE MACRO sdc__first_half(digest) AS unhex(substr(digest, 1, 32));

-- id: a text, in its canonical form.
CREATE OR REPLACE MACRO sdc__series_id(id, series) AS
    sdc__first_half(sdc__digest((SELECT sdc__subkey(sdc__secret_key(), series, '', 'series', '', 'id')), id, ''));

CREATE OR REPLACE MACRO sdc__series_ids(tbl, id, series) AS TABLE
    SELECT sdc__series_id(sdc__checked_id(sdc__id), series) AS sdc__digest FROM sdc__identified(tbl, id);

-- Of each record the digest of its id, and that of all of it.
CREATE OR REPLACE MACRO sdc__series_records(tbl, id, series) AS TABLE
    SELECT sdc__series_id(sdc__checked_id(sdc__id), series) AS sdc__digest,
           sdc__first_half(sdc__digest(
               (SELECT sdc__subkey(sdc__secret_key(), series, '', 'series', '', 'content')), '',
               concat(*COLUMNS(lambda c: starts_with(c, 'sdc__of_record_'))))) AS sdc__content
    FROM (SELECT sdc__id, sdc__by_bytes(sdc__part(sdc__canonical(COLUMNS(lambda c: c <> 'sdc__id')))) AS "sdc__of_record_\0"
          FROM sdc__identified(tbl, id))
    -- (a text file has types that are guessed: it is refused as it is for a digest of its content)
    WHERE NOT EXISTS (FROM query(CASE WHEN sdc__is_text_file(tbl)
                                          THEN 'SELECT 0 AS sdc__0 WHERE sdc__guesses_types(' || sdc__text(tbl) || ')'
                                      ELSE 'SELECT 0 AS sdc__0 WHERE false' END));

CREATE OR REPLACE MACRO sdc__series_value(id, value, series, step, column_name) AS
    sdc__first_half(sdc__digest((SELECT sdc__subkey(sdc__secret_key(), series, step, 'series', '', sdc__folded(column_name))),
                                sdc__checked_id(id), sdc__part(sdc__canonical(value))));

-- The keys of a ledger: of its file, of its chain. They are read in a subquery, as the secret is (draws.sql).
CREATE OR REPLACE MACRO sdc__series_key(series, purpose) AS
    (SELECT sha256(concat(sdc__part(sdc__secret), sdc__part('sdc-sql series'), sdc__part(series), sdc__part(purpose)))
     FROM (SELECT sdc__secret_key() AS sdc__secret));
