"""One call of each measure, written for an engine, and what that engine and DuckDB answer.

The calls are the examples of the headers, on tables of ours. Run as a program, it writes fixtures/golden_sql/ anew:
these files show in a review what a change makes of a compiled query.
"""

from __future__ import annotations

import contextlib
import io
import math
import sys
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import sqlglot
from sqlglot import exp

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import read_catalogue

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from every_macro import _ROLES, CALLS
from every_macro import READERS as EVERY_READER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sdc_sql.db.catalogue.functions import Declaration

ROOT = Path(__file__).resolve().parents[2]
COMPILED = [
    d
    for d in read_catalogue()
    if d.is_table and not d.not_compiled and d.file.startswith(("core/", "risk/", "linkage/", "loss/"))
]
# between them these read a table in every way that the macros do
READERS = [
    *EVERY_READER,
    "sdc_frequencies",
    "sdc_suda_summary",
    "sdc_threshold_rule_records",
    "sdc_likeness",
    "sdc_sse_sst",
]
# of the columns of the examples, those that our tables have under another name
_NAMES = {"w": "weight", "income": "weight", "birthplace": "region", "born": "age", "risk": "age", "loss": "weight"}
# what says more than the example of the header
TELLING = {
    "sdc_frontier": "FROM sdc_frontier({tbl}, 'age', 'weight', max_risk := 50)",
    "sdc_entropy_loss": "FROM sdc_entropy_loss({tbl}, {masked}, ['age', 'region'], 'id')",
    "sdc_correct_attribution": "FROM sdc_correct_attribution({tbl}, {masked}, ['sex', 'age'], ['region', 'household'])",
    "sdc_correct_attribution_records": (
        "FROM sdc_correct_attribution_records({tbl}, {masked}, ['age', 'sex'], 'region')"
    ),
    "sdc_targeted_attribution_records": (
        "FROM sdc_targeted_attribution_records({tbl}, {masked}, ['age', 'sex'], 'region')"
    ),
    "sdc_disclosive_attributes": "FROM sdc_disclosive_attributes({tbl}, {masked}, ['sex', 'age'], ['region'])",
    "sdc_replicated_uniques": "FROM sdc_replicated_uniques({tbl}, {masked}, ['age', 'sex'])",
    "sdc_true_reidentification": "FROM sdc_true_reidentification({tbl}, {masked}, ['sex', 'region'], 'id')",
    "sdc_true_reidentification_records": (
        "FROM sdc_true_reidentification_records({tbl}, {masked}, ['age', 'region'], 'id', recoded := ['age'])"
    ),
    "sdc_swapping_risk": "FROM sdc_swapping_risk({tbl}, {masked}, ['age', 'sex'], 'id', swapped := ['age'])",
    "sdc_joint_releases": "FROM sdc_joint_releases([{tbl}, {masked}], [['sex'], ['age', 'region']], 'id')",
    "sdc_joint_releases_records": (
        "FROM sdc_joint_releases_records([{tbl}, {masked}], [['sex'], ['age', 'region']], 'id')"
    ),
    "sdc_sse_sst": "FROM sdc_sse_sst({tbl}, {masked}, ['age', 'weight'], 'id')",
}


def _paired(measure: Declaration) -> str:
    """Return the example of a measure of several tables: the first of them {tbl}, the others {masked}."""
    made = sqlglot.parse_one(f"SELECT * {measure.example}", read="duckdb").find(exp.Anonymous)
    tables = {p.name for p in measure.parameters if p.type in {"table", "tables"}}
    seen = 0
    parts = []
    for parameter, given in zip(measure.parameters, made.expressions, strict=False):
        named = isinstance(given, exp.PropertyEQ)
        name = given.this.name if named else parameter.name
        value = (given.expression if named else given).copy()
        for literal in [n for n in value.find_all(exp.Literal) if n.is_string]:
            literal.args["this"] = "tbl{}" if name in tables else _NAMES.get(literal.name, literal.name)
        text = value.sql("duckdb")
        while "'tbl{}'" in text:
            text = text.replace("'tbl{}'", "{masked}" if seen else "{tbl}", 1)
            seen += 1
        parts.append(f"{name} := {text}" if named else text)
    return f"FROM {measure.name}({', '.join(parts)})"


EVERY = {name: sql for name, sql in CALLS.items() if name.split()[0] in {d.name for d in COMPILED}}
EVERY |= {d.name: _paired(d) for d in COMPILED if d.name not in EVERY and d.name != "sdc_help"} | TELLING

# Both have NULL in the keys. `many` is a real file (22,272 couples) under the names of the roles;
# its weights are fifths, so that the examples' thresholds can be broken.
TABLES = {
    "persons": """
        FROM (VALUES
            (1, 30, 'f', 'north', 10e0, 1), (2, 30, 'f', 'north', 15e0, 1), (3, 41, 'm', 'north', 20e0, 1),
            (4, 41, 'm', 'south', 20e0, 2), (5, 41, 'm', 'south', 12.5e0, 2), (6, NULL, 'f', 'south', 30e0, 3),
            (7, 67, NULL, 'south', 8e0, 3), (8, 25, 'm', NULL, 11e0, 3)
        ) AS t(id, age, sex, region, weight, household)""",
    "many": f"""
        SELECT couple AS id, CASE WHEN couple % 50 > 0 THEN (experience + hours)::INTEGER END AS age,
               CASE WHEN couple % 37 > 0 THEN race || education END AS sex,
               CASE WHEN couple % 11 > 0 THEN region END AS region, weight / 5 AS weight, couple // 3 AS household
        FROM '{ROOT}/fixtures/cps_couples.parquet'""",
}
TABLES |= {
    f"{name}_masked": f"SELECT * REPLACE (2 * (age // 2) AS age, round(weight, -1) AS weight) FROM ({rows})"
    for name, rows in TABLES.items()
}


_PERSONS = TABLES["persons"]
TABLES |= {
    "nobody": f"SELECT * FROM ({_PERSONS}) WHERE id > 99",
    "nobody_masked": f"SELECT * FROM ({_PERSONS}) WHERE id > 99",
    "odd": """
        FROM (VALUES (1, 'x', NULL, 5e0, 'B', 1), (2, 'x', 'f', 6e0, 'a', 1),
                     (2, 'x', 'f', 7e0, 'B', 1), (3, NULL, 'g', 8e0, 'c', 2))
        AS t(f, "a""b", "Select", k, mixed, "c*/d/*e")""",
    "otherwise": _PERSONS,
    "otherwise_masked": f"SELECT * REPLACE (region || '?' AS region) FROM ({_PERSONS})",
    "rewritten": f"SELECT * REPLACE (age::VARCHAR AS age) FROM ({_PERSONS})",
    "rewritten_masked": f"SELECT * REPLACE (if(age = 30, '030', age::VARCHAR) AS age) FROM ({_PERSONS})",
    "homeless": f"SELECT * REPLACE (CASE WHEN id <> 4 THEN household END AS household) FROM ({_PERSONS})",
    "normalised": f"SELECT * REPLACE (weight / 20 AS weight) FROM ({_PERSONS})",
    **{
        f"weight_{name}": f"SELECT * REPLACE (if(id = 4, {value}, weight) AS weight) FROM ({_PERSONS})"
        for name, value in {
            "null": "NULL",
            "nan": "'nan'::DOUBLE",
            "inf": "'inf'::DOUBLE",
            "zero": "0",
            "minus": "-1",
        }.items()
    },
}
# of which an optimiser knows that they have no rows
EMPTY_VIEWS = [f"CREATE VIEW {name} AS SELECT * FROM persons WHERE 1 = 0" for name in ("none", "none_masked")]
# what the data must not be; and the macros' words
WRONG = [
    *[
        ("sdc_global_risk", f"weight_{n}", "weights must be positive and finite")
        for n in ("null", "nan", "inf", "zero", "minus")
    ],
    ("sdc_frequencies", "weight_minus", "weights must be positive and finite"),
    ("sdc_individual_risk", "weight_null", "weights must be positive and finite"),
    ("sdc_individual_risk", "normalised", "expansion weights are needed"),
    ("sdc_cell_risk", "normalised", "expansion weights are needed"),
    ("sdc_risk_threshold", "normalised", "expansion weights are needed"),
    ("sdc_household_risk", "homeless", "A household number is NULL"),
    ("sdc_household_global_risk", "homeless", "A household number is NULL"),
    ("sdc_threshold_rule", "weight_nan", "weights must be positive and finite"),
    ("sdc_threshold_rule_records", "weight_null", "weights must be positive and finite"),
    ("sdc_threshold_rule_records", "normalised", "need expansion weights"),
    ("sdc_correct_attribution", "otherwise", "No value of region occurs in both tables"),
    ("sdc_correct_attribution", "rewritten", "Numbers in age are written in one way in one table"),
    ("sdc_frequencies wildcard", "weight_null", "weights must be positive and finite"),
    ("sdc_cell_risk wildcard", "normalised", "expansion weights are needed"),
]

# the table `odd`, whose columns have odd names, and the further arguments of a measure of it
_ODD = ['a"b', "Select"]
ODD: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("sdc_cells", [_ODD], {}),
    ("sdc_cells", [["c*/d/*e"]], {}),  # the comment at the head says it too
    ("sdc_individual_risk", [_ODD, "k"], {}),
    ("sdc_sample_uniques", [_ODD], {}),
    ("sdc_k_anonymity", [_ODD, 3], {}),
    ("sdc_cells", [_ODD], {"nulls": "wildcard"}),
    ("sdc_minimal_sample_uniques", [_ODD], {}),
    ("sdc_suda", [[*_ODD, "f"]], {"max_msu": None, "nulls": "excluded", "scoring": "superset"}),
    ("sdc_suda_value_contributions", [_ODD], {}),
    ("sdc_threshold_rule", [_ODD, [6, 14]], {"weight": "k", "inclusive": False}),
    (
        "sdc_threshold_rule_records",
        [_ODD, 2],
        {"levels": {"extremely": ["Select"], "very": [], "identifying": ['a"b']}},
    ),
    ("sdc_likeness", [['a"b'], "Select"], {"chosen": ["f"]}),
    ("sdc_t_closeness_cells", [_ODD, "f"], {"distance": "ordered"}),
    ("sdc_t_closeness", [["f"], "mixed"], {"distance": "ordered"}),
]

# tables with names that another engine, or a comment, could take for something else; columns of the table `odd`
ODD_TABLES = ["k", "Select", "two words", "o'hara", 'we"ird', "a*/b", "--", "x;y"]
ODD_KEYS = ['a"b', "Select", "f"]

# these say the names of the keys as they were given
TELLS_NAMES = {"sdc_minimal_sample_uniques", "sdc_suda_value_contributions", "sdc_threshold_rule"}

GOLDEN = ROOT / "fixtures" / "golden_sql"
# a telling one of each kind: moments, ordered rows, two tables, records, windows, sets of keys, lists, texts, wildcards
STORED = (
    "sdc_theta",
    "sdc_theta_by",
    "sdc_population_risk",
    "sdc_frequencies wildcard",
    "sdc_individual_risk",
    "sdc_household_risk",
    "sdc_k_anonymity",
    "sdc_l_diversity_records",
    "sdc_minimal_sample_uniques",
    "sdc_threshold_rule",
)
ENGINES = ("spark", "postgres")


@dataclass(frozen=True)
class Call:
    """A call of a macro on one table."""

    macro: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    sql: str

    def compiled(self, dialect: str, con: duckdb.DuckDBPyConnection) -> str:
        return sdc_sql.compile(self.macro, *self.arguments, dialect=dialect, con=con, **self.named)


def call(name: str, table: str = "persons") -> Call:
    """Return a call of tests/every_macro.py on a table."""
    sql = EVERY[name].format(**_ROLES | {"tbl": f"'{table}'", "masked": f"'{table}_masked'"})
    sql = sql[sql.index("FROM sdc_") :]  # the whole of what the macro gives
    function = sqlglot.parse_one(f"SELECT * {sql}", read="duckdb").find(exp.Anonymous)
    given = [(e.this.name, e.expression) if isinstance(e, exp.PropertyEQ) else ("", e) for e in function.expressions]
    values = [(n, duckdb.sql(f"SELECT {e.sql('duckdb')}").fetchall()[0][0]) for n, e in given]
    values = [(n, float(v) if isinstance(v, Decimal) else v) for n, v in values]
    return Call(function.name, tuple(v for n, v in values if not n), {n: v for n, v in values if n}, sql)


@cache
def reference() -> duckdb.DuckDBPyConnection:
    """Return a DuckDB connection with the macros and the tables."""
    con = sdc_sql.load(duckdb.connect())
    for name, rows in TABLES.items():
        con.execute(f"CREATE TABLE {name} AS {rows}")
    for view in EMPTY_VIEWS:
        con.execute(view)
    return con


def plain(value: object) -> object:
    """Return a value without its engine's type of number."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value


def ordered(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return rows in an order that rounding does not change."""
    plainly = [[plain(v) for v in row] for row in rows]
    return sorted(plainly, key=lambda row: repr([float(f"{v:.6g}") if isinstance(v, int | float) else v for v in row]))


def assert_same(found: Sequence[Sequence[Any]], expected: Sequence[Sequence[Any]], names: Sequence[str]) -> None:
    """Compare two answers: numbers to 1e-9, everything else exactly."""
    assert len(found) == len(expected)
    for row, right in zip(ordered(found), ordered(expected), strict=True):
        for name, value, wanted in zip(names, row, right, strict=True):
            if isinstance(wanted, float) and value is not None:
                assert math.isclose(value, wanted, rel_tol=1e-9, abs_tol=1e-15), (name, row, right)
            else:
                assert value == wanted, (name, row, right)


def assert_answers_as_duckdb(run: Callable[[str], tuple[list[str], list[Any]]], sql: str, made: Call) -> None:
    """Run a query on an engine and the macro in DuckDB, and compare names and numbers."""
    con = reference()
    names, rows = run(sql)
    expected = con.execute(made.sql).fetchall()
    assert names == [name for name, *_ in con.description]
    assert_same(rows, expected, names)


def golden(name: str, dialect: str) -> Path:
    """Return the file of golden SQL of a macro."""
    return GOLDEN / dialect / f"{name.replace(' ', '_')}.sql"


def stored_text(name: str, dialect: str) -> str:
    """Return a query as it is stored: without the version, so that a release changes none."""
    return f"{answer(name, dialect)};\n".replace(f"sdc-sql {sdc_sql.__version__} ", "sdc-sql ")


@cache
def answer(name: str, dialect: str) -> str:
    """Return the query of a call on `persons`."""
    return call(name).compiled(dialect, reference())


def commanded(macro: str, table: str, *arguments: str, dialect: str) -> str:
    """Return what `sdc-sql compile` writes for a table of this name, with the columns of `odd`."""
    columns = ",".join(reference().table("odd").columns)
    name = exp.to_identifier(table, quoted=True).sql("duckdb")
    written = io.StringIO()
    with contextlib.redirect_stdout(written):
        assert main(["compile", macro, name, *arguments, "--dialect", dialect, f"--columns={columns}"]) == 0
    return written.getvalue()


def filtered(name: str, table: str, dialect: str) -> list[str]:
    """Return a call of a table without rows, and that with filters put on it, which must not hide the error."""
    made = call(name, table)
    sql = made.compiled(dialect, reference())
    columns = [column for column, *_ in reference().execute(call(name).sql).description]
    quoted = [exp.to_identifier(columns[n], quoted=True).sql(dialect) for n in (0, -1)]
    return [sql, *(f"SELECT count(*) FROM ({sql}) AS t WHERE {column} IS NOT NULL" for column in quoted)]


def _write() -> None:
    for dialect in ENGINES:
        (GOLDEN / dialect).mkdir(parents=True, exist_ok=True)
        for old in (GOLDEN / dialect).glob("*.sql"):
            old.unlink()
        for name in STORED:
            golden(name, dialect).write_text(stored_text(name, dialect), encoding="utf-8")


if __name__ == "__main__":
    _write()
