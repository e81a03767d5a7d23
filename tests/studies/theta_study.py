"""How good theta-hat and its standard error are: the numerical study of Skinner & Elliot (2002), section 6, Table 1.

The census of 1991 is not public, so their study is repeated for its properties: over many samples from a
population whose true theta is known, the bias of theta-hat is below 16 % of its standard error, and the
estimated standard error is near the real spread of the error. Here the samples are Bernoulli samples, the
design under which (7) and (9) are derived.

The bounds against chance: with m samples the mean error has a standard error of sd / sqrt(m), and the
spread a relative one of 1 / sqrt(2 m): at m = 200, 7 % and 5 %, against the 16 % and 15 % that are asked for.

Run it for its table: ``python -m pytest tests/studies -s``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

import sdc_sql

if TYPE_CHECKING:
    import duckdb

FRACTIONS = (0.02, 0.05, 0.10)
SAMPLES = 200


@dataclass(frozen=True)
class Row:
    """One column of the paper's Table 1."""

    fraction: float
    theta: tuple[float, float]
    estimate: tuple[float, float]
    error: tuple[float, float]
    standard_error: tuple[float, float]

    @property
    def bias_ratio(self) -> float:
        return abs(self.error[0]) / self.error[1]

    @property
    def spread_ratio(self) -> float:
        return self.standard_error[0] / self.error[1]


def study(con: duckdb.DuckDBPyConnection, keys: list[str], seed: int) -> list[Row]:
    """Draw samples from the table `population`, and compare theta-hat with theta in each."""
    sdc_sql.load(con)
    ((size,),) = con.sql("SELECT count(*) FROM population").fetchall()
    generator = np.random.Generator(np.random.PCG64(seed))
    described: sdc_sql.Microdata | None = None
    found: dict[float, list[tuple[float, float, float]]] = {f: [] for f in FRACTIONS}
    for _ in range(SAMPLES):
        con.register("draws", pa.table({"u": generator.random(size)}))
        for fraction in FRACTIONS:
            rows = "SELECT * EXCLUDE (u) FROM population POSITIONAL JOIN draws WHERE u < ?"
            con.execute(f"CREATE OR REPLACE TEMP TABLE sample AS {rows}", [fraction])
            data = described or sdc_sql.Microdata(con, "sample", keys=keys)
            described = data  # the table is drawn anew, its columns stay
            estimate = data.theta(fraction)
            found[fraction].append((data.population_risk("population").theta, estimate.theta, estimate.standard_error))
    rows = []
    for fraction, values in found.items():
        theta, estimate, standard_error = np.array(values).T
        moments = [(float(v.mean()), float(v.std(ddof=1))) for v in (theta, estimate, estimate - theta, standard_error)]
        rows.append(Row(fraction, *moments))
    return rows


def show(title: str, rows: list[Row]) -> None:
    print(f"\n{title}: {SAMPLES} Bernoulli samples at each fraction")
    print(f"{'':28}" + "".join(f"{r.fraction:>10.2f}" for r in rows))
    for name in ("theta", "estimate", "error", "standard_error"):
        for part, words in enumerate(("mean", "s.d.")):
            print(f"{name:20}{words:8}" + "".join(f"{getattr(r, name)[part]:>10.4f}" for r in rows))
    print(f"{'|bias| / s.d. of error':28}" + "".join(f"{r.bias_ratio:>10.3f}" for r in rows))
    print(f"{'standard error / s.d.':28}" + "".join(f"{r.spread_ratio:>10.3f}" for r in rows))


def check(rows: list[Row]) -> None:
    for row in rows:
        assert row.bias_ratio < 0.16, row
        assert 0.85 < row.spread_ratio < 1.15, row
