"""A later mapping of a series is accepted where each of its classes is made of whole former ones, and else refused."""

from __future__ import annotations

import random

import pytest

import sdc_sql
from sdc_sql.errors import SeriesError
from sdc_sql.series.mapped_classes import explain_parted, read_classes
from tests.series_world import KEY

VALUES = ["a", "b", "c", "d", "x", "y", None]
LABELS = ["x", "y", "z", "a", None]


@pytest.fixture
def con(connect):
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        yield con


class Mapped:
    """What the series asks of a step: its arguments."""

    def __init__(self, mapping: dict, others: str, label: str | None) -> None:
        self.mapping, self.others, self.label = mapping, others, label
        self.arguments = {"mapping": "given", "others": others, "label": label}

    def apply(self, value: str | None):
        """Return what becomes of a value, by the words of the documentation; `...` where it is an error."""
        if value in self.mapping:
            return self.mapping[value]
        if value is None or self.others == "keep":
            return value
        return self.label if self.others == "label" else ...

    def read(self, con):
        con.execute('CREATE OR REPLACE TEMP TABLE given ("from" VARCHAR, "to" VARCHAR)')
        con.executemany("INSERT INTO given VALUES (?, ?)", [*self.mapping.items()])
        data = type("Data", (), {"con": con})
        rows, labels = read_classes(data, self, "p", 0)
        form = {"method": "recode", "columns": ["k"], "arguments": {**self.arguments, "id": "id"}}
        return form, rows, labels


def is_coarser(before: Mapped, now: Mapped) -> bool:
    """By brute force, over all values that are named and two that nobody named: no former class is divided."""
    classes: dict = {}
    for value in [*VALUES, *LABELS, "other", "another"]:
        was = before.apply(value)
        if was is not ...:
            classes.setdefault(was, set()).add(now.apply(value))
    return all(len(of) == 1 and ... not in of for of in classes.values())


def draw(rng: random.Random) -> Mapped:
    others = rng.choice(["error", "error", "keep", "label"])
    mapping = {v: rng.choice(LABELS) for v in rng.sample(VALUES, rng.randint(1, 5))}
    return Mapped(mapping, others, rng.choice(["z", "x"]) if others == "label" else None)


def coarsen(rng: random.Random, before: Mapped) -> Mapped:
    """Return a mapping that joins classes of another, and lists some more values, mostly soundly."""
    onto = {label: rng.choice(["z", "w", label]) for label in [*LABELS, "w"]}
    mapping = {v: onto[to] for v, to in before.mapping.items()}
    mapping |= {v: rng.choice(["z", "w", v]) for v in rng.sample(VALUES, 2) if v not in mapping}
    label = onto[before.label] if before.label is not None else None
    return Mapped(mapping, before.others if label is not None or before.others != "label" else "error", label)


@pytest.mark.slow
def test_as_by_brute_force(con):
    """What is accepted divides no former class, of any values; and what divides none is accepted, nearly always."""
    rng = random.Random(7)  # noqa: S311 - no secret
    accepted = divided = needless = 0
    for n in range(60):
        before = draw(rng)
        now = coarsen(rng, before) if n % 2 else draw(rng)
        known, rows, _ = before.read(con)
        form, new, labels = now.read(con)
        why = explain_parted(known, form, rows, new, labels)
        sound = is_coarser(before, now)
        accepted += not why
        divided += not sound
        assert sound or why, (before.mapping, before.others, before.label, now.mapping, now.others, now.label)
        needless += bool(why) and sound
    assert accepted > 6
    assert divided > 20
    assert needless < 4


@pytest.mark.slow
def test_through_a_series(con, tmp_path):
    con.execute("CREATE TABLE t AS SELECT i AS id, ['aa', 'bb', 'cc', 'secret'][1 + i % 4] AS k FROM range(40) r(i)")
    fine = {"aa": "1", "bb": "1", "cc": "2", "secret": "3"}

    def release(name: str, after: str, mapping, table: str = "t") -> str:
        with sdc_sql.Series(tmp_path / "l", "p", name, after=after) as series:
            sdc_sql.Microdata(con, table, id="id", series=series).mask.recode("k", mapping=mapping, into=name)
        return series.head

    one = release("one", "", fine)
    with pytest.raises(SeriesError, match="a former class is divided between '1', '9'"):
        release("two", one, fine | {"bb": "9"})
    with pytest.raises(SeriesError, match="values of 1 former classes have no class") as told:
        release("two", one, {v: to for v, to in fine.items() if v != "secret"})
    assert "secret" not in str(told.value)
    con.execute("INSERT INTO t VALUES (77, 'new')")
    two = release("two", one, {"aa": "low", "bb": "low", "cc": "low", "secret": "high", "new": "high"})
    shown = con.execute("SELECT one.k, two.k FROM one RIGHT JOIN two USING (id) GROUP BY ALL ORDER BY ALL").fetchall()
    assert shown == [("1", "low"), ("2", "low"), ("3", "high"), (None, "high")]
    with pytest.raises(SeriesError, match="is not that of the releases before"):
        release("three", two, fine | {"new": "3"})  # the former one is finer now
    con.execute("CREATE TABLE first AS FROM t WHERE id < 40")
    con.execute("DROP TABLE one")
    with pytest.raises(SeriesError, match="has become coarser since"):
        release("one", "", fine, "first")
