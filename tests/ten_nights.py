"""Each mask of the catalogue over ten nights, with a series and without: the table of the chapter on series.

Five towns, each drawn by a seed of its own, stand in one table and are masked together; intervals are over the towns.
Where few come each night a town is a table, and the nights are five (two, where one comes).
``python tests/ten_nights.py`` measures all of it and writes the table; with labels of masks their rows, with scenarios
(``--scenario churn``) their columns. What was measured stands in the file that ``--kept`` names, and is not measured
again.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import duckdb
import sqlglot
from every_mask import MASKS
from series_world import ALIKE, CALLS, make_nights, measure, release_nights
from sqlglot import exp

import sdc_sql
from sdc_sql.db.catalogue.macros import find_effect, read_catalogue
from sdc_sql.dbt.verb_of_macro import mask_by_macro
from sdc_sql.errors import RepeatedReleaseWarning, SeriesError
from sdc_sql.series.ledger import read_ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RECORDS, NIGHTS, SEEDS = 400, 10, (1, 2, 3, 4, 5)
BY_ITSELF = ("newcomer", "pair", "placed")  # where few come each night, and five nights are enough
TOWN = 1_000_000
README = Path(__file__).parents[1] / "sdc_sql" / "series" / "README.md"
FIRST, LAST = "<!-- ten nights: written by python tests/ten_nights.py -->", "<!-- ten nights: end -->"
# the scenarios of the table, with the head of their column
SCENARIOS = {
    "churn": "1 % churn", "newcomer": "one new record", "pair": "a batch below k", "column": "a column changes",
    "drift": "drifting", "back": "changing and back", "return": "leaving and returning", "move": "moving",
    "placed": "all but one placed", "two": "two ledgers",
}  # fmt: skip
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
        ) as series:
            data = sdc_sql.Microdata(con, f'"{name}"', id="id", series=series)
            mask_by_macro(data, method, columns, parameter, options | {"into": f'"{into}"'})
        con.execute("DROP TABLE sdc_steps")
        released.append(into)
        head = series.head
    return released


def try_series(con: duckdb.DuckDBPyConnection, label: str) -> tuple[str, str]:
    """Return why a mask is refused in a series, or else whose digests stand in its ledger: of ids, also of values."""
    (name, *_) = make_nights(con, "churn", RECORDS, 1)
    with tempfile.TemporaryDirectory() as place:
        try:
            release_in_series(con, [name], label, Path(place), ledger="tried")
        except SeriesError as error:
            if "refused" not in str(error):
                raise
            return str(error), ""
        ((key,),) = con.execute("SELECT sdc__series_key('tried', 'file')").fetchall()
        ledger, _ = read_ledger(Path(place, "tried"), bytes.fromhex(key))
    return "", "ids, values" if len(ledger.values) else "ids"


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


def measure_cell(
    con: duckdb.DuckDBPyConnection, scenario: str, label: str, seed: int, *, serial: bool, records: int = RECORDS,
    nights: int = NIGHTS,
) -> float:  # fmt: skip
    """Return what one world tells of a mask in a scenario, with a series or without."""
    names = make_nights(con, "churn" if scenario == "two" else scenario, records, nights, seed)
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedReleaseWarning)
        if not serial:
            released = release_nights(con, names, CALLS[label][1])
        elif scenario == "two":  # the ledger was lost halfway, and another begun
            half = len(names) // 2
            released = release_in_series(con, names[:half], label, Path(place), ledger="one")
            released += release_in_series(con, names[half:], label, Path(place), ledger="two")
        else:
            released = release_in_series(con, names, label, Path(place))
        return attack(con, scenario, label, names, released)


def make_towns(con: duckdb.DuckDBPyConnection, scenario: str) -> list[str]:
    """Make the tables of all towns together, one a night, and return their names."""
    towns = []
    for seed in SEEDS:
        for name in make_nights(con, scenario, RECORDS, NIGHTS, seed):
            town = f"towns, {name}"
            if seed == SEEDS[0]:
                con.execute(f'CREATE OR REPLACE TABLE "{town}" AS FROM "{name}" LIMIT 0')
                towns.append(town)
            con.execute(f'INSERT INTO "{town}" SELECT * REPLACE (id + {seed * TOWN} AS id) FROM "{name}"')
    return towns


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
    levels = [row["level_gain"] or 0.0 for row in measure(con, names, released, columns, "sdc_series_changes")]
    return [max(*levels, gain) for gain in gains]


def measure_towns(
    con: duckdb.DuckDBPyConnection, scenario: str, label: str, *, serial: bool, plain: bool
) -> list[float]:
    """Return what ten nights tell of a mask, town by town.

    Parameters
    ----------
    plain
        Whether the mask is of the record alone: a release of a series is then that without one, which is checked of the
        last night, and all others are made without.
    """
    names = make_towns(con, "churn" if scenario == "two" else scenario)
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore", RepeatedReleaseWarning)
        if not serial:
            released = release_nights(con, names, CALLS[label][1])
        elif plain:
            (last,) = release_in_series(con, names[-1:], label, Path(place))
            con.execute(f'CREATE OR REPLACE TABLE "by the series" AS FROM "{last}"')
            released = release_nights(con, names, IN_SERIES.get(label, CALLS[label][1]))
            same = f'SELECT count(*) FROM (FROM "{last}" EXCEPT FROM "by the series")'
            assert con.execute(same).fetchall() == [(0,)]
        elif scenario == "two":  # the ledger was lost halfway, and another begun
            half = len(names) // 2
            released = release_in_series(con, names[:half], label, Path(place), ledger="one")
            released += release_in_series(con, names[half:], label, Path(place), ledger="two")
        else:
            released = release_in_series(con, names, label, Path(place))
        return attack_towns(con, scenario, label, names, released)


def measure_nights(
    con: duckdb.DuckDBPyConnection, scenario: str, label: str, *, serial: bool, plain: bool
) -> list[float]:
    """Return what a scenario tells of a mask, town by town."""
    if scenario not in BY_ITSELF:
        return measure_towns(con, scenario, label, serial=serial, plain=plain)
    return [measure_cell(con, scenario, label, seed, serial=serial and not plain, nights=5) for seed in SEEDS]


def write_cell(with_it: Sequence[float], without: Sequence[float]) -> str:
    """Return a cell: per cent that is gained with a series and, in parentheses, without one."""
    found = write_interval(with_it) if with_it else "-"
    return f"{found} ({write_interval(without)})" if without else found


def write_interval(shares: Sequence[float]) -> str:
    """Return the mean over the seeds with its interval of 95 %, by Student's distribution."""
    per_cent = [100 * share for share in shares]
    if len(per_cent) < 2 or max(per_cent) == min(per_cent):
        return f"{per_cent[0]:.1f}".removesuffix(".0")
    quantile = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776, 6: 2.571}[len(per_cent)]
    return f"{fmean(per_cent):.1f} \u00b1 {quantile * stdev(per_cent) / sqrt(len(per_cent)):.1f}"


class Kept:
    """What was measured, in a file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self.found: dict[str, Any] = json.loads(path.read_text()) if path is not None and path.exists() else {}

    def note(self, key: str, value: Any) -> None:
        self.found[key] = value
        if self._path is not None:
            self._path.write_text(json.dumps(self.found, indent=0, sort_keys=True))


def write_table(kept: Kept) -> None:
    """Write the table of the chapter from what was measured."""
    head = ["mask", "ledger", *SCENARIOS.values()]
    lines = [head, ["---"] * len(head)]
    for label in CALLS:
        refused = kept.found.get(f"{label}|refused")
        if refused is None:
            continue
        both = ([kept.found.get(f"{label}|{s}|{kind}", []) for kind in ("with", "without")] for s in SCENARIOS)
        cells = [write_cell(*pair) if pair[0] or pair[1] else "-" for pair in both]
        lines.append([label, "refused" if refused else kept.found.get(f"{label}|ledger", ""), *cells])
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    before, _, rest = README.read_text(encoding="utf-8").partition(FIRST)
    README.write_text(f"{before}{FIRST}\n\n{body}\n\n{LAST}{rest.partition(LAST)[2]}", encoding="utf-8")


def measure_all(kept: Kept, labels: Sequence[str], scenarios: Sequence[str], kinds: Sequence[str]) -> None:
    """Measure what is not in the file yet."""
    with duckdb.connect() as con:
        sdc_sql.load(con)
        con.execute("SET threads = 1")
        for label in labels:
            refused, held = try_series(con, label)  # anew each time: a mask that was refused may be built by now
            kept.note(f"{label}|refused", refused)
            kept.note(f"{label}|ledger", held)
            plain = (
                kept.found[f"{label}|ledger"] == "ids"
                and find_effect(parse_call(CALLS[label][1])[0]).repeated.kind == "again"
            )
            for kind in kinds:
                for scenario in scenarios:
                    key = f"{label}|{scenario}|{kind}"
                    if key in kept.found or (scenario == "two" and kind == "without"):
                        continue
                    if kind == "with" and kept.found[f"{label}|refused"]:
                        continue
                    if plain and kind == "without":  # the same bits
                        kept.note(key, kept.found.get(f"{label}|{scenario}|with", []))
                        continue
                    kept.note(key, measure_nights(con, scenario, label, serial=kind == "with", plain=plain))
                    print(label, scenario, kind, flush=True)


def main() -> None:
    """Measure, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="*", help="masks, as the table calls them; all of them by default")
    parser.add_argument("--scenario", action="append", choices=[*SCENARIOS])
    parser.add_argument("--kind", action="append", choices=["with", "without"])
    parser.add_argument("--kept", type=Path, help="the file of what was measured")
    asked = parser.parse_args()
    assert MASKS.keys() <= {f"sdc_{label.partition(',')[0]}" for label in CALLS} | ALIKE.keys()
    kept = Kept(asked.kept)
    measure_all(kept, asked.labels or [*CALLS], asked.scenario or [*SCENARIOS], asked.kind or ["with", "without"])
    write_table(kept)


if __name__ == "__main__":
    main()
