"""Guaranteed PRAM in a series: the bound of each batch, exactly; who waits; what ten nights tell."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql.series.kept_values import Known
from sdc_sql.series.remaining_bound import find_largest_matches
from tests.series.test_kept_values import Nights

pytestmark = pytest.mark.slow  # whole releases, one after another


def make_nights(con, folder, xi: float = 0.8, within=None, columns=("a", "b"), **given) -> Nights:
    def call(mask, into):
        mask.pram_guaranteed(xi, keys=list(columns), within=within, into=into)

    return Nights(con, folder, call=call, **given)


def tables(*rows):
    ids, a, b = zip(*rows, strict=True)
    return {"id": list(ids), "a": list(a), "b": list(b)}


FIRST = [(i, f"a{i % 5}", f"b{i % 7}") for i in range(70)]


def test_a_batch_of_one_cell_waits_and_comes_later(con, tmp_path):
    """A single new record, or two alike, would be known; with another cell beside them they are released."""
    nights = make_nights(con, tmp_path)
    first = nights.release(tables(*FIRST))
    second = nights.release(tables(*FIRST, (100, "a1", "b9"), (101, "a1", "b9")))
    assert second == first
    third = nights.release(tables(*FIRST, (100, "a1", "b9"), (101, "a1", "b9"), (102, "a8", "b1")))
    assert set(third) == {*first, 100, 101, 102}
    assert {third[i] for i in (100, 101, 102)} <= {("a1", "b9"), ("a8", "b1")}
    assert all(third[i] == first[i] for i in first)
    fourth = nights.release(
        tables(*FIRST[1:], (100, "a1", "b9"), (101, "a1", "b9"), (102, "a8", "b1"), (103, "a1", "b0"))
    )
    assert fourth == {i: v for i, v in third.items() if i}


def test_below_a_half_a_batch_has_three_cells(con, tmp_path):
    nights = make_nights(con, tmp_path, xi=0.45)
    first = nights.release(tables(*FIRST))
    new = [(100, "a1", "b9"), (101, "a8", "b1")]
    assert nights.release(tables(*FIRST, *new)) == first
    assert set(nights.release(tables(*FIRST, *new, (102, "a9", "b9")))) == {*first, 100, 101, 102}


def test_in_each_group_of_within(con, tmp_path):
    """One group of the batch has two cells, the other one: who waits is of the other, and `within` is kept exactly."""
    nights = make_nights(con, tmp_path, within=["a"])
    first = nights.release(tables(*FIRST))
    new = [(100, "a1", "b8"), (101, "a1", "b9"), (102, "a2", "b8")]
    second = nights.release(tables(*FIRST, *new))
    assert set(second) == {*first, 100, 101}
    assert all(second[i] in {("a1", "b8"), ("a1", "b9")} for i in (100, 101))


def test_a_column_that_did_not_change_keeps_what_was_released(con, tmp_path):
    """It changes in one column, beside one with the same released other value; else it waits; it goes back."""
    nights = make_nights(con, tmp_path)
    first = nights.release(tables(*FIRST))
    alike = [i for i in first if first[i][0] == first[0][0]][:2]
    alone = next(i for i in first if first[i][0] != first[0][0])
    changed = [(i, a, f"new {i}") if i in {*alike, alone} else (i, a, b) for i, a, b in FIRST]
    second = nights.release(tables(*changed))
    assert set(second) == {*first} - {alone}
    assert all(second[i][0] == first[i][0] for i in second)
    assert {second[i][1] for i in alike} <= {f"new {i}" for i in alike}
    third = nights.release(tables(*FIRST))
    assert third == first


def draw(con, folder, batches: int, cells: int, records: int) -> float:
    """Return the share of new records that moved, in batches of as many cells with as many records each."""
    nights = make_nights(con, folder)
    nights.release(tables(*FIRST))
    new = [
        (1000 + b * cells * records + j, f"a{j % cells}", "b0") for b in range(batches) for j in range(cells * records)
    ]
    rows, moved = [*FIRST], 0
    for b in range(batches):
        part = new[b * cells * records : (b + 1) * cells * records]
        rows += part
        shown = nights.release(tables(*rows), most_new=1.0)
        moved += sum(shown[i] != (a, v) for i, a, v in part)
    return moved / len(new)


@pytest.mark.parametrize(("batches", "cells", "records"), [(1, 300, 1), (1, 2, 200), (6, 40, 2)])
def test_each_batch_has_its_own_design(con, tmp_path, batches, cells, records):
    """In a cell of T of the batch a record moves with theta / T (Nayak, Result 1), whatever the file has."""
    sdc_sql.load(con)
    theta = float(con.execute("SELECT sdc_pram_theta(0.8)").fetchall()[0][0])
    expected, n = theta / records, batches * cells * records
    found = draw(con, tmp_path, batches, cells, records)
    assert abs(found - expected) < 4.5 * np.sqrt(expected * (1 - expected) / n) + 1 / n


def correct_match(batches: list[dict[int, int]], theta: float, *, of_file: bool = False, most: int = 6) -> float:
    """Return the largest probability that a match to a record is right, of all cells and numbers of matches.

    By brute force: who is shown in a cell is a sum of independent indicators. ``of_file``: each record is drawn by the
    counts of the whole file, though it is published with its batch: to who knows the night, a batch is a file.
    """
    every = Counter()
    for batch in batches:
        every.update(batch)
    groups = batches[-1:] if of_file else batches
    flows: dict[int, list[float]] = {cell: [] for cell in every}
    targets: dict[int, list[float]] = {cell: [] for cell in every}
    for batch in groups:
        of = every if of_file else batch
        for cell, count in batch.items():
            for other in of:
                p = 1 - theta / of[cell] if other == cell else theta / ((len(of) - 1) * of[cell])
                flows[other] += [p] * count
            targets[cell].append(1 - theta / of[cell])
    worst = 0.0
    for cell, stays in targets.items():
        for stay in stays:
            others = list(flows[cell])
            others.remove(stay)
            pmf = np.zeros(most + 1)
            pmf[0] = 1
            for p in others:
                pmf[1:] = pmf[1:] * (1 - p) + pmf[:-1] * p
                pmf[0] *= 1 - p
            for a in range(1, most + 1):
                right = stay * pmf[a - 1]
                all_ = right + (1 - stay) * pmf[a]
                worst = max(worst, right / all_ / a if all_ else 0)
    return worst


@pytest.mark.parametrize("xi", [0.8, 0.5, 0.45])
def test_the_bound_holds_for_batches_together(con, xi):
    """Exactly, over random worlds of batches, each by its own design; and, put back, not by the counts of the file."""
    sdc_sql.load(con)
    ((theta,),) = con.execute("SELECT sdc_pram_theta(?)", [xi]).fetchall()
    rng = np.random.default_rng(5)
    least = 3 if xi < 0.5 else 2
    worst = 0.0
    for _ in range(60):
        batches = []
        for _ in range(rng.integers(1, 5)):
            cells = rng.choice(9, rng.integers(least, 8), replace=False)
            batches.append({int(c): int(rng.integers(1, 4)) for c in cells})
        worst = max(worst, correct_match(batches, theta))
    assert worst <= xi + 1e-12
    file = dict.fromkeys(range(9), 20)
    assert correct_match([file, {0: 1, 1: 1}], theta, of_file=True) > 0.96


def count_by_force(batch: dict[int, int], left: dict[int, int], theta: float) -> dict[int, float]:
    """Return by cell the largest probability of a correct match where some of a batch have left."""
    found = {}
    for cell in (c for c in batch if batch[c] - left.get(c, 0)):
        others = []
        for other, count in batch.items():
            stays = 1 - theta / count if other == cell else theta / ((len(batch) - 1) * count)
            others += [stays] * (count - left.get(other, 0) - (other == cell))
        pmf = np.zeros(8)
        pmf[0] = 1
        for p in others:
            pmf[1:] = pmf[1:] * (1 - p) + pmf[:-1] * p
            pmf[0] *= 1 - p
        p = 1 - theta / batch[cell]
        found[cell] = max(p * pmf[a - 1] / (a * (p * pmf[a - 1] + (1 - p) * pmf[a])) for a in range(1, 7)
                          if p * pmf[a - 1] + (1 - p) * pmf[a] > 0)  # fmt: skip
    return found


def test_the_bound_of_who_is_still_there_is_counted_exactly():
    """As by brute force, over random batches and leavers; one of a cell of two that leaves gives 0.91 for xi = 0.8."""
    rng, theta = np.random.default_rng(8), 0.3904
    for _ in range(40):
        batch = {c: int(rng.integers(1, 4)) for c in range(rng.integers(2, 9))}
        left = {c: int(rng.integers(0, n + 1)) for c, n in batch.items()}
        rows = [(c, n) for c, n in batch.items() for _ in range(n - left[c])]
        if not rows:
            continue
        cell, count = (np.array(column) for column in zip(*rows, strict=True))
        found = find_largest_matches(np.zeros(len(cell), int), cell, count, np.full(len(cell), len(batch)), theta)
        wanted = count_by_force(batch, left, theta)
        assert found == pytest.approx([wanted[c] for c in cell], abs=1e-9)
    pair = {0: 2, **dict.fromkeys(range(1, 41), 1)}
    assert count_by_force(pair, {}, theta)[0] < 0.8
    assert 0.9 < count_by_force(pair, {0: 1}, theta)[0] < 0.92


def test_who_left_is_counted_in_the_release(con, tmp_path):
    """The first release keeps its bound; one of a cell of two leaves, and who is less covered then is counted."""
    rows = [(i, f"a{i}", "b") for i in range(1, 40)] + [(100, "a0", "b"), (101, "a0", "b")]
    head, told = "", []
    for name, table in (("one", tables(*rows)), ("two", tables(*rows)), ("three", tables(*rows[:-1]))):
        con.register("given", pa.table(table))
        con.execute("CREATE OR REPLACE TABLE t AS FROM given")
        with sdc_sql.Series(tmp_path / "l", "p", name, after=head) as series:
            sdc_sql.Microdata(con, "t", id="id", series=series).mask.pram_guaranteed(0.8, keys=["a", "b"], into=name)
        head = series.head
        told.append({key.partition(".")[2]: value for key, value in series.told.items()})
    assert told[1]["above_xi"] == 0
    assert told[1]["largest_match"] <= 0.8
    theta = float(con.execute("SELECT sdc_pram_theta(0.8)").fetchall()[0][0])
    wanted = count_by_force({0: 2, **dict.fromkeys(range(1, 40), 1)}, {0: 1}, theta)
    assert told[2]["above_xi"] == sum(p > 0.8 for p in wanted.values())
    assert told[2]["largest_match"] == pytest.approx(wanted[0])
    assert wanted[0] > 0.9


def test_whom_a_later_step_leaves_out_covers_nobody(con, tmp_path):
    """Suppression leaves out who changed, a sample who is not drawn: the bound is that of who is in the file."""

    def sample(mask, into):
        mask.sample(fraction=0.5, method="bernoulli", into=into)

    def suppress(mask, into):
        mask.local_suppression(2, keys=["c", "d"], into=into)

    theta = float(sdc_sql.load(con).execute("SELECT sdc_pram_theta(0.8)").fetchall()[0][0])
    rows = [(i, f"a{i // 2}", f"c{i % 3}", f"d{i % 4}") for i in range(120)]
    moved = [(i, a, "c0" if c != "c0" else "c1", d) if i % 7 == 1 else (i, a, c, d) for i, a, c, d in rows]
    for leave_out in (suppress, sample):
        head = ""
        for name, table in (("one", rows), ("two", moved)):
            con.register("given", pa.table(dict(zip("iacd", zip(*table, strict=True), strict=True))))
            con.execute("CREATE OR REPLACE TABLE t AS SELECT i AS id, * EXCLUDE (i) FROM given")
            con.execute("DROP TABLE IF EXISTS masked; DROP TABLE IF EXISTS released")
            with sdc_sql.Series(tmp_path / leave_out.__name__, "p", name, after=head) as series:
                mask = sdc_sql.Microdata(con, "t", id="id", series=series).mask
                mask.pram_guaranteed(0.8, keys=["a"], into="masked")
                before = dict(series.told)
                leave_out(sdc_sql.Microdata(con, "masked", id="id", series=series).mask, "released")
            head = series.head
        there = {i for (i,) in con.execute("SELECT id FROM released").fetchall()}
        left = Counter(i // 2 for i, *_ in rows if i not in there)
        assert any(left.values())
        wanted = count_by_force(dict.fromkeys(range(60), 2), dict(left), theta)
        alone = {cell: p for cell, p in wanted.items() if left[cell] < 2}
        assert before["pram_guaranteed.largest_match"] < 0.8
        assert series.told["pram_guaranteed.largest_match"] == pytest.approx(max(alone.values()))
        assert max(alone.values()) > 0.9
        assert series.told["pram_guaranteed.above_xi"] == sum(
            2 - left[cell] for cell, p in alone.items() if p > 0.8
        )  # fmt: skip


def make_world(rng) -> dict:
    """Return 150 records of which everybody's b is another one each night."""
    a = np.random.default_rng(1).integers(0, 12, 150)
    return {"id": np.arange(150), "a": [f"a{v}" for v in a], "b": [f"b{v}" for v in rng.integers(0, 90, 150)]}


def guess(con, folder) -> float:
    """Return how many a's are right by their commonest released value after six nights, beyond the first night's."""
    rng = np.random.default_rng(3)
    nights = make_nights(con, folder)
    nightly = [make_world(rng) for _ in range(6)]
    shown = [nights.release(w) for w in nightly]
    truth = nightly[0]["a"]
    guessed = [Counter(s[i][0] for s in shown if i in s).most_common(1)[0][0] == truth[i] for i in range(150)]
    return float(np.mean(guessed) - np.mean([shown[0][i][0] == truth[i] for i in range(150)]))


def test_a_column_that_changes_each_night_tells_nothing_of_the_other(con, tmp_path, monkeypatch):
    """By record, a fault put back, all columns are drawn again each night: the commonest value is the true one."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert guess(con, tmp_path / "a") == 0
    whole = Known.stack_missing
    monkeypatch.setattr(
        Known, "stack_missing", lambda k: np.repeat(whole(k).any(axis=1)[:, None], len(k.missing), axis=1)
    )
    assert guess(con, tmp_path / "b") > 0.1


def test_nulls_types_odd_names_and_who_returns(con, tmp_path):
    """NULL is a category; whole numbers, dates and a quote; who was away has what he had."""

    def make(*ids):
        return {
            "id": [f"{i}'" for i in ids],
            "Select": pa.array([None if i % 3 == 0 else i % 3 for i in ids], pa.int32()),
            "k": pa.array([i % 4 for i in ids], pa.int32()).cast(pa.date32()),
        }

    nights = make_nights(con, tmp_path, columns=("Select", "k"))
    first = nights.release(make(*range(40)))
    second = nights.release(make(*range(4, 48)))
    third = nights.release(make(*range(50)), returning=True)
    assert all(second[i] == first[i] for i in second if i in first)
    assert all(third[i] == first[i] for i in first)
    assert all(third[i] == second[i] for i in second)
