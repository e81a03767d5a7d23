"""anjana: k_anonymity by hierarchies, nothing suppressed."""

import numpy as np
from anjana.anonymity import k_anonymity
from theirs import read_frame

PACKAGE = "anjana"
KEYS = ["age", "marital_status", "region"]


def read(path):
    frame = read_frame(path)[[*KEYS, "income"]].copy()
    frame["age"] = frame["age"].astype(str)
    years = frame["age"].astype(int)
    hierarchies = {
        "age": {0: frame["age"].to_numpy(), 1: (years // 5 * 5).astype(str).to_numpy() + "+",
                2: (years // 20 * 20).astype(str).to_numpy() + "+", 3: np.full(len(frame), "*")},
        "marital_status": {0: frame["marital_status"].to_numpy(), 1: np.full(len(frame), "*")},
        "region": {0: frame["region"].to_numpy(), 1: frame["region"].str[:1].to_numpy(), 2: np.full(len(frame), "*")},
    }  # fmt: skip
    return frame, hierarchies


def work(read):
    frame, hierarchies = read
    return k_anonymity(frame, [], KEYS, 5, 0, hierarchies)


def answer(_, done):
    return {"below": (done.groupby(KEYS, dropna=False).size() < 5).sum()}
