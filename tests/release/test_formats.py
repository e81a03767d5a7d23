"""Stata and SPSS files are read and written, with the labels that still hold."""

from __future__ import annotations

import datetime as dt

import duckdb
import pytest

from sdc_sql import MissingPackageError, TableError, read_release, run_release
from sdc_sql.release.running import formats

ENDINGS = {".dta": "dta", ".sav": "sav"}
FILE = """
[source]
path = "raw{ending}"
[roles]
id = "id"
weight = "weight"
released_as_collected = ["name", "born"]
[[scenarios]]
name = "neighbour"
keys = ["age", "Select"]
limits = ["k_anonymity.2.records <= 0"]
[[steps]]
mask = "recode"
column = "age"
breaks = [0, 40, 80]
[output]
path = "released{out}"
"""


@pytest.fixture(params=ENDINGS)
def file(request, tmp_path):
    pyreadstat, polars = pytest.importorskip("pyreadstat"), pytest.importorskip("polars")
    frame = polars.DataFrame(
        {
            "id": [1, 2, 3, 4], "age": [30, 31, 50, 60], "Select": [1, 1, 2, 2], "name": ["é", "", None, "it's"],
            "weight": [1.5, 2.0, 2.5, 3.0], "born": [dt.date(1990, 1, 2), None, dt.date(1970, 3, 4), None],
        }
    )  # fmt: skip
    getattr(pyreadstat, f"write_{ENDINGS[request.param]}")(
        frame, str(tmp_path / f"raw{request.param}"), column_labels={"age": "age in years", "Select": "chosen"},
        variable_value_labels={"Select": {1: "yes", 2: "no"}, "age": {30: "thirty"}},
    )  # fmt: skip
    written = tmp_path / "release.toml"
    written.write_text(FILE.format(ending=request.param, out=request.param))
    return written


@pytest.mark.one_in(2)
def test_labels_are_kept_to_the_end_where_values_are_still_codes(file, con):
    outcome = run_release(file, con)
    frame, meta = formats._read_package(outcome.written[0])
    assert meta.column_names_to_labels["age"] == "age in years"
    assert meta.variable_value_labels == {"Select": {1: "yes", 2: "no"}}
    assert frame.columns == ["age", "Select", "name", "weight", "born"]
    assert frame.rows() == [
        ("0-39", 1.0, "é", 1.5, dt.date(1990, 1, 2)), ("0-39", 1.0, "", 2.0, None),
        ("40-79", 2.0, "", 2.5, dt.date(1970, 3, 4)), ("40-79", 2.0, "it's", 3.0, None),
    ]  # fmt: skip


@pytest.mark.one_in(2)
def test_codes_that_mean_others_now_lose_their_labels(file, con):
    text = file.read_text().replace(
        'column = "age"\nbreaks = [0, 40, 80]', 'column = "Select"\nmapping = {1 = 2, 2 = 1}'
    )
    text = text.replace('keys = ["age", "Select"]', 'keys = ["Select"]').replace('"born"]', '"born", "age"]')
    file.write_text(text)
    outcome = run_release(file, con)
    assert formats._read_package(outcome.written[0])[1].variable_value_labels == {"age": {30: "thirty"}}


@pytest.mark.one_in(2)
def test_whole_numbers_are_whole_in_another_format(file, con, tmp_path):
    file.write_text(file.read_text().replace(f'"released{file_ending(tmp_path)}"', '"released.parquet"'))
    outcome = run_release(file, con)
    types = duckdb.from_parquet(str(outcome.written[0]))
    assert dict(zip(types.columns, map(str, types.types), strict=True)) == {
        "age": "VARCHAR", "Select": "BIGINT", "name": "VARCHAR", "weight": "DOUBLE", "born": "DATE",
    }  # fmt: skip


def file_ending(folder):
    return next(p.suffix for p in folder.iterdir() if p.stem == "raw")


@pytest.mark.usefixtures("file")
def test_what_is_no_such_file_is_told(tmp_path):
    raw = tmp_path / f"raw{file_ending(tmp_path)}"
    raw.write_bytes(b"no such file")
    with pytest.raises(TableError, match="cannot be read as a"):
        formats.list_file_columns(raw)


def test_without_the_package_it_is_said_what_to_install(tmp_path, monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(formats, "import_module", missing)
    (tmp_path / "release.toml").write_text(FILE.format(ending=".sav", out=".csv"))
    with pytest.raises(MissingPackageError, match=r"sdc-sql\[formats\]"):
        read_release(tmp_path / "release.toml")
