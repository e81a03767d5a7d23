"""Ours: normal noise of a tenth of the deviation on five columns, each value drawn by its key."""

from ours import ask, open_table

import sdc_sql

PACKAGE = "sdc-sql"
COLUMNS = ["a", "b", "c", "d", "e"]


def read(path):
    con = open_table(path)
    listed = ", ".join(f"sin(person * {i + 1}.0) * 100 AS {name}" for i, name in enumerate(COLUMNS))
    con.execute(f"CREATE TABLE numbers AS SELECT person, {listed} FROM t")
    return con


def work(con):
    # alpha is a share of the variance
    return sdc_sql.Microdata(con, "numbers", id="person").mask.noise(COLUMNS, 0.01, into="released")


def answer(con, _):
    return ask(
        con,
        """SELECT stddev_samp(r.c - n.c) / (SELECT stddev_samp(c) FROM numbers) AS spread
                       FROM released AS r JOIN numbers AS n USING (person)""",
    )
