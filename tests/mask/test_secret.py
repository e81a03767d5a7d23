"""The secret key shows nowhere when a table is masked: whoever has it can undo the masking."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb
import pytest

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from sdc_sql.db.masking.steps import MaskingStep

# long, so that it is in no file by chance; with nothing in it that would be written otherwise as JSON or SQL
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"

CROSSINGS = [("a", "f"), ("a", "m"), ("b", "f"), ("b", "m")]
CROSSED = [[0.7 if k == j else 0.1 for j in range(4)] for k in range(4)]
MASKINGS: dict[str, Callable[..., MaskingStep]] = {
    "noise": lambda data, **k: data.mask.noise("x", 0.1, **k),
    "noise correlated": lambda data, **k: data.mask.noise(["x", "n"], 0.1, method="correlated", **k),
    "multiplicative noise": lambda data, **k: data.mask.multiplicative_noise("x", 0.1, **k),
    "pram": lambda data, **k: data.mask.pram("cat", [[0.5, 0.5], [0.5, 0.5]], labels=["a", "b"], **k),
    "pram of a crossing": lambda data, **k: data.mask.pram(["cat", "sex"], CROSSED, labels=CROSSINGS, **k),
    "pram retention": lambda data, **k: data.mask.pram_retention("cat", 0.5, **k),
    "pram guaranteed": lambda data, **k: data.mask.pram_guaranteed(0.8, keys=["cat", "n"], **k),
    "rank swap": lambda data, **k: data.mask.rank_swap("x", 50, **k),
    "rank swap correlation": lambda data, **k: data.mask.rank_swap("x", correlation=0.9, **k),
    "data shuffling": lambda data, **k: data.mask.data_shuffling("x", ["n", "cat"], **k),
    "ipso": lambda data, **k: data.mask.ipso("x", **k),
    "hybrid": lambda data, **k: data.mask.hybrid("x", 0.5, **k),
    "data distortion": lambda data, **k: data.mask.data_distortion("x", **k),
    "bootstrap": lambda data, **k: data.mask.bootstrap(["x", "cat"], "cat", **k),
    "latin hypercube": lambda data, **k: data.mask.latin_hypercube("x", 0.1, size=3, **k),
    "microhybrid": lambda data, **k: data.mask.microhybrid("x", 4, **k),
    "hybrid masking": lambda data, **k: data.mask.hybrid_masking("x", 0.1, k=60, size=3, **k),
    "synthesise": lambda data, **k: data.mask.synthesise(["x", "cat"], **k),
    "resample": lambda data, **k: data.mask.resample("x", 3, **k),
    "random round": lambda data, **k: data.mask.round("n", 5, at_random=True, **k),
}
MACROS = {
    "sdc_noise": "FROM sdc_noise('persons', ['x', 'n'], 0.1, 'id')",
    "sdc_noise nonlinear": "FROM sdc_noise('persons', ['x'], 0.1, 'id', method := 'nonlinear', stratum := 'cat')",
    "sdc_multiplicative_noise": "FROM sdc_multiplicative_noise('persons', ['x'], 0.1, 'id')",
    "sdc_pram": "FROM sdc_pram('persons', 'cat', 'matrix', 'id')",
    "sdc_pram_crossing": "FROM sdc_pram_crossing('persons', ['cat'], 'crossing', 'id')",
    "sdc_pram_retention": "FROM sdc_pram_retention('persons', ['cat', 'n'], 0.5, 'id')",
    "sdc_pram_guaranteed": "FROM sdc_pram_guaranteed('persons', ['cat', 'n'], 0.8, 'id')",
    "sdc_rank_swap": "FROM sdc_rank_swap('persons', 'x', 50, 'id')",
    "sdc_rank_swap_correlated": "FROM sdc_rank_swap_correlated('persons', 'x', 0.9, 'id')",
    "sdc_data_shuffling": "FROM sdc_data_shuffling('persons', ['x'], ['n', 'cat'], 'id')",
    "sdc_ipso": "FROM sdc_ipso('persons', ['x'], NULL, 'id')",
    "sdc_hybrid": "FROM sdc_hybrid('persons', ['x'], 0.5, 'id')",
    "sdc_data_distortion": "FROM sdc_data_distortion('persons', ['x'], NULL, 'id')",
    "sdc_bootstrap": "FROM sdc_bootstrap('persons', ['x', 'cat'], ['cat'], 'id')",
    "sdc_latin_hypercube": "FROM sdc_latin_hypercube('persons', ['x'], 0.1, 'id', size := 3)",
    "sdc_microhybrid": "FROM sdc_microhybrid('persons', ['x'], 4, 'id')",
    "sdc_hybrid_masking": "FROM sdc_hybrid_masking('persons', ['x'], 0.1, 'id', k := 60, size := 3)",
    "sdc_synthesise": "FROM sdc_synthesise('persons', ['x', 'cat'], 'id')",
    "sdc_resample": "FROM sdc_resample('persons', 'x', 3, 'id')",
    "sdc_round_at_random": "FROM sdc_round_at_random('persons', ['n'], 5, 'id')",
}


def filled(con: duckdb.DuckDBPyConnection, records: int = 500) -> duckdb.DuckDBPyConnection:
    """Load the macros, set the key as a parameter (the text of a statement may be logged), and make the tables."""
    sdc_sql.load(con)
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute(f"""
        CREATE TABLE persons AS SELECT range AS id, (range * 37 % 101) / 7 AS x, (range * 31 % 97)::INTEGER AS n,
                                       ['a', 'b'][1 + range % 2] AS cat, ['f', 'm'][1 + range // 2 % 2] AS sex
        FROM range({records});
        CREATE TABLE matrix AS FROM (VALUES ('a', 'a', 0.5), ('a', 'b', 0.5), ('b', 'a', 0.5), ('b', 'b', 0.5))
            AS m("from", "to", probability);
        CREATE TABLE crossing AS SELECT {{'cat': "from"}} AS "from", {{'cat': "to"}} AS "to", probability FROM matrix;
    """)
    return con


@pytest.fixture(scope="module")
def keyed() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        yield filled(con)


def files_with_the_key(folder: Path) -> list[str]:
    """Return the names of files with the key in their bytes."""
    return [p.name for p in folder.rglob("*") if p.is_file() and KEY.encode() in p.read_bytes()]


@pytest.mark.one_in(12)
@pytest.mark.parametrize("macro", MACROS)
def test_no_plan_shows_the_key(keyed, macro):
    keyed.execute("SET explain_output = 'all'")  # the plan before the optimizer too
    for how in ("EXPLAIN", "EXPLAIN (FORMAT json)", "EXPLAIN ANALYZE"):
        plan = str(keyed.execute(f"{how} {MACROS[macro]}").fetchall())
        assert len(plan) > 500
        assert KEY not in plan


@pytest.mark.slow
def test_nor_of_as_little_data_as_there_can_be():
    # constants are folded into plans
    with duckdb.connect() as con:
        filled(con, 4)
        for query in MACROS.values():
            assert KEY not in str(con.execute(f"EXPLAIN {query}").fetchall())


@pytest.mark.slow
def test_the_profile_of_a_masking_does_not_show_the_key(keyed, tmp_path):
    for i, query in enumerate(MACROS.values()):
        keyed.execute("PRAGMA enable_profiling = 'json'")
        keyed.execute("PRAGMA profiling_mode = 'detailed'")
        keyed.execute(f"SET profiling_output = '{tmp_path / f'profile{i}.json'}'")
        keyed.execute(f"SELECT count(*) FROM ({query})").fetchall()
        keyed.execute("PRAGMA disable_profiling")
    assert len(list(tmp_path.iterdir())) == len(MACROS)
    assert files_with_the_key(tmp_path) == []


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", MASKINGS)
def test_the_step_does_not_tell_the_key(keyed, name):
    step = MASKINGS[name](sdc_sql.Microdata(keyed, "persons", id="id"))
    shown = [repr(step), str(step), json.dumps(step.to_dict(), default=str), str(vars(step))]
    if hasattr(step, "_repr_html_"):
        shown.append(step._repr_html_())
    shown.append(str(keyed.execute("FROM sdc_steps").fetchall()))
    shown.append(repr(sdc_sql.Microdata(keyed, "persons", id="id")))
    assert not [text for text in shown if KEY in text]


WRONG: dict[str, Callable[[sdc_sql.Microdata], MaskingStep]] = {
    "alpha": lambda data: data.mask.noise("x", -1),
    "method": lambda data: data.mask.noise("x", 0.1, method="nonsense"),
    "column": lambda data: data.mask.noise("cat", 0.1),
    "unknown column": lambda data: data.mask.noise("y", 0.1),
    "retention": lambda data: data.mask.pram_retention("cat", 3),
    "matrix": lambda data: data.mask.pram("cat", [[0.5, 0.4], [0.5, 0.5]], labels=["a", "b"]),
    "label": lambda data: data.mask.pram("cat", [[0.5, 0.5], [0.5, 0.5]], labels=["a", "z"]),
    "xi": lambda data: data.mask.pram_guaranteed(0.1, keys=["cat"]),
    "p": lambda data: data.mask.rank_swap("x", 1000),
    "bounds": lambda data: data.mask.noise("x", 0.1, lower=5, upper=1),
    "base": lambda data: data.mask.round("n", -5, at_random=True),
    "check": lambda data: data.mask.noise("bounded", 10),
    "into": lambda data: data.mask.noise("x", 0.1, into="matrix"),
    "id": lambda data: data.mask.noise("id", 0.1),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("wrong", WRONG)
def test_no_error_tells_the_key(keyed, wrong):
    keyed.execute(
        "CREATE OR REPLACE TABLE t (id BIGINT, x DOUBLE, n INTEGER, cat VARCHAR, "
        "bounded DOUBLE CHECK (bounded BETWEEN 0 AND 9))"
    )
    keyed.execute("INSERT INTO t SELECT id, x, n, cat, id % 10 FROM persons")
    with pytest.raises((sdc_sql.SdcError, duckdb.Error)) as raised:
        WRONG[wrong](sdc_sql.Microdata(keyed, "t", id="id"))
    error: BaseException | None = raised.value
    while error is not None:  # what it was raised from is printed too
        assert KEY not in str(error)
        assert KEY not in repr(error)
        error = error.__cause__ or error.__context__


@pytest.mark.parametrize("query", [
    "SELECT error(sdc_uniform('s', id)::VARCHAR) FROM persons",
    "SELECT sdc_uniform('s', id)::DATE FROM persons",
    "SELECT (sdc_uniform('s', id)::VARCHAR || 'x')::INTEGER FROM persons",
    "SELECT x.nothing FROM sdc_noise('persons', ['x'], 0.1, 'id')",
    "FROM sdc_noise('persons', ['x'], 0.1, 'nothing')",
    "FROM sdc_pram('persons', 'cat', 'persons', 'id')",
    "FROM sdc_pram('persons', 'x', 'matrix', 'id')",
])  # fmt: skip
def test_no_error_of_the_database_tells_the_key(keyed, query):
    with pytest.raises(duckdb.Error) as raised:
        keyed.execute(query).fetchall()
    assert KEY not in str(raised.value)


@pytest.mark.slow
@pytest.mark.parametrize("where", ["session", "environment"])
def test_no_log_and_no_file_has_the_key(tmp_path, monkeypatch, where):
    path, released = tmp_path / "survey.duckdb", tmp_path / "released.parquet"
    if where == "environment":
        monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect(path, config={"temp_directory": str(tmp_path / "spilled")}) as con:
        con.execute("CALL enable_logging(level := 'trace')")
        if where == "environment":
            sdc_sql.load(con)
            assert con.execute("SELECT getvariable('sdc_key') = ?", [KEY]).fetchall() == [(True,)]
        filled(con)
        data = sdc_sql.Microdata(con, "persons", id="id")
        for i, mask in enumerate(MASKINGS.values()):
            mask(data, into=None if i % 2 else f"released{i}")
        con.execute(f"COPY persons TO '{released}'")
        con.execute(f"EXPORT DATABASE '{tmp_path / 'exported'}' (FORMAT parquet)")
        logged = str(con.execute("SELECT message FROM duckdb_logs").fetchall())
        assert "released2" in logged
        assert KEY not in logged
        assert KEY not in str(con.execute("FROM sdc_steps").fetchall())
        # while the log of the database stands beside it, and after it is written into the file
        assert path.with_name(path.name + ".wal").exists()
        assert files_with_the_key(tmp_path) == []
        con.execute("CHECKPOINT")
        assert files_with_the_key(tmp_path) == []
    assert path.stat().st_size > 0
    assert released.exists()
    assert len(list((tmp_path / "exported").iterdir())) > 3
    assert files_with_the_key(tmp_path) == []


@pytest.mark.slow
def test_nor_has_a_database_in_which_the_macros_are_stored(tmp_path):
    # a view over a masking macro is stored as its text: the key is read when the view is
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(path) as con:
        filled(con)
        sdc_sql.install(con)
    with duckdb.connect(path) as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute("CREATE VIEW released AS FROM sdc_pram_retention('persons', ['cat'], 0.5, 'id')")
        con.execute("CREATE TABLE stored AS FROM released")
        assert KEY not in str(con.execute("SELECT sql FROM duckdb_views()").fetchall())
    assert files_with_the_key(tmp_path) == []
