"""copulas: a Gaussian copula of the eight columns, categories as their places."""

from copulas.multivariate import GaussianMultivariate
from theirs import read_frame

PACKAGE = "copulas"
COLUMNS = ["sex", "marital_status", "ethnic_group", "economic_status", "region", "household_size", "age", "income"]
MARGINS = ["sex", "marital_status", "ethnic_group", "economic_status", "region"]


def read(path):
    frame = read_frame(path)[COLUMNS].copy()
    for column in MARGINS:
        frame[column] = frame[column].astype("category").cat.codes.astype(float)
    return frame.astype(float)


def work(frame):
    model = GaussianMultivariate()
    model.fit(frame)
    return model.sample(len(frame))


def answer(frame, done):
    def tell(column):
        p = frame[column].value_counts(normalize=True)
        q = done[column].round().clip(frame[column].min(), frame[column].max()).value_counts(normalize=True)
        return p.sub(q, fill_value=0).abs().sum() / 2

    return {"distance": max(map(tell, MARGINS))}
