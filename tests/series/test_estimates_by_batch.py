"""Frequencies of what PRAM released in batches are right where each batch is corrected by its own matrix."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import sdc_sql
from sdc_sql.errors import translate_errors

BY_BATCH = "FROM sdc_pram_estimate_by_batch('whole', 'region', 'drawn in', 'matrices')"
LAST = "FROM sdc_pram_estimate('whole', 'region', 'last')"


def retain(m: int, stays: float) -> np.ndarray:
    return np.full((m, m), (1 - stays) / (m - 1)) + np.eye(m) * (stays - (1 - stays) / (m - 1))


# of each batch the original frequencies and the matrix; the third lacks the first category, and its matrix is lopsided
BATCHES = {
    "first": ([9000, 600, 400], retain(3, 0.7)),
    "second": ([100, 200, 300, 400], retain(4, 0.85)),
    "third": ([0, 500, 50], np.array([[0.9, 0.05, 0.05], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])),
}


@pytest.fixture
def con(connect):
    """Return a connection with the released records, which are the expected ones, P^t T, and the matrices."""
    with connect() as con:
        parts, rows = [], []
        for name, (truth, matrix) in BATCHES.items():
            labels = [f"r{i}" for i in range(len(truth))]
            released = np.rint(matrix.T @ np.array(truth)).astype(int)
            region = np.repeat(labels, released)
            parts.append(pa.table({"region": region, "drawn in": np.full(len(region), name)}))
            rows += [(name, a, b, matrix[i, j]) for i, a in enumerate(labels) for j, b in enumerate(labels)]
        con.register("given", pa.concat_tables(parts))
        con.execute("CREATE TABLE whole AS FROM given")
        con.unregister("given")
        con.execute('CREATE TABLE matrices ("drawn in" VARCHAR, "from" VARCHAR, "to" VARCHAR, probability DOUBLE)')
        con.executemany("INSERT INTO matrices VALUES (?, ?, ?, ?)", rows)
        con.execute('CREATE TABLE last AS SELECT * EXCLUDE ("drawn in") FROM matrices WHERE "drawn in" = \'second\'')
        yield con


def estimate(con) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return released frequencies, estimates and standard errors by numpy: (P^-1)^t X, and W^t diag(X) W - diag(T)."""
    labels = [f"r{i}" for i in range(4)]
    found = np.zeros((3, 4))
    for name, (truth, matrix) in BATCHES.items():
        counted = dict(
            con.execute('SELECT region, count(*) FROM whole WHERE "drawn in" = ? GROUP BY ALL', [name]).fetchall()
        )
        x = np.array([counted.get(a, 0) for a in labels[: len(truth)]])
        w = np.linalg.inv(matrix)
        t = w.T @ x
        expected = matrix.T @ np.maximum(t, 0)
        variance = np.diag(w.T @ np.diag(expected) @ w - np.diag(np.maximum(t, 0)))
        found[:, : len(truth)] += [x, t, variance]
    return found[0], found[1], np.sqrt(found[2])


def test_each_batch_is_corrected_by_the_matrix_that_it_was_drawn_with(con):
    rows = con.execute(BY_BATCH).fetchall()
    released, estimates, errors = estimate(con)
    assert [row[0] for row in rows] == ["r0", "r1", "r2", "r3"]
    assert [row[1] for row in rows] == list(released)
    np.testing.assert_allclose([row[2] for row in rows], estimates, rtol=1e-9)
    np.testing.assert_allclose([row[3] for row in rows], errors, rtol=1e-9)
    assert [row[4] for row in rows] == [3, 3, 3, 1]
    truth = np.array([9100, 1300, 750, 400])
    np.testing.assert_allclose(estimates, truth, atol=4)  # counts are whole numbers
    by_last = np.array([row[2] for row in con.execute(LAST).fetchall()])
    assert max(abs(by_last - truth) / truth) > 0.15
    data = sdc_sql.Microdata(con, "whole")
    assert [
        tuple(e.to_dict().values()) for e in data.mask.pram_estimate_by_batch("Region", "DRAWN IN", "matrices")
    ] == rows


def test_one_batch_is_the_estimate_of_its_matrix(con):
    con.execute("DELETE FROM whole WHERE \"drawn in\" <> 'second'")
    ours, other = (con.execute(f"SELECT category, released, estimate, standard_error {query}").fetchall()
                   for query in (BY_BATCH, LAST))  # fmt: skip
    assert ours == other


def test_estimates_of_many_drawn_batches_are_unbiased_and_their_errors_right(con):
    """Drawn in 300 batches: the estimate is the truth to within its error, which is that of the theory."""
    rng = np.random.default_rng(8)
    of, batches = [10, 20, 30, 40], 300
    matrix = BATCHES["second"][1]
    released, numbers = [], []
    for batch in range(batches):
        counts = sum(rng.multinomial(n, matrix[i]) for i, n in enumerate(of))
        released.append(np.repeat([f"r{i}" for i in range(4)], counts))
        numbers.append(np.full(counts.sum(), batch))
    con.register("drawn", pa.table({"region": np.concatenate(released), "drawn in": np.concatenate(numbers)}))
    con.execute('CREATE TABLE many AS SELECT range AS "drawn in", * FROM last, range(300)')
    query = BY_BATCH.replace("whole", "drawn").replace("matrices", "many")
    rows = con.execute(query).fetchall()
    con.unregister("drawn")
    w, t = np.linalg.inv(matrix), np.array(of)
    deviation = np.sqrt(batches * np.diag(w.T @ np.diag(matrix.T @ t) @ w - np.diag(t)))
    assert (abs(np.array([row[2] for row in rows]) - batches * t) < 4.5 * deviation).all()
    # its estimate of each variance takes negative estimates as 0, which a batch of 100 nearly never has
    np.testing.assert_allclose([row[3] for row in rows], deviation, rtol=0.05)


REFUSED = [
    ("UPDATE whole SET \"drawn in\" = NULL WHERE region = 'r3'", "batch of a record is NULL"),
    ("UPDATE whole SET \"drawn in\" = 'fourth' WHERE region = 'r3'", "has no rows in the table of matrices"),
    ("UPDATE whole SET region = 'r9' WHERE region = 'r3'", "sum|singular|row"),
    ("INSERT INTO matrices FROM matrices LIMIT 1", "twice"),
    ("UPDATE matrices SET probability = 2 WHERE probability = 0.7", "number from 0 to 1"),
    ("UPDATE matrices SET probability = 0.25 WHERE \"drawn in\" = 'second'", "singular|same expected"),
    ('UPDATE matrices SET "to" = NULL WHERE "to" = \'r3\'', "NULL cannot be a category"),
    ('ALTER TABLE matrices RENAME "drawn in" TO batch', "drawn in"),
    ("DELETE FROM whole", "no rows"),
    ("DELETE FROM matrices", "no rows"),
]


def test_what_is_refused(con):
    for change, said in REFUSED:
        con.execute("BEGIN")
        con.execute(change)
        with pytest.raises(sdc_sql.InputError, match=said), translate_errors():
            con.execute(BY_BATCH).fetchall()
        con.execute("ROLLBACK")


def test_null_is_no_category_and_other_batches_of_the_matrices_do_not_matter(con):
    before = con.execute(BY_BATCH).fetchall()
    con.execute("INSERT INTO whole SELECT NULL, 'first' FROM range(7)")
    con.execute("INSERT INTO matrices VALUES ('later', 'x', 'y', 1.0), ('later', 'y', 'x', 1.0)")
    assert con.execute(BY_BATCH).fetchall() == before


def test_batches_and_categories_of_other_types(con):
    con.execute("""
        CREATE TABLE "odd one" AS
            SELECT substr(region, 2)::UTINYINT AS "from",
                   CASE "drawn in" WHEN 'first' THEN 1 WHEN 'second' THEN 2 ELSE 3 END AS n
            FROM whole;
        CREATE TABLE odd AS SELECT CASE "drawn in" WHEN 'first' THEN '1' WHEN 'second' THEN '2' ELSE '3' END AS n,
            substr("from", 2) AS "from", substr("to", 2)::DOUBLE AS "to", probability FROM matrices""")
    odd = con.execute("""FROM sdc_pram_estimate_by_batch('"odd one"', 'from', 'n', 'odd')""").fetchall()
    assert [(f"r{row[0]}", *row[1:]) for row in odd] == con.execute(BY_BATCH).fetchall()


CATEGORIES = [f"c{i:02}" for i in range(30)]


def design(values: list[str], theta: float) -> dict[tuple[str, str], float]:
    """Return the matrix of a batch (Nayak, Result 1): 1 - theta / T stay, theta / ((k - 1) T) go to each other."""
    names, counts = np.unique(values, return_counts=True)
    k = len(names)
    return {
        (a, b): 1 - theta / t if a == b else theta / ((k - 1) * t)
        for a, t in zip(names, counts, strict=True) for b in names
    }  # fmt: skip


@pytest.mark.slow
def test_a_series_gives_the_batches_and_their_matrices(connect, tmp_path):
    """Each night brings a batch, some leave and some change; who did not change stays in his batch."""
    rng = np.random.default_rng(3)
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
        theta = sdc_sql.load(con).execute("SELECT sdc_pram_theta(0.5)").fetchall()[0][0]
        there: dict[int, str] = {}
        first: dict[tuple[int, str], str] = {}
        head, last = "", 0
        con.execute('CREATE TABLE matrices (batch VARCHAR, "from" VARCHAR, "to" VARCHAR, probability DOUBLE)')
        for night in range(5):
            name = f"night {night}"
            came = {last + i: str(rng.choice(CATEGORIES)) for i in range(300 if not night else 60)}
            last += len(came)
            left = rng.choice([*there], 40, replace=False) if night else []
            there = {i: c for i, c in there.items() if i not in left}
            changed = {i: str(rng.choice(CATEGORIES)) for i in [*there][:5]} if night else {}
            changed = {i: c for i, c in changed.items() if there[i] != c}
            there |= came | changed
            first = {(i, c): first.get((i, c), name) for i, c in there.items()} | first  # also of a value that is back
            batch_of = {i: first[i, c] for i, c in there.items()}
            con.register("given", pa.table({"id": [*there], "region": [*there.values()]}))
            con.execute("CREATE OR REPLACE TABLE t AS FROM given")
            con.unregister("given")
            for _ in range(2):  # the second time it is repeated, and gives the same
                con.execute("DROP TABLE IF EXISTS released")
                with sdc_sql.Series(tmp_path / "s.ledger", "p", name, after=head) as series:
                    data = sdc_sql.Microdata(con, "t", id="id", series=series)
                    data.mask.pram_guaranteed(0.5, keys=["region"], into="released")
                drawn = series.batches["region"]
                records = drawn.records.to_pylist()
                assert {r["id"]: r["batch"] for r in records} == batch_of
                own = design([c for (_, c), b in first.items() if b == name], theta)
                rows = drawn.make_matrices().to_pylist()
                assert {r["batch"] for r in rows} == {name}
                assert {(r["from"], r["to"]): r["probability"] for r in rows} == pytest.approx(own)
            head = series.head
            con.register("new", drawn.make_matrices())
            con.execute("INSERT INTO matrices FROM new")
        con.register("drawn", drawn.records)
        con.execute("CREATE TABLE with_batch AS FROM released JOIN drawn USING (id)")
        rows = con.execute("FROM sdc_pram_estimate_by_batch('with_batch', 'region', 'batch', 'matrices')").fetchall()
    truth = [list(there.values()).count(row[0]) for row in rows]
    errors = np.array([(row[2] - t) / row[3] for row, t in zip(rows, truth, strict=True)])
    assert len(rows) == len(CATEGORIES)
    assert (errors**2).sum() < 30 + 4.5 * np.sqrt(60)  # about chi-squared of 30 categories
    assert dict(drawn.list_sizes()) == {b: [*batch_of.values()].count(b) for b in set(batch_of.values())}
