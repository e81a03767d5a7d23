-- A value as text, for keyed draws: the same for equal values of any type, whatever the settings of the session.
--
--   17, 17.0, 17.00, '17'         '17'      a number and the text that writes it so
--   '017'                         '017'     another text is another value
--   0.1, 0.10                     '0.1'     (a DECIMAL of more than 15 digits keeps them all)
--   TIMESTAMPTZ                   microseconds since 1970 (UTC), whatever the time zone of the session
-- Parts of a message are written with their lengths, so that no two lists of parts give the same text.

CREATE OR REPLACE MACRO sdc__canonical_number(v) AS CASE
    WHEN v = round(v) AND abs(v) < 1e38 THEN v::HUGEINT::VARCHAR
    ELSE v::VARCHAR
END;
-- A standard deviation, which is a DOUBLE, as a part of a subkey.
CREATE OR REPLACE MACRO sdc__figure_text(v) AS sdc__canonical_number(v);
CREATE OR REPLACE MACRO sdc__canonical_decimal(t) AS CASE
    WHEN NOT contains(t, '.') THEN t
    WHEN length(ltrim(translate(t, '-.', ''), '0')) > 15 THEN rtrim(rtrim(t, '0'), '.')
    ELSE sdc__canonical_number(TRY_CAST(t AS DOUBLE))
END;

CREATE OR REPLACE MACRO sdc__canonical(v) AS CASE
    WHEN typeof(v) IN ('FLOAT', 'DOUBLE') THEN sdc__canonical_number(TRY_CAST(v AS DOUBLE))
    WHEN starts_with(typeof(v), 'DECIMAL') THEN sdc__canonical_decimal(v::VARCHAR)
    WHEN typeof(v) = 'TIMESTAMP WITH TIME ZONE' THEN coalesce(epoch_us(TRY_CAST(v::VARCHAR AS TIMESTAMPTZ))::VARCHAR, v::VARCHAR)
    WHEN contains(typeof(v), 'TIMESTAMP WITH TIME ZONE')
        THEN error('ColumnError: The column ' || alias(v) || ' has type ' || typeof(v)
                   || ': its text changes with the time zone of the session, and so would its draws. Cast the times to'
                   || ' TIMESTAMP first.')
    ELSE v::VARCHAR
END;

CREATE OR REPLACE MACRO sdc__part(t) AS coalesce(length(t) || ':' || t, '-');
-- What stands before the text in its part: concat(sdc__part_head(t), t) is sdc__part(t), without copying each text twice.
CREATE OR REPLACE MACRO sdc__part_head(t) AS coalesce(length(t) || ':', '-');
