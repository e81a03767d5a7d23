"""Two made-up files with their release files, as an office has them: households in Stata, with labels, and firms."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import duckdb

if TYPE_CHECKING:
    from pathlib import Path

HOUSEHOLDS = """
title = "Household budget survey (made-up data)"
producer = "Office of households"
population = "private households"
[source]
path = "households.dta"
[roles]
id = "person"
weight = "weight"
household = "hh"
household_columns = ["region", "size"]
sensitive = ["income"]
[[scenarios]]
name = "MARKEDSCENARIO"
keys = ["region", "sex", "age", "size", "marital"]
limits = ["k_anonymity.2.records <= 200"]
[[steps]]
mask = "recode"
column = "age"
breaks = [0, 15, 30, 45, 60]
ends = "open_above"
[[steps]]
mask = "suppress_risky"
scenario = "MARKEDSCENARIO"
max_risk = 0.0413
[[steps]]
mask = "pram_retention"
column = "tenure"
retention = 0.9
[[steps]]
mask = "noise"
columns = ["income"]
standard_deviation = 200
[loss]
columns = ["sex", "marital", "tenure", "income"]
continuous = ["income"]
limits = ["il1.il1 <= 5"]
[output]
path = "households-released.dta"
"""
FIRMS = """
title = "Business survey (made-up data)"
producer = "Office of firms"
population = "enterprises of ten employees and more"
[source]
path = "firms.parquet"
[roles]
id = "firm"
weight = "weight"
identifiers = ["name"]
[figures.largest]
measure = "dominance"
value = "turnover"
n = 1
share = 0.9
p = 0.1
[[scenarios]]
name = "MARKEDREGISTER"
keys = ["nace", "employees"]
limits = ["k_anonymity.3.records <= 0", "largest.dominated <= 0"]
[[steps]]
mask = "recode"
column = "employees"
breaks = [10, 50, 250]
ends = "open_above"
[[steps]]
mask = "microaggregate"
columns = ["turnover", "exports"]
method = "mdav"
stratum = "nace"
k = 3
[[steps]]
mask = "rank_swap"
column = "investment"
p = 7.77
[loss]
columns = ["nace", "turnover", "exports", "investment"]
continuous = ["turnover", "exports", "investment"]
limits = ["il1.il1 <= 5"]
[output]
path = "firms-released.csv"
"""
LABELS = {"sex": "Sex of the person", "tenure": "Tenure: owned <or> let", "income": "Yearly income", "hh": "Household"}


def write_households(folder: Path) -> Path:
    """Write 600 households with the labels of their codes, and return the release file."""
    import polars as pl  # noqa: PLC0415 - both are of the extra `formats`
    import pyreadstat  # noqa: PLC0415

    draws = random.Random(3)  # noqa: S311 - made-up data
    rows = []
    for hh in range(600):
        region, size = draws.randrange(4), draws.choice([1, 2, 2, 3, 4])
        for i in range(size):
            rows.append({
                "person": len(rows), "hh": hh, "region": region, "size": size, "sex": draws.randrange(1, 3),
                "age": draws.randrange(18, 90) if i < 2 else draws.randrange(18), "marital": draws.choice([1, 1, 2, 3]),
                "tenure": draws.randrange(1, 3), "income": round(draws.lognormvariate(7, 0.6), 2),
                "weight": 100.0 + 10 * region,
            })  # fmt: skip
    pyreadstat.write_dta(
        pl.DataFrame(rows), str(folder / "households.dta"), column_labels=LABELS,
        variable_value_labels={"sex": {1: "woman", 2: "man"}, "tenure": {1: "owned", 2: "let"}},
    )  # fmt: skip
    (folder / "households.toml").write_text(HOUSEHOLDS, encoding="utf-8")
    return folder / "households.toml"


def write_firms(folder: Path) -> Path:
    """Write 900 firms, few of them large, and return the release file."""
    draws = random.Random(5)  # noqa: S311 - made-up data
    rows = []
    for firm in range(900):
        employees = int(min(10 + draws.paretovariate(0.9) * 5, 4000))
        turnover = round(employees * draws.lognormvariate(4, 0.4), 1)
        exports = round(turnover * draws.choice([0, 0, 0.2, 0.6]), 1)
        rows.append((firm, f"Firm {firm}", "ABC"[firm % 3], employees, turnover, exports, round(turnover / 9, 1),
                     2.0 if employees < 250 else 1.0))  # fmt: skip
    with duckdb.connect() as con:
        con.execute("""CREATE TABLE firms (firm INT, name TEXT, nace TEXT, employees INT, turnover DOUBLE,
                                           exports DOUBLE, investment DOUBLE, weight DOUBLE)""")
        con.executemany("INSERT INTO firms VALUES (?, ?, ?, ?, ?, ?, ?, ?)", rows)
        con.execute(f"COPY firms TO '{folder}/firms.parquet'")
    (folder / "firms.toml").write_text(FIRMS, encoding="utf-8")
    return folder / "firms.toml"
