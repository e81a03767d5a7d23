-- Columns named by the caller, checked while the query is bound.
--
-- `have` is always (*) inside COLUMNS(...): the names of the columns of the table at hand. A bare
-- COLUMNS(lambda c: list_contains(keys, c)) would ignore a misspelled key, and with one key fewer
-- every risk is smaller. So the list is checked first, and a list that is wrong is answered with
-- the complaint itself in the place of a column name: no such column exists, and the complaint is
-- what DuckDB reports. It costs nothing per row. Names compare as DuckDB compares them.
--
-- Names beginning with sdc__ are the macros' own (inner columns, CTEs, helper macros).

-- The names that the caller gives, as a list. A text that is no list ('age') becomes a list of one name that no column has. The
-- macro that looks the name up then says what to write; DuckDB's own cast would say it in DuckDB's words. No name is left out.
CREATE OR REPLACE MACRO sdc__names(given) AS
    coalesce(TRY_CAST(given AS VARCHAR[]), string_split(given::VARCHAR || ' (no list: write [''age''], or [''age'', ''sex''])', chr(1)));
CREATE OR REPLACE MACRO sdc__names_if_any(given) AS coalesce(sdc__names(given), []);

-- A type for a message, without the values of an ENUM.
CREATE OR REPLACE MACRO sdc__type_told(type) AS
    regexp_replace(type, 'ENUM\((?:''(?:[^'']|)*''(?:, )?)*\)', 'ENUM', 'g');

-- A name as DuckDB compares it: the case of ASCII letters is ignored, "ü" and "Ü" are two columns.
CREATE OR REPLACE MACRO sdc__folded(name) AS
    translate(name::VARCHAR, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');

-- 'Age' among ['age', 'sex']: true.
CREATE OR REPLACE MACRO sdc__is_among(name, names) AS
    list_contains(list_transform(TRY_CAST(names AS VARCHAR[]), lambda n: sdc__folded(n)), sdc__folded(name));

-- ['age', 'sex'] as "age", "sex", for messages. (array_to_string is a macro, which takes longer to bind.)
CREATE OR REPLACE MACRO sdc__quoted(names) AS
    coalesce('"' || list_aggregate(TRY_CAST(names AS VARCHAR[]), 'string_agg', '", "') || '"', '');

-- The caller's columns among those at hand (the inner ones are not his), and the names that are not among them.
CREATE OR REPLACE MACRO sdc__own(have) AS list_filter(have, lambda h: NOT starts_with(h, 'sdc__'));
CREATE OR REPLACE MACRO sdc__missing(have, named) AS
    list_filter(sdc__names(named), lambda n: NOT sdc__is_among(n, sdc__own(have)));

-- The columns of the table that the caller named. The message is worded to end in DuckDB's own
-- `" was selected but was not found in the FROM clause`, which names one of the list. (This is bound in every
-- call, several times: the lambda reads the names once, and array_to_string and list_count, which are macros, are not called.)
CREATE OR REPLACE MACRO sdc__columns(have, named) AS list_transform([sdc__names(named)], lambda given: CASE
    WHEN coalesce(len(given), 0) = 0
        THEN ['(none)": the list of columns is empty; name at least one, as in [''age'', ''sex'']; so "']
    WHEN list_position(given, NULL) IS NOT NULL
        THEN ['NULL": the list of columns holds a NULL where a name should be; so "NULL']
    ELSE list_concat(
        list_transform(list_filter(given, lambda n: NOT sdc__is_among(n, sdc__own(have)))[1:1], lambda n:
            concat(n, '" is not a column of the table, whose columns are ', sdc__quoted(sdc__own(have)), '; so "', n)),
        CASE WHEN len(list_distinct(list_transform(given, lambda n: sdc__folded(n)))) < len(given)
            THEN ['(twice)": a column is named twice in ' || sdc__quoted(given) || '; so "(twice)']
        ELSE list_filter(have, lambda h: sdc__is_among(h, given)) END)
END)[1];

-- The same of one name, with the same complaints, in half of the time that the list takes to bind.
CREATE OR REPLACE MACRO sdc__one_column(have, named) AS
    CASE WHEN named IS NULL THEN ['NULL": the list of columns holds a NULL where a name should be; so "NULL']
         ELSE coalesce(
             nullif(list_filter(have, lambda h: sdc__folded(h) = sdc__folded(named::VARCHAR) AND NOT starts_with(h, 'sdc__')), []),
             [concat(named::VARCHAR, '" is not a column of the table, whose columns are ', sdc__quoted(sdc__own(have)), '; so "',
                     named::VARCHAR)]) END;

-- One column given by name, or any column as a placeholder where the argument is NULL (its value is then not used).
CREATE OR REPLACE MACRO sdc__named_column(have, named) AS
    CASE WHEN named IS NULL THEN have[1:1] ELSE sdc__one_column(have, named::VARCHAR) END;

-- The same where the argument may also be a number: a weight, a fraction
-- (its value is then not used: see sdc__value). A list of one name is no name.
CREATE OR REPLACE MACRO sdc__column(have, named) AS
    CASE WHEN typeof(named) = 'VARCHAR' OR ends_with(typeof(named), ']') THEN sdc__one_column(have, named::VARCHAR) ELSE have[1:1] END;

-- The value of such an argument for a record: of the named column, or the number itself, or NULL. A text may hold a number (in a table of
-- texts, made of a file); one that does not is no value, which the checks refuse: DuckDB's own message would show it.
CREATE OR REPLACE MACRO sdc__value(named, column_value) AS
    CASE WHEN typeof(named) = 'VARCHAR' THEN TRY_CAST(column_value AS DOUBLE) ELSE named::DOUBLE END;

-- All columns, where none has a name that the macros need for themselves. (The prefix is an argument
-- because DuckDB reads f((*)) as f(*).)
CREATE OR REPLACE MACRO sdc__unreserved(have, prefix) AS list_concat(
    list_transform(list_filter(have, lambda h: starts_with(sdc__folded(h), prefix))[1:1], lambda h:
        concat(h, '" has a name beginning with ', prefix, ', which is reserved; rename or exclude it first; so "', h)),
    have);

-- All columns of the table (not the inner ones), where none has the name of a result column.
CREATE OR REPLACE MACRO sdc__without(have, results) AS list_concat(
    list_transform(list_filter(have, lambda h: sdc__is_among(h, results))[1:1], lambda h:
        concat(h, '" is a column of the table and also the name of a result column; rename or exclude it first; so "', h)),
    sdc__own(have));
