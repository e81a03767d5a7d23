"""What a synthetic file tells of its source's records, beside what as many other records of the same population tell.

Couples of the Current Population Survey in two halves by the hash of their ids: one is the source, the other a fresh
sample. Run it for its table: ``python -m pytest -m slow tests/studies -s -k attribution``.
"""

from __future__ import annotations

import pytest

from sdc_sql import Microdata

pytestmark = pytest.mark.slow
KEYS = ["region", "race", "hispanic", "education", "children_under_6", "children_6_to_18"]
TARGETS = ["own_insurance", "husband_insurance", "income_class"]
NUMBERS = ["experience", "hours", "husband_income"]
CLASSES = "least(husband_income // 10, 8)::INTEGER AS income_class"


@pytest.fixture
def con(connect, fixtures):
    """Return a connection with a source, a fresh sample of as many couples, and a synthetic file of the source."""
    con = connect()
    con.execute("SET VARIABLE sdc_key = 'vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U'")
    path = str(fixtures / "cps_couples.parquet")
    con.execute("CREATE TABLE couples AS SELECT * EXCLUDE (weight) FROM read_parquet(?)", [path])
    con.execute(
        "CREATE TABLE halves AS SELECT *, row_number() OVER (ORDER BY md5(couple::VARCHAR)) AS place FROM couples"
    )
    for name, rest in (("source", 0), ("fresh", 1)):
        con.execute(f"CREATE TABLE {name} AS SELECT * EXCLUDE (place) FROM halves WHERE place % 2 = {rest}")
    columns = [name for name, *_ in con.execute("DESCRIBE source").fetchall() if name != "couple"]
    Microdata(con, "source", id="couple").mask.synthesise(columns, into="synthetic")
    for name in ("source", "fresh", "synthetic"):
        con.execute(f"CREATE TABLE {name}_classes AS SELECT *, {CLASSES} FROM {name}")
    return con


def test_attribution_is_that_of_a_fresh_sample(con):
    """CAP by the synthetic file is within 0.02 of CAP by the fresh sample; TCAP is shown beside it."""
    found = {
        name: Microdata(con, f"{name}_classes", keys=KEYS).linkage.correct_attribution("source_classes", TARGETS)
        for name in ("synthetic", "fresh")
    }
    print("\ntarget             file        baseline     CAP  CAP matched    TCAP  targeted")
    for synthetic, fresh in zip(found["synthetic"], found["fresh"], strict=True):
        for name, row in (("synthetic", synthetic), ("fresh", fresh)):
            told = f"{row.baseline:8.4f}{row.cap:8.4f}{row.cap_matched:13.4f}{row.tcap:8.4f}{row.targeted:10}"
            print(f"{row.target:19}{name:12}{told}")
    for synthetic, fresh in zip(found["synthetic"], found["fresh"], strict=True):
        assert synthetic.cap == pytest.approx(fresh.cap, abs=0.02)


def test_large_leaves_copy_nobody_and_small_ones_are_found_out(con):
    """A file by leaves of 400 records has no excess; that by leaves of 5, the default, is seen."""
    columns = [*KEYS, "own_insurance", "husband_covers", "husband_insurance", *NUMBERS]
    drawn = [name for name, *_ in con.execute("DESCRIBE source").fetchall() if name != "couple"]
    Microdata(con, "source", id="couple").mask.synthesise(drawn, k=400, into="coarse")
    found = {}
    for name in ("synthetic", "coarse"):
        released = Microdata(con, name).linkage
        distances = released.holdout_distance("source", "fresh", columns, continuous=NUMBERS)
        members = released.membership("source", "fresh", columns, continuous=NUMBERS)
        print(name, distances, members, sep="\n")
        found[name] = {row.part: row.excess for row in distances}
    assert found["synthetic"]["all"] > 0.1
    assert found["synthetic"]["closest"] > 0.2
    assert max(found["coarse"].values()) <= 0
