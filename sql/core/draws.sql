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
--
-- Parameters:
--   stream         text     names the draws; another stream gives independent ones
--   id             value    the record's id, never NULL
--   categories     values   the categories to draw from
--   probabilities  numbers  of the categories, in their order; they sum to 1 (within 1e-9)

-- Without a stream (NULL) nothing is drawn, and none is asked for.
CREATE OR REPLACE MACRO sdc__secret_key_of(stream) AS (
    SELECT sdc__secret
    FROM (SELECT CASE WHEN stream IS NULL THEN ''
                      WHEN length(getvariable('sdc_key')::VARCHAR) > 0 THEN getvariable('sdc_key')::VARCHAR
                      ELSE error('ParameterError: No secret key is set: SET VARIABLE sdc_key = ''...'' first (or set the environment variable SDC_KEY for the command line and Python).')
                 END AS sdc__secret)
);
CREATE OR REPLACE MACRO sdc__secret_key() AS sdc__secret_key_of('');

-- A uniform variate from a key already at hand (a column sdc__secret), for use in lambdas.
CREATE OR REPLACE MACRO sdc__uniform(key, stream, id) AS
    ('0x' || substr(sha256(concat(length(key), ':', key, length(stream), ':', stream, coalesce(id::VARCHAR, error('ColumnError: The id of a record is NULL: keyed draws need an id for every record.')))), 1, 13))::BIGINT / 4503599627370496e0;

-- A uniform variate in [0, 1), a multiple of 2^-52.
-- sdc_uniform: a uniform draw in [0, 1) that depends on the secret key, the stream and the record's id alone.
-- Example: SELECT id, sdc_uniform('noise', id) AS u FROM persons;
CREATE OR REPLACE MACRO sdc_uniform(stream, id) AS sdc__uniform(sdc__secret_key(), stream, id);

-- A standard normal variate of a uniform one. The half step keeps it off 0 and centres it.
CREATE OR REPLACE MACRO sdc__normal(u) AS sdc__normal_quantile(u + 1.1102230246251565e-16);

-- A standard normal variate. (A macro's argument is pasted wherever it is named; the lambda makes the draw once.)
-- sdc_normal: a standard normal draw that depends on the secret key, the stream and the record's id alone.
-- Example: SELECT id, sdc_normal('noise', id) AS z FROM persons;
CREATE OR REPLACE MACRO sdc_normal(stream, id) AS
    list_transform([sdc_uniform(stream, id)], lambda u: sdc__normal(u))[1];

-- The sums p_1, p_1 + p_2, ... in units of 2^-52, in which a uniform variate is a whole number: whole
-- numbers add up the same in any order, so a draw never depends on the rounding of a sum.
CREATE OR REPLACE MACRO sdc__steps(probability) AS round(probability * 4503599627370496e0)::BIGINT;

-- A category: categories[i] with probability probabilities[i].
--   SELECT sdc_category('colour', 17, ['red', 'green'], [0.9, 0.1]);
-- sdc_category: a category drawn: categories[i] with probability probabilities[i].
-- Example: SELECT id, sdc_category('colour', id, ['red', 'green'], [0.9, 0.1]) AS colour FROM persons;
CREATE OR REPLACE MACRO sdc_category(stream, id, categories, probabilities) AS CASE
    WHEN len(categories) = len(probabilities)
         AND list_count(probabilities) = len(probabilities)
         AND list_min(probabilities::DOUBLE[]) >= 0 AND abs(list_sum(probabilities::DOUBLE[]) - 1) <= 1e-9
        THEN list_transform([sdc_uniform(stream, id)], lambda u: categories[1 + len(list_filter(
                 range(1, len(probabilities)),
                 lambda i: list_sum(list_transform(probabilities[1:i], lambda p: sdc__steps(p))) <= u * 4503599627370496e0))])[1]
    ELSE error('ParameterError: The probabilities of the categories must be one for each, none negative, and sum to 1.')
END;
