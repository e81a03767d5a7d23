"""The same key and ids give the same masked table: for any threads, order of rows, storage and version of DuckDB.

A release must be repeatable next year, and by whoever checks it: to the last bit where the same numpy runs on the same
kind of processor, for nothing hangs on the order in which rows come (what is summed, ranked or grouped is gathered in
the order of ids first). On another processor numpy's linear algebra may round its last digits otherwise.

Two releases under different keys or streams must be independent, or each gives the other away.

    python tests/mask/test_repeatable.py      writes fixtures/masked.json, with which every version is compared
"""

from __future__ import annotations

import hashlib
import inspect
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest

import sdc_sql
from sdc_sql.db.catalogue.macros import read_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

# where many records are at risk, record_swap says that it swaps nearly all
pytestmark = pytest.mark.filterwarnings("ignore:So many households are at risk")
KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
OTHER = "Zp4_mR9cTq1-VxB7sLk0JdWn3HyGfE8uAo5iNtXz6Qw"
N = 4_500
STORED = Path(__file__).resolve().parents[2] / "fixtures" / "masked.json"

# a table made of whole numbers only, so that it is the same everywhere
PERSONS = f"""
    SELECT range AS id,
           (range * 7919 % 10007) / 7 AS x,
           CASE WHEN range % 11 <> 3 THEN (range * 7919 % 10007 + range * 104729 % 20011) / 3 END AS y,
           CASE WHEN range % 13 <> 5 THEN (range * 31 % 97)::INTEGER END AS n,
           ['a', 'b', 'c', 'd', NULL][1 + (range * 613 % 1009 % 5)::INTEGER] AS cat,
           ['f', 'm'][1 + (range * 17 % 23 % 2)::INTEGER] AS sex,
           (['low', 'middle', 'high'][1 + (range * 41 % 59 % 3)::INTEGER])::ENUM ('low', 'middle', 'high') AS grade,
           'region ' || (range % 3) AS region
    FROM range({N})
"""
GRADES = ["low", "middle", "high"]
THREE = [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]]
CROSSED = [(sex, grade) for sex in ("f", "m") for grade in GRADES]
SIX = [[0.5 if k == j else 0.1 for j in range(6)] for k in range(6)]

# name: (method of Microdata, its arguments, its named arguments; the same as a macro)
METHODS: dict[str, tuple[str, tuple[Any, ...], dict[str, Any], str]] = {
    "noise": ("noise", (["x", "n"], 0.1), {}, "sdc_noise({t}, ['x', 'n'], 0.1, 'id')"),
    "noise by household": (
        "noise", ("x",), {"standard_deviation": 10, "unit": "household", "household": "region"},
        "sdc_noise_absolute({t}, ['x'], 10, 'id', unit := 'household', household := 'region')",
    ),
    "pram by household": (
        "pram_retention", ("sex", 0.6), {"unit": "household", "household": "region"},
        "sdc_pram_retention({t}, ['sex'], 0.6, 'id', unit := 'household', household := 'region')",
    ),
    "distort sensitive": (
        "distort_sensitive", ("cat", ["region", "sex"]), {"l": 4.5, "t": 0.02},
        "sdc_distort_sensitive({t}, 'cat', ['region', 'sex'], 'id', l := 4.5, t := 0.02)",
    ),
    "noise bounded": (
        "noise", ("y", 0.2), {"lower": 0, "upper": 10_000, "stratum": "region"},
        "sdc_noise({t}, ['y'], 0.2, 'id', lower := 0, upper := 10000, stratum := 'region')",
    ),
    "noise correlated": (
        "noise", (["x", "y"], 0.1), {"method": "correlated"},
        "sdc_noise({t}, ['x', 'y'], 0.1, 'id', method := 'correlated')",
    ),
    "noise linear": (
        "noise", (["x", "y"], 0.1), {"method": "linear", "stratum": "region"},
        "sdc_noise({t}, ['x', 'y'], 0.1, 'id', method := 'linear', stratum := 'region')",
    ),
    "noise nonlinear": (
        "noise", (["x", "n"], 0.1), {"method": "nonlinear", "discrete": [False, True]},
        "sdc_noise({t}, ['x', 'n'], 0.1, 'id', method := 'nonlinear', discrete := [false, true])",
    ),
    "noise outliers": (
        "noise", (["x", "y"], 0.1), {"method": "outliers", "threshold": 1},
        "sdc_noise({t}, ['x', 'y'], 0.1, 'id', method := 'outliers', threshold := 1)",
    ),
    "multiplicative": (
        "multiplicative_noise", (["x", "n"], 0.1), {}, "sdc_multiplicative_noise({t}, ['x', 'n'], 0.1, 'id')",
    ),
    "multiplicative hoehne": (
        "multiplicative_noise", (["x", "y"], 0.1), {"method": "hoehne", "spread": 0.02},
        "sdc_multiplicative_noise({t}, ['x', 'y'], 0.1, 'id', method := 'hoehne', spread := 0.02)",
    ),
    "multiplicative sums": (
        "multiplicative_noise", ("x", 0.1), {"method": "hoehne_sum", "stratum": "region", "spread": 0.02},
        "sdc_multiplicative_noise({t}, ['x'], 0.1, 'id', method := 'hoehne_sum', stratum := 'region', spread := 0.02)",
    ),
    "pram": ("pram", ("grade", THREE), {"labels": GRADES}, "sdc_pram({t}, 'grade', 'small.grades', 'id')"),
    "pram crossing": (
        "pram", (["sex", "grade"], SIX), {"labels": CROSSED},
        "sdc_pram_crossing({t}, ['sex', 'grade'], 'small.crossing', 'id')",
    ),
    "pram retention": (
        "pram_retention", ("cat", 0.8), {"stratum": "region"},
        "sdc_pram_retention({t}, ['cat'], 0.8, 'id', stratum := 'region')",
    ),
    "pram retention crossing": (
        "pram_retention", (["cat", "sex"], 0.8), {}, "sdc_pram_retention({t}, ['cat', 'sex'], 0.8, 'id')",
    ),
    "pram guaranteed": (
        "pram_guaranteed", (0.8,), {"keys": ["cat", "n"]}, "sdc_pram_guaranteed({t}, ['cat', 'n'], 0.8, 'id')",
    ),
    "pram guaranteed within": (
        "pram_guaranteed", (0.8,), {"keys": ["cat", "sex", "grade"], "within": ["sex"]},
        "sdc_pram_guaranteed({t}, ['cat', 'sex', 'grade'], 0.8, 'id', within := ['sex'])",
    ),
    "rank swap": ("rank_swap", ("x", 5), {}, "sdc_rank_swap({t}, 'x', 5, 'id')"),
    "rank swap ties": (
        "rank_swap", ("grade", 10), {"stratum": "region"}, "sdc_rank_swap({t}, 'grade', 10, 'id', stratum := 'region')",
    ),
    "rank swap correlation": (
        "rank_swap", ("y",), {"correlation": 0.95}, "sdc_rank_swap_correlated({t}, 'y', 0.95, 'id')",
    ),
    "data swap": ("data_swap", (["cat", "grade"], 0.2), {}, "sdc_data_swap({t}, ['cat', 'grade'], 0.2, 'id')"),
    "data swap constrained": (
        "data_swap", (["x", "cat"], 0.3), {"equal": ["sex"], "different": ["region", "grade"]},
        "sdc_data_swap({t}, ['x', 'cat'], 0.3, 'id', equal := ['sex'], different := ['region', 'grade'])",
    ),
    "record swap": (
        "record_swap", (["region", "grade"], 0.1),
        {"household": "id", "risk_keys": ["cat", "n"], "k": 9, "profiles": [["sex", "n"], ["sex"]]},
        "sdc_record_swap({t}, ['region', 'grade'], 0.1, 'id', 'id', ['cat', 'n'], 9, [['sex', 'n'], ['sex']])",
    ),
    "data shuffling": (
        "data_shuffling", (["y", "n"], ["x", "cat", "sex"]), {"stratum": "region"},
        "sdc_data_shuffling({t}, ['y', 'n'], ['x', 'cat', 'sex'], 'id', stratum := 'region')",
    ),
    "ipso": ("ipso", ("x",), {"stratum": "region"}, "sdc_ipso({t}, ['x'], NULL, 'id', stratum := 'region')"),
    "hybrid": (
        "hybrid", ("x", 0.5), {"stratum": "region"},
        "sdc_hybrid({t}, ['x'], 0.5, 'id', stratum := 'region')",
    ),
    "data distortion": (
        "data_distortion", (["x", "y"],), {"stratum": "region"},
        "sdc_data_distortion({t}, ['x', 'y'], NULL, 'id', stratum := 'region')",
    ),
    "bootstrap": (
        "bootstrap", (["x", "cat", "grade"], ["cat", "grade"]), {"stratum": "region"},
        "sdc_bootstrap({t}, ['x', 'cat', 'grade'], ['cat', 'grade'], 'id', stratum := 'region')",
    ),
    "latin hypercube": (
        "latin_hypercube", ("x", 0.2), {"stratum": "region", "size": 5},
        "sdc_latin_hypercube({t}, ['x'], 0.2, 'id', size := 5, stratum := 'region')",
    ),
    "microhybrid": (
        "microhybrid", ("x", 6), {"stratum": "region"},
        "sdc_microhybrid({t}, ['x'], 6, 'id', stratum := 'region')",
    ),
    "microhybrid bootstrap": (
        "microhybrid", ("x", 6), {"generator": "bootstrap"},
        "sdc_microhybrid({t}, ['x'], 6, 'id', generator := 'bootstrap')",
    ),
    "hybrid masking": (
        "hybrid_masking", ("x", 0.1), {"stratum": "region", "k": 150, "size": 3},
        "sdc_hybrid_masking({t}, ['x'], 0.1, 'id', k := 150, size := 3, stratum := 'region')",
    ),
    "synthesise": (
        "synthesise", (["sex", "n", "x", "cat", "y"],), {"given": ["region"], "codes": ["n"], "k": 7},
        "sdc_synthesise({t}, ['sex', 'n', 'x', 'cat', 'y'], 'id', given := ['region'], codes := ['n'], k := 7)",
    ),
    "synthesise proper": (
        "synthesise", (["x", "n"],), {"methods": ["normal_scores", "predictive_mean"], "proper": True},
        "sdc_synthesise({t}, ['x', 'n'], 'id', methods := ['normal_scores', 'predictive_mean'], proper := true)",
    ),
    "resample": ("resample", ("n", 3), {}, "sdc_resample({t}, 'n', 3, 'id')"),
    "mdav": ("microaggregate", (["x", "y", "n"], 5), {}, "sdc_microaggregate({t}, ['x', 'y', 'n'], 5, 'id')"),
    "mdav blocks": (
        "microaggregate", (["x", "y"], 5), {"blocks": 4, "centroid": "median"},
        "sdc_microaggregate({t}, ['x', 'y'], 5, 'id', blocks := 4, centroid := 'median')",
    ),
    "vmdav": (
        "microaggregate", (["x", "y"], 5), {"method": "vmdav", "stratum": "region"},
        "sdc_microaggregate({t}, ['x', 'y'], 5, 'id', method := 'vmdav', stratum := 'region')",
    ),
    "univariate": (
        "microaggregate", ("x", 3), {"method": "univariate"},
        "sdc_microaggregate({t}, ['x'], 3, 'id', method := 'univariate')",
    ),
    "individual ranking": (
        "microaggregate", (["x", "n"], 4), {"method": "individual_ranking"},
        "sdc_microaggregate({t}, ['x', 'n'], 4, 'id', method := 'individual_ranking')",
    ),
    "principal component": (
        "microaggregate", (["x", "y", "n"], 4), {"method": "principal_component"},
        "sdc_microaggregate({t}, ['x', 'y', 'n'], 4, 'id', method := 'principal_component')",
    ),
    "sum of z": (
        "microaggregate", (["x", "y"], 4), {"method": "sum_of_z"},
        "sdc_microaggregate({t}, ['x', 'y'], 4, 'id', method := 'sum_of_z')",
    ),
    "categories ordinal": (
        "microaggregate_categorical", (["grade", "n"], 3), {},
        "sdc_microaggregate_categorical({t}, ['grade', 'n'], 3, 'id')",
    ),
    "categories nominal": (
        "microaggregate_categorical", (["cat", "sex"], 3), {"scale": "nominal"},
        "sdc_microaggregate_categorical({t}, ['cat', 'sex'], 3, 'id', scale := 'nominal')",
    ),
    "round": ("round", (["x", "n"], 5), {}, "sdc_round({t}, ['x', 'n'], 5, 'id')"),
    "round at random": (
        "round", (["x", "n"], 5), {"at_random": True}, "sdc_round_at_random({t}, ['x', 'n'], 5, 'id')",
    ),
    "sample": (
        "sample", (), {"fraction": 0.3, "stratum": "region"},
        "sdc_sample({t}, 'id', fraction := 0.3, stratum := 'region')",
    ),
    "renumber": ("renumber", ("2026",), {}, "sdc_renumber({t}, 'id', '2026')"),
    "massc": (
        "massc", (0.2, 0.3), {"keys": ["cat", "n", "sex"], "strata": [1, 3, 5]},
        "sdc_massc({t}, ['cat', 'n', 'sex'], 0.2, 0.3, 'id', strata := [1, 3, 5])",
    ),
    "sample bernoulli": (
        "sample", (), {"fraction": 0.4, "method": "bernoulli", "household": "x"},
        "sdc_sample({t}, 'id', fraction := 0.4, method := 'bernoulli', household := 'x')",
    ),
    "sample systematic": (
        "sample", (), {"size": 700, "method": "systematic", "order_by": "cat"},
        "sdc_sample({t}, 'id', size := 700, method := 'systematic', order_by := 'cat')",
    ),
}  # fmt: skip
EVERY = pytest.mark.parametrize("name", METHODS)
Rows = list[tuple[Any, ...]]


def prepared(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Make the table in three orders, in row groups small enough to go to threads, and the matrices as tables."""
    con.execute("ATTACH ':memory:' AS small (ROW_GROUP_SIZE 2048)")
    con.execute("USE small")
    sdc_sql.load(con)
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute("PRAGMA verify_parallelism")
    con.execute(f"CREATE TABLE persons AS {PERSONS}")
    con.execute("CREATE TABLE backwards AS FROM persons ORDER BY id DESC")
    con.execute("CREATE TABLE shuffled AS FROM persons ORDER BY id * 2654435761 % 4294967296")
    cells = [(GRADES[k], GRADES[j], THREE[k][j]) for k in range(3) for j in range(3)]
    con.execute('CREATE TABLE grades ("from" VARCHAR, "to" VARCHAR, probability DOUBLE)')
    con.executemany("INSERT INTO grades VALUES (?, ?, ?)", cells)
    cells = [(*CROSSED[k], *CROSSED[j], SIX[k][j]) for k in range(6) for j in range(6)]
    pair = "STRUCT(sex VARCHAR, grade VARCHAR)"
    con.execute(f'CREATE TABLE crossing ("from" {pair}, "to" {pair}, probability DOUBLE)')
    con.executemany(
        "INSERT INTO crossing VALUES ({'sex': ?, 'grade': ?}, {'sex': ?, 'grade': ?}, ?)", cells
    )  # fmt: skip
    return con


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection with the table in four forms: the last is a Parquet file, written in another order."""
    with duckdb.connect() as con:
        path = tmp_path_factory.mktemp("repeatable") / "persons.parquet"
        prepared(con).execute(f"COPY shuffled TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
        # (a Parquet file does not keep the order of an ENUM, on which ranks and cells hang)
        con.execute(
            f"CREATE VIEW filed AS SELECT * REPLACE (grade::ENUM ('low', 'middle', 'high') AS grade) FROM '{path}'"
        )
        yield con


def of_python(con: duckdb.DuckDBPyConnection, name: str, table: str = "persons", **other: str) -> Rows:
    """Return the records of a masked copy, by id."""
    method, arguments, named, _ = METHODS[name]
    con.execute("DROP TABLE IF EXISTS released")
    getattr(sdc_sql.Microdata(con, table, id="id").mask, method)(*arguments, into="released", **named | other)
    return con.execute("FROM released ORDER BY id").fetchall()


def of_sql(con: duckdb.DuckDBPyConnection, name: str, table: str) -> Rows:
    """Return the records that the macro gives, by id."""
    return con.execute(f"FROM {METHODS[name][3].format(t=repr(table))} ORDER BY id").fetchall()


KNOWN: dict[tuple[str, str, str], Rows] = {}
FIRST = ("", "")


def masked(con: duckdb.DuckDBPyConnection, name: str, what: tuple[str, str] = FIRST) -> Rows:
    """Return the records of a masked copy, by id: with one thread, and, it may be, under another stream or key."""
    if (name, *what) not in KNOWN:
        con.execute("SET threads = 1")
        con.execute("SET VARIABLE sdc_key = ?", [what[1] if what[0] == "key" else KEY])
        stream = {"stream": what[1]} if what[0] == "stream" else {}
        KNOWN[name, *what] = of_python(con, name, **stream)
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
    return KNOWN[name, *what]


@pytest.mark.one_in(64)
@EVERY
def test_the_same_for_any_threads_order_of_rows_and_storage(keyed, name):
    expected = masked(keyed, name)
    assert expected != keyed.execute("FROM persons ORDER BY id").fetchall()
    # to the last bit
    for threads, table in ((2, "backwards"), (8, "filed")):
        keyed.execute(f"SET threads = {threads}")
        assert of_sql(keyed, name, table) == expected, (threads, table)
    keyed.execute("CREATE OR REPLACE TABLE reloaded AS FROM filed")
    method, arguments, named, _ = METHODS[name]
    mask = getattr(sdc_sql.Microdata(keyed, "reloaded", id="id").mask, method)
    mask(*arguments, **named, **({"in_place": True} if "in_place" in inspect.signature(mask).parameters else {}))
    assert keyed.execute("FROM reloaded ORDER BY id").fetchall() == expected


def digest(rows: Rows) -> dict[str, Any]:
    """Return an md5 of all that is no DOUBLE (NULL too), and of each DOUBLE column two sums, weighted by place.

    Sums and no md5: the last digits of a DOUBLE are those of the processor and of the linear algebra library.
    """
    exact = "\n".join("|".join("" if isinstance(v, float) else str(v) for v in row) for row in rows)
    sums = []
    for column in zip(*rows, strict=True):
        numbers = [(i, v) for i, v in enumerate(column) if isinstance(v, float)]
        if numbers:
            sums.append(
                [math.fsum((i * factor % 1) * v for i, v in numbers) for factor in (0.6180339887, 0.4142135624)]
            )
    return {"exact": hashlib.md5(exact.encode(), usedforsecurity=False).hexdigest(), "sums": sums}


def assert_stored(name: str, rows: Rows) -> None:
    stored, found = json.loads(STORED.read_text())[name], digest(rows)
    assert found["exact"] == stored["exact"]
    for got, wanted in zip(found["sums"], stored["sums"], strict=True):
        assert got == pytest.approx(wanted, rel=1e-12)


def test_every_method_that_draws_has_its_digest_stored():
    called = " ".join(sql for *_, sql in METHODS.values())
    missing = [d.name for d in read_catalogue() if d.masks and d.needs_key and f"{d.name}(" not in called]
    assert not missing, f"Give {missing} a line in METHODS, and run this file as a program: it stores the digests."


@pytest.mark.one_in(8)
@EVERY
def test_the_same_on_every_version_of_duckdb(keyed, name):
    assert_stored(name, masked(keyed, name))


def test_the_table_itself_is_the_same_on_every_version_of_duckdb(keyed):
    # else the digests tell of the table and not of the masking
    assert_stored("persons", keyed.execute("FROM persons ORDER BY id").fetchall())


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", ["noise", "noise correlated", "noise linear", "multiplicative", "round at random"])
def test_the_order_in_which_columns_are_named_does_not_matter(keyed, name):
    method, (columns, *rest), named, _ = METHODS[name]
    keyed.execute("DROP TABLE IF EXISTS released")
    getattr(sdc_sql.Microdata(keyed, "persons", id="id").mask, method)(columns[::-1], *rest, into="released", **named)
    assert keyed.execute("FROM released ORDER BY id").fetchall() == masked(keyed, name)


NEW = pytest.mark.parametrize("new", [("stream", "another"), ("key", OTHER)], ids=["stream", "key"])
DRAWN = [name for name, (method, _, named, _) in METHODS.items()
         if not method.startswith("microaggregate") and (method != "round" or named)]  # fmt: skip


@pytest.mark.one_in(32)
@NEW
@pytest.mark.parametrize("name", DRAWN)
def test_another_stream_or_key_gives_another_release(keyed, name, new):
    if name == "multiplicative sums" and new[0] == "stream":  # it is for one release only
        with pytest.raises(sdc_sql.ParameterError, match="give original values"):
            masked(keyed, name), masked(keyed, name, new)
        return
    assert masked(keyed, name) != masked(keyed, name, new)


# the noise of these has the expectation 0 given the value, so that two independent ones are not correlated
UNBIASED = ["noise", "noise correlated", "noise linear", "multiplicative", "multiplicative hoehne", "round at random"]


@pytest.mark.one_in(12)
@NEW
@pytest.mark.parametrize("name", UNBIASED)
def test_the_noise_of_another_stream_or_key_is_not_correlated(keyed, name, new):
    x = [row[1] for row in keyed.execute("FROM persons ORDER BY id").fetchall()]
    first, second = ([row[1] for row in masked(keyed, name, what)] for what in (FIRST, new))
    # given x, the linear method shrinks the values as well: what is left is the noise
    left = [np.array(r) - np.polyval(np.polyfit(x, r, 1), x) for r in (first, second)]
    assert np.std(left[0]) > 0
    # the correlation of independent noise has s.d. 1 / sqrt(n)
    assert abs(np.corrcoef(left)[0, 1]) < 4 / math.sqrt(N)


@pytest.mark.slow
def test_the_noise_of_two_columns_is_not_correlated(keyed):
    for name in ("noise", "multiplicative", "round at random"):
        old = keyed.execute("FROM persons ORDER BY id").fetchall()
        both = [(o, m) for o, m in zip(old, masked(keyed, name), strict=True) if o[3]]
        # multiplicative noise: as a share of the value, or the wide values would weigh too much
        size = (lambda o: o) if name == "multiplicative" else (lambda _: 1)
        noise = [[(m[j] - o[j]) / (size(o[j]) or 1) for o, m in both] for j in (1, 3)]
        assert abs(np.corrcoef(noise)[0, 1]) < 4 / math.sqrt(len(both)), name


@pytest.mark.one_in(2)
@pytest.mark.whole
@NEW
def test_the_swaps_of_another_stream_or_key_are_not_correlated(keyed, new):
    # by how many ranks a value moves; at the ends of the range it can only move inwards
    old = np.array([row[1] for row in keyed.execute("FROM persons ORDER BY id").fetchall()])
    ordered = np.sort(old)
    rank = np.searchsorted(ordered, old)
    moves = [np.searchsorted(ordered, [row[1] for row in masked(keyed, "rank swap", what)]) - rank
             for what in (FIRST, new)]  # fmt: skip
    inner = (rank > 0.1 * N) & (rank < 0.9 * N)
    assert abs(np.corrcoef(moves[0][inner], moves[1][inner])[0, 1]) < 4 / math.sqrt(inner.sum())


def chi_square_bound(df: int) -> float:
    """Return what chi-square exceeds once in 30,000 times: four s.d. of its cube root (Wilson and Hilferty 1931)."""
    return df * (1 - 2 / (9 * df) + 4 * math.sqrt(2 / (9 * df))) ** 3


MATRICES = {
    "pram": (slice(6, 7), [(g,) for g in GRADES], THREE),
    "pram crossing": (slice(5, 7), CROSSED, SIX),
}


@pytest.mark.one_in(4)
@NEW
@pytest.mark.parametrize("name", MATRICES)
def test_the_categories_of_another_stream_or_key_have_the_product_distribution(keyed, name, new):
    part, labels, matrix = MATRICES[name]
    # P(X' = l, X'' = m | xi = k) = p_kl p_km
    number = {label: i for i, label in enumerate(labels)}
    rows = zip(keyed.execute("FROM persons ORDER BY id").fetchall(), masked(keyed, name), masked(keyed, name, new),
               strict=True)  # fmt: skip
    counts = np.zeros((len(labels),) * 3)
    for triple in rows:
        counts[tuple(number[row[part]] for row in triple)] += 1
    p = np.array(matrix)
    expected = counts.sum(axis=(1, 2))[:, None, None] * p[:, :, None] * p[:, None, :]
    assert expected.min() >= 5  # for chi-square to hold
    df = len(labels) * (len(labels) ** 2 - 1)
    assert ((counts - expected) ** 2 / expected).sum() < chi_square_bound(df)


# what is moved (a part of the record), and what the chances to move hang on besides
MOVED = {
    "pram retention": (slice(4, 5), slice(7, 8)),
    "pram retention crossing": (slice(4, 6), slice(0)),
    "pram guaranteed": (slice(3, 5), slice(0)),
}


@pytest.mark.one_in(3)
@NEW
@pytest.mark.parametrize("name", MOVED)
def test_the_moves_of_another_stream_or_key_are_independent(keyed, name, new):
    # In each cell the records that move under one and under the other cross as the hypergeometric distribution has
    # it, if they are independent: the chi-square of all cells together (Cochran, Mantel and Haenszel).
    part, besides = MOVED[name]
    cells: dict[Any, list[tuple[bool, bool]]] = {}
    old = keyed.execute("FROM persons ORDER BY id").fetchall()
    for o, a, b in zip(old, masked(keyed, name), masked(keyed, name, new), strict=True):
        cells.setdefault((o[part], o[besides]), []).append((a[part] != o[part], b[part] != o[part]))
    difference = variance = 0.0
    for moves in cells.values():
        n, a, b, both = len(moves), *(sum(m[k] for m in moves) for k in (0, 1)), sum(all(m) for m in moves)
        difference += both - a * b / n
        variance += a * (n - a) * b * (n - b) / (n * n * (n - 1)) if n > 1 else 0
    assert variance > 3  # else there is too little to see
    assert difference**2 / variance < 4**2


def write() -> None:
    """Write the digests of this version."""
    with duckdb.connect() as con:
        prepared(con)
        found = {"persons": digest(con.execute("FROM persons ORDER BY id").fetchall())}
        found |= {name: digest(masked(con, name)) for name in METHODS}
    STORED.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    write()
