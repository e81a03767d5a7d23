-- Columns that are named beside the measured ones: some of them, one kind of them, lists of them, and the id.

-- A list of some of the columns that are measured; [] where there are none.
CREATE OR REPLACE MACRO sdc__some_of(named, columns, role) AS CASE
    WHEN len(list_filter(sdc__names_if_any(named), lambda n: n IS NULL OR NOT sdc__is_among(n, columns))) > 0
        THEN error('ColumnError: ' || role || ' names '
                   || coalesce(sdc__quoted(list_filter(sdc__names(named), lambda n: NOT sdc__is_among(n, columns))), 'NULL')
                   || ', not among the columns measured, ' || sdc__quoted(columns) || '.')
    WHEN len(list_distinct(list_transform(sdc__names_if_any(named), lambda n: sdc__folded(n)))) < len(sdc__names_if_any(named))
        THEN error('ColumnError: ' || role || ' names a column twice: ' || sdc__quoted(named) || '.')
    ELSE list_transform(sdc__names_if_any(named), lambda n: sdc__folded(n)) END;

-- The measured columns that an argument names, and the others.
CREATE OR REPLACE MACRO sdc__names_among(columns, named) AS list_filter(sdc__names(columns), lambda n: sdc__is_among(n, named));
CREATE OR REPLACE MACRO sdc__names_not_among(columns, named) AS
    list_filter(sdc__names(columns), lambda n: coalesce(NOT sdc__is_among(n, named), true));

-- Columns that may be none: then the first, as a placeholder whose values are not used.
CREATE OR REPLACE MACRO sdc__columns_if_any(have, named, columns) AS
    CASE WHEN len(named) = 0 AND len(sdc__names(columns)) > 0 THEN have[1:1] ELSE sdc__columns(have, named) END;

-- The lists of columns; what is none is an error, and [] where columns are looked for.
CREATE OR REPLACE MACRO sdc__lists(margins) AS list_filter(coalesce(TRY_CAST(margins AS VARCHAR[][]), []), lambda m: len(m) > 0);

-- The name of the id, which none of the columns of the result has.
CREATE OR REPLACE MACRO sdc__beside(id, results) AS
    CASE WHEN id IS NULL THEN error('ColumnError: The id is NULL: name the column that identifies each record.')
         WHEN sdc__is_among(id, results)
             THEN error('ColumnError: The id (' || id || ') has the name of a column of the result: rename it first.')
         ELSE id::VARCHAR END;
