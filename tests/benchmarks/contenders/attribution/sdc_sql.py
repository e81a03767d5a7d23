"""Ours: k, l, t and beta of the economic status by three keys."""

from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"
KEYS = ["sex", "marital_status", "region"]


def work(con):
    return (
        ask(con, "SELECT k, beta FROM sdc_likeness('t', ?, 'economic_status')", KEYS)
        | ask(con, "SELECT distinct_l AS l FROM sdc_l_diversity('t', ?, 'economic_status')", KEYS)
        | ask(con, "SELECT t FROM sdc_t_closeness('t', ?, 'economic_status')", KEYS)
    )


def answer(_, done):
    return done
