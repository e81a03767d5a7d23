-- Names and values as they stand in the text of a query, for the macros that write one: query('...').
--
--   sdc__identifier('a "b"')   "a ""b"""      sdc__text('it''s')   'it''s'

CREATE OR REPLACE MACRO sdc__identifier(name) AS '"' || replace(name, '"', '""') || '"';
CREATE OR REPLACE MACRO sdc__identifiers(names) AS array_to_string(list_transform(names, lambda n: sdc__identifier(n)), ', ');
CREATE OR REPLACE MACRO sdc__text(value) AS '''' || replace(value, '''', '''''') || '''';
