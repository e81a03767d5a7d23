"""Swapping in a series: what is new is exchanged among itself, and what many releases tell together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from series_world import World, wilson

import sdc_sql
from sdc_sql.errors import ParameterError, SeriesError

pytestmark = pytest.mark.slow  # whole releases, one after another


class Nights:
    """A table released night after night in a series, by one mask; what was new in each night."""

    def __init__(self, con, folder, call, columns=("income",)) -> None:
        self.con, self.ledger, self.call, self.columns = con, folder / "l", call, columns
        self.head, self.night, self.waiting = "", 0, 0
        self.known: list[dict] = [{} for _ in columns]

    def release(self, table, **given):
        """Release it, see that what was released stays, and return id, own and released values of the new."""
        if not isinstance(table, str):
            self.con.register("given", table)
            self.con.execute("CREATE OR REPLACE TABLE tonight AS FROM given")
            self.con.unregister("given")
            table = "tonight"
        self.night += 1
        self.con.execute("DROP TABLE IF EXISTS released")
        with sdc_sql.Series(self.ledger, "p", str(self.night), after=self.head, **given) as series:
            self.call(sdc_sql.Microdata(self.con, table, id="id", series=series).mask)
        self.head, self.waiting = series.head, series.counts["waiting"]
        names = ", ".join(f't."{c}", r."{c}"' for c in self.columns)
        rows = self.con.execute(f'SELECT t.id, {names} FROM "{table}" t JOIN released r USING (id)').fetchall()
        new = [[] for _ in self.columns]
        for i, *values in rows:
            for j, known in enumerate(self.known):
                own, shown = values[2 * j : 2 * j + 2]
                if (i, own) in known:
                    assert known[i, own] == shown, "what was released of a value stays"
                else:
                    new[j].append((i, own, shown))
                    known[i, own] = shown
        return new


def guess_own(new: list[tuple], reach: int) -> int:
    """Return for how many of a batch an intruder who knows the method finds the own value.

    The values of a batch are those that it releases. The own value of a record stands elsewhere, at most `reach` ranks
    off; from the highest down a value whose own place is forced is taken, else the likeliest: the farthest below for
    who chose, the farthest above for who was chosen.
    """
    order = sorted(new, key=lambda r: r[2])
    n = len(order)
    if reach == 1:  # neighbours, from the top: nothing is left to guess
        partner = {a: a - 1 if (n - 1 - a) % 2 == 0 else a + 1 for a in range(n)}
    else:
        partner = {a: a - reach if a - reach >= 0 else a + reach for a in range(n)}
    return sum(order[min(max(partner[a], 0), n - 1)][2] == own for a, (_, own, _) in enumerate(order))


def test_ten_nights_of_rank_swapping(con, tmp_path):
    """Who comes, changes, changes back, returns: each value is exchanged once, within its batch and its window.

    A partner stands at the farthest of L ranks with 2 ln 2 / L (the law of `pairing`), on the one side or the other.
    """
    nights = Nights(con, tmp_path, lambda mask: mask.rank_swap("income", 15, into="released"))
    world, found, tried, away = World(500, 1), 0, 0, {}
    for night in range(10):
        if night == 4:
            away = world.leave(10)
        if night:
            world.leave(40)
            world.come(90)
            world.change(15)
        if night == 6:
            world.come(away)
        (new,) = nights.release(world.table(), returning=True)
        assert Counter(x for _, x, _ in new) == Counter(y for *_, y in new)  # of the batch, and of nothing else
        rank = {x: a for a, x in enumerate(sorted(x for _, x, _ in new))}
        reach = len(new) * 15 // 100
        assert max(abs(rank[x] - rank[y]) for _, x, y in new) <= reach
        if night:
            assert reach >= 10
            assert sum(x != y for _, x, y in new) >= len(new) - 1
            found, tried = found + guess_own(new, reach), tried + len(new)
    low, _ = wilson(found, tried)
    assert low <= 2 * np.log(2) / 13


def test_a_batch_of_few_is_found_and_waits(con, tmp_path):
    """20 at p = 5 exchange with neighbours: the attack finds all of them, where nothing makes them wait."""
    rng = np.random.default_rng(3)
    con.register("given", pa.table({"id": np.arange(20), "income": rng.lognormal(8, 1, 20)}))
    con.execute("CREATE TABLE few AS FROM given")
    con.execute("CREATE TABLE exchanged AS FROM sdc_rank_swap('few', 'income', 5, 'id')")
    swapped = con.execute("SELECT t.id, t.income, e.income FROM few t JOIN exchanged e USING (id)").fetchall()
    assert guess_own(swapped, 1) == 20

    nights = Nights(con, tmp_path, lambda mask: mask.rank_swap("income", 5, into="released"))
    world = World(300, 3)
    nights.release(world.table())
    world.come(199)  # nine ranks
    for table in (world.table(), world.table().slice(0, 301)):  # and one newcomer
        assert nights.release(table) == [[]]
        assert nights.waiting == len(table) - 300
    world.come(1)
    (new,) = nights.release(world.table(), returning=True)  # 198 waited, and were not in the last table
    assert (len(new), nights.waiting) == (200, 0)
    small = Nights(con, tmp_path / "..", lambda mask: mask.rank_swap("income", 5, into="released"))
    with pytest.raises(SeriesError, match="some records with fewer than ten"):
        small.release(World(199, 3).table())


def test_what_remains_is_said_as_it_is(con, tmp_path):
    """Who placed all but one of a batch has that one; who placed some of it has the partners of these."""
    nights = Nights(con, tmp_path, lambda mask: mask.rank_swap("income", 20, into="released"))
    world = World(300, 5)
    nights.release(world.table())
    world.come(100)
    (new,) = nights.release(world.table())
    last, others = new[0], new[1:]
    left = Counter(y for *_, y in new) - Counter(x for _, x, _ in others)
    assert [*left] == [last[1]]
    mine = {x: y for _, x, y in new[:50]}  # own values and what was released of them
    partners = {i: mine[y] for i, x, y in new[50:] if y in mine}
    assert partners
    assert all(partners[i] == x for i, x, _ in new if i in partners)


def test_strata_nulls_other_types_and_moves(con, tmp_path):
    """A batch is one of a stratum; NULL stays; who moves keeps his value; a date is exchanged like a number."""
    con.execute("""
        CREATE TABLE "k's" AS SELECT i AS id, CASE WHEN i % 50 > 0 THEN DATE '2000-01-01' + ((i * 389) % 4001)::INT END
            AS "Select", i % 2 AS s FROM range(400) t(i)""")
    nights = Nights(
        con, tmp_path, lambda mask: mask.rank_swap("Select", 10, stratum="s", into="released"), columns=("Select",)
    )
    nights.release("k's")
    con.execute("""UPDATE "k's" SET s = 1 - s WHERE id < 30;
        INSERT INTO "k's" SELECT i, DATE '1980-01-01' + ((i * 389) % 4001)::INT, 0 FROM range(400, 500) t(i)""")
    (new,) = nights.release("k's")
    assert len(new) == 100
    con.execute("""INSERT INTO "k's" SELECT i, DATE '1960-01-01' + i::INT, i % 2 FROM range(500, 660) t(i)""")
    assert nights.release("k's") == [[]]
    assert nights.waiting == 160  # 80 each
    con.execute("""UPDATE "k's" SET "Select" = NULL WHERE id >= 500""")
    (new,) = nights.release("k's")
    assert {shown for *_, shown in new} == {None}


def test_by_correlation_each_batch_has_it(con, tmp_path):
    nights = Nights(
        con, tmp_path, lambda mask: mask.rank_swap("age", correlation=0.9, into="released"), columns=("age",)
    )
    world = World(400, 8)
    first = nights.release(world.table())[0]
    world.come(300)
    second = nights.release(world.table())[0]
    for batch in (first, second, [*first, *second]):
        assert np.corrcoef([x for _, x, _ in batch], [y for *_, y in batch])[0, 1] >= 0.9
    world.come(30)
    assert nights.release(world.table()) == [[]]
    world.people["age"][-30:] = 7
    assert nights.release(world.table()) == [[]]  # of one value no range leaves a correlation
    assert nights.waiting == 30


def swap_data(rate=0.2, **more):
    return lambda mask: mask.data_swap(["region", "occupation"], rate, **{"equal": ["sex"], "into": "released", **more})


def test_nights_of_data_swapping(con, tmp_path):
    """A released value of a batch is the own one as often as by one release, also where it is the only one of its kind.

    `1 - rate` of them were not exchanged; what is exchanged stays within its cell, and who changes in one column keeps
    what was released in the other.
    """
    nights = Nights(con, tmp_path, swap_data(), columns=("region", "occupation"))
    world, rng = World(400, 1), np.random.default_rng(1)
    true, tried, alone, of_alone = 0, 0, 0, 0
    for night in range(6):
        if night:
            world.leave(30)
            world.come(60)
            moved = rng.choice(world.count(), 50, replace=False)
            world.people["region"][moved] = rng.integers(1, 41, 50)
        batches = nights.release(world.table())
        for new in batches:
            assert Counter(x for _, x, _ in new) == Counter(y for *_, y in new)
        if night:
            new = batches[0]
            counts = Counter(y for *_, y in new)
            true, tried = true + sum(x == y for _, x, y in new), tried + len(new)
            single = [(x, y) for _, x, y in new if counts[y] == 1]
            alone, of_alone = alone + sum(x == y for x, y in single), of_alone + len(single)
    assert wilson(true, tried)[0] <= 0.8 + 0.2 * 0.08  # some partners are of the same region, the commonest has 8 %
    assert wilson(alone, of_alone)[0] <= 0.8


def test_a_cell_of_few_waits(con, tmp_path):
    """In a cell of ten a record has nine others; crossed thinly a night's newcomers would wait for ever."""
    nights = Nights(con, tmp_path, swap_data(0.5), columns=("region", "occupation"))
    world = World(120, 2)
    world.people["sex"][:] = 0
    with pytest.raises(SeriesError, match="some records with fewer than ten others"):
        Nights(con, tmp_path, swap_data(0.5, equal=["sex", "age"])).release(world.table())
    nights.release(world.table())
    world.come(20)
    world.people["sex"][-20:] = [1] * 10 + [0] * 10
    assert nights.release(world.table()) == [[], []]
    assert nights.waiting == 20
    world.come(1)
    world.people["sex"][-1] = 1
    assert len(nights.release(world.table())[0]) == 11
    assert nights.waiting == 10
    world.come(1)
    world.people["sex"][-1] = 0
    assert len(nights.release(world.table())[0]) == 11
    assert nights.waiting == 0


def test_who_may_exchange_with_few_waits_with_his_cell(con, tmp_path):
    """Partners are to differ: of 30 women with 9 men the men would all be exchanged, and each be seen to be a woman."""
    call = lambda mask: mask.data_swap("sex", 0.4, different=["sex"], into="released")  # noqa: E731
    nights = Nights(con, tmp_path, call, columns=("sex",))
    world = World(100, 2)
    world.people["sex"] = np.arange(100) % 2
    nights.release(world.table())
    world.come(39)
    world.people["sex"][-39:] = [0] * 30 + [1] * 9
    assert nights.release(world.table()) == [[]]
    assert nights.waiting == 39
    world.people["sex"][-10:] = 1
    (tmp_path / "more").mkdir()
    more = Nights(
        con, tmp_path / "more", lambda mask: mask.data_swap("sex", 0.8, different=["sex"], into="released"), ("sex",)
    )
    more.release(world.table().slice(0, 100))
    assert more.release(world.table()) == [[]]  # 0.8 of 39 cannot be exchanged with ten men
    assert len(nights.release(world.table())[0]) == 39
    with pytest.raises(ParameterError, match="shortfall"):
        Nights(con, tmp_path / "..", lambda mask: mask.data_swap("sex", 0.4, shortfall="report", into="z")).release(
            world.table()
        )


def test_record_swapping_is_refused(con, tmp_path):
    nights = Nights(con, tmp_path, lambda mask: mask.record_swap("region", 0.1, household="id", into="released"))
    with pytest.raises(SeriesError, match="partner"):
        nights.release(World(60, 1).table())
