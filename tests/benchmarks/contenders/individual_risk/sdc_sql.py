"""Ours: sdc_global_risk, exact."""

from columns import EIGHT
from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    return ask(con, "SELECT expected_reidentifications FROM sdc_global_risk('t', ?, 'weight')", EIGHT)


def answer(_, done):
    return done
