"""Ours: sdc_margin_distance of two numbers and two categories."""

from ours import open_table as read  # noqa: F401 - run.py calls it

PACKAGE = "sdc-sql"


def work(con):
    return con.execute("""SELECT variable, ks, wasserstein, total_variation FROM sdc_margin_distance('plain', 'changed',
        ['age', 'income', 'region', 'economic_status'], continuous := ['age', 'income'])""").fetchall()


def answer(_, done):
    return {f"{name} {kind}": value for name, *values in done
            for kind, value in zip(("ks", "wasserstein", "tv"), values, strict=True) if value is not None}  # fmt: skip
