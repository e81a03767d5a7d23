"""Ours: weights to the margins of sex, a fiftieth more women, and of region, by the linear distance."""

from ours import ask, open_table

PACKAGE = "sdc-sql"


def read(path):
    con = open_table(path)
    con.execute("""
        CREATE TABLE goals AS
        WITH sexes AS (SELECT sex, sum(weight) AS w FROM t GROUP BY sex)
        SELECT 'sex' AS variable, sex AS value,
               CASE sex WHEN 'female' THEN 1.02 * w ELSE (SELECT sum(w) FROM sexes)
                        - 1.02 * (SELECT w FROM sexes WHERE sex = 'female') END AS total
        FROM sexes
        UNION ALL SELECT 'region', region, sum(weight) FROM t GROUP BY region""")
    return con


def work(con):
    con.execute("CREATE TABLE weighed AS FROM sdc_calibrate('t', 'weight', 'goals', 'person', "
                "margins := ['sex', 'region'], distance := 'linear', lower := 0.1)")  # fmt: skip


def answer(con, _):
    return ask(con, "SELECT sum(weight ** 2) AS squares, sum(weight) AS total FROM weighed")
