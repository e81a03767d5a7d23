"""Ours: sdc_propensity, main effects."""

from columns import NUMBERS, SIX
from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    query = "SELECT pmse FROM sdc_propensity('plain', 'changed', ?, continuous := ?, pairs := false)"
    return ask(con, query, SIX, NUMBERS)


def answer(_, done):
    return done
