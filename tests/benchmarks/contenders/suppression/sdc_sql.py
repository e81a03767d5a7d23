"""Ours: sdc_local_suppression in sdcMicro's reading; below: records that fewer than three agree with."""

from columns import FIVE
from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    con.execute(
        "CREATE TABLE released AS FROM sdc_local_suppression('t', ?, 3, 'person', guarantee := 'wildcard')", [FIVE]
    )


def answer(con, _):
    below = """SELECT count(*) FILTER (sample_frequency < 3) AS below
               FROM sdc_frequencies('released', ?, nulls := 'wildcard')"""
    lost = " + ".join(f"count(*) FILTER ({key} IS NULL)" for key in FIVE)
    return ask(con, below, FIVE) | ask(con, f"SELECT {lost} AS suppressed FROM released")
