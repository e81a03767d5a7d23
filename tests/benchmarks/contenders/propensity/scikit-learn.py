"""scikit-learn: a logistic regression without penalty, by Newton's method."""

import numpy as np
import pandas as pd
from columns import NUMBERS, SIX
from sklearn.linear_model import LogisticRegression
from theirs import read_both

PACKAGE = "scikit-learn"
read = read_both


def work(frames):
    both = pd.concat(frames)[SIX]
    design = pd.get_dummies(both, columns=[c for c in SIX if c not in NUMBERS], drop_first=True).astype(float)
    design[NUMBERS] = (design[NUMBERS] - design[NUMBERS].mean()) / design[NUMBERS].std()
    released = np.repeat([0, 1], [len(frame) for frame in frames])
    model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=200).fit(design, released)
    return ((model.predict_proba(design)[:, 1] - 0.5) ** 2).mean()


def answer(_, done):
    return {"pmse": done}
