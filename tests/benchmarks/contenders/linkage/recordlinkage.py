"""recordlinkage: every pair compared, then its EM algorithm."""

import recordlinkage
from columns import LINKED
from theirs import read_both

PACKAGE = "recordlinkage"


def read(path):
    return [frame.head(1000).set_index("person") for frame in read_both(path)]


def work(read):
    index = recordlinkage.Index()
    index.full()
    compare = recordlinkage.Compare()
    for column in LINKED:
        compare.exact(column, column, label=column)
    model = recordlinkage.ECMClassifier(atol=1e-10, max_iter=10_000)
    model.fit(compare.compute(index.index(*read), *read))
    return model


def answer(_, done):
    return {f"m_{n}": p[1] for n, p in done.m_probs.items()} | {f"u_{n}": p[1] for n, p in done.u_probs.items()}
