-- The distribution of a sensitive variable in each cell of the keys, beside that in the whole file:
-- what every measure of attribute disclosure stands on.
--
--   p_v = the share of the cell's records with value v; q_v = the share of the file's records with it
-- Source: Machanavajjhala et al. (2007), l-diversity: privacy beyond k-anonymity, section 2 (p);
-- Li, Li & Venkatasubramanian (2007), t-closeness, section 3 (P and Q).
-- NULL in a key and NULL in the sensitive variable are values of their own.

-- The sensitive column, which must not be a key (each cell would hold one value of it).
CREATE OR REPLACE MACRO sdc__sensitive(have, keys, sensitive) AS CASE
    WHEN sdc__is_among(sensitive, keys)
        THEN [sensitive::VARCHAR || '" is a key variable as well as the sensitive variable: take it out of the keys; so "'
              || sensitive::VARCHAR]
    ELSE sdc__columns(have, [sensitive::VARCHAR])
END;

-- One row for each cell and value in it: sdc__key, sdc__value, sdc__n.
CREATE OR REPLACE MACRO sdc__attribute_counts(tbl, keys, sensitive, numbers := false) AS TABLE
    SELECT struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key, sdc__value, sdc__n
    FROM (SELECT COLUMNS(sdc__sensitive((*), keys, sensitive)) AS sdc__value, COLUMNS(sdc__columns((*), keys)),
                 count(*) AS sdc__n
          FROM sdc__exact_rows(tbl,
                               codes := CASE WHEN numbers THEN sdc__names(keys)
                                             ELSE list_append(sdc__names(keys), sensitive::VARCHAR) END,
                               compared := keys)
          GROUP BY ALL);

-- The same of cells that are counted already, by the sensitive column too (sdc_sql/db/counted.py).
CREATE OR REPLACE MACRO sdc__counted_attributes(tbl, keys, sensitive) AS TABLE
    SELECT struct_pack(*COLUMNS(lambda c: NOT starts_with(c, 'sdc__'))) AS sdc__key, sdc__value, sdc__n
    FROM (SELECT COLUMNS(sdc__sensitive((*), keys, sensitive)) AS sdc__value, COLUMNS(sdc__columns((*), keys)),
                 sum(sdc__records)::BIGINT AS sdc__n
          FROM query_table(tbl)
          GROUP BY ALL);

-- The same with sdc__f (the cell's records), sdc__values (how many values the cell has), sdc__p, sdc__q,
-- and sdc__m (how many values the file has).
CREATE OR REPLACE MACRO sdc__attribute_cells(tbl, keys, sensitive, numbers := false) AS TABLE
    WITH sdc__counted AS MATERIALIZED (FROM sdc__attribute_counts(tbl, keys, sensitive, numbers := numbers)),
    sdc__sizes AS (SELECT sdc__key, sum(sdc__n)::BIGINT AS sdc__f, count(*) AS sdc__values FROM sdc__counted GROUP BY sdc__key),
    sdc__whole AS (
        SELECT sdc__value, sum(sdc__n) / sum(sum(sdc__n)) OVER ()::DOUBLE AS sdc__q, count(*) OVER () AS sdc__m
        FROM sdc__counted GROUP BY sdc__value
    )
    SELECT c.sdc__key, c.sdc__value, c.sdc__n, s.sdc__f, s.sdc__values, 1e0 * c.sdc__n / s.sdc__f AS sdc__p, w.sdc__q, w.sdc__m
    FROM sdc__counted AS c
    LEFT JOIN sdc__sizes AS s ON c.sdc__key = s.sdc__key
    LEFT JOIN sdc__whole AS w ON c.sdc__value IS NOT DISTINCT FROM w.sdc__value;

-- The keys with further columns; a NULL of columns adds none.
CREATE OR REPLACE MACRO sdc__both(keys, others) AS list_concat(sdc__names(keys), sdc__names_if_any(others));

-- A number that must be positive.
CREATE OR REPLACE MACRO sdc__checked_positive(number, name) AS
    CASE WHEN TRY_CAST(number AS DOUBLE) > 0 AND TRY_CAST(number AS DOUBLE) < 'infinity'::DOUBLE THEN TRY_CAST(number AS DOUBLE)
         ELSE error('ParameterError: The ' || name || ' is ' || coalesce(number::VARCHAR, 'NULL')
                    || ': it must be positive and finite.') END;
