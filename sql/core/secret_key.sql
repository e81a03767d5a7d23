-- A secret key that can be guessed protects nothing: whoever guesses it can undo the masking. Refused are keys that are short, of
-- few characters, that repeat themselves (the same three characters in a row again and again), that go up or down in steps (few
-- distinct differences between neighbouring characters), or that hold a word which guessers try first. 32 hexadecimal digits at
-- random, two UUIDs or secrets.token_urlsafe(32) pass: tests/core/test_secret_key.py.
--
-- A message never shows the key.

CREATE OR REPLACE MACRO sdc__is_guessable(key) AS
    length(key) < 32
    OR len(list_distinct(list_transform(range(1, length(key) + 1), lambda i: substr(key, i, 1)))) < 8
    OR len(list_distinct(list_transform(range(1, length(key)), lambda i: ord(substr(key, i + 1, 1)) - ord(substr(key, i, 1))))) < 10
    OR len(list_distinct(list_transform(range(1, length(key) - 1), lambda i: substr(key, i, 3)))) < 20
    OR regexp_matches(key, '(?i)password|secret|qwerty');

-- key: a column or a variable of its own: it is pasted wherever it is named.
CREATE OR REPLACE MACRO sdc__checked_key(key) AS
    CASE WHEN coalesce(length(key), 0) = 0
             THEN error('ParameterError: No secret key is set: SET VARIABLE sdc_key = ''...'' first (or set the'
                        || ' environment variable SDC_KEY for the command line and Python). Make one with: python3 -c'
                        || ' "import secrets; print(secrets.token_urlsafe(32))"')
         WHEN sdc__is_guessable(key)
             THEN error('ParameterError: The secret key can be guessed: it must be at least 32 characters at random,'
                        || ' without words and repetition. Make one with: python3 -c "import secrets;'
                        || ' print(secrets.token_urlsafe(32))"')
         ELSE key END;
