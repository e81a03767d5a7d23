"""Keyed draws: pure functions of key, stream and id; uniform, independent, and silent about the key."""

from __future__ import annotations

import base64
import hashlib
import math
import statistics

import duckdb
import pytest

import sdc_sql

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
OTHER = "Zp4_mR9cTq1-VxB7sLk0JdWn3HyGfE8uAo5iNtXz6Qw"
N = 100_000


@pytest.fixture
def keyed(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    con.execute("SET VARIABLE sdc_key = ?", [KEY])
    con.execute(f"CREATE TABLE records AS SELECT range AS id FROM range({N})")
    return con


def part(text: str | None) -> str:
    return "-" if text is None else f"{len(text)}:{text}"


def uniform(key: str, stream: str, number: object, value: str | None = None, release: str = "") -> float:
    """Return the draw as the SQL file's header defines it."""
    parts = "".join(part(t) for t in (key, release, stream, "uniform", "", ""))
    subkey = base64.b64encode(hashlib.sha256(parts.encode()).digest()[:16]).decode()[:22]
    text = f"{subkey}{len(str(number))}:{number}{part(value)}"
    return int(hashlib.sha256(text.encode()).hexdigest()[:13], 16) / 2**52


@pytest.mark.one_in(5)
@pytest.mark.parametrize("stream", ["noise", "", "größe", "a'b", "7:x"])
@pytest.mark.parametrize("number", [0, 17, -3, "id'1", "é"])
def test_the_draw_is_the_hash_of_what_it_depends_on(keyed, stream, number):
    found = keyed.execute("SELECT sdc_uniform(?, ?)", [stream, number]).fetchall()
    assert found == [(uniform(KEY, stream, number),)]
    found = keyed.execute("SELECT sdc_uniform($1, $2, value := 2.50, release := '2026')", [stream, number]).fetchall()
    assert found == [(uniform(KEY, stream, number, "2.5", "2026"),)]


EQUAL = [
    ["17", "17.0", "17.00::DECIMAL(18, 2)", "17::DOUBLE", "17::UTINYINT", "17::FLOAT", "'17'"],
    ["1e15::DOUBLE", "1000000000000000", "1000000000000000.0"],
    ["0.1", "0.10", "0.1::DOUBLE", "'0.1'"],
    ["1e-5::DOUBLE", "0.00001"],
    ["0e0", "-0e0", "0"],
    ["TIMESTAMPTZ '2026-01-01 00:00:00+00'", "TIMESTAMPTZ '2026-01-01 02:00:00+02'"],
]


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize("values", EQUAL, ids=[v[0] for v in EQUAL])
def test_equal_values_of_any_type_have_one_draw(keyed, values):
    draws = {
        keyed.execute(f"SELECT sdc_uniform('s', 1, value := {v}), sdc_uniform('s', {v})").fetchall()[0] for v in values
    }
    assert len(draws) == 1


def test_other_values_have_other_draws(keyed):
    values = ["17", "'017'", "17.5", "NULL", "''", "-17", "17.000001", "12345678901234567.125", "12345678901234567.126"]
    draws = {keyed.execute(f"SELECT sdc_uniform('s', 1, value := {v})").fetchall()[0] for v in values}
    assert len(draws) == len(values)


def test_no_time_zone_changes_a_draw_and_a_time_inside_a_list_is_refused(keyed):
    draws = set()
    for zone in ("UTC", "Asia/Tokyo", "America/New_York"):
        keyed.execute(f"SET TimeZone = '{zone}'")
        draws.add(
            keyed.execute("SELECT sdc_uniform('s', t, value := t) FROM (SELECT make_timestamptz(17) AS t)").fetchall()[
                0
            ]
        )
    assert len(draws) == 1
    with pytest.raises(duckdb.Error, match="changes with the time zone"):
        keyed.execute("SELECT sdc_uniform('s', [t]) FROM (SELECT make_timestamptz(17) AS t)").fetchall()


def test_no_two_triples_share_a_text(keyed):
    pairs = [("ab", "c"), ("a", "bc"), ("abc", ""), ("", "abc"), ("1:a", "bc")]
    draws = {keyed.execute("SELECT sdc_uniform(?, ?)", list(pair)).fetchall()[0][0] for pair in pairs}
    assert len(draws) == len(pairs)


def test_normal_is_the_quantile_of_the_uniform(keyed):
    found = keyed.execute("SELECT id, sdc_normal('noise', id) FROM records LIMIT 500").fetchall()
    for number, z in found:
        u = uniform(KEY, "noise", number) + 2**-53
        assert z == pytest.approx(statistics.NormalDist().inv_cdf(u), rel=1e-12, abs=1e-14)


def test_the_same_for_any_threads_order_and_chunks(keyed):
    keyed.execute("CREATE TABLE backwards AS FROM records ORDER BY id DESC")
    digests = set()
    for threads in (1, 2, 8):
        keyed.execute(f"SET threads = {threads}")
        for table in ("records", "backwards"):
            rows = f"SELECT id, sdc_uniform('s', id) AS u FROM {table} WHERE id % 3 < 2"
            digests.add(
                keyed.execute(f"SELECT md5(string_agg(u::VARCHAR, ',' ORDER BY id)) FROM ({rows})").fetchall()[0]
            )
    assert len(digests) == 1


def test_uniform_by_chi_square(keyed):
    # 100 bins, 99 degrees of freedom: mean 99, s.d. sqrt(198); 5 s.d. is far out in the tail
    bins = keyed.execute("SELECT count(*) FROM records GROUP BY floor(100 * sdc_uniform('s', id))").fetchall()
    assert len(bins) == 100
    chi_square = sum((n - N / 100) ** 2 / (N / 100) for (n,) in bins)
    assert abs(chi_square - 99) < 5 * math.sqrt(198)


@pytest.mark.one_in(3)
@pytest.mark.whole
@pytest.mark.parametrize("other", ["sdc_uniform('t', id)", "sdc_uniform('s', id + 1)", "sdc_uniform('s', -1 - id)"])
def test_another_stream_or_id_is_independent(keyed, other):
    # the correlation of independent draws has s.d. 1 / sqrt(N)
    query = f"SELECT corr(sdc_uniform('s', id), {other}) FROM records"
    assert abs(keyed.execute(query).fetchall()[0][0]) < 5 / math.sqrt(N)
    cells = keyed.execute(
        f"SELECT count(*) FROM records GROUP BY floor(10 * sdc_uniform('s', id)), floor(10 * {other})"
    ).fetchall()
    chi_square = sum((n - N / 100) ** 2 / (N / 100) for (n,) in cells)
    assert abs(chi_square - 99) < 5 * math.sqrt(198)


def test_another_key_is_independent(keyed):
    keyed.execute("CREATE TABLE first AS SELECT id, sdc_uniform('s', id) AS u FROM records")
    keyed.execute(f"SET VARIABLE sdc_key = '{OTHER}'")
    query = "SELECT corr(u, sdc_uniform('s', id)) FROM first"
    assert abs(keyed.execute(query).fetchall()[0][0]) < 5 / math.sqrt(N)


@pytest.mark.parametrize("value", ["NULL", "''"])
def test_no_key_is_an_error_that_says_how_to_set_one(con, value):
    con.execute(f"SET VARIABLE sdc_key = {value}")
    with pytest.raises(duckdb.Error, match="SET VARIABLE sdc_key"):
        con.execute("SELECT sdc_uniform('s', 1)").fetchall()


def test_an_id_that_is_null_is_refused(keyed):
    with pytest.raises(duckdb.Error, match="id of a record is NULL"):
        keyed.execute("SELECT sdc_uniform('s', NULL::INTEGER)").fetchall()


def test_the_environment_gives_the_key_and_the_session_wins(monkeypatch):
    monkeypatch.setenv("SDC_KEY", KEY)
    with duckdb.connect() as con:
        sdc_sql.load(con, "sdc_uniform")
        assert con.execute("SELECT sdc_uniform('s', 1)").fetchall() == [(uniform(KEY, "s", 1),)]
        con.execute(f"SET VARIABLE sdc_key = '{OTHER}'")
        sdc_sql.load(con, "sdc_uniform")
        assert con.execute("SELECT sdc_uniform('s', 1)").fetchall() == [(uniform(OTHER, "s", 1),)]


@pytest.mark.one_in(4)
@pytest.mark.parametrize("how", ["EXPLAIN", "EXPLAIN ANALYZE"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT sdc_uniform('s', 1)",
        "SELECT max(sdc_uniform('s', id)), avg(sdc_normal('s', id)) FROM records",
        "SELECT * FROM records WHERE sdc_uniform('s', id) < 0.1 ORDER BY sdc_uniform('t', id)",
        "SELECT floor(sdc_uniform('s', id) * 3), count(*) FROM records GROUP BY ALL",
    ],
)
def test_no_plan_shows_the_key(keyed, how, query):
    keyed.execute("SET explain_output = 'all'")
    assert KEY not in str(keyed.execute(f"{how} {query}").fetchall())


@pytest.mark.slow
def test_no_profile_log_error_or_file_shows_the_key(tmp_path):
    path = tmp_path / "survey.duckdb"
    with duckdb.connect(path) as con:
        sdc_sql.load(con)
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.execute("CALL enable_logging(level := 'trace')")
        con.execute("PRAGMA enable_profiling = 'json'")
        con.execute(f"SET profiling_output = '{tmp_path / 'profile.json'}'")
        con.execute(
            "CREATE TABLE masked AS SELECT range AS id, sdc_uniform('s', range) AS u FROM range(1000)"
        ).fetchall()
        con.execute("PRAGMA disable_profiling")
        with pytest.raises(duckdb.Error) as raised:
            con.execute("SELECT error(sdc_uniform('s', 1)::VARCHAR)").fetchall()
        assert KEY not in str(raised.value)
        logged = str(con.execute("SELECT message FROM duckdb_logs").fetchall())
        assert "masked" in logged
        assert KEY not in logged
    written = [p for p in tmp_path.iterdir() if p.is_file()]
    assert len(written) >= 2
    assert all(KEY.encode() not in p.read_bytes() for p in written)
