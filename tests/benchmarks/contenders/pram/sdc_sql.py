"""Ours: PRAM of one column of 12 values, 0.8 retained."""

from ours import ask, open_table

import sdc_sql

PACKAGE = "sdc-sql"
read = open_table


def work(con):
    return sdc_sql.Microdata(con, "t", id="person").mask.pram_retention("region", 0.8, into="released")


def answer(con, _):
    return ask(con, "SELECT avg((r.region = t.region)::INTEGER) AS stayed FROM released AS r JOIN t USING (person)")
