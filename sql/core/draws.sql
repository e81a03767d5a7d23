-- Keyed draws: a random variate is a pure function of a secret key, of what is drawn for, and of the record, so that the
-- same file is masked the same way for any number of threads, any order of rows, any engine, and again next year.
--
--   subkey = 22 characters of base64(sha256(key, release, pass, method, parameters, columns))      once a query, stratum or category
--   digest = sha256(subkey, id, value)                                                              once a record
--   u      = 52 bits of the digest / 2^52, in [0, 1); a digest gives four
--   z      = Phi^-1(u + 2^-53), standard normal
-- Each part is written with its length (sdc__part), so that no two messages are the same by accident; ids and values are
-- in their canonical form (sdc__canonical).
--
-- What a draw depends on besides key and id, and why: with the same draw at two sizes of the noise (parameters), in two waves
-- (value), in two passes over a column, or of two methods, two releases together give the originals. Independent draws give no
-- more than an average does. Another release name gives independent draws of everything.
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
--   value          value    the value that is to be masked, so that another value has independent draws
--   release        text     names the release; another one gives independent draws
--   categories     values   the categories to draw from
--   probabilities  numbers  of the categories, in their order; they sum to 1 (within 1e-9)

-- Where nothing is drawn (NULL), no key is asked for.
CREATE OR REPLACE MACRO sdc__secret_key_of(drawn) AS (
    SELECT sdc__secret
    FROM (SELECT CASE WHEN drawn IS NULL THEN '' ELSE sdc__checked_key(getvariable('sdc_key')::VARCHAR) END AS sdc__secret)
);
CREATE OR REPLACE MACRO sdc__secret_key() AS sdc__secret_key_of('');

-- 128 bits of a digest in 22 characters: a message with an id and a value is then one block of SHA-256.
CREATE OR REPLACE MACRO sdc__subkey(key, release, pass, method, parameters, columns) AS
    left(to_base64(
             unhex(substr(sha256(concat(sdc__part(key), sdc__part(release::VARCHAR), sdc__part(coalesce(pass::VARCHAR, '')),
                                        sdc__part(method), sdc__part(parameters), sdc__part(columns))),
                          1, 32))),
         22);

-- Several parts in one text. What makes them may be long: each is bound once here, where a part by itself names it twice (and
-- array_to_string its list).
CREATE OR REPLACE MACRO sdc__joined_parts(texts) AS
    coalesce(list_aggregate(list_transform(texts, lambda t: sdc__part(t)), 'string_agg', ''), '');

-- The names of columns as a part of a subkey, whatever the order in which they are given or stand in the table.
CREATE OR REPLACE MACRO sdc__columns_part(columns) AS
    array_to_string(list_sort(list_transform(sdc__names(columns), lambda c: sdc__part(sdc__folded(c))), 'ASC'), '');

CREATE OR REPLACE MACRO sdc__checked_id(id) AS
    coalesce(sdc__canonical(id), error('ColumnError: The id of a record is NULL: keyed draws need an id for every record.'));

-- id, value: texts. Of more than four uniforms, digest b (from 1) gives the next four.
CREATE OR REPLACE MACRO sdc__digest(subkey, id, value) AS sha256(concat(subkey, length(id), ':', id, value));
CREATE OR REPLACE MACRO sdc__digest_of(subkey, b, id, value) AS
    CASE WHEN b = 0 THEN sdc__digest(subkey, id, value) ELSE sha256(concat(subkey, b, '.', length(id), ':', id, value)) END;

-- The uniform variate j (from 1 to 4) of a digest.
CREATE OR REPLACE MACRO sdc__uniform_of(digest, j) AS ('0x' || substr(digest, 13 * j - 12, 13))::BIGINT / 4503599627370496e0;
CREATE OR REPLACE MACRO sdc__uniform(subkey, id, value) AS sdc__uniform_of(sdc__digest(subkey, id, value), 1);

-- A list of n uniform variates.
CREATE OR REPLACE MACRO sdc__uniforms(subkey, id, value, n) AS
    flatten(list_transform(list_transform(range((n + 3) // 4), lambda b: sdc__digest_of(subkey, b, id, value)),
        lambda d: [sdc__uniform_of(d, 1), sdc__uniform_of(d, 2), sdc__uniform_of(d, 3), sdc__uniform_of(d, 4)]))[1:n];

-- For a standard normal variate: the half step keeps a uniform one off 0 and centres it.
CREATE OR REPLACE MACRO sdc__off_zero(u) AS u + 1.1102230246251565e-16;

-- A uniform variate in [0, 1), a multiple of 2^-52.
-- sdc_uniform: a uniform draw in [0, 1) that depends on the secret key, the release, the stream, the record's id and the value alone.
-- Example: SELECT id, sdc_uniform('noise', id) AS u FROM persons;
CREATE OR REPLACE MACRO sdc_uniform(stream, id, value := NULL, release := '') AS
    sdc__uniform((SELECT sdc__subkey(sdc__secret_key(), release, stream, 'uniform', '', '')), sdc__checked_id(id),
                 sdc__part(sdc__canonical(value)));

-- (A macro's argument is pasted wherever it is named; the lambda makes the draw once.)
-- sdc_normal: a standard normal draw that depends on the secret key, the release, the stream, the record's id and the value alone.
-- Example: SELECT id, sdc_normal('noise', id) AS z FROM persons;
CREATE OR REPLACE MACRO sdc_normal(stream, id, value := NULL, release := '') AS
    list_transform(list_transform([sdc__off_zero(sdc_uniform(stream, id, value := value, release := release))],
        lambda p: sdc__normal_reduced(p)), lambda c: sdc__normal_of_reduced(c))[1];

-- The sums p_1, p_1 + p_2, ... in units of 2^-52, in which a uniform variate is a whole number: whole
-- numbers add up the same in any order, so a draw never depends on the rounding of a sum.
CREATE OR REPLACE MACRO sdc__steps(probability) AS round(probability * 4503599627370496e0)::BIGINT;

-- A category: categories[i] with probability probabilities[i].
--   SELECT sdc_category('colour', 17, ['red', 'green'], [0.9, 0.1]);
-- sdc_category: a category drawn: categories[i] with probability probabilities[i].
-- Example: SELECT id, sdc_category('colour', id, ['red', 'green'], [0.9, 0.1]) AS colour FROM persons;
CREATE OR REPLACE MACRO sdc_category(stream, id, categories, probabilities, value := NULL, release := '') AS CASE
    WHEN len(categories) = len(probabilities)
         AND list_count(probabilities) = len(probabilities)
         AND list_min(probabilities::DOUBLE[]) >= 0 AND abs(list_sum(probabilities::DOUBLE[]) - 1) <= 1e-9
        THEN list_transform([sdc_uniform(stream, id, value := value, release := release)], lambda u: categories[1 + len(list_filter(
                 range(1, len(probabilities)),
                 lambda i: list_sum(list_transform(probabilities[1:i], lambda p: sdc__steps(p))) <= u * 4503599627370496e0))])[1]
    ELSE error('ParameterError: The probabilities of the categories must be one for each, none negative, and sum to 1.')
END;
