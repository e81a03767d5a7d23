"""Made-up tables: the columns of the tables of the examples, with other names, types, values and places."""

# ruff: noqa: RUF001, E501 - names and texts that look like others

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

    import duckdb

HOSTILE = (
    "f", "k", "Select", 'we"ird', 'x" || "x', '"a" b', '"', '", "', "it's", "a.b", "my column", "sum(x)", "ünï", "new\nline", "; --", "{{ x }}", "columns",
    "values", "tbl", "keys", "ROW", "x" * 200, "'", '""', "$1", "?", "*", "%s", "ſex", "𝓈𝑒𝓍", "/* */", "rowid2", "E'\\'",
)  # fmt: skip
PLACES = ("table", "temp", "view", "schema", "attached", "parquet")
# A type, and values of it that no message may show: easily told from anything else that is said.
KEYS: dict[str, tuple[str, ...]] = {
    "VARCHAR": ("zqtext-one", "ZQTEXT-ONE", "zqtext-two", "", "NULL", "zq'quote"),
    "VARCHAR COLLATE NOCASE": ("zqtext-one", "ZQTEXT-ONE", "zqtext-two"),
    "INTEGER": ("7310011", "7310022", "-7310033"),
    "UTINYINT": ("0", "1", "255"),
    "HUGEINT": ("73100110000000000000000000001", "73100110000000000000000000002"),
    "BOOLEAN": ("true", "false"),
    "DATE": ("1931-07-19", "1932-08-23", "infinity"),
    "TIMESTAMP": ("1931-07-19 11:12:13", "1932-08-23 21:22:23.5"),
    "TIMESTAMPTZ": ("1931-07-19 11:12:13+00", "1932-08-23 21:22:23+00"),
    "TIME": ("11:12:13", "21:22:23"),
    "INTERVAL": ("7 days", "13 months"),
    "DOUBLE": ("7310.0125", "-7310.5", "0.0", "nan", "inf"),
    "DECIMAL(9, 2)": ("73100.11", "73100.22"),
    "UUID": ("73100110-0000-0000-0000-000000000001", "73100110-0000-0000-0000-000000000002"),
    "BLOB": ("zqblob\\x00one", "zqblob\\xFFtwo"),
    "BIT": ("0101", "11"),
    "ENUM ('zqlow', 'zqhigh', 'zq''s')": ("zqlow", "zqhigh", "zq's"),
    "VARCHAR[]": ("[zqlist-a]", "[zqlist-a, zqlist-b]", "[]"),
    "STRUCT(a INTEGER)": ("{'a': 7310044}", "{'a': NULL}"),
}
PLAIN = ("VARCHAR", "INTEGER", "DATE", "ENUM ('zqlow', 'zqhigh', 'zq''s')")
NUMBERS = ("DOUBLE", "INTEGER", "BIGINT", "DECIMAL(12, 2)", "FLOAT")
IDS = ("INTEGER", "BIGINT", "VARCHAR", "UUID")
LOGICAL = ("id", "age", "sex", "region", "w", "household", "income", "born", "birthplace", "smokes")


def quoted(name: str) -> str:
    """Return a name as an identifier of SQL."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str | None) -> str:
    """Return a value as a literal of SQL."""
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


@dataclass
class Made:
    """A table as it was made: the names of its columns by what they stand for, and of the tables that go with it."""

    place: str
    columns: dict[str, str]
    types: dict[str, str]
    rows: list[tuple[str | None, ...]]
    tables: dict[str, str] = field(default_factory=dict)

    @property
    def said(self) -> set[str]:
        """Return the values that no message may show."""
        return {v for row in self.rows for v in row if v is not None and len(v) >= 6 and v not in {"false", "infinity"}}

    @property
    def hash(self) -> str:
        """Return the query of all that the table holds."""
        return f"SELECT * FROM {self.tables['sdc_fuzz_base']} ORDER BY ALL"


def _column(rng: Random, name: str, n: int) -> tuple[str, list[str | None]]:  # noqa: PLR0911
    """Return a type and values for a column."""
    if name == "id":
        kind = rng.choice(IDS)
        ids = rng.sample(range(10_000, 99_999), n)
        shown = {"UUID": "73100110-0000-0000-0000-0000000{}", "VARCHAR": "zqid-{}"}.get(kind, "73{}")
        values: list[str | None] = [shown.format(i) for i in ids]
        if n > 1 and rng.random() < 0.04:
            values[0] = rng.choice((None, values[1]))
        return kind, values
    if name == "w":
        bad = rng.choice((None, "0", "-7310.125")) if rng.random() < 0.08 else "4"
        values = [f"{rng.randint(4, 400) / 4}" for _ in range(n)]
        return "DOUBLE", [bad, *values[1:]] if n and bad != "4" else values
    if name == "household":
        missing = rng.random() < 0.05
        return "INTEGER", [None if missing and not i else str(rng.randint(1, 1 + n // 3)) for i in range(n)]
    if name == "income":
        kind = rng.choice(NUMBERS)
        share = rng.choice((0, 0, 0.2))
        few = [str(7_310_000 + rng.randint(0, 9_999)) for _ in range(rng.randint(1, 12))]
        odd = ["nan", "inf", "-inf", "1e300"] if kind == "DOUBLE" and rng.random() < 0.1 else few
        return kind, [None if rng.random() < share else rng.choice(rng.choice((few, few, odd))) for _ in range(n)]
    if name == "born":
        return "DATE", [f"19{rng.randint(31, 59)}-0{rng.randint(1, 9)}-{rng.randint(10, 28)}" for _ in range(n)]
    if name == "smokes":
        return "INTEGER", [str(rng.randint(0, 1)) for _ in range(n)]
    kind = rng.choice(PLAIN if rng.random() < 0.6 else tuple(KEYS))
    values_of = rng.sample(KEYS[kind], rng.randint(1, len(KEYS[kind])))
    share = rng.choice((0, 0, 0.15, 1)) if rng.random() < 0.7 else 0.15
    return kind, [None if rng.random() < share else rng.choice(values_of) for _ in range(n)]


def made(rng: Random) -> Made:
    """Return a table to be stored: of 0 to 30 records, more often of few."""
    n = rng.choice((0, 1, 2, *range(3, 31)))
    names = dict(zip(LOGICAL, LOGICAL, strict=True))
    if rng.random() < 0.5:
        for name, other in zip(rng.sample(LOGICAL, 4), rng.sample(HOSTILE, 4), strict=True):
            names[name] = other  # noqa: PERF403
    columns = {name: _column(rng, name, n) for name in LOGICAL}
    rows = list(zip(*(values for _, values in columns.values()), strict=True))
    return Made(rng.choice(PLACES), names, {name: kind for name, (kind, _) in columns.items()}, rows)


def _aux(c: dict[str, str]) -> dict[str, str]:
    """Return the queries of the tables that go with a table, by the names that examples give them."""

    def matrix(name: str) -> str:
        return (
            f'SELECT a.v AS "from", b.v AS "to", CASE WHEN count(*) OVER (PARTITION BY a.v) = 1 THEN 1.0 WHEN'
            f" a.v IS NOT DISTINCT FROM b.v THEN 0.5 ELSE 0.5 / (count(*) OVER (PARTITION BY a.v) - 1) END AS probability"
            f" FROM (SELECT DISTINCT {name} AS v FROM base) AS a, (SELECT DISTINCT {name} AS v FROM base) AS b"
        )

    levels = " UNION ALL ".join(
        f"SELECT DISTINCT {text(n)} AS variable, {c[r]}::VARCHAR AS value, unnest([0, 1]) AS level,"
        f" unnest([{text(n)}, 'all']) AS level_name, unnest([{c[r]}::VARCHAR, '*']) AS label FROM base"
        for r, n in ((r, c[r][1:-1].replace('""', '"')) for r in ("age", "sex", "region"))
    )
    return {
        "persons": "FROM base",
        "population": f"FROM base UNION ALL SELECT * REPLACE ({c['id']}::VARCHAR || '9' AS {c['id']}) FROM base",
        "people": f"SELECT {c['id']}, {c['id']}::VARCHAR || '@example.org' AS contact, {c['age']} FROM base",
        "released": f"SELECT * REPLACE (CASE WHEN isfinite({c['income']}) THEN {c['income']} + 1 END AS {c['income']})"
        " FROM base",
        "sexes": matrix(c["sex"]),
        "regions": matrix(c["region"]),
        "crossings": f'SELECT r AS "from", r AS "to", 1.0 AS probability FROM (SELECT DISTINCT'
        f" {{{text(c['sex'][1:-1])}: {c['sex']}, {text(c['region'][1:-1])}: {c['region']}}} AS r FROM base)",
        "age_levels": f"SELECT DISTINCT {c['age']}, 'zqyoung' AS twenty_years, '*' AS everyone FROM base",
        "hierarchies": levels,
        "sex_totals": f"SELECT {text(c['sex'][1:-1])} AS variable, {c['sex']}::VARCHAR AS value, sum({c['w']}) * 1.1 AS"
        " total FROM base GROUP BY ALL",
        "income_points": f"SELECT DISTINCT {c['income']} FROM base WHERE isfinite({c['income']})",
        "wider": f'SELECT DISTINCT {c["region"]} AS "from", \'wide\' AS "to" FROM base WHERE {c["region"]} IS NOT NULL',
        "areas": f"SELECT DISTINCT {c['region']}, 'area' AS area, '*' AS country FROM base",
        "answers": f"SELECT {c['id']}, {c['income']}, {c['smokes']} FROM base",
        "outcomes": f"SELECT {c['id']}, 'correct' AS identification, 'none' AS inference, 0.5 AS probability FROM base",
        "truth": f"SELECT DISTINCT {c['age']}, {c['sex']}, 0.8 AS true_probability FROM base",
    }


AUXILIARY = (*_aux(dict(zip(LOGICAL, LOGICAL, strict=True))),)


def store(con: duckdb.DuckDBPyConnection, table: Made, folder: Path) -> None:
    """Store a table where it is to stand, and the tables that go with it; those that cannot be made are left out."""
    con.execute("DROP SCHEMA IF EXISTS sdc_fuzz CASCADE; CREATE SCHEMA sdc_fuzz; DROP TABLE IF EXISTS other.persons")
    con.execute("DROP VIEW IF EXISTS temp.seen; DROP TABLE IF EXISTS temp.fuzz_persons")
    names = {role: quoted(name) for role, name in table.columns.items()}
    base = "sdc_fuzz.base"
    con.execute(f"CREATE TABLE {base} ({', '.join(f'{names[r]} {table.types[r]}' for r in LOGICAL)})")
    if table.rows:
        con.execute(f"INSERT INTO {base} VALUES " + ", ".join(f"({', '.join(map(text, r))})" for r in table.rows))
    for name, query in _aux(names).items():
        stored = f"sdc_fuzz.{name}"
        # (as of exotic types)
        if copied(con, stored, query.replace("FROM base", f"FROM {base}")):
            table.tables[name] = stored
    table.tables["sdc_fuzz_base"] = base
    table.tables["persons"] = at(con, table.place, folder)


def copied(con: duckdb.DuckDBPyConnection, name: str, query: str) -> bool:
    """Make a table of a query; return whether that could be done."""
    import duckdb  # noqa: PLC0415

    try:
        con.execute(f"CREATE OR REPLACE TABLE {name} AS {query}")
    except duckdb.Error:
        return False
    return True


def at(con: duckdb.DuckDBPyConnection, place: str, folder: Path) -> str:
    """Put the table into a place; return its name there."""
    base = "sdc_fuzz.base"
    if place == "temp":
        con.execute(f"CREATE OR REPLACE TEMP TABLE fuzz_persons AS FROM {base}")
        return "temp.fuzz_persons"
    if place == "view":
        con.execute(f"CREATE OR REPLACE TEMP VIEW seen AS FROM {base}")
        return "seen"
    if place == "attached":
        con.execute(f"CREATE OR REPLACE TABLE other.persons AS FROM {base}")
        return "other.persons"
    if place == "parquet":
        path = folder / "it's a file.parquet"
        path.unlink(missing_ok=True)
        con.execute(f"COPY {base} TO {text(str(path))}")
        return str(path)
    if place == "schema":
        con.execute('CREATE OR REPLACE TABLE sdc_fuzz."a table; --" AS FROM sdc_fuzz.base')
        return 'sdc_fuzz."a table; --"'
    return "sdc_fuzz.persons"


def fetched(con: duckdb.DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query."""
    return con.execute(query).fetchall()
