"""Ours: sdc_suda over the cells of five keys."""

from columns import FIVE
from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    return ask(con, "SELECT count(*) FILTER (suda_score > 0) AS special FROM sdc_suda('t', ?, max_msu := NULL)", FIVE)


def answer(_, done):
    return done
