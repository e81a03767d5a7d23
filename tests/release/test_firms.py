"""Firms, which are found by their size: a release file holds limits on dominance, by the weights of its roles."""

from __future__ import annotations

import duckdb
import pytest

from sdc_sql.release.running.run import run_release

RELEASE = """
    [source]
    path = "firms.parquet"
    [roles]
    id = "id"
    weight = "w"
    released_as_collected = ["turnover"]
    [figures.firms]
    measure = "dominance"
    value = "turnover"
    n = 1
    share = 0.8
    p = 0.1
    [[scenarios]]
    name = "register"
    keys = ["nace"]
    limits = ["firms.dominated <= 0", "firms.unsafe_records <= 3"]
    [output]
    path = "released.parquet"
"""


@pytest.mark.one_in(2)
@pytest.mark.whole
@pytest.mark.parametrize(("weight", "dominated", "unsafe"), [(1, 1, 3), (40, 0, 0)])
def test_a_release_file_limits_dominance_by_weights(tmp_path, weight, dominated, unsafe):
    """Of food 900 of 1,000 is one firm's, unless it stands for forty as large: 36,000 of 36,100, each a fortieth."""
    with duckdb.connect() as con:
        con.execute(f"COPY (FROM (VALUES (1, 'food', 900, {weight}), (2, 'food', 60, 1), (3, 'food', 40, 1),"
                    f" (4, 'wood', 30, 1), (5, 'wood', 30, 1), (6, 'wood', 30, 1)) AS t(id, nace, turnover, w))"
                    f" TO '{tmp_path}/firms.parquet'")  # fmt: skip
    (tmp_path / "release.toml").write_text(RELEASE)
    outcome = run_release(tmp_path / "release.toml", write=False)
    figures = [limit.figures for limit in outcome.limits]
    assert figures == [{"firms.dominated": dominated}, {"firms.unsafe_records": unsafe}]
    assert outcome.accepted is (dominated == 0)
