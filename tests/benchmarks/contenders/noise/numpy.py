"""numpy: normal noise from its generator, which nobody can repeat per value, and which is not keyed."""

import duckdb
import numpy as np

PACKAGE = "numpy"


def read(path):
    person = duckdb.sql(f"SELECT person FROM '{path}'").fetchnumpy()["person"]
    return [np.sin(person * (i + 1.0)) * 100 for i in range(5)]


def work(columns):
    rng = np.random.default_rng()
    return [c + rng.normal(0, 0.1 * c.std(), len(c)) for c in columns]


def answer(columns, done):
    return {"spread": (done[2] - columns[2]).std() / columns[2].std()}
