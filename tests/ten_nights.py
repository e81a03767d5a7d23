"""Each mask of the catalogue over ten nights, with a series and without: the tables of the chapter on series.

Five towns, each drawn by a seed of its own, stand in one table and are masked together; intervals are over the towns.
Where few come a town is a table, and the nights are two, or five where two tell something in some of the towns (by
chance, or since the mask does), or somebody waits.
``python tests/ten_nights.py`` measures all of it and writes the tables; with labels of masks their rows, with scenarios
(``--scenario churn``) their columns. What was measured stands in ``ten_nights.json``, or in the file that ``--kept``
names, and is not measured again. Most of the time is that of asking DuckDB what to do, not of records: the towns are
drawn once a scenario, the ledgers stand in memory, digests of a table that many masks have are taken once, no log of
steps is written, and what is certain is not run: a mask that is refused in a series, and nights of which no release
differs from the first, since the mask reads no column that changes, or the record alone decides (this is checked of two
nights, the last of a series).
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from contextlib import ExitStack, contextmanager
from itertools import product
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any
from unittest import mock

import duckdb
import sqlglot
from every_mask import MASKS
from series_world import ALIKE, CALLS, make_nights, measure, release_nights
from sqlglot import exp
from ten_nights_table import CHANGES, SCENARIOS, Kept, write_tables

import sdc_sql
from sdc_sql.db.catalogue.macros import find_effect, read_catalogue
from sdc_sql.db.masking.log import Log
from sdc_sql.dbt.verb_of_macro import mask_by_macro
from sdc_sql.errors import RepeatedReleaseWarning, SeriesError
from sdc_sql.series import series
from sdc_sql.series.ledger import read_ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

RECORDS, NIGHTS, SEEDS = 400, 10, (1, 2, 3, 4, 5)
BY_ITSELF = ("newcomer", "pair", "placed")  # where few come
CERTAIN = ("column", "return", "move", "two")  # where what the record alone decides is not attacked again
CHANGING = {"column": "rent", "drift": "income", "move": "region"}  # where nobody comes or leaves, the one column
TOWN = 1_000_000
MEMORY = next((place for place in [Path("/dev/shm")] if place.is_dir()), None)  # noqa: S108 - of this run alone
# what a series asks to be called otherwise: by a threshold and not a mean, by declared categories, ...
IN_SERIES = {
    "pram_retention": "sdc_pram_retention('{0}', ['region'], 0.8, 'id', categories := "
                      f"{[f'r{i:02d}' for i in range(1, 41)]!r})",
    "rank_swap_correlated": "sdc_rank_swap_correlated('{0}', 'income', 0.8, 'id')",  # partners far enough apart
}  # fmt: skip


def parse_call(call: str) -> tuple[str, Any, Any, dict[str, Any]]:
    """Return the method, its columns, its parameter and its options of a call in SQL."""
    tree = sqlglot.parse_one(f"SELECT * FROM {call}", dialect="duckdb").find(exp.Anonymous)
    assert tree is not None
    method = tree.name.removeprefix("sdc_")
    given, options = [], {}
    for argument in tree.expressions:
        if isinstance(argument, exp.PropertyEQ | exp.Kwarg | exp.EQ):
            options[argument.this.name] = _value(argument.expression)
        else:
            given.append(_value(argument))
    mask = next(d for d in read_catalogue() if d.name == f"sdc_{method}")
    names = [p.name for p in mask.parameters]
    placed = dict(zip(names, given, strict=False))
    columns = placed.pop("columns", placed.pop("column_name", placed.pop("keys", ())))
    third = placed.pop(names[2], None) if names[2:3] != ["id"] else None
    return method, columns, third, {n: v for n, v in placed.items() if n not in {"tbl", "id"}} | options


def _value(tree: exp.Expression) -> Any:
    if isinstance(tree, exp.Array):
        return [_value(one) for one in tree.expressions]
    if isinstance(tree, exp.Null):
        return None
    if isinstance(tree, exp.Boolean):
        return bool(tree.this)
    if isinstance(tree, exp.Neg):
        return -_value(tree.this)
    assert isinstance(tree, exp.Literal), tree
    return str(tree.this) if tree.is_string else json.loads(str(tree.this))


def release_in_series(
    con: duckdb.DuckDBPyConnection, names: Iterable[str], label: str, folder: Path, *, ledger: str = "ledger"
) -> list[str]:
    """Mask the table of each night as a release of one series, and return the names of what is released."""
    released, head = [], ""
    for name in names:
        method, columns, parameter, options = parse_call(IN_SERIES.get(label, CALLS[label][1]).format(name))
        into = f"{name} released"
        con.execute(f'DROP TABLE IF EXISTS "{into}"')
        with sdc_sql.Series(
            folder / ledger, ledger, name, after=head, disk_encrypted=True, returning=True, most_new=1
        ) as night:
            data = sdc_sql.Microdata(con, f'"{name}"', id="id", series=night)
            mask_by_macro(data, method, columns, parameter, options | {"into": f'"{into}"'})
        con.execute("DROP TABLE IF EXISTS sdc_steps")
        released.append(into)
        head = night.head
    return released


def try_series(con: duckdb.DuckDBPyConnection, label: str) -> tuple[str, str]:
    """Return why a mask is refused in a series, or else whose digests stand in its ledger: of ids, also of values."""
    (name, *_) = make_nights(con, "churn", RECORDS, 1)
    with tempfile.TemporaryDirectory(dir=MEMORY) as place:
        try:
            release_in_series(con, [name], label, Path(place), ledger="tried")
        except SeriesError as error:
            if "refused" not in str(error):
                raise
            return str(error), ""
        ((key,),) = con.execute("SELECT sdc__series_key('tried', 'file')").fetchall()
        ledger, _ = read_ledger(Path(place, "tried"), bytes.fromhex(key))
    return "", "ids, values" if len(ledger.values) else "ids"


def mask_nights(
    con: duckdb.DuckDBPyConnection, scenario: str, label: str, names: list[str], *, serial: bool, plain: bool = False
) -> list[str]:
    """Mask the table of each night, with a series or without, and return the names of what is released.

    Parameters
    ----------
    plain
        Whether the record alone decides: a release of a series is then that without one, which is checked of the last
        night, and all others are made without.
    """
    with tempfile.TemporaryDirectory(dir=MEMORY) as place, warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedReleaseWarning)
        if not serial:
            return release_nights(con, names, CALLS[label][1])
        if plain:
            (last,) = release_in_series(con, names[-1:], label, Path(place))
            con.execute(f'CREATE OR REPLACE TABLE "by the series" AS FROM "{last}"')
            released = release_nights(con, names, IN_SERIES.get(label, CALLS[label][1]))
            same = f'SELECT count(*) FROM (FROM "{last}" EXCEPT FROM "by the series")'
            assert con.execute(same).fetchall() == [(0,)]
            return released
        if scenario == "two":  # the ledger was lost halfway, and another begun
            half = len(names) // 2
            before = release_in_series(con, names[:half], label, Path(place), ledger="one")
            return before + release_in_series(con, names[half:], label, Path(place), ledger="two")
        return release_in_series(con, names, label, Path(place))


def attack(con: duckdb.DuckDBPyConnection, scenario: str, label: str, names: list[str], released: list[str]) -> float:
    """Return what a scenario tells of a mask beyond one release: a share, of the column that bears most."""
    columns, _ = CALLS[label]
    if scenario == "drift":  # the mean of the releases tells the level of a value that moves
        changes = measure(con, names, released, columns, "sdc_series_changes")
        levels = [row["level_gain"] or 0.0 for row in changes]
    else:
        levels = [0.0]
    rows = measure(con, names, released, columns)
    if scenario in {"newcomer", "placed"}:  # of those who moved: found by everybody, or by who placed all others
        given = "given_alone" if scenario == "newcomer" else "given"
        return max(max(row[given] / max(row["moved"], 1), row["gain"]) for row in rows)
    return max(*levels, *(row["gain"] for row in rows))


def attack_towns(
    con: duckdb.DuckDBPyConnection, scenario: str, label: str, names: list[str], released: list[str]
) -> list[float]:
    """Return for each town the share of the values, of all columns, that all releases tell beyond one of them."""
    columns, _ = CALLS[label]
    given = [names[-1], released[-1], columns, "id", names[:-1], released[:-1]]
    rows = con.execute(
        'SELECT sum("values" - one), sum(together - one) FROM sdc_series_disclosure_records(?, ?, ?, ?, ?, ?) '
        f"GROUP BY id::BIGINT // {TOWN} ORDER BY id::BIGINT // {TOWN}",
        given,
    ).fetchall()
    gains = [float(told) / float(hidden) if hidden else 0.0 for hidden, told in rows]
    if scenario != "drift":
        return gains
    levels = [find_levels(con, columns, names, released, seed) for seed in SEEDS]
    return [max(gain, *told) for gain, told in zip(gains, levels, strict=True)]


def find_levels(
    con: duckdb.DuckDBPyConnection, columns: list[str], names: list[str], released: list[str], seed: int
) -> list[float]:
    """Return for each column the share of the levels of a town that the mean of the releases tells.

    Of persons whom a release masks: what top coding, say, shows as it is on each night is hidden by none of them.
    """
    others = " OR ".join(f'a."{column}"::VARCHAR IS DISTINCT FROM b."{column}"::VARCHAR' for column in columns)
    masked = " UNION ".join(
        f'SELECT id FROM "{name}" AS a JOIN "{shows}" AS b USING (id) WHERE id // {TOWN} = {seed} AND ({others})'
        for name, shows in zip(names, released, strict=True)
    )
    con.execute(f'CREATE OR REPLACE TABLE "masked in town" AS {masked}')
    for name in (*names, *released):
        con.execute(f'CREATE OR REPLACE VIEW "{name}, a town" AS FROM "{name}" SEMI JOIN "masked in town" USING (id)')
    towns = [[f"{name}, a town" for name in them] for them in (names, released)]
    return [row["level_gain"] or 0.0 for row in measure(con, *towns, columns, "sdc_series_changes")]


def count_changes(con: duckdb.DuckDBPyConnection, label: str, names: list[str], released: list[str]) -> dict[str, int]:
    """Return what changing tells: the values that changed or stayed, and are seen to; who is missing after a change."""
    columns, _ = CALLS[label]
    rows = measure(con, names, released, columns, "sdc_series_changes")
    found = {name: sum(row[name] for row in rows) for name in ("changed", "changed_shown", "stayed", "stayed_shown")}
    others = " OR ".join(f'a."{column}" IS DISTINCT FROM b."{column}"' for column in columns)
    nights = " UNION ALL ".join(
        f'SELECT {others} AS other, s.id IS NULL AS gone FROM "{a}" AS a JOIN "{b}" AS b USING (id) '
        f'JOIN "{was}" AS r USING (id) LEFT JOIN "{shows}" AS s USING (id)'
        for a, b, was, shows in zip(names, names[1:], released, released[1:], strict=False)
    )
    asked = "SELECT count(*) FILTER (other), count(*) FILTER (other AND gone), count(*) FILTER (gone) FROM"
    ((others_n, missing, gone),) = con.execute(f"{asked} ({nights})").fetchall()
    return found | {"records": others_n, "missing": missing, "gone": gone}


def check_same(con: duckdb.DuckDBPyConnection, label: str, names: list[str], scenario: str, **kind: bool) -> None:
    """Check that two releases show the same of each value that both have."""
    first, last = mask_nights(con, scenario, label, names, **kind)
    own = ", ".join(f'"{column}"' for column in ("id", *CALLS[label][0]))
    shown = ", ".join(f'"{column}" AS "shown {column}"' for column in CALLS[label][0])
    pairs = [
        f'SELECT * FROM (SELECT {own} FROM "{name}") JOIN (SELECT id, {shown} FROM "{masked}") USING (id)'
        for name, masked in zip(names, (first, last), strict=True)
    ]
    both = f"SELECT {own} FROM ({pairs[0]}) INTERSECT SELECT {own} FROM ({pairs[1]})"
    counts = [f"SELECT count(*) FROM ({query})" for query in (both, " INTERSECT ".join(pairs))]
    found = [con.execute(count).fetchall() for count in counts]
    assert found[0] == found[1] != [(0,)], (label, scenario, found)


class Towns:
    """The tables of all towns, made once a scenario."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con
        self._made: dict[tuple[str, int], list[str]] = {}

    def together(self, scenario: str) -> list[str]:
        """Return the names of the tables of all towns together, one a night."""
        if (scenario, 0) not in self._made:
            apart = [self._make(scenario, seed, NIGHTS) for seed in SEEDS]
            nights = [f"towns, {scenario} {night}" for night in range(len(apart[0]))]
            for town, *parts in zip(nights, *apart, strict=True):
                rows = " UNION ALL ".join(
                    f'SELECT * REPLACE (id + {seed * TOWN} AS id) FROM "{part}"'
                    for seed, part in zip(SEEDS, parts, strict=True)
                )
                self._con.execute(f'CREATE TABLE "{town}" AS {rows} ORDER BY id')
            self._made[scenario, 0] = nights
        return self._made[scenario, 0]

    def apart(self, scenario: str) -> list[list[str]]:
        """Return for each town the names of its tables, of few nights."""
        return [self._make(scenario, seed, 5) for seed in SEEDS]

    def _make(self, scenario: str, seed: int, nights: int) -> list[str]:
        if (scenario, seed) not in self._made:
            names = make_nights(self._con, scenario, RECORDS, nights, seed)
            self._made[scenario, seed] = [f"town {seed}, {name}" for name in names]
            for name, own in zip(names, self._made[scenario, seed], strict=True):
                self._con.execute(f'ALTER TABLE "{name}" RENAME TO "{own}"')
        return self._made[scenario, seed]


def measure_nights(towns: Towns, con: duckdb.DuckDBPyConnection, scenario: str, label: str, **kind: bool) -> list[Any]:
    """Return what a scenario tells of a mask, town by town, and what changing tells where that is counted."""
    if kind["plain"] and scenario in BY_ITSELF:
        check_same(con, label, towns.apart(scenario)[0][:2], scenario, **kind)
        return [[0.0] * len(SEEDS), None]
    if scenario in BY_ITSELF:
        shares, waiting = attack_apart(con, towns, scenario, label, 2, **kind)
        if scenario != "newcomer" and (waiting or len(set(shares)) > 1):  # a batch may be told by chance, not four
            shares, _ = attack_apart(con, towns, scenario, label, 5, **kind)
        return [shares, None]
    names = towns.together("churn" if scenario == "two" else scenario)
    quiet = scenario in CHANGING and f"'{CHANGING[scenario]}'" not in CALLS[label][1]
    if quiet or (kind["plain"] and scenario in CERTAIN):
        check_same(con, label, names[:: len(names) - 1], scenario, **kind)
        return [[0.0] * len(SEEDS), None]
    released = mask_nights(con, scenario, label, names, **kind)
    counts = count_changes(con, label, names, released) if scenario in CHANGES else None
    return [attack_towns(con, scenario, label, names, released), counts]


@contextmanager
def leave_aside() -> Iterator[None]:
    """Take the digests of a table once, which stays as it is while many masks are tried, and write no log of steps."""
    known: dict[tuple[str, ...], Any] = {}

    def remember(take: Callable[..., Any]) -> Callable[..., Any]:
        def digest(data: sdc_sql.Microdata, *given: str) -> Any:
            key = (take.__name__, str(data.table), *given)
            if key not in known:
                known[key] = take(data, *given)
            return known[key]

        return digest

    with ExitStack() as patched:
        for name in ("digest_content", "digest_ids"):
            patched.enter_context(mock.patch.object(series, name, remember(getattr(series, name))))
        patched.enter_context(mock.patch.object(Log, "write"))
        yield


def attack_apart(
    con: duckdb.DuckDBPyConnection, towns: Towns, scenario: str, label: str, nights: int, **kind: bool
) -> tuple[list[float], bool]:
    """Return what a scenario tells of a mask in each town by itself, and whether somebody is not in the releases."""
    shares, waiting = [], False
    for every in towns.apart(scenario):
        names = every[:nights]
        released = mask_nights(con, scenario, label, names, **kind)
        shares.append(attack(con, scenario, label, names, released))
        missing = f'SELECT count(*) FROM "{names[-1]}" ANTI JOIN "{released[-1]}" USING (id)'
        waiting |= con.execute(missing).fetchall() != [(0,)]
    return shares, waiting


def is_plain(label: str, held: str) -> bool:
    """Return whether a mask shows in a series what it shows without one, by construction."""
    return held == "ids" and find_effect(parse_call(CALLS[label][1])[0]).repeated.kind == "again"


def measure_all(kept: Kept, labels: Sequence[str], scenarios: Sequence[str], kinds: Sequence[str]) -> None:
    """Measure what is not in the file yet: first what a series tells, then what the mask alone does."""
    with duckdb.connect() as con, leave_aside():
        sdc_sql.load(con)
        con.execute("SET threads = 1")
        towns = Towns(con)
        for label in labels:
            refused, held = try_series(con, label)  # anew each time: a mask that was refused may be built by now
            kept.note(f"{label}|refused", refused)
            kept.note(f"{label}|ledger", held)
        for kind, scenario, label in product(kinds, scenarios, labels):
            key = f"{label}|{scenario}|{kind}"
            refused, held = kept.found[f"{label}|refused"], kept.found[f"{label}|ledger"]
            if key in kept.found or (kind == "with" and refused) or (kind == "without" and scenario == "two"):
                continue
            plain = not refused and is_plain(label, held)
            if plain and kind == "without" and f"{label}|{scenario}|with" in kept.found:  # the same bits
                kept.note(key, kept.found[f"{label}|{scenario}|with"])
                continue
            begun = process_time()
            try:
                kept.note(key, measure_nights(towns, con, scenario, label, serial=kind == "with", plain=plain))
            except duckdb.InvalidInputException as error:  # what a mask cannot do to so small a town is not measured
                print(f"{label}, {scenario}, {kind}: {error}", flush=True)
                continue
            print(f"{label}, {scenario}, {kind}: {kept.found[key]} {process_time() - begun:.1f} s", flush=True)


def main() -> None:
    """Measure, and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="*", help="masks, as the table calls them; all of them by default")
    parser.add_argument("--scenario", action="append", choices=[*SCENARIOS])
    parser.add_argument("--kind", action="append", choices=["with", "without"])
    kept = Path(__file__).with_suffix(".json")
    parser.add_argument("--kept", type=Path, default=kept, help="the file of what was measured, by default %(default)s")
    asked = parser.parse_args()
    assert MASKS.keys() <= {f"sdc_{label.partition(',')[0]}" for label in CALLS} | ALIKE.keys()
    kept = Kept(asked.kept)
    measure_all(kept, asked.labels or [*CALLS], asked.scenario or [*SCENARIOS], asked.kind or ["with", "without"])
    write_tables(kept.found, CALLS)


if __name__ == "__main__":
    main()
