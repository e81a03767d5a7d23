"""polars: the size of each group."""

import polars as pl
from columns import EIGHT

PACKAGE = "polars"


def read(path):
    return pl.read_parquet(path)


def work(frame):
    size = frame.group_by(EIGHT).len()["len"].cast(pl.Int64)
    return {"alone": (size == 1).sum(), "squared": (size**2).sum()}


def answer(_, done):
    return done
