"""Ours: sdc_margin_distance; of a number the Kolmogorov-Smirnov distance, of categories the total variation."""

from columns import NUMBERS, SIX
from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    return con.execute(
        """SELECT variable, coalesce(ks, total_variation)
                          FROM sdc_margin_distance('plain', 'changed', ?, continuous := ?)""",
        [SIX, NUMBERS],
    ).fetchall()


def answer(_, done):
    return dict(done)
