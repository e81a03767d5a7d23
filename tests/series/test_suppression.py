"""Local suppression in a series, attacked by who has all releases: counted by an intruder who is written apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

import sdc_sql
from sdc_sql.errors import ParameterError, SeriesError
from tests import series_world as world

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

KEYS = ["age", "sex", "region"]


@dataclass
class Nights:
    """What was released night by night, by the released id, and what was true of it."""

    con: Any
    folder: Path
    call: Callable[[Any, str], Any]
    keys: list[str]
    weakened: str = "leave_out"
    id: str = "id"
    head: str = ""
    originals: list[dict[Any, tuple]] = field(default_factory=list)
    released: list[dict[Any, tuple]] = field(default_factory=list)
    counts: list[dict[str, int]] = field(default_factory=list)
    persons: list[dict[Any, Any]] = field(default_factory=list)  # whose a released id is: its keeper alone knows

    def release(self, table: str, name: str = "", **given) -> dict[Any, tuple]:
        name = name or f"night {len(self.released) + 1}"
        self.con.execute(f'DROP TABLE IF EXISTS "{name}"')
        given = {"weakened": self.weakened, "returning": True, "disk_encrypted": True} | given
        with sdc_sql.Series(self.folder / "s.ledger", "p", name, after=self.head, **given) as series:
            data = sdc_sql.Microdata(self.con, table, id=self.id, series=series)
            step = self.call(data.mask, name)
        self.head = series.head
        found = self.read(name)
        assert step.records == len(found)
        self.originals.append(self.read(table))
        self.released.append(found)
        self.counts.append(series.counts)
        given = "SELECT sdc__given, sdc__id FROM temp.sdc_series_given_ids"
        self.persons.append(dict(self.con.execute(given).fetchall()) if series.gave_ids else {})
        return found

    def read(self, table: str) -> dict[Any, tuple]:
        columns = ", ".join(f'"{k}"' for k in [self.id, *self.keys])
        return {i: tuple(row) for i, *row in self.con.execute(f'SELECT {columns} FROM "{table}"').fetchall()}


def count_alike(released: list[dict[Any, tuple]]) -> list[int]:
    """Return of each id that stands now how many it cannot be told from, by who knows where his target stands.

    By all pairs of ids, release by release: those that stand in all releases in which this one does, with the same row
    in each. Ids that were given anew are a crowd of their own, of one release.
    """
    now = released[-1]
    nights: dict[Any, list[int]] = {i: [t for t, r in enumerate(released) if i in r] for i in now}
    by_row: dict[tuple, list[Any]] = {}
    for i, row in now.items():
        by_row.setdefault(row, []).append(i)
    found = []
    for i, row in now.items():
        others = [o for o in by_row[row] if not is_given(i) or (is_given(o) and nights[o][0] == nights[i][0])]
        found.append(sum(all(o in released[t] and released[t][o] == released[t][i] for t in nights[i]) for o in others))
    return found


def is_given(i: Any) -> bool:
    return isinstance(i, int) and i < 0


def count_shown_again(nights: Nights) -> tuple[int, int]:
    """Return how many values were suppressed in one release and shown in a later one, and how many ever suppressed.

    By the person, whatever his released id: a value of him that is the same in the original.
    """
    hidden: set[tuple] = set()
    again: set[tuple] = set()
    for original, released, persons in zip(nights.originals, nights.released, nights.persons, strict=True):
        for i, row in released.items():
            own = persons.get(i, i)
            for j, value in enumerate(row):
                state = (own, j, original[own][j])
                if value is None:
                    hidden.add(state)
                elif state in hidden:
                    again.add(state)
    return len(again), len(hidden)


def suppress(k: int, keys: list[str], **given) -> Callable[[Any, str], Any]:
    return lambda mask, into: mask.local_suppression(k, keys=keys, into=into, **given)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("weakened", ["leave_out", "new_id"])
@pytest.mark.parametrize("scenario", ["churn", "move", "return"])
def test_ten_nights(con, tmp_path, scenario, weakened, seed):
    """No night shows what another one suppressed, and who puts all of them together finds k."""
    nights = Nights(con, tmp_path, suppress(3, KEYS), KEYS, weakened)
    for name in world.make_nights(con, scenario, 1200, 10, seed):
        nights.release(name)
        assert min(count_alike(nights.released)) >= 3
    again, hidden = count_shown_again(nights)
    assert again == 0
    assert hidden > 300


@pytest.fixture
def small(con):
    """Return a connection with a small table: groups of three, and two of records that none is like."""
    con.execute("""
        CREATE TABLE first AS SELECT * FROM (VALUES
            (1, 'a', 'x', 'n'), (2, 'a', 'x', 'n'), (3, 'a', 'x', 'n'),
            (4, 'b', 'x', 'n'), (5, 'b', 'x', 'n'), (6, 'b', 'x', 'n'),
            (7, 'c', 'y', 'n'), (8, 'd', 'y', 'n'), (9, 'e', 'y', 'n'),
            (15, 'f', 'y', 's'), (16, 'f', 'y', 's'), (17, 'f', 'y', 's'),
            (18, 'g', 'y', 'w'), (19, 'g', 'y', 'w'), (25, 'g', 'y', 'w'),
            (10, 'c', 'x', 's'), (11, 'd', 'x', 's'), (12, 'e', 'x', 's')) AS t(id, job, sex, region)
    """)
    return con


OF_SMALL = ["job", "sex", "region"]


def make(con, name: str, change: str = "", keep: str = "true") -> str:
    con.execute(f'CREATE OR REPLACE TABLE "{name}" AS SELECT * FROM first WHERE {keep}')
    for statement in filter(None, change.split(";")):
        con.execute(statement.replace("{0}", f'"{name}"'))
    return name


@pytest.mark.slow
def test_a_released_id_shows_one_row(small, tmp_path):
    """Who comes joins a row that stands; who changes where nothing is shown stays; who changes back has his row."""
    nights = Nights(small, tmp_path, suppress(3, OF_SMALL), OF_SMALL)
    first = nights.release("first")
    assert first[7] == (None, "y", "n")
    second = nights.release(make(small, "second", "INSERT INTO {0} VALUES (13, 'a', 'x', 'n'), (14, 'z', 'y', 'n')"))
    assert {i: second[i] for i in first} == first
    assert second[13] == ("a", "x", "n")
    assert second[14] == (None, "y", "n")
    # without a series 7 would be shown, as soon as two of his job stand beside him
    third = nights.release(
        make(small, "third", "INSERT INTO {0} VALUES (20, 'c', 'y', 'n'), (21, 'c', 'y', 'n'), (22, 'c', 'y', 'n')")
    )
    assert third[7] == (None, "y", "n")
    assert third[20] == ("c", "y", "n")
    fourth = nights.release(make(small, "fourth", "UPDATE {0} SET job = 'a' WHERE id = 7"))  # of which nothing is shown
    assert fourth[7] == (None, "y", "n")
    assert nights.release(make(small, "fifth"))[7] == (None, "y", "n")
    assert count_shown_again(nights)[0] == 0


@pytest.mark.slow
def test_who_is_left_too_few_is_left_out(small, tmp_path):
    """One of three leaves: the others cannot be hidden any more under their ids, and those of another group stay."""
    nights = Nights(small, tmp_path, suppress(3, OF_SMALL), OF_SMALL)
    first = nights.release("first")
    second = nights.release(make(small, "second", keep="id <> 3"))
    assert set(second) == set(first) - {1, 2, 3}
    assert nights.counts[-1] | {"records": 0, "new": 0, "returning": 0} == {
        "records": 0, "new": 0, "returning": 0, "waiting": 0, "rows_changed": 0, "weakened": 2, "new_ids": 0,
        "left_out": 2, "waiting_for_others": 0, "suppressed_later": 0, "apart_by_presence": 0,
    }  # fmt: skip
    third = nights.release(make(small, "third"))  # he is back: theirs have ended, and he alone is too few
    assert set(third) == set(first) - {1, 2, 3}


@pytest.mark.slow
def test_new_ids(small, tmp_path):
    """Those that are left too few, and who changes what he shows, get ids that nobody has had, by themselves."""
    nights = Nights(small, tmp_path, suppress(3, OF_SMALL), OF_SMALL, "new_id")
    first = nights.release(make(small, "first bigger", "ALTER TABLE {0} ALTER id TYPE BIGINT"))
    change = "ALTER TABLE {0} ALTER id TYPE BIGINT; UPDATE {0} SET job = 'q' WHERE id = 4"
    second = nights.release(make(small, "second", change, "id <> 3"))
    assert nights.counts[-1]["weakened"] == 4
    assert nights.counts[-1]["rows_changed"] == 1
    assert nights.counts[-1]["new_ids"] == 5
    given = {i for i in second if i < 0}
    assert len(given) == 5
    assert set(second) - given == set(range(7, 13)) | {15, 16, 17, 18, 19, 25}
    assert {second[i] for i in given} == {(None, "x", None)}  # two jobs are left that are shown: not hidden alone
    rows = [i for (i,) in small.execute('SELECT id FROM "night 2"').fetchall()]
    assert rows[-5:] == sorted(given)  # their places do not tell who they were
    third = nights.release(make(small, "third", change, "id <> 3"))
    assert third == second
    assert first.keys() - second.keys() == {1, 2, 3, 4, 5, 6}
    # a batch below k waits until there are k
    fourth = nights.release(make(small, "fourth", change, "id NOT IN (3, 9)"))
    assert nights.counts[-1]["waiting_for_others"] == 2
    assert third.keys() - fourth.keys() == {7, 8, 9}
    fifth = nights.release(make(small, "fifth", change, "id NOT IN (3, 9, 10)"))
    assert (nights.counts[-1]["weakened"], nights.counts[-1]["new_ids"]) == (2, 4)
    assert len(fifth) == len(third) - 2
    assert min(count_alike(nights.released)) >= 3


@pytest.mark.slow
def test_new_ids_need_room(small, tmp_path):
    nights = Nights(small, tmp_path, suppress(3, OF_SMALL), OF_SMALL, "new_id")
    with pytest.raises(SeriesError, match="is INTEGER, in which no new id"):
        nights.release("first")
    with pytest.raises(ParameterError, match="weakened is 'x': it must be one of leave_out, new_id"):
        nights.release("first", weakened="x")


@pytest.mark.slow
def test_a_recorded_release_gives_its_bits(con, tmp_path):
    """Each of four nights again, after the last: the same rows and ids, and the ledger is as it was."""
    nights = Nights(con, tmp_path, suppress(3, KEYS), KEYS, "new_id")
    names = world.make_nights(con, "move", 800, 4, 6)
    heads = [""]
    for name in names:
        nights.release(name)
        heads.append(nights.head)
    written = (tmp_path / "s.ledger").read_bytes()
    for place, name in enumerate(names):
        nights.head = heads[place]
        before = con.execute(f'FROM "night {place + 1}"').fetchall()
        nights.release(name, f"night {place + 1}")
        assert con.execute(f'FROM "night {place + 1}"').fetchall() == before
    assert (tmp_path / "s.ledger").read_bytes() == written


@pytest.mark.slow
def test_the_first_release_is_the_mask_without_a_series(con, tmp_path):
    (name,) = world.make_nights(con, "churn", 500, 1, 7)
    nights = Nights(con, tmp_path, suppress(3, KEYS), KEYS)
    found = nights.release(name)
    sdc_sql.Microdata(con, name, id="id").mask.local_suppression(3, keys=KEYS, into="alone")
    assert found == nights.read("alone")


@pytest.mark.slow
def test_one_newcomer_and_a_batch_below_k(con, tmp_path):
    """One that comes joins what stands, and nothing else changes; of a stratum where nothing stands he waits."""
    names = world.make_nights(con, "newcomer", 1500, 2, 8)
    nights = Nights(con, tmp_path, suppress(3, KEYS), KEYS)
    first, second = (nights.release(name) for name in names)
    (new,) = second.keys() - first.keys()
    assert {i: second[i] for i in first} == first
    assert second[new] in set(first.values())
    con.execute(f"""
        CREATE TABLE s1 AS SELECT *, 1 AS land FROM "{names[0]}";
        CREATE TABLE s2 AS FROM s1 UNION ALL SELECT * REPLACE (id + 10000 AS id, 2 AS land) FROM (FROM s1 LIMIT 2);
        CREATE TABLE s3 AS FROM s1 UNION ALL SELECT * REPLACE (id + 10000 AS id, 2 AS land) FROM (FROM s1 LIMIT 3)
    """)
    (tmp_path / "by").mkdir()
    nights = Nights(con, tmp_path / "by", suppress(3, KEYS, stratum="land"), KEYS)
    sizes = [len(nights.release(name)) for name in ("s1", "s2", "s3")]
    assert sizes == [1500, 1500, 1503]
    assert nights.counts[1]["waiting_for_others"] == 2


@pytest.mark.slow
@pytest.mark.parametrize("guarantee", ["identical", "strong"])
def test_a_key_of_two_values_is_hidden_with_another(small, tmp_path, guarantee):
    """Of a job and region where only women stand, a man whose sex alone is hidden would be known as one."""
    small.execute("INSERT INTO first SELECT 100 + i, 'a', ['x', 'y'][1 + i % 2], 'w' FROM range(4) t(i)")
    small.execute("INSERT INTO first SELECT 200 + i, 'b', 'x', 'w' FROM range(4) t(i)")
    nights = Nights(small, tmp_path, suppress(3, OF_SMALL, guarantee=guarantee, importance=[4, 1, 4]), OF_SMALL)
    nights.release("first")
    second = nights.release(
        make(small, "second", "INSERT INTO {0} SELECT 300 + i, 'b', 'y', ['n', 'w', 's'][1 + i % 3] FROM range(9) t(i)")
    )
    came = [row for i, row in second.items() if i >= 300]
    assert all(row[1] is not None or row.count(None) > 1 for row in came)
    third = nights.release(make(small, "third", "INSERT INTO {0} VALUES (400, 'b', 'y', 'w')"))
    assert 400 not in third or third[400][1] is not None or third[400].count(None) > 1


@pytest.mark.slow
def test_the_only_key_has_two_values(small, tmp_path):
    nights = Nights(small, tmp_path, suppress(2, ["sex"]), ["sex"])
    with pytest.raises(SeriesError, match="sex has 2 values and is the only key"):
        nights.release("first")
