-- A digest of what a table holds: 64 hexadecimal digits that are the same for the same columns and records, and for no others.
--
--   record  d_i = sha256(parts of record i)     each value in its canonical text (canonical.sql), written with its length, columns in order
--   bucket  b_j = sha256(the d_i that begin with the same 3 digits, sorted and joined)
--   digest      = sha256(parts of names and types, number of records, the b_j in order)
--
--   persons: age sex    FROM sdc_content_digest('persons'):   digest            records columns
--            30  f                                            589733ac3098...   2       2
--            41  m
--
-- What counts: each value, how often a record occurs, the order, the names (as they are spelled) and the types of the columns. What does
-- not: the order of the records, the number of threads, the version of DuckDB, the settings of the session, and whether the table stands
-- in Parquet, in a database, or in a CSV file that is read with these types. What a file does not keep is no content: an ENUM is a
-- VARCHAR, TIMESTAMP_S and TIMESTAMP_MS are TIMESTAMP, a column of nothing but NULL without a type is INTEGER, -0.0 is 0, a decimal
-- number is written without the zeros behind it. It is a digest and no signature: whoever changes the table can write another one. And it
-- hides nothing: of a table with few possible contents each can be tried.
--
-- Why sorted: the digests of records must be joined in any order. A sum of them (modulo 2^256) or an XOR can be forged: with k freely
-- chosen records the generalised birthday attack finds two tables of the same sum in about 2^(2 sqrt(256)) = 2^32 steps (Wagner, 2002),
-- the XOR by linear algebra. Here two tables with one digest have two texts with one SHA-256, at one of three places: the digest, a
-- bucket, a record. That is as hard as SHA-256 itself (2^128). Nothing is sorted as a whole: 4,096 buckets, each by itself. What is kept
-- of a record is its digest, two UUIDs of 16 bytes (which compare as their digits do, whatever the collation), and its bucket: 34 bytes.
-- These are sorted and joined in slices of buckets, one after the other, each of about two million records: a hundred million records
-- take 3.4 GB, which spill where there is less memory, and half a GB for a slice. So cut, the digest is what it would be in one piece.
-- Source: Clarke, Devadas, van Dijk, Gassend & Suh (2003), Incremental multiset hash functions, ASIACRYPT, sections 4 and 5; Wagner
--   (2002), A generalized birthday problem, CRYPTO.
--
-- Scope: table.
-- Not compiled: it reads the names and types of the columns as DuckDB has them, and values in the texts that DuckDB writes.
-- Parameters:
--   tbl  table  the table, view, common table expression or file (a CSV or JSON file is first made a table, with types of your own)

CREATE OR REPLACE MACRO sdc__kept_type(type) AS
    CASE WHEN starts_with(type, 'ENUM') AND NOT ends_with(type, ']') THEN 'VARCHAR'
         WHEN type IN ('TIMESTAMP_S', 'TIMESTAMP_MS') THEN 'TIMESTAMP'
         WHEN type = '"NULL"' THEN 'INTEGER'
         ELSE type END;

CREATE OR REPLACE MACRO sdc__guesses_types(tbl) AS
    CASE WHEN sdc__is_stored(tbl) THEN false
         ELSE error('TableError: The types of the columns of ' || tbl
                    || ' are guessed, as are those of every CSV or JSON file: another version may guess otherwise, and'
                    || ' values written'
                    || ' in two ways (1.1 and 1.10) would be one. Make a table of it, with types of your own: from'
                    || ' read_csv(file, columns := {...}, header := true, allow_quoted_nulls := false).') END;

-- The digest of each record: of the parts of its values (canonical.sql), one after the other.
CREATE OR REPLACE MACRO sdc__record_digests(tbl) AS TABLE
    SELECT sha256(concat(*COLUMNS(*))) AS sdc__digest
    FROM (SELECT unnest(row(sdc__part_head(COLUMNS(*)), COLUMNS(*)))
          FROM (SELECT sdc__by_bytes(sdc__canonical(COLUMNS(*))) AS "\0" FROM sdc__unasked(tbl)));

-- sdc_content_digest: a digest of the columns and records, whatever their order.
-- Gives: digest VARCHAR, records BIGINT, columns BIGINT.
-- Rows: tables.
-- Example: FROM sdc_content_digest('persons');
CREATE OR REPLACE MACRO sdc_content_digest(tbl) AS TABLE
    WITH RECURSIVE sdc__schema AS (
        SELECT array_to_string(list_transform(sdc__names,
                                              lambda n, i: sdc__part(n) || sdc__part(sdc__kept_type(sdc__types[i]))),
                               '') AS sdc__declared,
               len(sdc__names) AS sdc__width
        FROM (SELECT struct_keys(struct_pack(*COLUMNS(*))) AS sdc__names, [*COLUMNS(*)] AS sdc__types
              FROM (SELECT typeof(COLUMNS(*)) AS "\0" FROM sdc__rows(tbl) LIMIT 1))
    ),
    -- (Unasked whether there are rows, as the schema asks: a union would be read by one thread, since its order is kept.)
    sdc__records AS MATERIALIZED (
        SELECT ('0x' || left(sdc__digest, 3))::SMALLINT AS sdc__bucket, left(sdc__digest, 32)::UUID AS sdc__high,
               right(sdc__digest, 32)::UUID AS sdc__low
        FROM sdc__record_digests(tbl)
    ),
    -- A step takes the buckets from sdc__next on. (That a recursion takes its steps one after the other is what bounds the memory.)
    sdc__slices AS (
        SELECT 0 AS sdc__next, (4096 // (1 + count(*) // 2000000))::INTEGER + 1 AS sdc__buckets, 0::BIGINT AS sdc__n,
               '' AS sdc__joined
        FROM sdc__records
        UNION ALL
        SELECT sdc__next + sdc__buckets, sdc__buckets, sdc__its.*
        FROM (SELECT max(sdc__next) AS sdc__next, max(sdc__buckets) AS sdc__buckets FROM sdc__slices) AS sdc__at, (
            SELECT sum(sdc__k)::BIGINT, string_agg(sdc__of, '' ORDER BY sdc__bucket ASC)
            FROM (
                SELECT sdc__bucket, count(*) AS sdc__k,
                       sha256(replace(array_to_string(list_transform(list_sort(list({'high': sdc__high, 'low': sdc__low}),
                                                                               'ASC', 'NULLS LAST'),
                                                                     lambda d: concat(d.high, d.low)),
                                                      ''),
                                      '-', '')) AS sdc__of
                FROM sdc__records
                WHERE sdc__bucket >= (SELECT max(sdc__next) FROM sdc__slices)
                      AND sdc__bucket < (SELECT max(sdc__next + sdc__buckets) FROM sdc__slices)
                GROUP BY sdc__bucket
            )
        ) AS sdc__its
        WHERE sdc__next < 4096
    ),
    sdc__content AS (
        SELECT sum(sdc__n)::BIGINT AS sdc__n, string_agg(sdc__joined, '' ORDER BY sdc__next ASC) AS sdc__joined
        FROM sdc__slices
    )
    SELECT sha256(concat('sdc_content_digest 1;', sdc__width, ';', sdc__declared, ';', sdc__n, ';', sdc__joined)) AS digest,
           sdc__n AS records, sdc__width::BIGINT AS columns
    FROM sdc__content, sdc__schema
    -- (in a text, so that there is something to plan for a file only)
    WHERE NOT EXISTS (FROM query(CASE WHEN sdc__is_text_file(tbl)
                                          THEN 'SELECT 0 AS sdc__0 WHERE sdc__guesses_types(' || sdc__text(tbl) || ')'
                                      ELSE 'SELECT 0 AS sdc__0 WHERE false' END));

-- The digest of all records where their digests stand in parts, as Spark's and those that Python sorts do: from the digests of the
-- buckets (sdc__bucket, sdc__of, sdc__k), where `tbl` has the columns and no more than their names and types is read of it.
CREATE OR REPLACE MACRO sdc__joined_digest(tbl, buckets) AS TABLE
    WITH sdc__schema AS (
        SELECT array_to_string(list_transform(sdc__names,
                                              lambda n, i: sdc__part(n) || sdc__part(sdc__kept_type(sdc__types[i]))),
                               '') AS sdc__declared,
               len(sdc__names) AS sdc__width
        FROM (SELECT struct_keys(struct_pack(*COLUMNS(*))) AS sdc__names, [*COLUMNS(*)] AS sdc__types
              FROM (SELECT typeof(COLUMNS(*)) AS "\0" FROM sdc__unasked(tbl) LIMIT 1))
    ),
    sdc__content AS (
        SELECT sum(sdc__k)::BIGINT AS sdc__n, string_agg(sdc__of, '' ORDER BY sdc__bucket ASC) AS sdc__joined
        FROM query_table(buckets)
    )
    SELECT sha256(concat('sdc_content_digest 1;', sdc__width, ';', sdc__declared, ';', sdc__n, ';', sdc__joined)) AS digest
    FROM sdc__content, sdc__schema;
