"""pycanon: the same four figures."""

from pycanon import anonymity
from theirs import read_frame as read  # noqa: F401 - run.py calls it

PACKAGE = "pycanon"
KEYS, SENSITIVE = ["sex", "marital_status", "region"], ["economic_status"]


def work(frame):
    return {
        "k": anonymity.k_anonymity(frame, KEYS),
        "l": anonymity.l_diversity(frame, KEYS, SENSITIVE),
        "t": anonymity.t_closeness(frame, KEYS, SENSITIVE),
        "beta": anonymity.basic_beta_likeness(frame, KEYS, SENSITIVE),
    }


def answer(_, done):
    return done
