-- Keyed draws: a random variate is a pure function of a secret key, a stream and a record's id, so
-- the same file is masked the same way for any number of threads, any order of rows, any engine,
-- and again next year. Another stream, or another key, gives independent draws.
--
--   u = (first 52 bits of sha256(len(key):key len(stream):stream id)) / 2^52, in [0, 1)
--   z = Phi^-1(u + 2^-53), standard normal
-- The lengths make the text unambiguous: no two triples give the same one.
--
--   SET VARIABLE sdc_key = '...';         -- in a shell: = getenv('SDC_KEY')
--   SELECT sdc_uniform('noise', 17);      0.5...
--
-- Whoever holds the key can undo the masking. It is read in a subquery, as a column with a name of
-- its own, so that the plans that EXPLAIN and the profiler print show the name and not the key.

CREATE OR REPLACE MACRO sdc__secret_key() AS (
    SELECT sdc__secret
    FROM (SELECT CASE WHEN length(getvariable('sdc_key')::VARCHAR) > 0 THEN getvariable('sdc_key')::VARCHAR
                      ELSE error('No secret key is set: SET VARIABLE sdc_key = ''...'' first (or set the environment variable SDC_KEY for the command line and Python).')
                 END AS sdc__secret)
);

CREATE OR REPLACE MACRO sdc__draw_text(key, stream, id) AS
    concat(length(key), ':', key, length(stream), ':', stream, coalesce(id::VARCHAR, error('The id of a record is NULL: keyed draws need an id for every record.')));

-- A uniform variate in [0, 1), a multiple of 2^-52. stream: text; id: the record's, never NULL.
CREATE OR REPLACE MACRO sdc_uniform(stream, id) AS
    ('0x' || substr(sha256(sdc__draw_text(sdc__secret_key(), stream, id)), 1, 13))::BIGINT / 4503599627370496e0;

-- A standard normal variate. The half step keeps u off 0 and centres it. (A macro's argument is pasted
-- wherever it is named; the lambda makes the draw once.)
CREATE OR REPLACE MACRO sdc_normal(stream, id) AS
    list_transform([sdc_uniform(stream, id) + 1.1102230246251565e-16], lambda u: sdc__normal_quantile(u))[1];
