"""Masking in place: of the table nothing but the masked values is another than before, whatever its name."""

from __future__ import annotations

import json

import duckdb
import pytest
from masked_tables import KEY, METHODS, N, differing, made, rows, shape, steps

import sdc_sql

EVERY = pytest.mark.parametrize("method", METHODS)
KEYS = pytest.mark.parametrize("key", ["", "PRIMARY KEY"], ids=["no-key", "primary-key"])


@pytest.mark.one_in(18)
@KEYS
@EVERY
def test_nothing_but_the_masked_values_changes(keyed, method, key):
    made(keyed, key=key)
    keyed.execute("CREATE INDEX by_born ON t (born)")
    keyed.execute("CREATE INDEX by_two ON t (cat, (n + 1))")
    columns, mask = METHODS[method]
    before, shaped = rows(keyed), shape(keyed)
    step = mask(sdc_sql.Microdata(keyed, "t", id="id"))
    after = rows(keyed)
    assert shape(keyed) == shaped
    names = [d[0] for d in keyed.execute("FROM t LIMIT 0").description]
    masked = [names.index(c) for c in columns]
    assert [[v for i, v in enumerate(r) if i not in masked] for r in after] == [
        [v for i, v in enumerate(r) if i not in masked] for r in before
    ]
    # each record by id is counted once, however many of its values changed
    assert step.changed == differing(before, after)
    assert step.changed or method == "pram_guaranteed"  # which moves a handful of so large cells, or none, by chance
    assert step.records == N == len(after)
    # NULL tells nothing of anybody, and a value in its place would be made up (but where it is a category like others)
    assert method == "pram_guaranteed" or [[r[i] is None for i in masked] for r in after] == [
        [r[i] is None for i in masked] for r in before
    ]
    # the constraints still work, and the indexes still find what stands in the table
    with pytest.raises(duckdb.ConstraintException):
        keyed.execute("UPDATE t SET x = NULL WHERE id = 0")
    for r in after[:20]:
        assert (r[0],) in keyed.execute("SELECT id FROM t WHERE born = ?", [r[names.index("born")]]).fetchall()


@pytest.mark.one_in(9)
@EVERY
def test_into_writes_the_same_values_to_a_new_table_and_leaves_the_source(keyed, method):
    made(keyed)
    before, shaped = rows(keyed), shape(keyed)
    mask = METHODS[method][1]
    data = sdc_sql.Microdata(keyed, "t", id="id")
    step = mask(data, into="released")
    assert rows(keyed) == before
    assert [s for s in shape(keyed)[3] if s[2] != "released"] == shaped[3]
    copied = [c[3:6] + c[7:] for c in shape(keyed)[0] if c[2] == "released"]
    assert [(n, i, t) for n, i, _, t in copied] == [(c[3], c[4], c[7]) for c in shaped[0] if c[2] == "t"]
    assert step.changed == differing(before, rows(keyed, "released"))
    in_place = mask(data)
    assert rows(keyed) == rows(keyed, "released")
    assert (in_place.changed, in_place.records, in_place.parameters) == (step.changed, step.records, step.parameters)


@pytest.mark.one_in(3)
@EVERY
def test_the_step_is_written_down(keyed, method):
    made(keyed)
    columns, mask = METHODS[method]
    step = mask(sdc_sql.Microdata(keyed, "t", id="id"))
    ((number, target, name, named, parameters, records, changed, lost),) = steps(keyed)
    assert (number, target, name, tuple(named)) == (1, "t", step.method, columns)
    assert json.loads(parameters) == step.parameters
    assert (records, changed, lost) == (N, step.changed, step.sse_sst)
    assert KEY not in parameters
    at, now = keyed.execute("SELECT masked_at, now() AT TIME ZONE 'UTC' FROM sdc_steps").fetchall()[0]
    assert abs((now - at).total_seconds()) < 60


@pytest.mark.slow
def test_steps_are_numbered_and_the_parameters_are_those_given(keyed):
    made(keyed)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    data.mask.noise("X", 0.25, lower=0, stratum="GRADE", stream="mine")
    data.mask.pram("cat", [[0.9, 0.1], [0.1, 0.9]], labels=["a", "b"])
    data.mask.rank_swap("born", 5)
    found = steps(keyed)
    assert [(s[0], s[3]) for s in found] == [(1, ["x"]), (2, ["cat"]), (3, ["born"])]
    noise, pram, _ = (json.loads(s[4]) for s in found)
    applied = noise.pop("applied")  # in each stratum rounded up, and not what alpha comes to exactly
    assert [(a["stratum"], a["columns"], a["coefficients"]) for a in applied] == [
        (grade, ["x"], None) for grade in ("low", "middle", "high")
    ]
    assert noise == {
        "alpha": 0.25, "method": "uncorrelated", "threshold": 3, "lower": 0, "rounded": False, "discrete": False,
        "stratum": "grade",
    }  # fmt: skip
    # the matrix itself, without which the frequencies cannot be corrected, and not the name of a passing table
    assert pram["matrix"] == {"labels": ["a", "b"], "rows": [[0.9, 0.1], [0.1, 0.9]]}


def test_sse_sst_is_that_of_the_table_before_and_after(keyed):
    made(keyed)
    before = rows(keyed)
    step = sdc_sql.Microdata(keyed, "t", id="id").mask.noise("x", 0.1)
    after = rows(keyed)
    mean = sum(r[1] for r in before) / N
    sse = sum((b[1] - a[1]) ** 2 for b, a in zip(before, after, strict=True))
    assert step.sse_sst == pytest.approx(sse / sum((r[1] - mean) ** 2 for r in before), rel=1e-9)


def test_sse_sst_of_columns_that_do_not_vary_is_0(keyed):
    keyed.execute("CREATE TABLE t AS SELECT range AS id, 4e0 AS x, 7 AS y FROM range(3)")
    assert keyed.execute("FROM sdc_sse_sst('t', 't', ['x', 'y'], 'id')").fetchall() == [(0, 3, 0)]


@pytest.mark.slow
def test_masked_twice_with_another_stream(keyed):
    made(keyed)
    data = sdc_sql.Microdata(keyed, "t", id="id")
    before = rows(keyed)
    data.mask.noise("x", 0.1)
    once = rows(keyed)
    data.mask.noise("x", 0.1, stream="again")
    again = rows(keyed)
    assert len(steps(keyed)) == 2
    first, second = ([b[1] - a[1] for a, b in zip(p, q, strict=True)] for p, q in ((before, once), (once, again)))
    # another stream is other noise; the same one would be the same noise times a factor
    correlation = keyed.execute(
        "SELECT corr(a, b) FROM (SELECT unnest(?::DOUBLE[]) AS a, unnest(?::DOUBLE[]) AS b)", [first, second]
    ).fetchall()[0][0]
    assert abs(correlation) < 5 / N**0.5


def test_a_masking_that_changes_nothing_is_a_step_too(keyed):
    made(keyed)
    before = rows(keyed)
    assert sdc_sql.Microdata(keyed, "t", id="id").mask.pram_retention("cat", 1.0).changed == 0
    assert rows(keyed) == before
    assert [s[5:7] for s in steps(keyed)] == [(N, 0)]


NAMES = [
    "k", '"Select"', '"my table"', '"a.b"', "t", "v", "sdc_masked", "persons_ü", "apart.t", 'apart."my table"',
    "temp.t", "memory.main.t", "memory.apart.k", '"1"', "r", "tbl", "id", "masked", "columns",
]  # fmt: skip
WEIRD = pytest.mark.skipif(duckdb.__version__ < "2", reason="query_table of DuckDB 1.5 cannot name it")


@pytest.mark.one_in(128)
@pytest.mark.parametrize(
    "into", [None, "released", pytest.param('"we""ird copy"', marks=WEIRD), "apart.released", "temp.released"]
)
@pytest.mark.parametrize("table", [*NAMES, pytest.param('"we""ird"', marks=WEIRD)])
def test_tables_of_any_name(keyed, table, into):
    keyed.execute("CREATE SCHEMA apart")
    made(keyed, table, kind="TEMP" if table.startswith("temp.") else "")
    before = rows(keyed, table)
    step = sdc_sql.Microdata(keyed, table, id="id").mask.noise("x", 0.1, into=into)
    assert step.changed == differing(before, rows(keyed, into or table)) > N / 2
    if into:
        assert rows(keyed, table) == before
