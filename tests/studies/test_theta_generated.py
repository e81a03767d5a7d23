"""How good theta-hat is on a generated population like the paper's: see theta_study.py."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from theta_study import check, show, study

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

pytestmark = pytest.mark.slow


def test_theta_on_a_generated_population_like_the_papers():
    keys = ["age", "sex", "marital_status", "ethnic_group", "economic_status", "country_of_birth"]
    with duckdb.connect() as con:
        con.execute((FIXTURES / "population.sql").read_text(encoding="utf-8"))
        con.execute("CREATE TABLE population AS FROM synthetic_population(450000, 'study') ORDER BY person")
        rows = study(con, keys, "person")
    show("Generated population, 450,000 persons", rows)
    # the same order of magnitude as the paper's 0.0426, 0.1047, 0.1985 (Table 1)
    for row, theirs in zip(rows, (0.0426, 0.1047, 0.1985), strict=True):
        assert 0.5 * theirs < row.theta[0] < 2 * theirs
    check(rows)
