"""Ours: tau1 and tau2 by the independence of four keys, one record in ten."""

from columns import FOUR
from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    return ask(con, "SELECT tau1, tau2 FROM sdc_log_linear_risk('t', ?, 10, model := 'independence')", FOUR)


def answer(_, done):
    return done
