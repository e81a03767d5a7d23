"""Draws by strata and by household in a series: who moves keeps what was released; what is new is drawn for once."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import sdc_sql

pytestmark = pytest.mark.slow  # whole releases, one after another


class Nights:
    """A table that is released night after night by one mask of one column."""

    def __init__(self, con, folder, column, call) -> None:
        self.con, self.ledger, self.column, self.call = con, folder / "l", column, call
        self.head, self.night, self.waiting = "", 0, 0

    def release(self, table) -> dict:
        self.con.register("given", pa.table(table))
        self.con.execute("CREATE OR REPLACE TABLE tonight AS FROM given; DROP TABLE IF EXISTS released")
        self.con.unregister("given")
        self.night += 1
        with sdc_sql.Series(self.ledger, "p", str(self.night), after=self.head, returning=True) as series:
            self.call(sdc_sql.Microdata(self.con, "tonight", id="id", series=series).mask)
        self.head, self.waiting = series.head, series.counts["waiting"]
        return dict(self.con.execute(f"SELECT id, {self.column} FROM released").fetchall())


def test_ten_nights_of_moving_between_strata(con, tmp_path):
    """By matrices of strata who moves each night would be drawn for each night: the commonest draw is the truth."""
    rng, n = np.random.default_rng(1), 300
    con.execute("""CREATE TABLE matrix AS
        SELECT s, f AS "from", t AS "to", CASE WHEN f = t THEN 0.6 + s / 100 ELSE 0.4 - s / 100 END AS probability
        FROM range(10) a(s), (VALUES ('f'), ('m')) b(f), (VALUES ('f'), ('m')) c(t)""")
    table = {"id": np.arange(n), "a": np.array(["f", "m"])[rng.integers(0, 2, n)], "s": rng.integers(0, 10, n)}
    nights = Nights(con, tmp_path, "a", lambda mask: mask.pram("a", "matrix", stratum="s", into="released"))
    first = nights.release(table)
    fresh = {i: Counter() for i in range(n)}
    for _ in range(9):
        table["s"] = (table["s"] + 1) % 10  # everybody moves
        assert nights.release(table) == first
        con.execute("CREATE OR REPLACE TABLE anew AS FROM sdc_pram('tonight', 'a', 'matrix', 'id', stratum := 's')")
        for i, a in con.execute("SELECT id, a FROM anew").fetchall():
            fresh[i][a] += 1
    truth = dict(zip(range(n), table["a"].tolist(), strict=True))
    by_one = np.mean([first[i] == truth[i] for i in range(n)])
    by_all = np.mean([fresh[i].most_common(1)[0][0] == truth[i] for i in range(n)])
    assert abs(by_one - 0.645) < 4 * np.sqrt(0.25 / n)
    assert by_all > 0.75  # put back: nine draws at 0.645
    # who changes is drawn for by the stratum where he is now, once
    table["a"] = np.where(table["id"] < 100, "m", table["a"])
    second = nights.release(table)
    assert all(second[i] == first[i] for i in range(n) if truth[i] == table["a"][i])
    table["s"] = (table["s"] + 1) % 10
    assert nights.release(table) == second


def test_noise_by_strata(con, tmp_path):
    """A new value has the deviation of its stratum in the first release; of a stratum that was not there it waits."""
    rng = np.random.default_rng(2)
    s = np.arange(600) % 2
    table = {"id": np.arange(600), "x": rng.normal(0, np.where(s == 1, 1000.0, 1.0)), "s": s}
    nights = Nights(con, tmp_path, "x", lambda mask: mask.noise("x", 0.25, stratum="s", into="released"))
    first = nights.release(table)
    moved = {**table, "s": 1 - table["s"]}
    assert nights.release(moved) == first
    new = rng.normal(0, 1, 400)
    more = {"id": np.arange(1000), "x": np.append(table["x"], new), "s": np.append(table["s"], np.arange(400) % 2)}
    released = nights.release(more)
    assert all(released[i] == first[i] for i in range(600))
    noise = np.array([released[600 + i] - new[i] for i in range(400)])
    for of, size in ((0, 0.5), (1, 500)):
        assert noise[of::2].std() == pytest.approx(size, rel=4 / np.sqrt(2 * 200) + 0.1)
    later = {"id": np.arange(1001), "x": np.append(more["x"], 5.0), "s": np.append(more["s"], 2)}
    assert nights.release(later) == released
    assert nights.waiting == 1


HOUSE = {"unit": "household", "household": "home", "into": "released"}


@pytest.mark.parametrize(
    "call",
    [
        lambda mask: mask.noise("x", standard_deviation=50, **HOUSE),
        lambda mask: mask.noise("x", 0.1, **HOUSE),
        lambda mask: mask.round("x", 100, at_random=True, **HOUSE),
        lambda mask: mask.multiplicative_noise("x", 0.1, **HOUSE),
    ],
    ids=["absolute", "alpha", "round", "multiplicative"],
)
def test_members_share_one_draw(con, tmp_path, call):
    """Who moves takes what the others there have; households that are numbered anew keep what was released.

    Numbered anew each night, ten nights would draw ten times for each rent.
    """
    home = np.arange(80) // 2
    table = {"id": np.arange(80), "x": 500.0 + 7.3 * home, "home": home}
    nights = Nights(con, tmp_path, "x", call)
    first = nights.release(table)
    assert all(first[i] == first[i + 1] for i in range(0, 80, 2))
    assert len({*first.values()}) > 2
    renumbered = {**table, "home": home + 1000}
    assert nights.release(renumbered) == first
    # 81 comes into the home of 0 and 1, whose number is another now; 3 moves to 4 and 5
    came = {
        "id": np.arange(81), "x": np.append(renumbered["x"], 500.0), "home": np.append(renumbered["home"], 1000)
    }  # fmt: skip
    came["x"][3], came["home"][3] = came["x"][4], came["home"][4]
    second = nights.release(came)
    assert second[80] == first[0]
    assert second[3] == first[4]
    assert all(second[i] == first[i] for i in range(80) if i != 3)
    # two homes of the same rent become one, to which somebody comes: there are two draws of it, and he waits
    came["x"][10:12] = came["x"][8]
    nights.release(came)
    joined = {name: np.append(column, column[8]) for name, column in came.items()}
    joined["id"][-1], joined["home"][10:12] = 200, joined["home"][8]
    last = nights.release(joined)
    if last[8] != last[10]:
        assert nights.waiting == 1
        assert 200 not in last
    else:  # rounded alike
        assert last[200] == last[8]
