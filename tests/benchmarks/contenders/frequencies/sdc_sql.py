"""Ours: the records alone on eight keys, by sdc_frequencies."""

from columns import EIGHT
from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    return ask(
        con,
        """SELECT count(*) FILTER (sample_frequency = 1) AS alone, sum(sample_frequency) AS squared
                       FROM sdc_frequencies('t', ?)""",
        EIGHT,
    )


def answer(_, done):
    return done
