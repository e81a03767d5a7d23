-- The numbers of a column, their sizes and their texts; the numbers of its categories.

-- The numbers of a column; another type is an error, never a cast.
CREATE OR REPLACE MACRO sdc__is_whole(type) AS
    type IN ('TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT', 'UTINYINT', 'USMALLINT', 'UINTEGER', 'UBIGINT', 'UHUGEINT');
CREATE OR REPLACE MACRO sdc__number(v) AS
    CASE WHEN sdc__is_whole(typeof(v)) OR typeof(v) IN ('FLOAT', 'DOUBLE') OR starts_with(typeof(v), 'DECIMAL') THEN TRY_CAST(v AS DOUBLE)
         ELSE error('ColumnError: The column ' || alias(v) || ' has type '
                    || CASE WHEN starts_with(typeof(v), 'ENUM') THEN 'ENUM' ELSE typeof(v) END
                    || ': this method masks numbers; give a numeric column.')
    END;

-- A size that is a number, or the error; a number whose square is one.
CREATE OR REPLACE MACRO sdc__finite_size(size) AS
    CASE WHEN size >= 'infinity'::DOUBLE THEN error(
             'ColumnError: A column holds NaN or infinite values: its sum of squares is no number; replace them by NULL.')
         ELSE size END;
CREATE OR REPLACE MACRO sdc__finite_number(x) AS
    CASE WHEN abs(sdc__number(x)) <= 1e150 THEN TRY_CAST(x AS DOUBLE)
         WHEN sdc__finite_size(abs(TRY_CAST(x AS DOUBLE))) > 1e150
             THEN error('ColumnError: The column ' || alias(x)
                        || ' holds values beyond 1e150, whose squares are no numbers: replace or rescale them.') END;

-- The number of a category, NULL one of them.
CREATE OR REPLACE MACRO sdc__category_number(x) AS (dense_rank() OVER (ORDER BY x ASC NULLS FIRST))::DOUBLE;

-- What two texts of one number have in common (17 and 017, 1.5 and 1.50); NULL of other texts.
CREATE OR REPLACE MACRO sdc__plain_digits(x) AS
    CASE WHEN x <> '' AND translate(x, '0123456789.-', '') = ''
             THEN ltrim(CASE WHEN translate(x, '.', '') <> x THEN rtrim(rtrim(x, '0'), '.') ELSE x END, '0') END;
