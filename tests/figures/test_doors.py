"""A figure by its one name at the doors: the release file with figures of its own, the command line, certificates."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

import sdc_sql
from sdc_sql.cli import main
from sdc_sql.errors import ReleaseFileError
from sdc_sql.release.certifying.sealed import seal_fields

KEY = "vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1xk4U"
OLD = Path(__file__).resolve().parents[2] / "fixtures" / "certificate_1"

PERSONS = "id,f,Select,it's,region\n" + "".join(
    f"{i},{i % 4},{'ab'[i % 2]},{1000 + 37 * i % 900},{'north' if i % 3 else 'south'}\n" for i in range(1, 61)
)
FILE = """
title = "Figures"
[source]
path = "persons.csv"
[roles]
id = "id"
sampling_fraction = 0.1
sensitive = ["region"]
[figures.register]
measure = "k_map"
population = "register.csv"
k = 2
[figures.uniques]
measure = "population_uniqueness"
population_size = 600
[figures.earlier]
measure = "joint_releases"
releases = ["earlier.csv"]
keys = [["Select"]]
k = 2
[figures.intruder]
measure = "perceived_risk"
external = "outside.csv"
columns = ["it's"]
spread = 50
[figures.errors]
measure = "theta_misclassified"
matrices = { Select = "matrix.csv" }
[figures.nearest]
measure = "distance_linkage"
columns = ["f", "it's"]
continuous = ["it's"]
[[scenarios]]
name = "neighbour"
keys = ["f", "Select"]
limits = [%s]
[loss]
columns = ["it's"]
continuous = ["it's"]
limits = [%s]
[[steps]]
mask = "round"
columns = ["it's"]
base = 10
[output]
path = "released.csv"
certificate = "certificate.json"
report = "report.html"
"""
RISKS = [
    "register.records <= 0", "uniques.pr_pu <= 1", "earlier.below_k <= 60", "earlier.1.uniques <= 60",
    "intruder.maximum <= 1", "errors.theta <= 1", "nearest.rate <= 1", "likeness.alpha <= 1",
    "likeness.alpha <= 1 AND NOT l_diversity.distinct_l < 1", "individual_risk.individual_risk <= 1",
    "suda_summary.max_score <= 100", "frequency_summary.cells >= 1", "true_reidentification.rate <= 1",
]  # fmt: skip
LOSSES = ["il1.all.il1 <= 1", "sse_sst.sse_sst <= 1", "propensity.share <= 1"]


def listed(limits):
    return ", ".join(json.dumps(limit) for limit in limits)


@pytest.fixture
def folder(tmp_path):
    for name in ("persons", "register", "earlier"):
        (tmp_path / f"{name}.csv").write_text(PERSONS)
    (tmp_path / "outside.csv").write_text(PERSONS)
    (tmp_path / "matrix.csv").write_text("from,to,probability\na,a,0.9\na,b,0.1\nb,a,0.1\nb,b,0.9\n")
    return tmp_path


def put(folder, risks=RISKS, losses=LOSSES, **changed):
    text = FILE % (listed(risks), listed(losses))
    for old, new in changed.values():
        assert old in text
        text = text.replace(old, new)
    file = folder / "release.toml"
    file.write_text(text)
    return file


@pytest.mark.slow
def test_a_release_file_limits_any_measure(folder):
    with duckdb.connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        outcome = sdc_sql.run_release(put(folder), con)
    assert outcome.reasons == ()
    figures = {name: value for limit in outcome.limits for name, value in limit.figures.items()}
    assert figures["register.records"] == 0
    assert any(name.startswith("earlier.below_k (") for name in figures)
    assert figures["errors.theta"] == 0  # nobody is unique
    assert figures["likeness.alpha (region)"] == pytest.approx(_alpha(PERSONS), rel=1e-12)
    # what needs the original, or another table, is not checked by the released file alone
    checks = sdc_sql.verify(folder / "certificate.json", folder / "released.csv")
    assert checks.holds, checks.failed
    told = {check.field: check.told for check in checks.checks if check.holds is None}
    for place, what in ((0, "the tables of its figures"), (2, "the tables"), (4, "the tables"), (6, "the original")):
        assert f"needs {what}" in told[f"limits[{place}]"]
    fields = {check.field for check in checks.checks if check.holds}
    assert {"limits[1].figures.uniques.pr_pu", "limits[7].figures.likeness.alpha (region)"} <= fields
    # run again, everything holds
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        again = sdc_sql.verify(folder / "certificate.json", folder / "released.csv", release=folder / "release.toml")
    assert again.holds, again.failed


def _alpha(text):
    """Return the greatest share of a region in a cell of f and Select, counted in Python."""
    cells: dict[tuple[str, str], list[str]] = {}
    for line in text.splitlines()[1:]:
        _, f, select, _, region = line.split(",")
        cells.setdefault((f, select), []).append(region)
    return max(rows.count(r) / len(rows) for rows in cells.values() for r in rows)


WRONG = {
    "the wrong side": (["k_anonymity.3.records > 0"], [], {}, "scenarios[0].limits[0]",
                       "Write k_anonymity.3.records <= 0"),
    "a linkage among losses": ([], ["nearest.rate <= 1"], {}, "loss.limits[0]", "is risk: put the limit under [[scen"),
    "a loss among risks": (["il1.il1 <= 1"], [], {}, "scenarios[0].limits[0]", "is loss: put the limit under [loss]"),
    "an old name": (["suda.max_score <= 1"], [], {}, "scenarios[0].limits[0]", "before 0.2.0: write suda_summary.max"),
    "what is lacking": (["k_map.records <= 0"], [], {}, "scenarios[0].limits[0]",
                        'k_map needs population, as in [figures.k_map] with measure = "k_map" and population = ...'),
    "a weight": (["global_risk.percent <= 1"], [], {"f": ("sampling_fraction = 0.1\n", "")}, "scenarios[0].limits[0]",
                 "global_risk needs roles.weight or roles.sampling_fraction"),
    "before": (["before.k_anonymity.3.records <= 0"], [], {}, "scenarios[0].limits[0]", "leave before out"),
    "no measure": (RISKS, [], {"m": ('measure = "k_map"', 'measure = "k_mop"')}, "figures.register",
                   "did you mean k_map"),
    "no field": (RISKS, [], {"m": ("k = 2\n[figures.uniques]", "kk = 2\n[figures.uniques]")}, "figures.register.kk",
                 "there is no such field"),
    "no file": (RISKS, [], {"m": ('population = "register.csv"', 'population = "nowhere.csv"')},
                "figures.register.population", "there is no file"),
    "out of range": (RISKS, [], {"m": ("population_size = 600", "population_size = 0")},
                     "figures.uniques.population_size", "at least 1"),
    "a measure's name": (RISKS, [], {"m": ("[figures.register]", "[figures.theta]")}, "figures.theta", "another name"),
    "no column": (RISKS, [], {"m": ('columns = ["f", "it\'s"]', 'columns = ["g"]')}, "figures.nearest.columns[0]",
                  "'g'"),
    "no table": (RISKS, [], {"m": ("[figures.register]\n", "[figures]\nx = 1\n[figures.register]\n")},
                 "figures.x", "names no measure"),
}  # fmt: skip


@pytest.mark.slow
def test_what_is_wrong_is_told_with_its_place(folder):
    wrong = []
    for case, (risks, losses, changed, place, words) in WRONG.items():
        with pytest.raises(ReleaseFileError) as raised:
            sdc_sql.read_release(put(folder, risks or RISKS, losses or LOSSES, **changed))
        if not any(problem.startswith(place) and words in problem for problem in raised.value.problems):
            wrong.append((case, raised.value.problems))
    assert wrong == []


@pytest.mark.slow
def test_the_command_line(folder, capsys):
    file, register = str(folder / "persons.csv"), folder / "register.csv"
    given = ["risk", file, "--keys", "f,Select", "--sampling-fraction", "0.1"]
    figure = ["--figure", f"register=k_map(population='{register}', k=2)"]
    assert main([*given, *figure, "--require", "register.records <= 0", "--require", "suda_summary.msus <= 99"]) == 0
    assert main([*given, *figure, "--require", "register.least >= 61", "--json"]) == 3
    out, err = capsys.readouterr()
    assert "limit does not hold: register.least >= 61" in err
    found = json.loads(out[out.index("{") :])
    assert (found["exceeded"], found["register"]["k"]) == (["register.least >= 61"], 2)
    assert main([*given, *figure, "--json"]) == 0  # asked for by name: told, also where no limit names it
    assert json.loads(capsys.readouterr().out)["register"]["k"] == 2
    for arguments, words in (
        (["--require", "k_anonymity.3.records > 0"], "Write k_anonymity.3.records <= 0."),
        (["--fail-if", "k_anonymity.3.records <= 0"], "Write k_anonymity.3.records > 0."),
        (["--require", "k_map.records <= 0"], "Give --population."),
        (["--require", "household_global_risk.percent <= 1"], "Give --household."),
        (["--require", "t_closeness.t <= 1"], "Give --sensitive."),
        (["--require", "il1.il1 <= 1"], "Give both files: sdc-sql compare."),
        ([*figure, *figure], "--figure register is given twice"),
        (["--figure", "x=k_map(populace=a)"], "k_map takes no populace"),
    ):  # fmt: skip
        assert main([*given, *arguments]) == 2, arguments
        assert words in capsys.readouterr().err
    released = folder / "released.csv"
    released.write_text(PERSONS)
    compared = ["compare", file, str(released), "--keys", "f,Select", "--id", "id", "--columns", "f"]
    limits = ["--require", "distance_linkage.rate <= 1", "--require", "before.suda_summary.msus <= 99",
              "--fail-if", "matrix.f.distance > 0"]  # fmt: skip
    assert main([*compared, *limits, "--figure", "matrix=direct_distance(columns=[f])"]) == 0


@pytest.mark.slow
def test_a_certificate_of_before_verifies_and_its_release_file_is_told_of():
    found = sdc_sql.verify(OLD / "certificate.json", OLD / "released.csv")
    assert found.holds, found.failed
    assert sum(check.holds is True for check in found.checks) >= 18
    with pytest.raises(ReleaseFileError) as raised:
        sdc_sql.read_release(OLD / "release.toml")
    told = "\n".join(raised.value.problems)
    for new in ("frequency_summary.sample_uniques", "suda_summary.max_score", "l_diversity.distinct_l",
                "t_closeness.t", "household_global_risk.expected", "threshold_rule_summary.unsafe"):  # fmt: skip
        assert f"before 0.2.0: write {new}" in told
    text = (OLD / "certificate.json").read_text()
    assert "attribute.distinct_l" in text  # as it was written then


@pytest.mark.slow
def test_a_certificate_of_before_that_was_changed_fails(tmp_path):
    released = tmp_path / "released.csv"
    released.write_text((OLD / "released.csv").read_text().replace("flu", "cold", 1))
    assert "output.digest" in sdc_sql.verify(OLD / "certificate.json", released).failed


@pytest.mark.slow
def test_a_threshold_of_before_is_checked_where_a_record_can_break_it(tmp_path):
    """The weights are 10 and more: nobody could break 2, which is an error now; 40 can be broken, and is compared."""
    said = json.loads((OLD / "certificate.json").read_text())
    said = {name: value for name, value in said.items() if name not in {"marks", "digest"}}
    (rule,) = (i for i, limit in enumerate(said["limits"]) if limit["limit"].startswith("threshold_rule"))
    for threshold, compared in ((2, False), (40, True)):
        said["scenarios"][0]["threshold"] = threshold
        file = tmp_path / f"{threshold}.json"
        file.write_text(json.dumps(seal_fields(said)))
        checks = sdc_sql.verify(file, OLD / "released.csv").checks
        of_rule = [check for check in checks if check.field.startswith((f"limits[{rule}]", "scenarios[0].limits[6]"))]
        assert [check.holds is not None for check in of_rule] == [compared] * len(of_rule) != []
