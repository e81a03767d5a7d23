"""Local suppression in a series by release files and on the command line: two nights, and what is told of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.errors import SdcError
from tests import series_world as world

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow  # whole releases, one after another

FILE = """
release = "{release}"
[source]
path = "{source}.parquet"
[roles]
id = "id"
[[scenarios]]
name = "neighbour"
keys = ["age", "sex", "region"]
limits = ["k_anonymity.3.records <= 0"]
nulls = "category"
[[steps]]
mask = "local_suppression"
keys = ["age", "sex", "region"]
k = 3
[series]
ledger = "s.ledger"
name = "persons"
weakened = "{weakened}"
disk_encrypted = true
{after}
[output]
path = "{release}.csv"
ids = "keep"
certificate = "{release}.json"
report = "{release}.html"
"""


@pytest.fixture
def nights(connect, tmp_path):
    """Return a folder with the tables of two nights, between which some move to another region."""
    with connect() as con:
        for name in world.make_nights(con, "move", 500, 3, 9)[:2]:
            path = f"{tmp_path}/{name.replace(' ', '_')}.parquet"
            con.execute(f"COPY (SELECT id::BIGINT AS id, age, sex, region FROM \"{name}\") TO '{path}'")
    return tmp_path


def run(folder: Path, release: str, source: str, weakened: str, after: str = ""):
    path = folder / f"{release}.toml"
    told = f'after = "{after}"' if after else ""
    path.write_text(FILE.format(release=release, source=source, weakened=weakened, after=told))
    said: list[str] = []
    return sdc_sql.run_release(path, progress=said.append), said


@pytest.mark.parametrize("weakened", ["leave_out", "new_id"])
def test_release_files(nights, monkeypatch, connect, weakened):
    """The file has new ids in the place of those that ended, at no place that tells; the report counts them."""
    monkeypatch.setenv("SDC_KEY", world.KEY)
    first, _ = run(nights, "one", "move_0", weakened)
    assert first.accepted
    second, said = run(nights, "two", "move_1", weakened, "one.json")
    assert second.accepted
    with connect() as con:
        read = f"SELECT count(*), count(*) FILTER (id < 0), list(id) FROM '{nights}/two.csv'"
        ((records, given, ids),) = con.execute(read).fetchall()
        stays = con.execute(f"""
            SELECT count(*) FROM '{nights}/one.csv' a JOIN '{nights}/two.csv' b USING (id)
            WHERE (a.age, a.sex, a.region) IS DISTINCT FROM (b.age, b.sex, b.region)""").fetchall()
    assert stays == [(0,)]
    assert ids == sorted(ids)
    counts = second.kept["series_counts"]
    if weakened == "leave_out":
        assert given == 0
        assert records == 500 - counts["left_out"]
        assert counts["left_out"] > 3
        assert not any(str(counts["left_out"]) in line for line in said if "record" in line)
        assert any("the internal report counts them" in line for line in said)
    else:
        assert given == counts["new_ids"] > 3
        assert records == 500
    report = (nights / "two.html").read_text(encoding="utf-8")
    assert "could not go on as they were released" in report
    found = sdc_sql.verify(nights / "two.json", nights / "two.csv", release=nights / "two.toml")
    assert found.holds, found


def test_on_the_command_line(nights, monkeypatch, capsys):
    monkeypatch.setenv("SDC_KEY", world.KEY)
    given = [
        "--columns", "age,sex,region", "--k", "3", "--id", "id", "--ledger", str(nights / "c.ledger"), "--series", "p",
        "--disk-encrypted", "--weakened", "new_id",
    ]  # fmt: skip
    head = ""
    for n in (0, 1):
        after = ["--after", head] if head else []
        source, out = (str(nights / f"{name}_{n}.parquet") for name in ("move", "out"))
        call = ["mask", "local_suppression", source, "--output", out, *given, "--series-release", str(n), *after]
        assert main(call) == 0
        told = capsys.readouterr().err
        head = told.rpartition("--after ")[2].split()[0]
    assert "--series-counts FILE" in told
    assert "another id" not in told
    assert json.dumps(head)
    with pytest.raises(SystemExit):
        main(["mask", "local_suppression", source, "--output", out + "x", *given[:-1], "elsewhere"])


def test_a_second_suppression(nights, connect, tmp_path):
    """Two suppressions of one release give no two ids to a record; of other keys they may both leave records out."""
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [world.KEY])
        con.execute(f"CREATE TABLE t AS FROM '{nights}/move_0.parquet'")
        series = sdc_sql.Series(tmp_path / "x", "p", "one", weakened="new_id", disk_encrypted=True)
        data = sdc_sql.Microdata(con, "t", id="id", series=series)
        data.mask.local_suppression(3, keys=["age", "sex"])
        with pytest.raises(SdcError, match="would give other ids than the first"):
            data.mask.local_suppression(3, keys=["region"])
