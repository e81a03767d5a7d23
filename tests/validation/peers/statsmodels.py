"""statsmodels on the couples: Poisson log-linear models of the cells of the keys, and the logistic propensity score."""

from __future__ import annotations

from importlib.metadata import version

import duckdb
import numpy as np
import statsmodels.api as sm
import statsmodels.formula.api as smf

from validation.peers.written import write
from validation.tables import make_tables

KEYS = ["region", "race", "hispanic", "education"]
WEIGHT = 10  # what each record stands for: a sampling fraction of a tenth
MODELS = {
    "independence": "n ~ region + race + hispanic + education",
    "two_way": "n ~ (region + race + hispanic + education) ** 2",
    "region x education": "n ~ region * education + race + hispanic",
}


def main() -> None:
    """Write its figures."""
    con = duckdb.connect()
    make_tables(con)
    values = ", ".join(f"(SELECT DISTINCT {key} FROM couples)" for key in KEYS)
    joined = " AND ".join(f"c.{key} IS NOT DISTINCT FROM v.{key}" for key in KEYS)
    cells = con.sql(f"""SELECT {", ".join(f"v.{key}" for key in KEYS)}, count(c.couple) AS n
                        FROM (SELECT * FROM {values}) AS v LEFT JOIN couples AS c ON {joined}
                        GROUP BY ALL ORDER BY ALL""").df()
    figures: dict[str, dict[str, float]] = {}
    for name, formula in MODELS.items():
        fitted = smf.glm(formula, cells, family=sm.families.Poisson()).fit(tol=1e-13, maxiter=500).fittedvalues
        beyond = (fitted * (WEIGHT - 1))[cells["n"] == 1].to_numpy()  # (1 - pi) lambda, lambda = fitted / pi
        figures[f"GLM({formula}, Poisson)"] = {
            "model": name,
            "tau1": float(np.exp(-beyond).sum()),
            "tau2": float((-np.expm1(-beyond) / beyond).sum()),
            "sample_uniques": int((cells["n"] == 1).sum()),
        }
    both = con.sql("""SELECT 0 AS released, region, education, hours, husband_income FROM couples
                      UNION ALL SELECT 1, region, education, hours, husband_income FROM moved""").df()
    for formula in (
        "released ~ region + education + hours + husband_income",
        "released ~ (region + education + hours + husband_income) ** 2",
    ):
        fit = smf.logit(formula, both.assign(hours=both.hours / 40, husband_income=both.husband_income / 40)).fit(
            disp=False, method="newton", tol=1e-13, maxiter=200
        )
        figures[f"logit({formula})"] = {
            "pmse": float(((fit.predict() - 0.5) ** 2).mean()),
            "parameters": float(len(fit.params)),
        }
    write("statsmodels", {"statsmodels": version("statsmodels"), "numpy": version("numpy")}, figures)


if __name__ == "__main__":
    main()
