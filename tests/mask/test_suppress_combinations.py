"""Suppression by a threshold rule: the optimum, and a file that the rule finds nothing in, from every door."""

from __future__ import annotations

import json
from itertools import combinations, product

import duckdb
import numpy as np
import pytest
from sdc_sql.udfs.suppression import functions
from sdc_sql.udfs.suppression.cells import Cells
from sdc_sql.udfs.suppression.combinations import frequent

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.errors import InputError, TableError

KEYS = ["region", "race", "hispanic", "education", "children_under_6", "children_6_to_18"]
LEVELS = {"extremely": ["region"], "very": ["race", "hispanic"], "identifying": KEYS[3:]}


@pytest.fixture
def couples(con, fixtures):
    con.execute(f"CREATE TABLE couples AS FROM '{fixtures / 'cps_couples.parquet'}'")
    return sdc_sql.Microdata(con, "couples", keys=KEYS, weight="weight", id="couple")


def fewest(records: np.ndarray, sets: list[list[int]], limits: list[float], amounts: np.ndarray) -> int:
    """Return the fewest suppressions by trying all sets of keys for each record."""

    def enough(record, kept):
        for keys, limit in zip(sets, limits, strict=True):
            left = [key for key in keys if kept[key] and record[key]]
            if amounts[(records[:, left] == record[left]).all(axis=1)].sum() <= limit:
                return False
        return True

    every = list(product([False, True], repeat=records.shape[1]))
    return sum(
        min(
            sum(not keeps and v > 0 for keeps, v in zip(kept, record, strict=True))
            for kept in every
            if enough(record, kept)
        )
        for record in records
    )


@pytest.mark.slow
@pytest.mark.parametrize("nulls", [False, True])
def test_no_fewer_suppressions_would_do(nulls):
    rng = np.random.default_rng(7)
    for _ in range(150):
        keys = int(rng.integers(2, 5))
        records = rng.integers(0 if nulls else 1, 4, (int(rng.integers(6, 14)), keys))
        amounts = rng.integers(1, 4, len(records)).astype(np.float64)
        sets = [list(s) for size in (1, 2) for s in combinations(range(keys), size)]
        limits = [{1: 4.0, 2: 2.0}[len(s)] for s in sets]
        codes, place = np.unique(records, axis=0, return_inverse=True)
        counts, sums = np.bincount(place.ravel()), np.bincount(place.ravel(), weights=amounts)
        cells = Cells(codes, counts, [1.0] * keys)
        lost = frequent(cells, [sum(1 << k for k in s) for s in sets], limits, sums, inclusive=True)
        found = sum(int(cells.cost(int(d))) * n for d, n in zip(lost, counts, strict=True))
        assert found == fewest(records, sets, limits, amounts)


@pytest.mark.slow
def test_the_rule_finds_nothing_in_the_released_file(couples):
    rules = {"levels": LEVELS, "inclusive": False}
    assert sum(r.unsafe_combinations for r in couples.threshold_rule_summary(20_000, **rules)) > 0
    step = couples.suppress_combinations(20_000, **rules, into="released")
    released = sdc_sql.Microdata(couples.con, "released", keys=KEYS, weight="weight", nulls="wildcard")
    assert sum(r.unsafe_combinations for r in released.threshold_rule_summary(20_000, **rules)) == 0
    assert sum(step.parameters["suppressions"].values()) > 0
    assert couples.con.execute("SELECT parameters->>'weight' FROM sdc_steps").fetchall() == [("weight",)]


@pytest.mark.slow
def test_the_rules_for_researchers_pass_on_the_mended_file(couples):
    rest = {"levels": LEVELS, "panel": False, "direct_identifiers": []}
    heavy = couples.weighing(2)
    heavy.suppress_combinations(100, levels=LEVELS, inclusive=False, into="mended")
    mended = sdc_sql.Microdata(couples.con, "mended", keys=KEYS, weight=2, nulls="wildcard")
    assert heavy.research_file_rules(**rest)[1].violated
    assert mended.research_file_rules(**rest)[1].violated is False


@pytest.mark.slow
def test_each_size_has_its_own_threshold(couples):
    """As the combinations of mu-ARGUS: pairs at least 20 times, triples at least 10 times in the file."""
    plain = sdc_sql.Microdata(couples.con, "couples", keys=KEYS, id="couple")
    step = plain.suppress_combinations([None, 20, 10], inclusive=False, into="released")
    released = sdc_sql.Microdata(couples.con, "released", keys=KEYS, nulls="wildcard")
    found = released.threshold_rule_summary([None, 20, 10], inclusive=False)
    assert {len(r.columns) for r in found} == {2, 3}
    assert sum(r.unsafe_combinations for r in found) == 0
    assert sum(step.parameters["suppressions"].values()) == 604  # the optimum, once searched


def test_what_the_rule_still_finds_is_an_error_and_nothing_is_written(couples, monkeypatch):
    monkeypatch.setattr(functions, "frequent", lambda cells, *_, **__: np.zeros(cells.number, dtype=np.int64))
    with pytest.raises(TableError, match="combinations are still below the threshold: nothing was written"):
        couples.suppress_combinations(20_000, levels=LEVELS)
    unchanged = "SELECT count(*) FROM couples WHERE COLUMNS(lambda c: list_contains($keys, c)) IS NULL"
    assert couples.con.execute(unchanged, {"keys": KEYS}).fetchone() == (0,)


@pytest.mark.slow
def test_on_the_command_line_a_file_goes_from_failing_to_passing(tmp_path, monkeypatch, capsys, fixtures):
    monkeypatch.chdir(tmp_path)
    keys, weight = ",".join(KEYS), ["--weight", "weight"]
    rules = ["--threshold", "20000", "--at-least", "--extremely", "region", "--very", "race,hispanic", "--identifying",
             ",".join(KEYS[3:]), *weight, "--fail-if", "threshold_rule.unsafe_combinations > 0"]  # fmt: skip
    source = str(fixtures / "cps_couples.parquet")
    assert main(["rules", source, "--keys", keys, *rules]) == 3
    command = ["mask", "suppress-combinations", source, "--id", "couple", "--columns", keys, "--threshold", "20000",
               "--levels", json.dumps(LEVELS), *weight, "--output", "mended.parquet"]  # fmt: skip
    assert main(command) == 0
    assert main(["rules", "mended.parquet", "--keys", keys, *rules, "--nulls", "wildcard"]) == 0
    capsys.readouterr()


def test_wrong_arguments(couples):
    for wrong, words in (
        ({"threshold": 0}, "positive number"),
        ({"threshold": 20, "levels": {"very": ["race"]}}, "no level"),
        ({"threshold": 1e12}, "too few for a threshold"),
        ({"threshold": [None, None]}, "positive number"),
    ):
        with pytest.raises(InputError, match=words):
            couples.suppress_combinations(**wrong, into="r")
    with pytest.raises(duckdb.Error, match="inclusive is NULL"):
        couples.con.execute(
            f"FROM sdc_suppress_combinations('couples', {KEYS}, 3, 'couple', inclusive := NULL)"
        ).fetchall()
