"""statsmodels: a Poisson regression of the cells of the crossing."""

import itertools

import numpy as np
import pandas as pd
import statsmodels.formula.api as smf
from columns import FOUR
from statsmodels.genmod.families import Poisson
from theirs import read_frame as read  # noqa: F401 - run.py calls it

PACKAGE = "statsmodels"


def work(frame):
    counts = frame.groupby(FOUR).size()
    crossing = pd.MultiIndex.from_tuples(itertools.product(*(frame[key].unique() for key in FOUR)), names=FOUR)
    cells = counts.reindex(crossing, fill_value=0).rename("n").reset_index()
    fitted = smf.glm(f"n ~ {' + '.join(FOUR)}", cells, family=Poisson()).fit(tol=1e-12).fittedvalues
    beyond = (fitted * 9)[cells["n"] == 1].to_numpy()
    return {"tau1": np.exp(-beyond).sum(), "tau2": (-np.expm1(-beyond) / beyond).sum()}


def answer(_, done):
    return done
