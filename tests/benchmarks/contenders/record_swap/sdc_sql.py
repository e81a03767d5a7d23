"""Ours: sdc_record_swap; kept: whether each region has as many households of each size as before."""

from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    con.execute("""CREATE TABLE released AS FROM sdc_record_swap('t', ['region'], 0.05, 'person',
                       household := 'household', risk_keys := ['ethnic_group'], k := 3, shortfall := 'report')""")


def answer(con, _):
    homes = "SELECT DISTINCT household, household_size, region FROM"
    kept = f"""SELECT bool_and(n = m)::INTEGER AS kept
               FROM (SELECT region, household_size, count(*) AS n FROM ({homes} t) GROUP BY ALL)
               FULL JOIN (SELECT region, household_size, count(*) AS m FROM ({homes} released) GROUP BY ALL)
                   USING (region, household_size)"""
    moved = f"""SELECT avg((b.region <> a.region)::INTEGER) AS moved
                FROM ({homes} t) AS b JOIN ({homes} released) AS a USING (household)"""
    return ask(con, kept) | ask(con, moved)
