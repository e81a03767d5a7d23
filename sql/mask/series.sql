-- Digests of a series of releases: what its private ledger has in the place of ids and values.
--
--   id     d_i  = 128 bits of sha256(subkey, id)               subkey of the key, the series, 'id'
--   value  d_ij = 128 bits of sha256(subkey, id, value)        subkey of the key, the series, the step, the column
-- Keyed, by subkeys of their own (draws.sql): without the id in it the frequencies of digests would tell most values of a column with few.
-- Whoever has the secret key can try all possible values: with it the digests hide nothing that has few of them.

CREATE OR REPLACE MACRO sdc__first_half(digest) AS unhex(substr(digest, 1, 32));

-- id: a text, in its canonical form.
CREATE OR REPLACE MACRO sdc__series_id(id, series) AS
    sdc__first_half(sdc__digest((SELECT sdc__subkey(sdc__secret_key(), series, '', 'series', '', 'id')), id, ''));

CREATE OR REPLACE MACRO sdc__series_ids(tbl, id, series) AS TABLE
    SELECT sdc__series_id(sdc__checked_id(sdc__id), series) AS sdc__digest FROM sdc__identified(tbl, id);

CREATE OR REPLACE MACRO sdc__series_value(id, value, series, step, column_name) AS
    sdc__first_half(sdc__digest((SELECT sdc__subkey(sdc__secret_key(), series, step, 'series', '', sdc__folded(column_name))),
                                sdc__checked_id(id), sdc__part(sdc__canonical(value))));

-- A stratum, beside the averages that were released in it: a text, and not the stratum itself.
CREATE OR REPLACE MACRO sdc__series_stratum(value, series, step) AS
    lower(hex(sdc__first_half(sdc__digest((SELECT sdc__subkey(sdc__secret_key(), series, step, 'series', '', 'stratum')), '',
                                          sdc__part(sdc__canonical(value))))));

-- The keys of a ledger: of its file, of its chain. They are read in a subquery, as the secret is (draws.sql).
CREATE OR REPLACE MACRO sdc__series_key(series, purpose) AS
    (SELECT sha256(concat(sdc__part(sdc__secret), sdc__part('sdc-sql series'), sdc__part(series), sdc__part(purpose)))
     FROM (SELECT sdc__secret_key() AS sdc__secret));

-- The classes of a mapping: of each listed value a digest, of its class, and of the class's label read as a value, which `keep` may leave
-- as it is; and of the label of values that are not listed. By these a later mapping is seen to be made of whole former classes.
CREATE OR REPLACE MACRO sdc__series_class(text, series, step) AS
    sdc__first_half(sdc__digest((SELECT sdc__subkey(sdc__secret_key(), series, step, 'series', '', 'mapping')), '', sdc__part(text)));
CREATE OR REPLACE MACRO sdc__series_classes(mapping, label, series, step) AS TABLE
    WITH sdc__listed AS MATERIALIZED (FROM sdc__recode_mapping(mapping))
    SELECT sdc__series_class(sdc__from, series, step) AS sdc__value, sdc__series_class(sdc__to::VARCHAR, series, step) AS sdc__class,
           sdc__series_class(sdc__canonical(sdc__to), series, step) AS sdc__named, sdc__to::VARCHAR AS sdc__label, true AS sdc__is_listed
    FROM sdc__listed
    UNION ALL
    SELECT NULL, sdc__series_class(sdc__to::VARCHAR, series, step), sdc__series_class(sdc__canonical(sdc__to), series, step),
           sdc__to::VARCHAR, false
    FROM (SELECT sdc__label_as(label::VARCHAR, sdc__to) AS sdc__to FROM sdc__listed LIMIT 1) WHERE label IS NOT NULL
    UNION ALL
    SELECT sdc__series_class(NULL::VARCHAR, series, step), sdc__series_class(NULL::VARCHAR, series, step),
           sdc__series_class(NULL::VARCHAR, series, step), NULL, true
    WHERE NOT EXISTS (FROM sdc__listed WHERE sdc__from IS NULL);
