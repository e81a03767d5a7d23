"""Payloads in the files that people write: release files, rulesets, headers of CSV files. Each is text and nothing more.

What comes of it: a release as if the text were any other, or an error of ours in which no canary is read.
"""

# ruff: noqa: E501

from __future__ import annotations

import copy
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from fuzz_seed import faults_of, share, told
from masked_tables import KEY
from payloads import PAYLOADS

from sdc_sql import Microdata, run_release
from sdc_sql.cli import main
from sdc_sql.errors import SdcError
from sdc_sql.release.reading.ruleset import read_shipped_text
from sdc_sql.session import toml

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

CANARY = "zq-canary-of-the-file"
RELEASE = """
title = "A survey"
producer = "sdc-sql"
release = "autumn"
rules = "mine.toml"
[source]
path = "raw.csv"
[roles]
id = "id"
weight = "w"
identifiers = ["name"]
drop = ["area"]
released_as_collected = ["born_in"]
ghosts = { sex = ["born"] }
[[scenarios]]
name = "neighbour"
keys = ["age", "sex"]
nulls = "wildcard"
limits = ["k_anonymity.2.records <= 0"]
[[steps]]
mask = "recode"
column = "age"
mapping = { "30" = "x", "41" = "y" }
[[steps]]
mask = "local_suppression"
scenario = "neighbour"
k = 2
[loss]
columns = ["sex"]
limits = ["direct_distance.distance < 0.99"]
[output]
path = "released.csv"
"""
RAW = "id,name,age,sex,born,w,born_in,area\n" + "".join(
    f"{i},zq{i},{30 + i % 2 * 11},{'fm'[i % 2]},{i},{i + 2},{i % 3},{i}\n" for i in range(12)
)


def places(tree: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the place of every text and of every name in a file."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            yield (*at, name, None)  # the name itself
            yield from places(value, (*at, name))
    elif isinstance(tree, list):
        for i, value in enumerate(tree):
            yield from places(value, (*at, i))
    else:
        yield at


def replaced(tree: Any, at: tuple[Any, ...], payload: str) -> Any:
    """Return a file with a payload in a place."""
    changed = copy.deepcopy(tree)
    inner = changed
    *way, last = at if at[-1] is not None else at[:-1]
    for part in way:
        inner = inner[part]
    if at[-1] is None:
        inner[payload] = inner.pop(last)
    else:
        inner[last] = payload
    return changed


def folder_of(folder: Path, rng: random.Random) -> Path:
    """Make a folder with the canary beside it; return it."""
    here = folder / f"case-{rng.getrandbits(40)}"
    here.mkdir()
    (folder / "canary.csv").write_text(f"x\n{CANARY}\n")
    return here


def ended(folder: Path, said: str, here: Path, kept: set[str]) -> str | None:
    """Return what a payload did, if it did anything."""
    if CANARY in said:
        return f"it read a canary: {said[:150]}"
    if (folder / "canary.csv").read_text() != f"x\n{CANARY}\n":
        return "the canary was changed"
    for path in here.rglob("*"):
        if path.is_file() and path.name not in kept and CANARY.encode() in path.read_bytes():
            return f"the canary was written to {path.name}"
    stolen = [p.name for p in (*here.iterdir(), *folder.iterdir(), *Path.cwd().iterdir()) if "stolen" in p.name]
    return f"written: {stolen}" if stolen else None


def release_files(_: duckdb.DuckDBPyConnection, folder: Path, rng: random.Random) -> str | None:
    """A release file, or its ruleset, with a payload in any field or name: run, or refused with nothing run."""
    here = folder_of(folder, rng)
    payload = rng.choice(PAYLOADS).replace("{canary}", str(folder / "canary.csv"))
    release, rules = tomllib.loads(RELEASE), tomllib.loads(read_shipped_text("k-5").replace('"k-5"', '"mine"'))
    in_rules = rng.random() < 0.25
    tree = rules if in_rules else release
    at = rng.choice([*places(tree)])
    changed = replaced(tree, at, payload)
    (here / "raw.csv").write_text(RAW)
    try:
        (here / "release.toml").write_text(
            "".join(toml.format_line(n, v) + "\n" for n, v in (release if in_rules else changed).items())
        )
        (here / "mine.toml").write_text(
            "".join(toml.format_line(n, v) + "\n" for n, v in (changed if in_rules else rules).items())
        )
    except (SdcError, UnicodeEncodeError):
        return None  # (TOML has no such text)
    with duckdb.connect(config={"threads": 1}) as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute(f"CREATE TABLE canary AS SELECT '{CANARY}' AS x")
        try:
            said = repr(run_release(here / "release.toml", con).reasons)
        except SdcError as error:
            said = str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is
            return f"{at}: {payload!r:.60}: not ours: {type(error).__name__}: {error!s:.200}"
        if con.execute("FROM canary").fetchall() != [(CANARY,)]:
            return f"{at}: {payload!r:.60}: the table of the canary was changed"
    path_was_asked = at[:2] == (
        "source",
        "path",
    )  # what is named as the source is read, and a message may name its columns
    fault = ended(folder, said, here, {"released.csv"} if path_was_asked else set())
    return fault and f"{at}: {payload!r:.60}: {fault}"


def headers(con: duckdb.DuckDBPyConnection, folder: Path, rng: random.Random) -> str | None:
    """A CSV file with payloads for names of columns: it is described, measured and masked by them, or refused."""
    here = folder_of(folder, rng)
    names = [rng.choice(PAYLOADS).replace("{canary}", str(folder / "canary.csv")) for _ in range(2)]
    quoted = ['"' + n.replace('"', '""') + '"' for n in names]
    path = here / "raw.csv"
    path.write_text(f"id,{quoted[0]},{quoted[1]}\n" + "".join(f"{i},{i % 3},{i}.5\n" for i in range(9)), newline="")
    said = ""
    con.execute(
        f"CREATE OR REPLACE TABLE canary AS SELECT '{CANARY}' AS x; DROP TABLE IF EXISTS masked; DROP TABLE IF EXISTS sdc_steps"
    )
    try:
        data = Microdata(con, path, keys=[names[0]], id="id")
        said = repr(data.risk.k_anonymity(2))
        data.mask.pram_retention(names[0], 0.5, into="masked")
        said += repr(con.execute("FROM masked").fetchall())
    except SdcError as error:
        said += str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is
        return f"{names!r:.90}: not ours: {type(error).__name__}: {error!s:.200}"
    if con.execute("FROM canary").fetchall() != [(CANARY,)]:
        return f"{names!r:.90}: the table of the canary was changed"
    fault = ended(folder, said, here, set())
    return fault and f"{names!r:.90}: {fault}"


def options(_: duckdb.DuckDBPyConnection, folder: Path, rng: random.Random) -> str | None:
    """Hierarchies, mappings and populations that the command line takes from files."""
    here = folder_of(folder, rng)
    payload = rng.choice(PAYLOADS).replace("{canary}", str(folder / "canary.csv"))
    (here / "raw.csv").write_text(RAW)
    out = here / "out.csv"
    asked = rng.choice((
        ["mask", "recode", str(here / "raw.csv"), "--id=id", "--columns=age", f"--mapping={payload}", f"--output={out}"],
        ["mask", "pram", str(here / "raw.csv"), "--id=id", "--columns=sex", f"--matrix={payload}", f"--output={out}"],
        ["risk", str(here / "raw.csv"), "--keys=age", f"--population={payload}"],
        ["risk", str(here / "raw.csv"), "--keys=age", f"--fail-if={payload}"],
        ["release", payload], ["release", "--ruleset", payload], ["verify", payload],
        ["mask", "noise", str(here / "raw.csv"), "--id=id", "--columns=w", "--alpha=0.1", f"--where={payload}", f"--output={out}"],
    ))  # fmt: skip
    try:
        main(asked)
    except SystemExit:
        pass
    except Exception as error:  # noqa: BLE001 - whatever it is
        return f"{asked[:2]} {payload!r:.60}: escaped: {type(error).__name__}: {error!s:.200}"
    fault = ended(folder, "", here, set())
    return fault and f"{asked!r:.200}: {fault}"


DOORS: dict[str, tuple[Callable[..., str | None], int]] = {  # and how many cases the slow tests make of it
    "release_files": (release_files, 12), "headers": (headers, 15), "options": (options, 8),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("door", DOORS)
def test_many(fuzzed, tmp_path, monkeypatch, door):
    monkeypatch.setenv("SDC_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    faults = faults_of(door, share(DOORS[door][1]), lambda rng: DOORS[door][0](fuzzed, tmp_path, rng))
    assert not faults, told("test_injected_files.py", door, faults)
