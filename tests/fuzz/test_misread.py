"""What may be taken for something else: codes for numbers, a name for another, a tie, the order of a sum, a key, a value."""

# ruff: noqa: ARG001, E501 - doors are called alike

from __future__ import annotations

import csv
import string
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import brute_force
import duckdb
import pytest
from fuzz_calls import MACROS, Call, call, examples
from fuzz_judge import fault_of, ours, rows_of
from fuzz_seed import faults_of, share, told
from fuzz_tables import HOSTILE, LOGICAL, fetched, made, quoted, store, text
from fuzz_truth import fault_of_figures
from masked_tables import KEY

from sdc_sql import Microdata, load
from sdc_sql.cli import main
from sdc_sql.errors import SdcError

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

ALIKE = (  # codes that a reader of numbers, dates or truth values makes one
    ("1.1", "1.10", "1.100"), ("17", "017", "0017"), ("TRUE", "true", "True"), ("1e3", "1000", "1000.0"),
    ("01/02/2024", "1/2/2024"), ("2024-01-02", "2024-1-2"), ("+5", "5"), ("0", "-0", "0.0"), ("1.5", "1.50"),
)  # fmt: skip


def code_file(rng: random.Random, folder: Path) -> tuple[Path, list[dict[str, str]]]:
    """Write a CSV file of codes; return it and its rows as they are written."""
    first, second = rng.sample(ALIKE, 2)
    rows = [
        {
            "id": f"{i:03}",
            "code": rng.choice(first),
            "other": rng.choice(second),
            "income": f"{rng.randint(100, 999)}.50",
        }
        for i in range(rng.randint(4, 25))
    ]
    path = folder / f"codes-{rng.randint(0, 10**9)}.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return path, rows


def codes(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """A file's cells are those of its texts, by every door; in SQL they are that or refused; all is written back."""
    path, rows = code_file(rng, folder)
    keys = rng.choice((["code"], ["other"], ["code", "other"]))
    cells = Counter(tuple(r[k] for k in keys) for r in rows)
    alone = sum(n == 1 for n in cells.values())
    found = Microdata(con, str(path), keys=keys).risk.k_anonymity(2)[0].records
    if found != alone:
        return f"{found} records alone, {alone} in the file"
    try:
        found = len(fetched(con, f"FROM sdc_sample_uniques({text(str(path))}, {keys!r})"))
    except duckdb.Error as error:
        if "is guessed" not in str(error):
            return f"refused in other words: {error!s:.200}"
    else:
        if found != alone:
            return f"in SQL {found} records alone, {alone} in the file"
    # (a command takes half a second)
    return written_back(rng, path, rows) if rng.random() < 0.4 else None


def written_back(rng: random.Random, path: Path, rows: list[dict[str, str]]) -> str | None:
    """What was not asked for is written back as it was; no code is there that was none."""
    out = path.with_name("out.csv")
    out.unlink(missing_ok=True)
    if rng.random() < 0.5:
        asked = ["mask", "round", str(path), "--id=id", "--columns=income", "--base=100", f"--output={out}"]
        changed = "income"
    else:
        asked = ["mask", "pram_retention", str(path), "--id=id", "--columns=code", "--retention=0.5", f"--output={out}"]
        changed = "code"
        if len({r["code"] for r in rows}) == 1:
            return None
    if main(asked):
        return "it could not be masked"
    with out.open(newline="") as file:
        after = sorted(csv.DictReader(file), key=lambda r: r["id"])
    if [{**r, changed: ""} for r in after] != [{**r, changed: ""} for r in rows]:
        return "a column is not written back as it was"
    strange = {r["code"] for r in after} - {r["code"] for r in rows}
    return f"codes that were none: {strange}" if strange else None


def two_files(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """Numbers that two files write in two ways are refused where the files are compared: nothing would agree."""
    plain, other = rng.choice((("17", "017"), ("1.5", "1.50"), ("5", "5.0"), ("1000", "1000.00")))
    n = rng.randint(3, 12)
    con.execute(
        f"CREATE OR REPLACE TABLE one AS SELECT i AS id, CASE WHEN i % 2 = 0 THEN {text(plain)} ELSE 'b' END AS k,"
        f" i % 3 AS s FROM range({n}) t(i)"
    )
    con.execute(
        f"CREATE OR REPLACE TABLE two AS SELECT * REPLACE (replace(k, {text(plain)}, {text(other)}) AS k) FROM one"
    )
    call = rng.choice((
        "FROM sdc_true_reidentification('two', 'one', ['k'], 'id')", "FROM sdc_correct_attribution('two', 'one', ['k'], ['s'])",
    ))  # fmt: skip
    try:
        fetched(con, call)
    except duckdb.Error as error:
        return None if "written in one way" in str(error) else f"refused in other words: {error!s:.200}"
    return f"not refused: {call}"


def names(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """The table of a name is masked, and no other: what DuckDB reads by it is what is changed."""
    name = rng.choice(("$x", "x;", "x; --", "x ;", "X$", "x--", "x)", "x/**/", "main.x", *HOSTILE))
    con.execute("DROP SCHEMA IF EXISTS named CASCADE; CREATE SCHEMA named; USE named")
    try:
        tables = {"x", "X$", "k", name}
        for table in {t.lower(): t for t in sorted(tables)}.values():
            con.execute(f"CREATE TABLE {quoted(table)} AS SELECT i AS id, 100.0::DOUBLE + i AS v FROM range(9) t(i)")
        given = rng.choice((name, quoted(name)))
        before = contents(con)
        try:
            read = fetched(con, f"SELECT min(v) FROM (SELECT * REPLACE (v + 0 AS v) FROM query_table({text(given)}))")
        except duckdb.Error:
            read = []
        try:
            Microdata(con, given, id="id").mask.round("v", 1000)
        except SdcError as error:
            if contents(con) != before:
                return "an error, and a table has changed"
            refused = (
                read and name != "main.x" and "is read by DuckDB" not in str(error)
            )  # (1.5 takes no quotes in quotes)
            return f"{given!r}, which DuckDB reads, is refused: {error!s:.200}" if refused else None
        except duckdb.Error as error:
            return f"not ours: {error!s:.150}" if not isinstance(ours(error), SdcError) else None
        changed = [table for table, rows in contents(con).items() if rows != before.get(table) and table != "sdc_steps"]
        wanted = [name] if name != "main.x" or given != name else changed
        return (
            None
            if read and [c.lower() for c in changed] == [w.lower() for w in wanted]
            else f"{given!r} masked {changed}"
        )
    finally:
        con.execute("USE memory.main; DROP SCHEMA IF EXISTS named CASCADE")


def contents(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return what the tables of the schema hold."""
    listed = fetched(con, "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'named'")
    return {t: str(fetched(con, f"FROM named.{quoted(t)} ORDER BY ALL")) for (t,) in listed}


FIGURES = (
    ("individual_risk", "sdc_individual_risk('{t}', ['k'], 'w')"), ("household_risk", "sdc_household_risk('{t}', ['k'], 'w', 'h')"),
    ("population_frequency", "sdc_frequencies('{t}', ['k'], weight := 'w')"), ("expected_reidentifications", "sdc_global_risk('{t}', ['k'], 'w')"),
    ("rate_after", "sdc_risk_threshold('{t}', ['k'], 'w', 0.005)"),
)  # fmt: skip


def sums(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """The same bits in another order and on two threads, whatever the weights."""
    most, n = rng.choice((1.7, 3.1, 9.7)), rng.choice((3_000, 3_000, 260_000))
    con.execute(
        f"CREATE OR REPLACE TABLE one AS SELECT i AS id, hash(i) % 41 AS k, i // 3 AS h,"
        f" 1 + power({most}, (hash(i + {rng.randint(1, 10**6)}) % 1000) / 70.0) AS w FROM range({n}) t(i)"
    )
    con.execute(f"CREATE OR REPLACE TABLE two AS FROM one ORDER BY hash(id, {rng.random()})")
    figure, call = rng.choice(FIGURES)
    query = f"SELECT sum(hash({figure})::HUGEINT) FROM {call}"
    first = fetched(con, query.format(t="one"))
    con.execute("SET threads = 2")
    try:
        second = fetched(con, query.format(t="two"))
    finally:
        con.execute("SET threads = 1")
    return None if first == second else f"other bits in another order: {call}, {n} records"


def ties(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """A bound that is met exactly is met, whatever the digits: the threshold is the definition's, in fractions."""
    sizes = [rng.randint(1, 4) for _ in range(rng.randint(2, 6))]
    weight = rng.choice((3, 7, 10, 30, 49))
    rows = [(k,) for k, n in enumerate(sizes) for _ in range(n)]
    con.execute("CREATE OR REPLACE TABLE one (k INTEGER)")
    con.executemany("INSERT INTO one VALUES (?)", rows)
    risks = dict(zip(
        range(len(sizes)),
        [brute_force.posterior_risk(n, 1 / weight) for n in sizes], strict=True,
    ))  # fmt: skip
    level = rng.choice(sorted(set(risks.values())))
    bound = sum(sizes[k] * min(r, level) for k, r in risks.items()) / sum(sizes)
    ((threshold, above),) = fetched(
        con, f"SELECT threshold, records_above FROM sdc_risk_threshold('one', ['k'], {weight}, {float(bound)!r})"
    )
    wanted = sum(sizes[k] for k, r in risks.items() if r > level)
    if above != wanted:
        return f"{above} records above a bound that is met, {wanted} by definition"
    highest = level == max(risks.values())
    same = abs(threshold - (1 if highest else float(level))) < 1e-9
    return None if same else f"the threshold is {threshold}, by definition {float(level)}"


def small_weights(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """Weights below 1: an error that names the choice; by it a cell stands for its records at least."""
    rows = [(rng.randint(1, 4), rng.choice((0.9, 0.97, 1.0, 4.5, 20.0))) for _ in range(rng.randint(2, 15))]
    con.execute("CREATE OR REPLACE TABLE one (k INTEGER, w DOUBLE)")
    con.executemany("INSERT INTO one VALUES (?, ?)", rows)
    count, total = Counter(k for k, _ in rows), Counter[int]()
    for k, w in rows:
        total[k] += Fraction(str(w))  # type: ignore[assignment]
    small = any(total[k] < n for k, n in count.items())
    by = {}
    for choice in ("error", "at_least_one"):
        try:
            found = fetched(
                con, f"SELECT individual_risk FROM sdc_individual_risk('one', ['k'], 'w', small_weights := '{choice}')"
            )
        except duckdb.Error as error:
            by[choice] = None if "small_weights := ''at_least_one''".replace("''", "'") in str(error) else str(error)
        else:
            by[choice] = [r for (r,) in found]
    if (by["error"] is None) != small:
        return f"small weights {'are not' if small else 'wrongly'} refused"
    wanted = sorted(
        float(brute_force.posterior_risk(count[k], float(min(1, count[k] / max(total[k], count[k]))))) for k, _ in rows
    )
    near = isinstance(by["at_least_one"], list) and all(
        abs(a - b) < 1e-9 for a, b in zip(sorted(by["at_least_one"]), wanted, strict=True)
    )
    return None if near else f"{by['at_least_one']} with at_least_one, by definition {wanted}"


def secret_keys(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """A key that can be guessed is refused, and not shown; one made at random is taken."""
    letters = string.ascii_letters + string.digits

    def made(n: int, of: str = letters + "-_") -> str:
        return "".join(rng.choices(of, k=n))

    guessable = [
        "", "key", rng.choice(letters) * 40, rng.choice(("ab", "abc", "xyz1")) * 20, letters[: rng.randint(32, 60)],
        "0123456789" * 4, "my secret " + made(43), "Password-" + made(40), "qwertyuiop" * 4, letters[::-1][:40],
        made(8), made(20), made(31), "11111111111111112222222222222222",
    ]  # fmt: skip
    good = [made(43), made(64, string.hexdigits[:16]), made(36, string.hexdigits[:16] + "-")]
    bad = rng.random() < 0.7
    key = rng.choice(guessable if bad else good)
    call = rng.choice((
        "SELECT sdc_uniform('a', 1)", "FROM sdc_noise('persons', ['income'], 0.1, 'id')",
        "FROM sdc_pram_retention('persons', ['sex'], 0.5, 'id')", "FROM sdc_rank_swap('persons', 'income', 40, 'id')",
    ))  # fmt: skip
    con.execute(
        "CREATE OR REPLACE TABLE persons AS SELECT i AS id, 10.0 * i AS income, 'ab'[1 + i % 2] AS sex FROM range(40) t(i)"
    )
    con.execute("SET VARIABLE sdc_key = ?", [key])
    load(con)  # where the environment has another key
    try:
        if key and fetched(con, "SELECT getvariable('sdc_key')") != [(key,)]:
            return "a key that was set is replaced"
        fetched(con, call)
    except duckdb.Error as error:
        if key and key in str(error) and len(key) > 3:
            return "a message shows the key"
        return None if bad else f"refused a key made at random: {error!s:.150}"
    finally:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
    return f"took the key {key!r}" if bad else None


def collations(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """Texts that a collation makes one are two cells, and two ids."""
    pairs = rng.choice((("NOCASE", "zq-a", "ZQ-A"), ("NOACCENT", "zq-é", "zq-e"), ("NOCASE", "ǆ", "ǅ")))
    rows = [(pairs[rng.randint(1, 2)],) for _ in range(rng.randint(2, 9))]
    con.execute(f"CREATE OR REPLACE TABLE one (k VARCHAR COLLATE {pairs[0]})")
    con.executemany("INSERT INTO one VALUES (?)", rows)
    if rng.random() < 0.5:
        con.execute(
            f"CREATE OR REPLACE TABLE one AS SELECT k::VARCHAR COLLATE C AS k FROM one; SET default_collation = '{pairs[0]}'"
        )
        con.execute("CREATE OR REPLACE TABLE one AS SELECT k::VARCHAR AS k FROM one")
    con.execute("CREATE OR REPLACE TABLE ids AS SELECT DISTINCT ON (encode(k)) k, 7.0 AS x FROM one")
    try:
        ((cells,),) = fetched(con, "SELECT count(*) FROM sdc_cells('one', ['k'])")
        ((uniques,),) = fetched(con, "SELECT count(*) FROM sdc_sample_uniques('one', ['k'])")
        ((found,),) = fetched(con, "SELECT list_sort(list(sample_frequency)) FROM sdc_frequencies('one', ['k'])")
        ((masked,),) = fetched(con, "SELECT count(*) FROM sdc_round_at_random('ids', ['x'], 5, 'k')")
    except duckdb.Error as error:
        return f"refused: {error!s:.200}"
    finally:
        con.execute("RESET default_collation")
    by_bytes = Counter(rows)
    wanted = len(by_bytes), [*by_bytes.values()].count(1), sorted(by_bytes[row] for row in rows), len(by_bytes)
    return None if (cells, uniques, found, masked) == wanted else f"{cells, uniques, found, masked}, by bytes {wanted}"


def strata(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """What is no stratum, no level, no sample is refused, whichever columns are asked for; a stratum may be whole."""
    con.execute(
        "CREATE OR REPLACE TABLE one AS SELECT i AS id, i % 5 AS k, i % 2 AS s, CASE WHEN i % 2 = 0 THEN 1.0 ELSE 0.2 END AS p,"
        " 4.0 AS w FROM range(40) t(i); CREATE OR REPLACE TABLE everybody AS SELECT * REPLACE (0 AS k) FROM one;"
        ' CREATE OR REPLACE TABLE chances AS SELECT DISTINCT k % 2 AS s, k AS "from", k AS "to", 1.0 AS probability FROM one'
    )
    call = rng.choice((
        "sdc_theta_by('one', ['k', 's'], 's', 0.2)", "sdc_theta_by('one', ['k', 'S'], 's', 'p')",
        "sdc_population_risk('one', 'everybody', ['k'])", "sdc_theta_misclassified('one', ['k'], 0.2, ['k'], ['chances'])",
        "sdc_threshold_rule('one', ['k', 's'], 3, levels := {'nobody': ['k'], 'identifying': ['s']})",
        "sdc_theta('one', ['k'], 1.5)", "sdc_individual_risk('one', ['k'], -3)", "sdc_frequencies('one', ['k'], weight := 1e-12)",
    ))  # fmt: skip
    asked = rng.choice(("*", "count(*)", "1"))
    if asked != "*" and "population" not in call and "by" not in call:
        asked = "*"
    if rng.random() < 0.3:
        whole = fetched(con, "SELECT theta, standard_error FROM sdc_theta_by('one', ['k'], 's', 'p') WHERE stratum = 0")
        if whole[0][1] != 0 or whole[0][0] not in {0.0, 1.0}:
            return f"theta of a stratum taken whole is {whole[0]}"
    try:
        fetched(con, f"SELECT {asked} FROM {call}")
    except duckdb.Error as error:
        return None if isinstance(ours(error), SdcError) else f"not ours: {call}: {error!s:.200}"
    return f"not refused: SELECT {asked} FROM {call}"


def bad_values(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """A weight that is none, a text for a weight, an id that comes twice: told without the value."""
    role, kind, value = rng.choice(
        (("w", "DOUBLE", "-7310.125"), ("w", "VARCHAR", "zqweight"), ("id", "VARCHAR", "zqid-twice"))
    )
    table = made(rng)
    while len(table.rows) < 3:
        table = made(rng)
    at, rows = LOGICAL.index(role), table.rows
    table.types[role] = kind
    table.rows = [(*row[:at], value, *row[at + 1 :]) if n < 2 else row for n, row in enumerate(rows)]
    store(con, table, folder)
    named = "weight" if role == "w" else "id"
    asked = call(rng, table, rng.choice([m for m in MACROS if m.is_table and named in examples()[m.name]]))
    try:
        fetched(con, asked.sql)
    except duckdb.Error as error:
        if value in str(error).split("\n\nLINE ", maxsplit=1)[0]:
            return f"shows the value: {error!s:.200}: {asked.sql:.200}"
        fault = fault_of(error, asked.arguments, table)
        return f"{fault}: {error!s:.200}: {asked.sql:.200}" if fault and "shows" in fault else None
    return None


BY_HAND = {  # measures that brute force has, and what they are given
    "sdc_k_anonymity": {"k": (2, 3, 4)}, "sdc_frequencies": {}, "sdc_sample_uniques": {}, "sdc_cells": {}, "sdc_theta": {"sampling_fraction": (0.1, 0.5)},
    "sdc_individual_risk": {"weight": ("w", 7.5)}, "sdc_global_risk": {"weight": ("w", 7.5)},
}  # fmt: skip


def small_cells(con: duckdb.DuckDBPyConnection, rng: random.Random, folder: Path) -> str | None:
    """Cells of one, two and three records, with NULL and without: every figure is the definition's."""
    rows = [
        (rng.choice((1, 2, 3, None)), rng.choice("ab"), rng.choice((4.0, 7.25, 30.0)))
        for _ in range(rng.randint(3, 20))
    ]
    con.execute("CREATE OR REPLACE TABLE one (k INTEGER, s VARCHAR, w DOUBLE)")
    con.executemany("INSERT INTO one VALUES (?, ?, ?)", rows)
    name = rng.choice([*BY_HAND])
    given = {argument: rng.choice(values) for argument, values in BY_HAND[name].items()}
    asked = Call(next(m for m in MACROS if m.name == name), {"tbl": "one", "keys": ["k", "s"], **given}, spoilt=False)
    fault = fault_of_figures(asked, rows_of(con, "FROM one"), *rows_of(con, asked.sql))
    return f"{fault}: {asked.sql}" if fault else None


DOORS: dict[str, tuple[Callable[..., str | None], int]] = {  # and how many cases the slow tests make of it
    "codes": (codes, 12), "two_files": (two_files, 10), "names": (names, 25), "sums": (sums, 12), "ties": (ties, 25),
    "small_weights": (small_weights, 25), "secret_keys": (secret_keys, 60), "collations": (collations, 15), "strata": (strata, 40),
    "bad_values": (bad_values, 40), "small_cells": (small_cells, 40),
}  # fmt: skip


@pytest.fixture
def keyed_command(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the command line its key."""
    monkeypatch.setenv("SDC_KEY", KEY)


@pytest.mark.one_in(3)
@pytest.mark.usefixtures("keyed_command")
@pytest.mark.parametrize("door", DOORS)
def test_some(fuzzed, tmp_path, door):
    faults = faults_of(door, 1, lambda rng: DOORS[door][0](fuzzed, rng, tmp_path))
    assert not faults, told("test_misread.py", door, faults)


@pytest.mark.slow
@pytest.mark.usefixtures("keyed_command")
@pytest.mark.parametrize("door", DOORS)
def test_many(fuzzed, tmp_path, door):
    faults = faults_of(door, share(DOORS[door][1]), lambda rng: DOORS[door][0](fuzzed, rng, tmp_path))
    assert not faults, told("test_misread.py", door, faults)
