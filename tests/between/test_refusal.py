"""What a party refuses: combinations of columns of fewer than k records, by brute force, and what the log adds."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from houses import found_houses, publics

from sdc_sql.between.errors import RefusedError
from sdc_sql.between.leverage import find_dependent_columns, find_exposing_column
from sdc_sql.between.log import list_runs, open_log, write_answer
from sdc_sql.between.own import compute_own
from sdc_sql.between.refusal import judge_model
from sdc_sql.between.terms import draft_agreement
from sdc_sql.errors import TableError

K = 3


def exposes(columns: list[np.ndarray], k: int) -> bool:
    """Return whether some combination is non-zero for fewer than k records alone: by every set of so few."""
    w = np.column_stack(columns).astype(float)
    rank = np.linalg.matrix_rank(w)
    return any(
        np.linalg.matrix_rank(np.delete(w, few, axis=0)) < rank
        for size in range(1, k)
        for few in combinations(range(len(w)), size)
    )


def gram(columns: list[np.ndarray]) -> list[list[int]]:
    return [[int(sum(int(x) * int(y) for x, y in zip(a, b, strict=True))) for b in columns] for a in columns]


def test_no_combination_of_fewer_than_k_records_passes():
    rng = np.random.default_rng(11)
    refused = exposed = 0
    for _ in range(300):
        n = int(rng.integers(8, 26))
        columns = [np.ones(n, dtype=np.int64)]
        for _ in range(int(rng.integers(1, 4))):
            column = rng.integers(0, 2, size=n)
            if rng.random() < 0.4:  # one that differs from another at one or two records
                column = columns[int(rng.integers(len(columns)))].copy()
                column[: int(rng.integers(1, 3))] += 1
            columns.append(column)
        columns = [c for c in columns if c.any()]
        refuses = find_exposing_column(columns, gram(columns), K) is not None
        really = exposes(columns, K)
        refused, exposed = refused + refuses, exposed + really
        assert refuses or not really
    assert 300 > refused > exposed > 20  # and some pass


def test_a_difference_of_the_last_bit_is_seen():
    rng = np.random.default_rng(5)
    x = rng.integers(2**49, 2**50, size=400)
    other = x.copy()
    other[7] += 1
    one = np.ones(400, dtype=np.int64)
    assert find_exposing_column([one, x], gram([one, x]), 10) is None
    assert find_exposing_column([one, x, other], gram([one, x, other]), 10) == 2
    parts = [one, x // 4, rng.integers(0, 2**40, size=400)]
    total = parts[1] + parts[2]  # it follows exactly, and tells nothing new
    assert find_exposing_column([*parts, total], gram([*parts, total]), 10) is None
    assert find_dependent_columns(gram([*parts, total])) == [False, False, False, True]


@pytest.fixture
def db(con):
    con.execute("""CREATE TABLE persons AS SELECT i AS id, 18 + i * 17 % 50 AS age, (i * 7 % 11) AS schooling, i * 31 %
    97 AS wage,
        (i % 2) AS sex, (i = 5)::INTEGER AS me, (i <> 5)::INTEGER AS not_me, (i % 2 + (i = 5)::INTEGER * (1 - 2 * (i %
        2))) AS sex_but_me FROM range(200) AS t(i)""")
    return con


def model(identities, *regressors, response="wage", k=K, parties=None):
    return draft_agreement(
        parties or publics(identities), {**dict.fromkeys(regressors, 100), response: 100},
        response=response, regressors=regressors, threshold=k,
    )  # fmt: skip


def answer(db, agreement, log, rows="FROM persons"):
    """Judge, and log as answered."""
    db.execute(f"CREATE OR REPLACE VIEW now AS {rows}")
    own = compute_own(db, "now", "id", agreement)
    with open_log(log) as written:
        write_answer(written, agreement, own, judge_model(written, agreement, own))


@pytest.mark.one_in(5)
@pytest.mark.whole
@pytest.mark.parametrize(("regressors", "response", "words"), [
    (["age", "me"], "wage", "The column me is non-zero for 1 own records, fewer than 3"),
    (["age", "not_me"], "wage", "The column not_me has one value for all but 1 own records"),
    (["age"], "me", "The column me is non-zero for 1 own"),
    (["sex", "sex_but_me"], "wage", "some combination of the columns"),
    (["sex"], "sex_but_me", "some combination of the columns"),
])  # fmt: skip
def test_a_column_that_is_of_one_person(db, identities, tmp_path, regressors, response, words):  # noqa: PLR0917
    with pytest.raises(RefusedError, match=words) as told:
        answer(db, model(identities, *regressors, response=response), tmp_path / "log")
    assert "Nothing was sent" in str(told.value)
    with open_log(tmp_path / "log") as log:
        assert list_runs(log) == []


def test_too_few_records(db, identities, tmp_path):
    """p + k: three coefficients with the constant, and the threshold."""
    with pytest.raises(RefusedError, match="There are 5 own records, fewer than the 6"):
        answer(db, model(identities, "age", "sex"), tmp_path / "log", "FROM persons LIMIT 5")


def test_a_column_of_zeros_alone_is_refused_and_one_constant_is_not(db, identities, tmp_path):
    with pytest.raises(RefusedError, match="The column sex is non-zero for 0 own"):
        answer(db, model(identities, "age", "sex"), tmp_path / "log", "SELECT * REPLACE (0 AS sex) FROM persons")
    answer(db, model(identities, "age", "sex"), tmp_path / "log", "SELECT * REPLACE (1 AS sex) FROM persons")


def test_a_response_that_follows_from_the_regressors(db, identities, tmp_path):
    with pytest.raises(RefusedError, match="The response follows exactly"):
        answer(
            db, model(identities, "age", "sex"), tmp_path / "log", "SELECT * REPLACE (age + sex AS wage) FROM persons"
        )


def test_the_same_again_is_answered_and_kept_once(db, identities, tmp_path):
    for _ in range(3):
        answer(db, model(identities, "age", "sex"), tmp_path / "log", "FROM persons ORDER BY hash(id)")
    with open_log(tmp_path / "log") as log:
        assert [run for run, *_ in list_runs(log)] == [1, 2, 3]
        assert log.execute("SELECT DISTINCT run FROM answered").fetchall() == [(1,)]
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o600


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("regressors", "rows"), [
    (["age", "sex"], "FROM persons WHERE id <> 5"),  # one record fewer
    (["schooling"], "FROM persons WHERE id <> 5"),  # also with other columns: the response is in both
    (["age", "sex"], "FROM persons UNION ALL SELECT * REPLACE (900 AS id) FROM persons WHERE id = 5"),
    (["age", "sex"], "SELECT * REPLACE (age + (id = 5)::INTEGER AS age) FROM persons"),  # a value corrected
    (["age", "sex_but_me"], "FROM persons"),  # a column that differs from an earlier one for one person
])  # fmt: skip
def test_a_model_that_differs_from_an_earlier_one_by_few_records(db, identities, tmp_path, regressors, rows):
    answer(db, model(identities, *regressors), tmp_path / "fresh", rows)  # by itself it is answered
    answer(db, model(identities, "age", "sex"), tmp_path / "log")
    with pytest.raises(RefusedError, match="some combination of the columns that were or would be answered"):
        answer(db, model(identities, *regressors), tmp_path / "log", rows)


def test_three_answers_whose_sums_leave_one_record(db, identities, tmp_path):
    """The halves together, against the whole: pair by pair they differ by many."""
    answer(db, model(identities, "age"), tmp_path / "log")
    answer(db, model(identities, "age"), tmp_path / "log", "FROM persons WHERE id < 100")
    with pytest.raises(RefusedError, match="some combination"):
        answer(db, model(identities, "age"), tmp_path / "log", "FROM persons WHERE id > 100")
    answer(db, model(identities, "age"), tmp_path / "log", "FROM persons WHERE id >= 100")


def test_other_parties_for_the_same_records(db, identities, tmp_path):
    more = publics(found_houses(tmp_path, ["office-d"]))
    four = [*publics(identities), *more]
    answer(db, model(identities, "age", parties=four), tmp_path / "log")
    for fewer in (four[:3], [*four[:2], four[3]]):
        with pytest.raises(RefusedError, match="with other parties"):
            answer(db, model(identities, "age", parties=fewer), tmp_path / "log")
    answer(
        db,
        model(identities, "age", parties=four[:3]),
        tmp_path / "log",
        "SELECT * REPLACE (id + 1000 AS id) FROM persons",
    )


def test_cells(db, identities, tmp_path):
    def cells(sizes, *found, by=("sex",)):
        return draft_agreement(publics(identities), sizes, by=list(by), cells=[list(f) for f in found], threshold=K)

    answer(db, cells({"wage": 100}, ["0"], ["1"], ["2"]), tmp_path / "log")  # nobody is in the third
    with pytest.raises(RefusedError, match="The column in 1 is non-zero for 1 own"):
        answer(db, cells({}, ["0"], ["1"], by=["me"]), tmp_path / "log")
    with pytest.raises(RefusedError, match="The column wage in 0 is non-zero for 2 own"):
        answer(
            db,
            cells({"wage": 100}, ["0"], ["1"]),
            tmp_path / "new",
            "SELECT * REPLACE (wage * (id IN (0, 2, 4))::INTEGER AS wage) FROM persons",
        )
    with pytest.raises(RefusedError, match="some combination"):  # the same cells, but for one person
        answer(db, cells({}, ["0"], ["1"], by=["sex_but_me"]), tmp_path / "log")
    with pytest.raises(RefusedError, match="or a few dominate it"):  # one has half of a cell's wages
        answer(
            db,
            cells({"wage": 10000}, ["0"], ["1"]),
            tmp_path / "new",
            "SELECT * REPLACE (wage + 9000 * (id = 4)::INTEGER AS wage) FROM persons",
        )


def test_cells_that_are_called_alike_are_looked_at_each(db, identities, tmp_path):
    cells = [["a x b", "c"], ["a", "b x c"]]
    agreement = draft_agreement(publics(identities), {}, by=["one", "two"], cells=cells, threshold=K)
    one, two = "CASE me WHEN 1 THEN 'a x b' ELSE 'a' END AS one", "CASE me WHEN 1 THEN 'c' ELSE 'b x c' END AS two"
    with pytest.raises(RefusedError, match="The column in a x b x c is non-zero for 1 own"):
        answer(db, agreement, tmp_path / "log", f"SELECT *, {one}, {two} FROM persons")


def test_what_is_no_log_is_left_alone(tmp_path, con):
    (tmp_path / "text").write_text("no database\n")
    with pytest.raises(TableError, match="is no log"), open_log(tmp_path / "text"):
        pass
    con.execute(f"ATTACH '{tmp_path / 'other'}' AS other")
    con.execute("CREATE TABLE other.persons AS SELECT 1 AS id; DETACH other")
    with pytest.raises(TableError, match="a database with other tables"), open_log(tmp_path / "other"):
        pass
    assert (tmp_path / "other").stat().st_mode & 0o777 != 0o600
