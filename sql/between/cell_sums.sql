-- The records and the sums of the cells of a table that several parties agreed on.
--
--   n_c = records of cell c,   sum_cj = sum over records of c of u_j
-- Source: Karr & Sanil (2004), Data quality and data confidentiality for microdata: implications and strategies, last section
--   (secure summation).
--
-- cells: the agreed cells, a list of the texts of the columns each. A record of none of them is an error that does not name it.
CREATE OR REPLACE MACRO sdc__cell_texts(tbl, id, columns) AS TABLE
    SELECT sdc__record, [*COLUMNS(lambda c: starts_with(c, 'sdc__b_'))] AS sdc__texts,
           list_transform(struct_keys(struct_pack(*COLUMNS(lambda c: starts_with(c, 'sdc__b_')))),
                          lambda n: sdc__folded(substr(n, 8))) AS sdc__order
    FROM (
        SELECT COLUMNS(sdc__columns((*), [id]))::VARCHAR AS sdc__record, COLUMNS(sdc__columns((*), columns))::VARCHAR AS "sdc__b_\0"
        FROM query_table(tbl)
    );

CREATE OR REPLACE MACRO sdc__agreed_cells(tbl, id, columns, cells) AS TABLE
    SELECT sdc__record,
           coalesce(list_position(cells, list_transform(columns, lambda b: sdc__texts[list_position(sdc__order, sdc__folded(b))])),
                    error('ColumnError: A record lies in none of the cells that were agreed (or a column of '
                          || sdc__quoted(columns) || ' is NULL): nothing was sent. Agree on all cells, or recode in a view.')) AS sdc__cell
    FROM sdc__cell_texts(tbl, id, columns);

-- tbl: sdc__cell, and columns "sdc__u_<name>", of which one is 1 throughout: its sums are the records.
CREATE OR REPLACE MACRO sdc__cell_sums(tbl) AS TABLE
    SELECT sdc__cell, sum(COLUMNS(lambda c: starts_with(c, 'sdc__u_'))::HUGEINT) AS "\0"
    FROM query_table(tbl) GROUP BY sdc__cell ORDER BY sdc__cell ASC;
