"""Mistakes that people make, files that they have, limits that they write: told in a line, and nothing is lost by it."""

# ruff: noqa: ARG001, E501, PLR0911 - doors are called alike

from __future__ import annotations

import math
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from fuzz_seed import faults_of, share, told
from fuzz_tables import fetched, text
from masked_tables import KEY
from payloads import PAYLOADS

from sdc_sql import Microdata
from sdc_sql.cli import main
from sdc_sql.errors import ParameterError, SdcError
from sdc_sql.figures.limits import holds_limit, is_exceeded
from sdc_sql.shell.statements import is_harmless

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

TABLES = """
    CREATE SCHEMA mist; USE mist;
    CREATE TABLE plain (id INTEGER, age INTEGER, w DOUBLE, sex VARCHAR);
    CREATE TABLE checked (id INTEGER, age INTEGER CHECK (age < 100));
    CREATE TABLE made (id INTEGER, base INTEGER, age INTEGER GENERATED ALWAYS AS (2 * base));
    CREATE TABLE parents (id INTEGER PRIMARY KEY, age INTEGER UNIQUE);
    CREATE TABLE children (id INTEGER, age INTEGER REFERENCES parents (age));
    INSERT INTO plain SELECT i, 20 + i, 7.5, 'ab'[1 + i % 2] FROM range(30) t(i);
    INSERT INTO checked SELECT i, 60 + i FROM range(30) t(i);
    INSERT INTO made SELECT i, 20 + i FROM range(30) t(i);
    INSERT INTO parents SELECT i, 20 + i FROM range(30) t(i);
    INSERT INTO children SELECT i, 20 + i FROM range(30) t(i);
"""
Mistake = tuple[str, "Callable[[Microdata], Any]", str]
# A table, what is done with it, and what the message must say.
MISTAKES: tuple[Mistake, ...] = (
    ("checked", lambda d: d.mask.round("age", 150), "CHECK"),
    ("made", lambda d: d.mask.round("age", 5), "generated"),
    ("children", lambda d: d.mask.round("age", 500), "FOREIGN KEY"),
    ("plain", lambda d: Microdata(d.con, "plain", keys=["sex"], weight=0.5).risk.global_risk(), "at_least_one"),
    ("plain", lambda d: d.mask.noise(None, 0.1), "columns to mask are None"),
    ("plain", lambda d: d.mask.recode("sex", mapping={"a": "x"}, others=5), "others is 5"),
    ("plain", lambda d: d.mask.noise("age", "abc"), "'abc'"),
    ("plain", lambda d: d.mask.noise("age", -1), "alpha is -1"),
    ("plain", lambda d: d.risk.theta("abc"), "sampling fraction is the column 'abc'"),
    ("plain", lambda d: d.risk.k_anonymity(1), "k is 1"),
    ("plain", lambda d: d.mask.noise(["age", "AGE"], 0.1), "twice"),
    ("plain", lambda d: d.mask.pram_retention("sex", 1.5), "retention is 1.5"),
    ("plain", lambda d: Microdata(d.con, "plain").mask.noise("age", 0.1), "id"),
    ("plain", lambda d: Microdata(d.con, "plain", keys=["sex", "sex"]).risk.k_anonymity(2), "twice"),
    ("plain", lambda d: d.mask.pram_guaranteed(0.8, keys=["sex"], unit="household"), "record"),
    ("plain", lambda d: d.mask.rank_swap("age", "abc"), "p is 'abc'"),
    ("plain", lambda d: d.mask.round("age", None), "base is None"),
    ("plain", lambda d: d.mask.round("age", -5), "base is -5"),
)
ARGUMENTS = range(4, len(MISTAKES) - 2)  # of these an argument is wrong, and is told before anything runs


def mistakes(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """A mistake is told in a line, and changes nothing; a bad argument does not cost the user their transaction."""
    number = rng.randrange(len(MISTAKES))
    return mistake(con, number, within=number in ARGUMENTS and rng.random() < 0.7)


def mistake(con: duckdb.DuckDBPyConnection, number: int, *, within: bool) -> str | None:
    """Make a mistake, within a transaction of the user's or not; return what is wrong with how it is told."""
    table, done, says = MISTAKES[number]
    con.execute("DROP SCHEMA IF EXISTS mist CASCADE")
    con.execute(TABLES)
    try:
        data = Microdata(con, table, id="id", keys=["age"], weight="w" if table == "plain" else None)
        before = fetched(con, f"FROM {table} ORDER BY ALL")
        if within:
            con.begin()
            con.execute("CREATE TABLE users AS SELECT 1 AS x")
        try:
            done(data)
        except (SdcError, TypeError) as error:
            fault = None if isinstance(error, SdcError) else f"not ours: {error!r:.200}"
            message = str(error)
        except duckdb.Error as error:
            fault, message = f"DuckDB's own: {error!s:.200}", ""
        else:
            fault, message = "not refused", ""
        if within and not fault:
            try:
                con.execute("INSERT INTO users VALUES (2)")
                con.commit()
                fault = None if fetched(con, "SELECT count(*) FROM users") == [(2,)] else "the user's rows are gone"
            except duckdb.Error as error:
                con.rollback()
                fault = f"it cost the user their transaction: {error!s:.100}"
        if not fault and fetched(con, f"FROM {table} ORDER BY ALL") != before:
            fault = "the table has changed"
        if not fault and ("\n" in message.strip() or says.lower() not in message.lower()):
            fault = f"says: {message:.200}"
        return f"{number}: {fault}" if fault else None
    finally:
        with suppress(duckdb.Error):  # (an aborted transaction cannot be asked whether it is open)
            con.rollback()
        con.execute("USE memory.main; DROP SCHEMA IF EXISTS mist CASCADE")


def sources(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """What is no file that can be read is told in a line that shows nothing of it, by Python and by the command."""
    hidden = "zq-secret-value"
    broken = folder / "broken.csv"
    broken.write_text("id,age\n" + "1,20\n" * 40 + f'2,"{hidden}\n')
    wide = folder / "wide.csv"
    wide.write_text("id,age\n" + "1,20\n" * 40 + f"2,{hidden},3,4,5\n")
    latin = folder / "latin.csv"
    latin.write_bytes(b"id,age\n" + b"1,20\n" * 40 + b"2," + hidden.encode() + b"-\xfc\n")
    (folder / "text.parquet").write_text(hidden * 9)
    (folder / "short.parquet").write_text("zq")
    (folder / "bad.json").write_text('[{"id": 1, "age": "' + hidden + '"')
    source = rng.choice((str(broken), str(wide), str(latin), str(folder / "text.parquet"), str(folder / "short.parquet"), str(folder),
                         str(folder / "bad.json"), "/dev/null", "https://127.0.0.1:1/x.parquet", "s3://nobody/x.parquet",
                         rng.choice(PAYLOADS).replace("{canary}", str(broken)), None, 5, b"x", ["a"]))  # fmt: skip
    # what the message must say, of each kind of file
    says = {str(folder / f"{name}.parquet"): "no Parquet file" for name in ("text", "short")}
    says |= {str(path): "Line 42 of the CSV file" for path in (broken, wide, latin)}
    says[str(folder)] = "is a directory"
    try:
        Microdata(con, source, keys=["id"])
    except SdcError as error:
        message = str(error)
        if hidden in message or "\n" in message.strip() or says.get(str(source), "") not in message:
            return f"{source!r:.60}: says {message:.200}"
        return None
    except Exception as error:  # noqa: BLE001 - whatever it is
        return f"{source!r:.60}: not ours: {error!r:.200}"
    if source == str(broken):
        return None  # (DuckDB takes the quote for a part of the text)
    return f"{source!r:.60}: not refused"


REPORT = {
    "theta": {"n2": 0.5, "standard_error": math.nan},
    "k_anonymity": [{"k": 2, "records": 7}, {"k": 3, "records": 9}],
}
UNREADABLE = (
    "1e", "1e-", "nan", "'x'", "", "0x1F", "NULL", "true", "1 + 1", "inf", "(1", "1)", "--", "1; DROP TABLE x", "%s",
)  # fmt: skip


def limits(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """NaN exceeds every limit and meets none; what cannot be read is refused in a line; a wrong name lists the right."""
    sign, number = rng.choice((">", "<", ">=", "<=", "=", "<>")), rng.choice(("0.1", "0", "1e300", "-3", "0.9"))
    of_nan = f"{rng.choice(('', 'NOT '))}theta.standard_error {sign} {number}"
    of_nan = rng.choice(("{}", "{} AND theta.n2 > 2", "theta.n2 > 2 AND {}", "({})")).format(of_nan)
    if not is_exceeded(of_nan, REPORT) or holds_limit(of_nan, REPORT):
        return f"NaN passes {of_nan}"
    deep = rng.randint(200, 4_000)
    wrong = rng.choice((
        f"theta.theta {sign} {rng.choice(UNREADABLE)}", "(" * deep + "theta.theta > 0" + ")" * deep, "NOT " * deep + "theta.theta > 0",
        rng.choice(PAYLOADS), "theta.thet > 0", "thetas.theta > 0", "k_anonymity.4.records > 0", "theta > 0", "0.1 < theta.theta",
    ))  # fmt: skip
    for read in (is_exceeded, holds_limit):
        try:
            read(wrong, REPORT)
        except ParameterError as error:
            if len(str(error).replace(wrong, "").replace(repr(wrong), "")) > 400:
                return f"{wrong:.60}: a message of {len(str(error))} characters"
            if wrong == "theta.thet > 0" and "it has records, cells, n1" not in str(error):
                return f"does not list the names: {error!s:.200}"
            if wrong == "thetas.theta > 0" and "did you mean theta" not in str(error):
                return f"does not list the measures: {error!s:.200}"
        except Exception as error:  # noqa: BLE001 - whatever it is
            return f"{wrong:.60}: {type(error).__name__}: {error!s:.100}"
        else:
            return f"{wrong:.60} was read"
    return None


PASSWORDS = (
    "SET VARIABLE sdc_key = '{s}'", "set  variable\n sdc_key='{s}'", "CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET '{s}')",
    "CREATE OR REPLACE PERSISTENT SECRET x (TYPE postgres, PASSWORD '{s}')", "ATTACH 'host=db password={s}' AS p (TYPE postgres)",
    "ATTACH 'postgres://ann:{s}@db/x' AS p", "ATTACH 'x.duckdb' AS x (ENCRYPTION_KEY '{s}')", "SET s3_secret_access_key = '{s}'",
    "FROM postgres_query('host=db passwd={s}', 'FROM x')", "SELECT 1 /* sdc_key {s} */", "SET motherduck_token='{s}'",
)  # fmt: skip


def history(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """The shell keeps no line with a key or a password, however it is written; it keeps others."""
    line = rng.choice(PASSWORDS).format(s="zq-secret")
    line = "".join(rng.choice((c.lower(), c.upper())) if c.isalpha() else c for c in line).replace(
        " ", rng.choice((" ", "  ", "\n"))
    )
    if is_harmless(line):
        return f"kept: {line!r}"
    plain = rng.choice(("FROM sdc_k_anonymity('persons', ['age'], 3);", "ATTACH 'survey.duckdb' AS s;", "SELECT 1 + 1"))
    return None if is_harmless(plain) else f"not kept: {plain}"


def files(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """A written file is its owner's alone, holds nothing old, and leaves the files beside it as they were."""
    here = folder / f"files-{rng.randint(0, 10**9)}"
    here.mkdir()
    ending = rng.choice(("parquet", "csv", "duckdb"))
    out, source = here / f"out.{ending}", here / "survey.duckdb"
    beside = [
        here / n for n in (f"out.{ending}.part", f"out.{ending}.tmp", f"tmp_out.{ending}", f".out.{ending}", "out.part")
    ]
    for path in beside:
        path.write_text("a user's")
    old, n = "zq-old-value-", rng.randint(60, 400)
    os.umask(0o022)
    with duckdb.connect(str(source)) as own:
        own.execute("SET VARIABLE sdc_key = ?", [KEY])
        own.execute(
            f"CREATE TABLE people AS SELECT i AS id, '{old}' || (i % 7) AS c, 1.5 * i AS x FROM range({n}) t(i)"
        )
    asked = ["--id=id", "--columns=c", "--keep-first=2"]
    if rng.random() < 0.4:
        source.chmod(0o600)
        if main(["mask", "recode", str(source), *asked]):
            return "it could not be masked"
        out = source
    elif rng.random() < 0.5 and ending != "duckdb":
        if main(["mask", "recode", str(source), *asked, f"--output={out}"]):
            return "it could not be masked"
    else:
        with duckdb.connect(str(source)) as own:
            own.execute("SET VARIABLE sdc_key = ?", [KEY])
            data = Microdata(own, "people", id="id")
            data.mask.recode("c", keep_first=2)
            data.write(out, release="autumn", ids=rng.choice(("keep", "drop", "recode")))
            order = [x for (x,) in fetched(own, f"SELECT x FROM {text(str(out))}")] if ending != "duckdb" else []
            if order and order == sorted(order):
                return "the records stand in their old order"
    if out.suffix != ".csv" and old.encode() in out.read_bytes():
        return "old values are in the bytes of the file"
    if stat.S_IMODE(out.stat().st_mode) != 0o600:
        return f"it is readable by others: {stat.S_IMODE(out.stat().st_mode):o}"
    if [p.read_text() for p in beside if p.exists()] != ["a user's"] * len(beside):
        return "a user's file beside it was changed"
    left = {p.name for p in here.iterdir()} - {out.name, source.name} - {p.name for p in beside}
    return f"left behind: {left}" if left else None


DOORS: dict[str, tuple[Callable[..., str | None], int]] = {  # and how many cases the slow tests make of it
    "mistakes": (mistakes, 60), "sources": (sources, 50), "limits": (limits, 150), "history": (history, 150), "files": (files, 8),
}  # fmt: skip


@pytest.fixture
def keyed_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the command line its key."""
    monkeypatch.setenv("SDC_KEY", KEY)


def told_of(con: duckdb.DuckDBPyConnection, folder: Path, door: str, cases: int) -> list[str]:
    return faults_of(door, cases, lambda rng: DOORS[door][0](con, rng, folder))


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.usefixtures("keyed_command")
@pytest.mark.parametrize("door", [d for d in DOORS if d != "sources"])  # those take longer
def test_some(fuzzed, tmp_path, door):
    faults = told_of(fuzzed, tmp_path, door, 2)
    assert not faults, told("test_mistakes.py", door, faults)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("number", range(len(MISTAKES)))
def test_each_mistake(fuzzed, number):
    for within in {False, number in ARGUMENTS}:
        assert mistake(fuzzed, number, within=within) is None


@pytest.mark.slow
@pytest.mark.usefixtures("keyed_command")
@pytest.mark.parametrize("door", DOORS)
def test_many(fuzzed, tmp_path, door):
    faults = told_of(fuzzed, tmp_path, door, share(DOORS[door][1]))
    assert not faults, told("test_mistakes.py", door, faults)
