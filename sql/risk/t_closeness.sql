-- t-closeness: the sensitive variable is distributed in each cell nearly as in the whole file.
--
--   t = the Earth Mover's Distance of p (the cell) and q (the file):
--   'equal'    1/2 sum_v |p_v - q_v|                              (nominal variables)
--   'ordered'  1/(m-1) sum_i |sum_{j<=i} (p_j - q_j)|              (numbers, ordered categories)
-- Source: Li, Li & Venkatasubramanian (2007), t-closeness: privacy beyond k-anonymity and
--   l-diversity, ICDE, section 4.
-- The t of the file is the greatest of its cells.
-- 'equal' is computed as sum_v max(p_v - q_v, 0), which needs only the values in the cell. 'ordered'
-- visits every cell x value, in the order of the column's type (text by its letters: make 'low', 'medium', 'high' an ENUM);
-- NULL has no place in an order and is refused. With one value t is 0.
-- NULL in a key is a value of its own (as a wildcard it would draw the cell towards the file).
--
-- Scope: cells.
-- Parameters:
--   tbl        table                 the table, view, common table expression or file
--   keys       columns               the key variables
--   sensitive  column                the sensitive variable
--   distance   'equal' or 'ordered'  between any two values, or by their order

CREATE OR REPLACE MACRO sdc__t_closeness(tbl, keys, sensitive, distance) AS TABLE
    WITH sdc__seen AS MATERIALIZED (FROM sdc__attribute_cells(tbl, keys, sensitive, numbers := distance = 'ordered')),
    sdc__values AS (
        SELECT sdc__value, sdc__q, sdc__m FROM sdc__seen GROUP BY ALL
    ),
    sdc__grid AS (
        SELECT k.sdc__key, k.sdc__f, v.sdc__m,
               sdc__unfixed(sum(sdc__fixed(coalesce(s.sdc__p, 0) - v.sdc__q, 90)) OVER (PARTITION BY k.sdc__key ORDER BY v.sdc__value ASC), 90) AS sdc__d
        FROM (SELECT DISTINCT sdc__key, sdc__f FROM sdc__seen WHERE distance = 'ordered') AS k
        CROSS JOIN (SELECT CASE WHEN sdc__value IS NULL THEN error('ColumnError: The sensitive variable is NULL in some records: the ordered distance has no place for NULL; exclude them or recode it.') ELSE sdc__value END AS sdc__value,
                           sdc__q, sdc__m FROM sdc__values WHERE distance = 'ordered') AS v
        LEFT JOIN sdc__seen AS s ON s.sdc__key = k.sdc__key AND s.sdc__value = v.sdc__value
    )
    SELECT sdc__key, any_value(sdc__f) AS sdc__f, sdc__exact_sum(greatest(sdc__p - sdc__q, 0), 90) AS sdc__t
    FROM sdc__seen
    WHERE CASE distance WHEN 'equal' THEN true WHEN 'ordered' THEN false
               ELSE error('ParameterError: distance is ' || coalesce(distance::VARCHAR, 'NULL') || ': it must be ''equal'' or ''ordered''.') END
    GROUP BY sdc__key
    UNION ALL
    SELECT sdc__key, any_value(sdc__f) AS sdc__f, sdc__exact_sum(abs(sdc__d), 90) / greatest(any_value(sdc__m) - 1, 1) AS sdc__t
    FROM sdc__grid
    GROUP BY sdc__key;

-- sdc_t_closeness_cells: the cells of the keys, and the distance of each one's distribution from the file's.
-- Gives: the key columns, sample_frequency, t.
-- Limit: t as sdc_t_closeness_below. The distance of the distribution in this cell from that of the file.
-- Example: FROM sdc_t_closeness_cells('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_t_closeness_cells(tbl, keys, sensitive, distance := 'equal') AS TABLE
    SELECT COLUMNS(sdc__without((*), ['sample_frequency', 't'])), sdc__f AS sample_frequency, sdc__t AS t
    FROM (SELECT unnest(sdc__key), sdc__f, sdc__t FROM sdc__t_closeness(tbl, keys, sensitive, distance));

-- sdc_t_closeness: the greatest distance of a cell's distribution of a sensitive variable from the file's.
-- Gives: records, cells, t.
-- Example: FROM sdc_t_closeness('persons', ['age', 'sex'], 'region');
CREATE OR REPLACE MACRO sdc_t_closeness(tbl, keys, sensitive, distance := 'equal') AS TABLE
    SELECT sum(sdc__f)::BIGINT AS records, count(*) AS cells, max(sdc__t) AS t
    FROM sdc__t_closeness(tbl, keys, sensitive, distance);
