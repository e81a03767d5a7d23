"""Post-masking optimisation: moments exactly, no greater risk by linkage than of the masked file; what is refused."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from sdc_sql.udfs.restore_moments import compute_link_chances, restore_moments

import sdc_sql
from sdc_sql import Microdata

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
N = 250
COLUMNS = ["f", "it's", "Select"]


@pytest.fixture(scope="module")
def k(connect):
    """Return a connection with a table `k` of three columns that depend on one another."""
    rng = np.random.default_rng(6)
    f = rng.gamma(3, 10, N)
    columns = {"id": np.arange(N), "f": f, "it's": 1e4 - 3 * f + rng.normal(0, 30, N),
               "Select": np.exp(rng.normal(0, 1, N)) * f, "other": rng.normal(size=N)}  # fmt: skip
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        con.register("made", pa.table(columns))
        con.execute("CREATE TABLE k AS FROM made")
        con.unregister("made")
        yield con


def values(con, table):
    return np.array(con.execute(f'SELECT f, "it\'s", "Select" FROM {table} ORDER BY id').fetchall())


def far(new, old):
    """Return the greatest difference of means and of covariances, in deviations of the original columns."""
    size = old.std(axis=0)
    covariances = np.abs(np.cov(new.T) - np.cov(old.T)) / np.outer(size, size)
    return max((np.abs(new.mean(axis=0) - old.mean(axis=0)) / size).max(), covariances.max())


def linked(con, table):
    data = Microdata(con, table, id="id")
    return data.linkage.distance_linkage("k", COLUMNS, continuous=COLUMNS).expected_correct_matches


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "mask",
    [
        "sdc_noise('k', ['f', 'it''s', 'Select'], 0.4, 'id')",
        "sdc_microaggregate('k', ['f', 'it''s', 'Select'], 5, 'id')",
        "sdc_multiplicative_noise('k', ['f', 'Select'], 0.3, 'id')",
    ],
)
def test_moments_are_those_of_the_original_and_no_more_records_are_linked(k, mask):
    k.execute(f"CREATE OR REPLACE TABLE masked AS FROM {mask}")
    k.execute("DROP TABLE IF EXISTS restored")
    Microdata(k, "masked", id="id").mask.restore_moments(COLUMNS, "k", into="restored")
    old, masked, new = (values(k, table) for table in ("k", "masked", "restored"))
    assert far(masked, old) > 1e-3  # there was something to restore
    assert far(new, old) < 1e-9
    assert linked(k, "restored") <= linked(k, "masked") + 1e-9
    steps = 2.0 ** (np.rint(np.log2(old.std(axis=0))) - 34)
    assert (new / steps == np.rint(new / steps)).all()
    # nothing else is touched, and most records keep their own masked values but for the map
    assert k.execute("SELECT count(*) FROM k JOIN restored AS r USING (id) WHERE k.other = r.other").fetchone() == (N,)


def test_the_map_that_moves_least_and_records_exchanged_where_risk_would_rise():
    """Columns shrunk and turned: the map back links everybody, and as many are exchanged as it takes."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=(80, 2)) * [1, 50] + [0, 1000]
    masked = x.mean(axis=0) + (x - x.mean(axis=0)) * 0.05  # all near the mean: hardly one is linked
    before = compute_link_chances(masked, x).sum()
    new = restore_moments(masked, x, ["a", "b"])
    assert far(new, x) < 1e-9
    assert before < 20
    assert compute_link_chances(new, x).sum() <= before
    # the map is the identity here but for the exchanges: the rows are those of x
    rounded = {tuple(row) for row in np.round(x, 6).tolist()}
    assert {tuple(row) for row in np.round(new, 6).tolist()} == rounded
    # of the covariances alone: a symmetric map, of all with A C_Z A' = C_X that with the least distance
    z = rng.normal(size=(500, 2)) @ [[2.0, 1.0], [0.0, 1.0]]
    y = 3 * rng.normal(size=(500, 2))
    moved = restore_moments(z, y, ["a", "b"])
    other = y.mean(axis=0) + (z - z.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(z.T))).T @ (
        np.linalg.cholesky(np.cov(y.T)).T
    )
    assert np.square(moved - z).sum() < np.square(other - z).sum()


def test_the_chances_are_those_of_the_public_measure(k):
    k.execute("CREATE OR REPLACE TABLE masked AS FROM sdc_noise('k', ['f', 'it''s', 'Select'], 0.2, 'id')")
    assert compute_link_chances(values(k, "masked"), values(k, "k")).sum() == pytest.approx(
        linked(k, "masked"), abs=1e-9
    )


def test_in_place_from_the_macro_and_from_a_file(k, tmp_path):
    k.execute("CREATE OR REPLACE TABLE noisy AS FROM sdc_noise('k', ['f', 'Select'], 0.2, 'id')")
    path = tmp_path / "it's.parquet"
    k.execute("COPY k TO '" + str(path).replace("'", "''") + "' (FORMAT parquet)")
    by_macro = k.execute("FROM sdc_restore_moments('noisy', ['SELECT', 'F'], 'k', 'id') ORDER BY id").fetchall()
    step = Microdata(k, "noisy", id="id").mask.restore_moments(["f", "select"], str(path))
    assert k.execute("FROM noisy ORDER BY id").fetchall() == by_macro
    assert step.parameters["original"] == str(path)


@pytest.mark.one_in(2)
@pytest.mark.parametrize(
    ("masked", "original", "message"),
    [
        ("SELECT * REPLACE (nullif(f, f) AS f) FROM k", "FROM k", "250 records have NULL or NaN"),
        ("FROM k", "SELECT * REPLACE (nullif(f, f) AS f) FROM k", "250 records have NULL or NaN"),
        ("FROM k", "FROM k WHERE id > 3", "of 250 masked records 246 are in the original one"),
        ("FROM k", "SELECT * REPLACE (id + 1 AS id) FROM k", "of 250 masked records 249 are in the original one"),
        ("SELECT * REPLACE (1e0 AS f) FROM k", "FROM k", "a masked column is constant"),
        ('SELECT * REPLACE ("Select" * 2 AS f) FROM k', "FROM k", "others determine it"),
        ("FROM k", "SELECT * REPLACE (1e0 AS f) FROM k", "f is constant in the original"),
        ("FROM k", "SELECT * EXCLUDE (f) FROM k", 'Column "f"'),
        ("FROM k WHERE id < 4", "FROM k WHERE id < 4", "expected at least 5"),
        ("FROM k WHERE id < 0", "FROM k", "has no rows"),
        ("FROM k", "FROM k WHERE id < 0", "has no rows"),
    ],
)
def test_refused(k, masked, original, message):
    k.execute(f"CREATE OR REPLACE TABLE after AS {masked}")
    k.execute(f"CREATE OR REPLACE TABLE before AS {original}")
    with pytest.raises(sdc_sql.InputError, match=message):
        Microdata(k, "after", id="id").mask.restore_moments(COLUMNS, "before")


@pytest.mark.slow
def test_a_release_file_compares_with_its_source_and_a_sample_with_those_drawn(k, tmp_path):
    k.execute("COPY k TO '" + str(tmp_path / "k.parquet") + "' (FORMAT parquet)")
    (tmp_path / "r.toml").write_text("""
        [source]
        path = "k.parquet"
        [roles]
        id = "id"
        released_as_collected = ["other"]
        [[scenarios]]
        name = "s"
        keys = ["Select"]
        limits = ["k_anonymity.2.records <= 250"]
        [[steps]]
        mask = "sample"
        size = 120
        [[steps]]
        mask = "noise"
        columns = ["f", "it's", "Select"]
        alpha = 0.4
        [[steps]]
        mask = "restore_moments"
        columns = ["f", "it's", "Select"]
        [output]
        path = "out.parquet"
        ids = "keep"
        certificate = "c.json"
    """)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        outcome = sdc_sql.run_release(tmp_path / "r.toml")
        assert outcome.accepted, outcome.reasons
        assert sdc_sql.verify(tmp_path / "c.json", tmp_path / "out.parquet", release=tmp_path / "r.toml").holds
    out = f"read_parquet('{tmp_path / 'out.parquet'}')"
    k.execute(f"CREATE OR REPLACE TABLE drawn AS SELECT k.* FROM k SEMI JOIN {out} USING (id)")
    assert len(values(k, "drawn")) == 120
    assert far(values(k, out), values(k, "drawn")) < 1e-9
