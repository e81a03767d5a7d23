"""Ours: rank swapping of the incomes; kept: the same values; farther: values that went farther than 5 percent."""

from ours import ask, open_table

import sdc_sql

PACKAGE = "sdc-sql"


def read(path):
    con = open_table(path)
    con.execute("CREATE TABLE numbers AS SELECT person, person * 7919 % 10000019 + 0.5 AS x FROM t")
    return con


def work(con):
    return sdc_sql.Microdata(con, "numbers", id="person").mask.rank_swap("x", 5, into="released")


def answer(con, _):
    return ask(
        con,
        """
        WITH placed AS (SELECT person, x, row_number() OVER (ORDER BY x) AS place FROM numbers),
        went AS (SELECT a.place - b.place AS ranks FROM placed AS a JOIN released AS r USING (person)
                 JOIN placed AS b ON b.x = r.x)
        SELECT (count(*) = (SELECT count(*) FROM numbers)
                AND (SELECT count(DISTINCT x) FROM released) = count(*))::INTEGER AS kept,
               count(*) FILTER (abs(ranks) > 0.05 * (SELECT count(*) FROM numbers)) AS farther
        FROM went""",
    )
