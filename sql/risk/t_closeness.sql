-- t-closeness: the sensitive variable is distributed in each cell nearly as in the whole file.
--
--   t = the Earth Mover's Distance of p (the cell) and q (the file):
--   'equal'    1/2 sum_v |p_v - q_v|                              (nominal variables)
--   'ordered'  1/(m-1) sum_i |sum_{j<=i} (p_j - q_j)|              (numbers, ordered categories)
-- Source: Li, Li & Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and
--   l-diversity, ICDE, section 4.
-- The t of the file is the greatest of its cells.
-- 'equal' is computed as sum_v max(p_v - q_v, 0), which needs only the values in the cell. 'ordered' goes by
-- the order of the column's type (text by its letters: make 'low', 'medium', 'high' an ENUM); NULL has no
-- place in an order and is refused. With one value t is 0.
-- 'ordered' needs only the values in the cell, too. Between two of them, places i = a+1 .. b, P = sum_{j<=i} p_j stays as it is
-- while Q_i = sum_{j<=i} q_j grows, and passes it at the place y = the number of Q_i <= P, kept within a .. b:
--   sum_{i=a+1..b} |P - Q_i| = (2y - a - b) P + R_a + R_b - 2 R_y,   R_i = sum_{j<=i} Q_j
-- All but P and the division by n is a sum of whole numbers: C_i = n Q_i, the records up to place i.
-- NULL in a key is a value of its own (as a wildcard it would draw the cell towards the file).
--
--   persons: age illness    sdc_t_closeness_cells('persons', ['age'], 'illness'):    sdc_t_closeness('persons', ['age'], 'illness'):
--            30  flu        age sample_frequency t                                   records cells t
--            30  cancer     30  2                0.1667                              3       2     0.3333
--            41  flu        41  1                0.3333   (1/3 + 1/3) / 2
--
-- Scope: cells.
-- Wildcards: refused.
-- Parameters:
--   tbl        table                 the table, view, common table expression or file
--   keys       columns               the key variables
--   sensitive  column                the sensitive variable
--   distance   'equal' or 'ordered'  'equal' for nominal variables, 'ordered' for numbers and ordered ones (texts in the order of their
--       letters, an ENUM in its own)

-- The values of the file in their order: place i, C_i, and the sum of the C_j up to it; of a CTE `seen`.
CREATE OR REPLACE MACRO sdc__value_places(seen) AS TABLE
    SELECT sdc__value, sdc__place, sdc__c, sum(sdc__c) OVER (ORDER BY sdc__place ASC) AS sdc__cc
    FROM (SELECT sdc__value, sum(1) OVER (ORDER BY sdc__value ASC)::BIGINT AS sdc__place,
                 sum(sdc__n) OVER (ORDER BY sdc__value ASC)::BIGINT AS sdc__c
          FROM (SELECT CASE WHEN sdc__value IS NULL
                                THEN error('ColumnError: The sensitive variable is NULL in some records: the ordered'
                                           || ' distance has no place for NULL; exclude them or recode it.')
                            ELSE sdc__value END AS sdc__value,
                       sdc__n
                FROM (SELECT sdc__value, sum(sdc__n)::BIGINT AS sdc__n FROM query_table(seen) GROUP BY sdc__value)));

-- Each cell's values: the records up to it in the cell (sdc__k; P = k/f), and the places a .. b up to the cell's next value.
CREATE OR REPLACE MACRO sdc__value_runs(seen, places) AS TABLE
    SELECT s.sdc__key, s.sdc__f, s.sdc__n, sum(s.sdc__n) OVER sdc__cell::BIGINT AS sdc__k,
           p.sdc__place - 1 AS sdc__a, coalesce(lead(p.sdc__place - 1) OVER sdc__cell, w.sdc__m) AS sdc__b,
           p.sdc__cc - p.sdc__c AS sdc__cc_a, coalesce(lead(p.sdc__cc - p.sdc__c) OVER sdc__cell, w.sdc__cc) AS sdc__cc_b,
           w.sdc__m, w.sdc__records
    FROM query_table(seen) AS s LEFT JOIN query_table(places) AS p ON s.sdc__value = p.sdc__value
    CROSS JOIN (SELECT max(sdc__place) AS sdc__m, max(sdc__c) AS sdc__records, max(sdc__cc) AS sdc__cc FROM query_table(places)) AS w
    WINDOW sdc__cell AS (PARTITION BY s.sdc__key ORDER BY p.sdc__place ASC);

-- For every P of a cell the last place whose Q is not above it, and the sum of the C_j there: one pass over both in their order.
CREATE OR REPLACE MACRO sdc__value_crossings(places, runs) AS TABLE
    SELECT sdc__k, sdc__f, max(sdc__place) OVER (ORDER BY sdc__share ASC) AS sdc__y,
           max(sdc__cc) OVER (ORDER BY sdc__share ASC) AS sdc__cc_y
    FROM (SELECT sdc__k, sdc__f, 1e0 * sdc__k / sdc__f AS sdc__share, 0 AS sdc__place, 0 AS sdc__cc
          FROM (SELECT DISTINCT sdc__k, sdc__f FROM query_table(runs))
          UNION ALL
          SELECT 0 AS sdc__k, 0 AS sdc__f, 1e0 * sdc__c / max(sdc__c) OVER () AS sdc__share, sdc__place, sdc__cc
          FROM query_table(places));

CREATE OR REPLACE MACRO sdc__t_closeness(tbl, keys, sensitive, distance) AS TABLE
    WITH sdc__seen AS MATERIALIZED (FROM sdc__attribute_cells(tbl, keys, sensitive, numbers := distance = 'ordered')),
    sdc__ordered AS (SELECT * FROM sdc__seen WHERE distance = 'ordered'),
    sdc__places AS MATERIALIZED (FROM sdc__value_places('sdc__ordered')),
    sdc__runs AS MATERIALIZED (FROM sdc__value_runs('sdc__ordered', 'sdc__places')),
    sdc__crossings AS (FROM sdc__value_crossings('sdc__places', 'sdc__runs')),
    -- y and its sum within a .. b; before a cell's first value P is 0
    sdc__within AS (
        SELECT r.*, greatest(r.sdc__a, least(r.sdc__b, c.sdc__y)) AS sdc__y,
               greatest(r.sdc__cc_a, least(r.sdc__cc_b, c.sdc__cc_y)) AS sdc__cc_y,
               CASE WHEN r.sdc__k = r.sdc__n THEN r.sdc__cc_a ELSE 0 END AS sdc__before
        FROM sdc__runs AS r LEFT JOIN sdc__crossings AS c ON r.sdc__k = c.sdc__k AND r.sdc__f = c.sdc__f
    )
    SELECT sdc__key, any_value(sdc__f) AS sdc__f, sdc__exact_sum(greatest(sdc__p - sdc__q, 0), 90) AS sdc__t
    FROM sdc__seen
    WHERE CASE distance WHEN 'equal' THEN true WHEN 'ordered' THEN false
               ELSE error('ParameterError: distance is ' || coalesce(distance::VARCHAR, 'NULL')
                          || ': it must be ''equal'' or ''ordered''.') END
    GROUP BY sdc__key
    UNION ALL
    SELECT sdc__key, any_value(sdc__f) AS sdc__f,
           sdc__exact_sum(1e0 * (2 * sdc__y - sdc__a - sdc__b) * sdc__k / sdc__f
                          + 1e0 * (sdc__before + sdc__cc_a + sdc__cc_b - 2 * sdc__cc_y) / sdc__records,
                          90)
               / greatest(any_value(sdc__m) - 1, 1) AS sdc__t
    FROM sdc__within
    GROUP BY sdc__key;

-- sdc_t_closeness_cells: the cells of the keys, and the distance of each one's distribution from the file's.
-- Gives: the key columns, sample_frequency BIGINT (less risk), t DOUBLE (more risk).
-- Rows: cells.
-- Result: relation. The key columns, `sample_frequency`, `t`.
-- Limit: t as sdc_t_closeness_below. The distance of the distribution in this cell from that of the file.
-- Example: FROM sdc_t_closeness_cells('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_t_closeness_cells(tbl, keys, sensitive, distance := 'equal') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 't'])), sdc__f AS sample_frequency, sdc__t AS t
    FROM (SELECT unnest(sdc__key), sdc__f, sdc__t FROM sdc__t_closeness(tbl, keys, sensitive, distance));

-- sdc_t_closeness: the greatest distance of a cell's distribution of a sensitive variable from the file's.
-- Gives: records BIGINT, cells BIGINT, t DOUBLE (more risk).
-- Rows: one.
-- Words: t: greatest distance of a cell's sensitive values from the file's.
-- Result: TCloseness. The greatest distance of a cell's distribution from the file's.
-- Example: FROM sdc_t_closeness('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_t_closeness(tbl, keys, sensitive, distance := 'equal') AS TABLE
    SELECT sum(sdc__f)::BIGINT AS records, count(*) AS cells, max(sdc__t) AS t
    FROM sdc__t_closeness(tbl, keys, sensitive, distance);
