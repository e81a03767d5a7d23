"""pandas: the size of each group."""

from columns import EIGHT
from theirs import read_frame as read  # noqa: F401 - run.py calls it

PACKAGE = "pandas"


def work(frame):
    size = frame.groupby(EIGHT, dropna=False).size()
    return {"alone": (size == 1).sum(), "squared": (size**2).sum()}


def answer(_, done):
    return done
