-- Names and values as they stand in the text of a query, for the macros that write one: query('...').
--
--   sdc__identifier('a "b"')   "a ""b"""      sdc__text('it''s')   'it''s'

CREATE OR REPLACE MACRO sdc__identifier(name) AS '"' || replace(name, '"', '""') || '"';
CREATE OR REPLACE MACRO sdc__identifiers(names) AS array_to_string(list_transform(names, lambda n: sdc__identifier(n)), ', ');
CREATE OR REPLACE MACRO sdc__text(value) AS '''' || replace(value, '''', '''''') || '''';

-- ['age', 'sex'] as it stands there, and the struct of these columns.
CREATE OR REPLACE MACRO sdc__texts(names) AS '[' || array_to_string(list_transform(sdc__names(names), lambda n: sdc__text(n)), ', ') || ']';
CREATE OR REPLACE MACRO sdc__as_struct(names) AS 'struct_pack(*COLUMNS(sdc__columns((*), ' || sdc__texts(names) || ')))';
