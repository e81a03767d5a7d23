"""Where a fifth of the records or more are sample uniques, every door says that estimates of risk may be too low."""

from __future__ import annotations

import json
import warnings

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.errors import ManyUniquesWarning, WeightError
from sdc_sql.risk.many_uniques import describe_many_uniques

SAID = "per cent of the records are sample uniques"
ESTIMATES = ["global_risk", "individual_risk", "cell_risk", "household_risk", "household_global_risk"]


def describe(alone, together, weight="30.0"):
    """Return a table of records that are alone with their keys, and of pairs; its names are awkward."""
    con = duckdb.connect()
    con.execute(
        f"CREATE TABLE k AS SELECT i AS id, CASE WHEN i < {alone} THEN i ELSE -((i - {alone}) // 2) - 1 END AS f, "
        f'NULL::INT AS "Sel""ect", {weight} AS w, i // 2 AS h FROM range({alone + together}) t(i)'
    )
    return sdc_sql.Microdata(con, "k", keys=["f", 'Sel"ect'], weight="w", household="h", id="id")


def test_headers_say_of_these_that_they_underestimate_and_of_no_others():
    assert {f"sdc_{name}" for name in ESTIMATES} == {one.name for one in read_catalogue() if one.underestimates}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ESTIMATES)
def test_each_estimate_warns_from_a_fifth_of_the_records_on(name):
    with pytest.warns(ManyUniquesWarning, match=f"^20 {SAID} .* may be too low. Recode the keys first") as found:
        getattr(describe(2, 8).risk, name)()
    assert [one.filename for one in found] == [__file__]  # the line that asked
    with warnings.catch_warnings():
        warnings.simplefilter("error", ManyUniquesWarning)
        getattr(describe(2, 10).risk, name)()


@pytest.mark.parametrize(
    ("share", "how_low"), [(0.2, "may be too low"), (0.49, "may be too low"), (0.5, "may be far too low")]
)
def test_from_half_of_the_records_on_they_are_far_too_low(share, how_low):
    assert how_low in describe_many_uniques(share)


def test_of_a_whole_population_nothing_is_estimated_and_nothing_said():
    with warnings.catch_warnings():
        warnings.simplefilter("error", ManyUniquesWarning)
        assert describe(6, 2, "1.0").risk.global_risk().expected_reidentifications == 7  # a cell each
    assert sdc_sql.risk_report(describe(6, 2, "1.0")).many_uniques is None


def test_weights_that_cannot_be_used_are_an_error_still():
    with pytest.raises(WeightError):
        describe(6, 2, "0.4").risk.individual_risk()


@pytest.mark.slow
@pytest.mark.whole
def test_the_report_says_it_once_beside_the_estimates_and_does_not_warn():
    data = describe(6, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ManyUniquesWarning)
        report = sdc_sql.risk_report(data)
    assert report.many_uniques == describe_many_uniques(0.75)
    assert report.to_dict()["many_uniques"] == report.many_uniques
    for text in (str(report), report._repr_html_(), report.to_html(), report.to_markdown()):
        assert text.count(SAID) == 1
    (risks,) = [section for section in report.page().sections if section.title == "Individual and global risk"]
    assert risks.blocks[0].text == report.many_uniques
    fewer = sdc_sql.risk_report(describe(2, 10))
    assert fewer.many_uniques is None
    assert "many_uniques" not in fewer.to_dict()
    without = sdc_sql.Microdata(data.con, "k", keys=["f"])
    assert sdc_sql.risk_report(without).many_uniques is None  # nothing is estimated


@pytest.mark.slow
def test_a_comparison_notes_it_of_each_side():
    data = describe(6, 2)
    data.mask.local_suppression(2, into="released")
    released = sdc_sql.Microdata(data.con, "released", keys=data.keys, weight="w", id="id", nulls="wildcard")
    notes = [note for note in released.compare(data).notes if SAID in note]
    assert [note.partition(":")[0] for note in notes] == ["before masking"]


@pytest.mark.slow
@pytest.mark.whole
@pytest.mark.filterwarnings("default::sdc_sql.errors.ManyUniquesWarning")
def test_the_command_line_says_it(tmp_path, capsys):
    file = str(tmp_path / "k.parquet")
    describe(6, 2).con.table("k").write_parquet(file)
    assert main(["risk", file, "--keys", "f", "--weight", "w", "--json"]) == 0
    assert SAID in json.loads(capsys.readouterr().out)["many_uniques"]
    for name in ("global_risk", "individual_risk", "household_global_risk"):
        assert main(["measure", name, file, "f", "w", *(["h"] if "household" in name else [])]) == 0
        assert f"sdc-sql: warning: 75 {SAID}" in capsys.readouterr().err
    assert main(["measure", "frequency_summary", file, "f"]) == 0
    assert SAID not in capsys.readouterr().err
    describe(2, 10).con.table("k").write_parquet(file)
    assert main(["measure", "global_risk", file, "f", "w"]) == 0
    assert SAID not in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.whole
def test_a_release_says_it_in_its_report_and_on_the_command_line(tmp_path, capsys):
    describe(6, 2).con.table("k").write_parquet(str(tmp_path / "k.parquet"))
    (tmp_path / "release.toml").write_text(
        'source.path = "k.parquet"\noutput.path = "out.parquet"\noutput.report = "report.md"\n'
        'roles = {id = "id", weight = "w", drop = ["h", "Sel\\"ect"]}\n'
        '[[scenarios]]\nname = "a"\nkeys = ["f"]\nlimits = ["global_risk.percent < 50"]\n'
    )
    assert main(["release", str(tmp_path / "release.toml")]) == 0
    assert f"sdc-sql: warning: scenario 'a': 75 {SAID}" in capsys.readouterr().err
    assert (tmp_path / "report.md").read_text().count(SAID) == 2  # before and after
