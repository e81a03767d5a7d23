"""What is for one release only: two of Höhne's noise that keeps sums give the originals, and the second is refused."""

from __future__ import annotations

import duckdb
import numpy as np
import pytest

import sdc_sql
from sdc_sql.errors import InputError

SUMS = {"method": "hoehne_sum", "spread": 0.02}


@pytest.fixture
def firms(keyed):
    keyed.execute("CREATE TABLE k AS SELECT i AS id, exp((i * 7919 % 997) / 200) AS f, i % 2 AS s FROM range(300) t(i)")
    return sdc_sql.Microdata(keyed, "k", id="id")


@pytest.mark.slow
def test_two_releases_give_originals_and_the_log_refuses_the_second(firms):
    con = firms.con
    firms.mask.multiplicative_noise("f", 0.1, into="a", **SUMS)
    # SQL has no log: the attack
    con.execute("CREATE TABLE b AS FROM sdc_multiplicative_noise('k', ['f'], 0.1, 'id', 'hoehne_sum', 0.02, 's')")
    x, a, b = (np.array(con.execute(f"SELECT f FROM {t} ORDER BY id").fetchall()) for t in ("k", "a", "b"))
    assert (np.abs((a + b) / 2 / x - 1) < 1e-9).mean() > 0.25
    firms.mask.multiplicative_noise("f", 0.1, into="again", **SUMS)  # the same release
    assert con.execute("SELECT count(*) FROM again JOIN a USING (id) WHERE again.f = a.f").fetchone() == (300,)
    for given in ({"stratum": "s"}, {"release": "2"}, {"stream": "x"}, {"spread": 0.03}):
        with pytest.raises(InputError, match="was masked by multiplicative_noise with method 'hoehne_sum' already"):
            firms.mask.multiplicative_noise("F", 0.1, into="second", **SUMS | given)
    with pytest.raises(InputError, match="already"):
        firms.where("s = 1").mask.multiplicative_noise("f", 0.1, into="second", **SUMS)
    with pytest.raises(InputError, match="already"):  # the copy, masked once more in strata
        sdc_sql.Microdata(con, "a", id="id").mask.multiplicative_noise("f", 0.1, stratum="s", **SUMS)
    con.execute("INSERT INTO k VALUES (1000, 77, 1)")
    with pytest.raises(InputError, match="already"):
        firms.mask.multiplicative_noise("f", 0.1, **SUMS)
    firms.mask.multiplicative_noise("s", 0.1, into="other", **SUMS)  # another column
    firms.mask.multiplicative_noise("f", 0.1, into="plain")


def test_of_a_file_too(keyed, tmp_path):
    keyed.execute(f"COPY (SELECT i AS id, i + 1.0 AS f, i % 2 AS s FROM range(50) t(i)) TO '{tmp_path}/it''s.parquet'")
    data = sdc_sql.Microdata(keyed, f"{tmp_path}/it's.parquet", id="id")
    data.mask.multiplicative_noise("f", 0.1, into="a", **SUMS)
    with pytest.raises(InputError, match="already"):
        data.mask.multiplicative_noise("f", 0.1, stratum="s", into="b", **SUMS)


@pytest.mark.slow
def test_without_spread_two_values_are_left_and_it_is_refused(firms):
    with pytest.raises(InputError, match=r"spread is 0\.0; expected at least a tenth of the size"):
        firms.mask.multiplicative_noise("f", 0.1, method="hoehne_sum")
    with pytest.raises(duckdb.Error, match=r"spread is 0\.0; expected at least a tenth"):
        firms.con.execute("FROM sdc_multiplicative_noise('k', ['f'], 0.1, 'id', method := 'hoehne_sum')").fetchall()
