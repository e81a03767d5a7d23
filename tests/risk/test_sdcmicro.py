"""What sdcMicro answers on the two surveys of fixtures/: its figures, with each call, stand in fixtures/sdcmicro.json.

Of a column of records the file has the sum, the sum of squares, the sum weighted by place (which tells an exchange of
records), least and greatest value and the first twelve.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from small_tables import fetch
from validation.tables import BLANKED, KEYS

if TYPE_CHECKING:
    from pathlib import Path

WORKERS = ["age", "sex", "region", "education"]


@pytest.fixture(scope="module")
def survey(db, fixtures: Path):
    """Return the connection with the tables `couples`, `blanked` (where some keys are missing) and `workers`."""
    for table, file in (("couples", "cps_couples"), ("workers", "cps_workers")):
        db.execute(f"CREATE TABLE {table} AS FROM '{fixtures / file}.parquet'")
    db.execute(BLANKED)
    return db


@pytest.fixture(scope="module")
def theirs(fixtures: Path) -> dict[str, dict[str, Any]]:
    """Return sdcMicro's figures by the name of the call."""
    entries = json.loads((fixtures / "sdcmicro.json").read_text(encoding="utf-8"))["entries"]
    return {name: entry["result"] for name, entry in entries.items()}


def assert_the_same(values: list[float], figures: dict[str, Any], rel: float = 1e-12) -> None:
    found = {
        "n": len(values),
        "sum": sum(values),
        "sumsq": sum(v * v for v in values),
        "index_weighted_sum": sum(place * v for place, v in enumerate(values, 1)),
        "min": min(values),
        "max": max(values),
    }
    assert found == pytest.approx({name: figures[name] for name in found}, rel=rel)
    assert values[:12] == pytest.approx(figures["first"], rel=rel)


def columns(con, sql: str, *parameters: object, order: str = "couple") -> dict[str, list[Any]]:
    rows = fetch(con, f"{sql} ORDER BY {order}", *parameters)
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_frequencies(survey, theirs):
    figures = theirs["couples_frequencies"]
    ours = columns(survey, "FROM sdc_frequencies('couples', ?, 'weight')", KEYS)
    assert_the_same(ours["sample_frequency"], figures["fk"])
    assert_the_same(ours["population_frequency"], figures["Fk"])
    assert sum(f == 1 for f in ours["sample_frequency"]) == figures["n1"]
    assert sum(f == 2 for f in ours["sample_frequency"]) == figures["n2"]
    violations = {row["k"]: row["records"] for row in fetch(survey, "FROM sdc_k_anonymity('couples', ?, 5)", KEYS)}
    assert (violations[3], violations[5]) == (figures["violations_k3"], figures["violations_k5"])


def test_frequencies_where_a_missing_key_agrees_with_every_value(survey, theirs):
    figures = theirs["couples_wildcard_frequencies"]
    ours = columns(survey, "FROM sdc_frequencies('blanked', ?, 'weight', nulls := 'wildcard')", KEYS)
    assert_the_same(ours["sample_frequency"], figures["fk"])
    assert_the_same(ours["population_frequency"], figures["Fk"])
    assert sum(f < 3 for f in ours["sample_frequency"]) == figures["violations_k3"]


def test_individual_and_global_risk(survey, theirs):
    """Its risk is an approximation for cells of three and more, never below ours and at most 0.44 % above."""
    approximate = theirs["couples_individual_risk"]["approx"]
    ours = columns(survey, "FROM sdc_individual_risk('couples', ?, 'weight')", KEYS)
    same = [
        r if f <= 2 else (p := f / F) / (f - (1 - p))
        for f, F, r in zip(ours["sample_frequency"], ours["population_frequency"], ours["individual_risk"], strict=True)
    ]
    assert_the_same(same, approximate)
    for exact, theirs_ in zip(ours["individual_risk"], same, strict=True):
        assert theirs_ * (1 - 0.004403) < exact <= theirs_ * (1 + 1e-12)
    (row,) = fetch(survey, "FROM sdc_global_risk('couples', ?, 'weight')", KEYS)
    whole = theirs["couples_global_risk"]
    assert row["expected_reidentifications"] == pytest.approx(sum(ours["individual_risk"]), rel=1e-12)
    for name, figure in (
        ("expected_reidentifications", "risk_ER"),
        ("reidentification_rate", "risk"),
        ("percent", "risk_pct"),
    ):
        assert whole[figure] * (1 - 0.004403) < row[name] <= whole[figure]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("entry", "arguments", "order"),
    [
        ("couples_suda_original_TRUE", ["couples", KEYS, "factorial"], "couple"),
        ("couples_suda_original_FALSE", ["couples", KEYS, "superset"], "couple"),
        ("workers_suda", ["workers", WORKERS, "factorial"], "person"),
    ],
)
def test_suda(survey, theirs, entry, arguments, order):
    """Its DIS scores differ from the formula by up to 3e-7."""
    figures = theirs[entry]
    query = "FROM sdc_suda(?, ?, max_msu := NULL, dis_fraction := 0.01, scoring := ?)"
    ours = columns(survey, query, *arguments, order=order)
    assert_the_same(ours["suda_score"], figures["score"])
    assert_the_same(ours["dis_suda"], figures["dis"], rel=1e-6)
    assert sum(score > 0 for score in ours["suda_score"]) == figures["positive"]
    shares = fetch(survey, "FROM sdc_suda_contributions(?, ?, max_msu := NULL, scoring := ?)", *arguments)
    contributions = {share["variable"]: share["contribution"] for share in shares}
    assert contributions == pytest.approx(figures["attribute_contributions"], rel=1e-12)


def test_l_diversity(survey, theirs):
    figures = theirs["couples_l_diversity"]
    keys = [key for key in KEYS if key != "education"]
    ours = columns(survey, "FROM sdc_l_diversity_records('couples', ?, 'education', c := 3)", keys)
    for measure in ("Distinct", "Entropy", "Recursive"):
        assert_the_same(ours[f"{measure.lower()}_l"], figures[f"education_{measure}_Ldiversity"])
