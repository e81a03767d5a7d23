"""Ours: the mean income by region, households as clusters; the sum of the means and of their errors."""

from ours import ask
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    return ask(
        con,
        """SELECT sum(estimate) AS means, sum(standard_error) AS errors FROM sdc_survey_estimate('plain', 'mean',
        'income', domains := ['region'], weight := 'weight', cluster := 'household')""",
    )


def answer(_, done):
    return done
