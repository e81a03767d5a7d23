"""What a board asks of a release stands in the internal report as it is given, and as missing where it is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import duckdb
import pytest

from sdc_sql.errors import ReleaseFileError
from sdc_sql.release.reading.governance import FIELDS
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.running.run import run_release

if TYPE_CHECKING:
    from pathlib import Path

RELEASE = """
    [source]
    path = "persons.parquet"
    [roles]
    released_as_collected = ["sex"]
    [[scenarios]]
    name = "neighbour"
    {text}
    keys = ["age"]
    limits = ["k_anonymity.2.records <= 0"]
    [intruder]
    records = 0
    {governance}
    [output]
    path = "released.parquet"
    report = "internal.md"
    annex = "annex.md"
    public_report = "public.md"
"""


def write(folder: Path, text: str = "", governance: str = "") -> Path:
    with duckdb.connect() as con:
        con.execute(f"""
            COPY (SELECT 20 + i % 9 AS age, ['f', 'm'][1 + i % 2] AS sex FROM range(90) t(i))
            TO '{folder}/persons.parquet'""")
    (folder / "release.toml").write_text(RELEASE.format(text=text, governance=governance))
    return folder / "release.toml"


def test_what_is_given_is_told_and_what_is_not_is_missing(tmp_path):
    given = """
    [governance]
    legal_basis = "Statistics Act, § 7 <b>"
    access = "scientific"
    safe_people = "researchers | under contract"
    """
    run_release(write(tmp_path, 'text = "A colleague who knows ages."', given))
    told, public = ((tmp_path / name).read_text(encoding="utf-8") for name in ("internal.md", "public.md"))
    assert "A colleague who knows ages." in told
    assert "Statistics Act, § 7" in told
    assert "scientific use: researchers under contract have the file" in told
    # on the first page: whom it is about; by whom
    assert told.count("not given") == len(FIELDS) - 3 + 2
    assert "Statistics Act" not in public
    assert "colleague" not in public


def test_records_at_risk_stand_in_the_annex_alone(tmp_path):
    """One of 200 is alone by his age, 119, which no other column and no limit tells."""
    path = write(tmp_path)
    with duckdb.connect() as con:
        con.execute(f"""
            COPY (SELECT CASE WHEN i = 0 THEN 119 ELSE 20 + i % 7 END AS age, ['f', 'm'][1 + i % 2] AS sex
                  FROM range(200) t(i)) TO '{tmp_path}/persons.parquet'""")
    path.write_text(path.read_text().replace("k_anonymity.2.records <= 0", "k_anonymity.2.records <= 1"))
    run_release(path)
    annex, internal, public = (
        (tmp_path / name).read_text(encoding="utf-8") for name in ("annex.md", "internal.md", "public.md")
    )
    assert "| 119 |" in annex
    assert "in the annex, annex.md" in internal
    assert "| 119 |" not in internal
    assert "annex" not in public


def test_nothing_given_is_said_to_be_missing(tmp_path):
    run_release(write(tmp_path))
    told = (tmp_path / "internal.md").read_text(encoding="utf-8")
    # the scenario; on the first page: whom it is about, to whom, by which access, on which basis, by whom
    assert told.count("not given") == len(FIELDS) + 1 + 5
    assert "Who such an intruder is, and why he knows these keys: not given." in told


@pytest.mark.parametrize(
    ("governance", "words"),
    [
        ('[governance]\naccess = "all"', "governance.access: it is 'all': one of public, scientific, secure"),
        ("[governance]\nofficer = 7", "governance.officer"),
        ('[governance]\nsafe_place = "here"', "safe_place"),
        ('governance = "none"', "governance"),
    ],
)
def test_wrong_fields_are_named(tmp_path, governance, words):
    with pytest.raises(ReleaseFileError) as caught:
        read_release(write(tmp_path, governance=governance))
    assert words in str(caught.value)
