"""Attacks that undo a masking, on made-up tables: two releases, two waves, two passes, households, orders and threads.

Where two releases share their draws, what was added by one tells what was added by the other, and both together give
the original. So what is added by each is compared record by record: it is not correlated.
"""

# ruff: noqa: E501

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from fuzz_seed import faults_of, share, told
from fuzz_tables import fetched, text

from sdc_sql import Microdata

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    import duckdb

N = 400
STRANGE = 6  # standard errors: one in 10^9
IDS = ("{}", "'zq-' || {}", "uuid_of({})", "{} * 1.5", "{}::BIGINT * 1000000007", "make_timestamptz({} * 1000000)")
NUMERIC = {  # a macro that masks x, by its size
    "uncorrelated": "sdc_noise('{t}', ['x'], {size}, 'id'{more})",
    "correlated": "sdc_noise('{t}', ['x', 'y'], {size}, 'id', method := 'correlated'{more})",
    "linear": "sdc_noise('{t}', ['x', 'y'], {size}, 'id', method := 'linear'{more})",
    "outliers": "sdc_noise('{t}', ['x', 'y'], {size}, 'id', method := 'outliers', threshold := 1{more})",
    "absolute": "sdc_noise_absolute('{t}', ['x'], 1000 * {size}, 'id'{more})",
    "multiplicative": "sdc_multiplicative_noise('{t}', ['x'], {size}, 'id'{more})",
    "rounding": "sdc_round_at_random('{t}', ['x'], 1000 * {size}, 'id'{more})",
}
CATEGORIES = {
    "retention": "sdc_pram_retention('{t}', ['c'], 1 - {size}, 'id'{more})",
    "matrix": "sdc_pram('{t}', 'c', 'chances_{n}', 'id'{more})",
}


def stored(con: duckdb.DuckDBPyConnection, rng: random.Random, n: int = N, ids: tuple[str, ...] = IDS) -> None:
    """Store a table t, the same later (other values of the same persons), and matrices of PRAM."""
    con.execute("CREATE OR REPLACE MACRO uuid_of(i) AS md5(i::VARCHAR)::UUID")
    identifier = rng.choice(ids).format("i")
    heavy = rng.choice(("exp(3 * {z})", "10000 * {z}", "exp({z})"))  # outliers, or none
    x, y = (heavy.format(z=f"((hash(i + {rng.randint(1, 10**6)}) % 10000) / 5000 - 1)") for _ in range(2))
    con.execute(f"""
        CREATE OR REPLACE TABLE t AS
        SELECT {identifier} AS id, 20000 + 5000 * {x} AS x, 90000 - 3000 * {y} AS y,
               chr(97 + (hash(i + {rng.randint(1, 10**6)}) % 4)::INTEGER) AS c, i // 3 AS h
        FROM range({rng.randint(1, 1000)}, {n + 1000}) AS r(i) LIMIT {n}""")
    con.execute("CREATE OR REPLACE TABLE later AS SELECT * REPLACE (x * 1.01 + 7 AS x, y + 3 AS y) FROM t")
    con.execute("CREATE OR REPLACE TABLE other AS SELECT * REPLACE (chr(97 + (ascii(c) - 96) % 4) AS c) FROM t")
    for number, size in enumerate((0.2, 0.5)):
        con.execute(f"""
            CREATE OR REPLACE TABLE chances_{number} AS
            SELECT a AS "from", b AS "to", CASE WHEN a = b THEN 1 - {size} ELSE {size} / 3 END AS probability
            FROM (SELECT unnest(['a', 'b', 'c', 'd']) AS a), (SELECT unnest(['a', 'b', 'c', 'd']) AS b)""")


def column(con: duckdb.DuckDBPyConnection, source: str, name: str) -> np.ndarray[Any, Any]:
    return np.array([v for (v,) in fetched(con, f"SELECT {name} FROM {source} ORDER BY id ASC")])


def added(  # noqa: PLR0917
    con: duckdb.DuckDBPyConnection, mask: str, t: str, n: int = 0, more: str = "", size: float | None = None
) -> Any:
    """Return what a mask has added to each record, in units of its own; NaN where nothing can be told."""
    size = (0.2, 0.5)[n] if size is None else size
    if mask in CATEGORIES:
        found = column(con, CATEGORIES[mask].format(t=t, size=size, n=n, more=more), "c")
        return (found != column(con, t, "c")).astype(float)
    found, x = column(con, NUMERIC[mask].format(t=t, size=size, more=more), "x"), column(con, t, "x")
    if mask == "rounding":
        upwards = x / (1000 * size) % 1
        sd = np.sqrt(upwards * (1 - upwards))
        return np.where(sd > 0.05, ((found > x) - upwards) / np.maximum(sd, 0.05), np.nan)
    if mask == "outliers":
        return np.where(found == x, np.nan, found - x)
    if mask == "multiplicative":
        return found / x - 1
    return found - x - (np.polyval(np.polyfit(x, found - x, 1), x) if mask == "linear" else 0)


def related(one: Any, other: Any) -> float:
    """Return by how many standard errors two lists are correlated; 0 where too few records tell."""
    both = ~np.isnan(one) & ~np.isnan(other)
    if both.sum() < 60 or one[both].std() == 0 or other[both].std() == 0:
        return 0.0
    return abs(float(np.corrcoef(one[both], other[both])[0, 1])) * math.sqrt(both.sum())


def two_releases(con: duckdb.DuckDBPyConnection, rng: random.Random) -> str | None:
    """Another size, name, pass or wave: nothing that was added by one is told by the other."""
    stored(con, rng)
    for mask in (*NUMERIC, *CATEGORIES):
        first = added(con, mask, "t")
        if not np.array_equal(first, added(con, mask, "t"), equal_nan=True):
            return f"{mask}: the same is not the same again"
        others = {
            "size": added(con, mask, "t", 1),
            "release": added(con, mask, "t", more=", release := 'b'"),
            "pass": added(con, mask, "t", more=", stream := '2'"),
            "wave": added(con, mask, "other" if mask in CATEGORIES else "later"),
        }
        if mask not in {
            "matrix",
            "linear",
        }:  # a matrix has no size; Kim's of nearly the same size is the same but for scale
            nearly = added(con, mask, "t", 0, size=0.2003)  # as of a file that has grown
            if not np.array_equal(first, nearly, equal_nan=True):  # (the size is rounded: then nothing new is told)
                others["night"] = nearly
        for how, second in others.items():
            found = related(first, second)
            if found > STRANGE:
                return f"{mask}, {how}: what is added is related ({found:.0f} standard errors)"
    return None


def two_passes(con: duckdb.DuckDBPyConnection, rng: random.Random) -> str | None:
    """Masked in place twice, by way of a copy or a new name: the second pass does not repeat the first."""
    stored(con, rng)
    con.execute("DROP TABLE IF EXISTS sdc_steps; DROP TABLE IF EXISTS u; CREATE TABLE u AS FROM t")
    by = rng.choice(("pram", "noise"))
    name, way = "u", rng.choice(("in place", "renamed", "copied"))

    def masked(into: str | None = None) -> None:
        data = Microdata(con, name, id="id")
        if by == "noise":
            data.mask.noise("x", 0.2, into=into)
        else:
            data.mask.pram_retention("c", 0.6, into=into)

    before = column(con, name, "x" if by == "noise" else "c")
    masked()
    once = column(con, name, "x" if by == "noise" else "c")
    con.execute("DROP TABLE IF EXISTS v")
    if way == "renamed":
        con.execute("ALTER TABLE u RENAME TO v")
        name = "v"
    masked(into="v" if way == "copied" else None)
    name = "v" if way == "copied" else name
    twice = column(con, name, "x" if by == "noise" else "c")
    passes = [s.stream for s in Microdata(con, name, id="id").steps]
    con.execute("DROP TABLE IF EXISTS v; DROP TABLE IF EXISTS u; DROP TABLE IF EXISTS sdc_steps")
    if passes != ["", "2"]:
        return f"{by}, {way}: the passes are {passes}"
    one, two = (once - before, twice - once) if by == "noise" else (once != before, twice != once)
    found = related(np.asarray(one, dtype=float), np.asarray(two, dtype=float))
    return f"{by}, {way}: the second pass repeats the first ({found:.0f})" if found > STRANGE else None


def filled_anew(con: duckdb.DuckDBPyConnection, rng: random.Random) -> str | None:
    """A table that is made anew begins with the first pass; one whose values were filled in again is asked about."""
    stored(con, rng)
    con.execute("DROP TABLE IF EXISTS sdc_steps; DROP TABLE IF EXISTS u; CREATE TABLE u AS FROM t")
    Microdata(con, "u", id="id").mask.noise("x", 0.2)
    once = column(con, "u", "x")
    try:
        if rng.random() < 0.5:
            con.execute("DROP TABLE u; CREATE TABLE u AS FROM t")
            Microdata(con, "u", id="id").mask.noise("x", 0.2)
            return None if np.array_equal(column(con, "u", "x"), once) else "a new table of the name is not the first"
        con.execute("DELETE FROM u; INSERT INTO u FROM t")
        try:
            Microdata(con, "u", id="id").mask.noise("x", 0.2)
        except ValueError as error:
            return None if "stream=''" in str(error) else f"refused in other words: {error}"
        return "values filled in again were silently drawn for another time"
    finally:
        con.execute("DROP TABLE IF EXISTS u; DROP TABLE IF EXISTS sdc_steps")


def households(con: duckdb.DuckDBPyConnection, rng: random.Random) -> str | None:
    """By household: members who shared a value go on sharing it, and not all households move alike."""
    stored(con, rng)
    con.execute("CREATE OR REPLACE TABLE t AS SELECT * REPLACE (first(x) OVER (PARTITION BY h) AS x, first(c) OVER"
                " (PARTITION BY h) AS c) FROM t")  # fmt: skip
    mask = rng.choice(("uncorrelated", "absolute", "multiplicative", "rounding", *CATEGORIES))
    more = ", unit := 'household', household := 'h'"
    formats = {**NUMERIC, **CATEGORIES}[mask]
    source = formats.format(t="t", size=0.5, n=1, more=more)
    value = "c" if mask in CATEGORIES else "x"
    ((torn, different),) = fetched(
        con, f"SELECT count(*) FILTER (n > 1), count(DISTINCT v) FROM (SELECT h, count(DISTINCT {value}) AS n,"
        f" first({value}) AS v FROM {source} GROUP BY h)",
    )  # fmt: skip
    if torn:
        return f"{mask}: {torn} households are torn"
    return None if different > 1 else f"{mask}: all households have one value"


SETTINGS = (
    "SET default_order = 'DESC'", "SET default_null_order = 'NULLS FIRST'", "SET default_collation = 'NOCASE'",
    "SET threads = 2", "SET preserve_insertion_order = false", "SET ieee_floating_point_ops = false", "SET TimeZone = 'Asia/Tokyo'",
)  # fmt: skip


def elsewhere(con: duckdb.DuckDBPyConnection, rng: random.Random) -> str | None:
    """The same bits in another order of rows and columns, under other settings."""
    setting = rng.choice((*SETTINGS, *SETTINGS[-1:]))
    stored(con, rng, ids=IDS[-1:] if "TimeZone" in setting else IDS)
    mask = rng.choice([*NUMERIC, *CATEGORIES])
    formats = {**NUMERIC, **CATEGORIES}[mask]
    value = "c" if mask in CATEGORIES else "x"
    before = column(con, formats.format(t="t", size=0.5, n=1, more=""), value)
    con.execute(f"CREATE OR REPLACE TABLE turned AS SELECT c, h, y, x, id FROM t ORDER BY hash(x, {rng.random()})")
    con.execute(setting)
    try:
        turned = formats.replace("['x', 'y']", "['Y', 'x']")
        after = column(con, turned.format(t="turned", size=0.5, n=1, more=""), value)
    finally:
        con.execute(f"RESET {setting.split(' ')[1]}" if "threads" not in setting else "SET threads = 1")
    return None if np.array_equal(before, after) else f"{mask}: other values of turned rows ({setting})"


def nights(con: duckdb.DuckDBPyConnection, rng: random.Random) -> str | None:
    """One record more: of a hundred nights not many are drawn anew."""
    anew, mask = 0, "uncorrelated"
    for _ in range(6):
        stored(con, rng, 900)
        con.execute(
            "CREATE OR REPLACE TABLE more AS FROM t UNION ALL SELECT max(id), median(x), median(y), 'a', 0 FROM t"
        )
        con.execute("DELETE FROM t WHERE id = (SELECT max(id) FROM t)")
        con.execute("CREATE OR REPLACE TABLE more AS SELECT DISTINCT ON (id) * FROM more ORDER BY id, h")
        rest = ", ".join(
            text(v) for (v,) in fetched(con, "SELECT id::VARCHAR FROM more EXCEPT SELECT id::VARCHAR FROM t")
        )
        one, two = (
            column(con, f"(FROM {NUMERIC[mask].format(t=t, size=0.2, more='')} WHERE id::VARCHAR NOT IN ({rest}))", "x")
            for t in ("t", "more")
        )
        anew += int((one != two).mean() > 0.5)
    return f"{mask}: {anew} of 6 nights were drawn anew" if anew == 6 else None


ATTACKS: dict[str, tuple[Callable[..., str | None], int]] = {  # and how many cases the slow tests make of it
    "releases": (two_releases, 2), "passes": (two_passes, 6), "anew": (filled_anew, 4), "households": (households, 10),
    "elsewhere": (elsewhere, 15), "nights": (nights, 2),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("attack", [a for a in ATTACKS if a != "releases"])  # (tests/mask/test_two_releases.py)
def test_some_attacks(fuzzed, attack):
    faults = faults_of(attack, 1, lambda rng: ATTACKS[attack][0](fuzzed, rng))
    assert not faults, told("test_undoing.py", attack, faults)


@pytest.mark.slow
@pytest.mark.parametrize("attack", ATTACKS)
def test_many_attacks(fuzzed, attack):
    faults = faults_of(attack, share(ATTACKS[attack][1]), lambda rng: ATTACKS[attack][0](fuzzed, rng))
    assert not faults, told("test_undoing.py", attack, faults)
