"""A masking or recoding swept over its parameters: what is measured is what the release would be."""

from __future__ import annotations

import sys
from itertools import pairwise

import pytest

import sdc_sql
from sdc_sql import ColumnError, MissingPackageError, ParameterError
from sdc_sql.frontier.found import FrontierCandidate
from sdc_sql.microdata import call_method

RISK, LOSS = "true_reidentification.rate", "distribution_distance.hellinger"
LEVELS = {
    "w": sdc_sql.interval_hierarchy(range(20, 33), [[24, 28], [28]]),
    "Se'lect": sdc_sql.Hierarchy((("a", "ab", "*"), ("b", "ab", "*"), ("c", "c", "*"), (None, None, "*"))),
}
KEYS = ["age", "sex", "region", "education"]


@pytest.fixture
def keyed(con):
    """Return a loaded connection with a key."""
    return con.execute("SET VARIABLE sdc_key = 'qX8vT5-0fQmXr2LzKp8_YdWc3NhGu7JbSaEo9iRtM1x'")


@pytest.fixture
def odd(keyed):
    """Return a table named k, with a key, columns f and Se'lect and NULL among the values."""
    keyed.execute('CREATE TABLE k (f INTEGER, "Se\'lect" VARCHAR, k DOUBLE, w INTEGER)')
    rows = [(i, ["a", "b", "c", None][i * 7 % 4], i * 3 % 11, 20 + i * 5 % 13) for i in range(60)]
    keyed.executemany("INSERT INTO k VALUES (?, ?, ?, ?)", rows)
    return keyed


def described(con, table="k"):
    return sdc_sql.Microdata(con, table, keys=["Se'lect", "w"], id="f", sampling_fraction=0.1)


STEPS = [
    ("pram_retention", {"columns": "se'lect", "retention": 0.6}),
    ("noise", {"columns": ["w"], "alpha": 0.5}),
    ("pram_retention", {"columns": ["Se'lect"], "retention": 0.7}),
    ("microaggregate", {"columns": ["w"], "k": 3}),
    ("local_suppression", {"k": 2}),
]


@pytest.mark.slow
def test_the_figures_are_those_of_the_table_masked(odd):
    """Step after step, the second draws of a column among them."""
    data = described(odd)
    candidates = [STEPS[: n + 1] for n in range(len(STEPS))]
    found = data.frontier(candidates, ("theta.theta", {}), (LOSS, {"columns": ["w", "se'lect"]}), max_risk=1)
    source = "k"
    for n, ((method, arguments), measured) in enumerate(zip(STEPS, found, strict=True)):
        into = f"release_{n}"
        call_method(described(odd, source), method, **arguments, into=into)
        source, released = into, described(odd, into)
        assert measured.risk == released.risk.theta().theta
        assert measured.loss == released.loss.distribution_distance("k", ["Se'lect", "w"])[0].hellinger
    assert found[0].loss < found[-1].loss


@pytest.mark.slow
def test_nothing_is_masked_and_nothing_stays(odd):
    before = odd.execute("FROM k ORDER BY f").fetchall(), odd.execute("SHOW ALL TABLES").fetchall()
    data = described(odd)
    data.frontier([STEPS[:2], STEPS[1]], "theta.theta", LOSS)
    with pytest.raises(ParameterError):
        data.frontier([("pram_retention", {"columns": "Se'lect", "retention": 2})], "theta.theta", LOSS)
    assert (odd.execute("FROM k ORDER BY f").fetchall(), odd.execute("SHOW ALL TABLES").fetchall()) == before


@pytest.mark.slow
def test_draws_go_on_where_the_table_was_masked_before(odd):
    """The second pass over a column: other draws than those of its log."""
    odd.execute("CREATE TABLE once AS FROM k")
    described(odd, "once").mask.pram_retention("Se'lect", 0.6)
    measured = described(odd, "once").frontier([STEPS[0]], "theta.theta", LOSS)[0]
    described(odd, "once").mask.pram_retention("Se'lect", 0.6, into="twice")
    assert (
        measured.loss == described(odd, "twice").loss.distribution_distance("once", ["Se'lect", "w"])[0].hellinger > 0
    )


@pytest.mark.slow
def test_a_part_of_the_records(odd):
    """The figures are those of the part, masked as it would be."""
    measured = described(odd).where("w < 28").frontier([STEPS[0]], "frequency_summary.cells", LOSS)[0]
    odd.execute("CREATE TABLE other AS FROM k")
    described(odd, "other").where("w < 28").mask.pram_retention("Se'lect", 0.6)
    odd.execute("CREATE VIEW released AS FROM other WHERE w < 28; CREATE VIEW original AS FROM k WHERE w < 28")
    released = described(odd, "released")
    assert measured.risk == released.risk.frequency_summary().cells
    assert measured.loss == released.loss.distribution_distance("original", ["Se'lect", "w"])[0].hellinger


def test_recodings_that_were_previewed(odd):
    data = described(odd)
    previews = data.mask.preview_recodings(LEVELS, "all", weight=10)
    found = data.frontier(previews, "sample_uniques", "hellinger", utility="-loss - risk / 60")
    assert [(c.risk, c.loss) for c in found] == [(p.sample_uniques, p.hellinger) for p in previews]
    assert [c.candidate for c in found] == [f"Se'lect: {p.level_names[0]}, w: {p.level_names[1]}" for p in previews]
    best = max((c for c in found if c.undominated), key=lambda c: -c.loss - c.risk / 60)
    assert found.chosen == best
    assert found.chosen.utility == pytest.approx(-best.loss - best.risk / 60)
    assert found.undominated == sorted((c for c in found if c.undominated), key=lambda c: c.risk)


def test_a_figure_that_is_not_known_is_never_chosen(odd):
    data = sdc_sql.Microdata(odd, "k", keys=["Se'lect", "w"])  # without a sampling fraction there is no theta
    found = data.frontier(data.mask.preview_recodings(LEVELS), "theta", "hellinger", max_risk=1, utility="-loss")
    assert {(c.risk, c.undominated, c.chosen) for c in found} == {(None, None, False)}
    assert found.chosen is None
    with pytest.raises(ParameterError, match="nothing to draw"):
        found.plot("nowhere.svg")


@pytest.mark.slow
def test_the_k_of_k_anonymity_and_the_worst_of_several(odd):
    data, step = described(odd), [("rank_swap", {"column": "w", "p": 10})]
    three = data.frontier(step, "k_anonymity.3.records", LOSS)[0].risk
    assert data.frontier(step, ("k_anonymity.records", {"k": 3}), LOSS)[0].risk == three
    assert data.frontier(step, "k_anonymity.2.records", LOSS)[0].risk < three


REFUSED = [
    ({"candidates": []}, ParameterError, "empty"),
    ({"candidates": "noise"}, ParameterError, "a candidate is a step"),
    ({"candidates": [("noise",)]}, ParameterError, "A candidate is a tuple of 1"),
    ({"candidates": [("theta", {})]}, ParameterError, "'theta' is no masking method"),
    ({"candidates": [("drop_identifiers", {"columns": ["w"]})]}, ParameterError, "no masking method"),
    ({"candidates": [("noise", {"columns": ["w"], "alpha": 1, "into": "t"})]}, ParameterError, "leave out into"),
    ({"candidates": [("noise", {"columns": ["w"], "size": 1})]}, ParameterError, "'size'; its arguments are columns"),
    ({"candidates": [("noise", {"columns": ["nowhere"], "alpha": 1})]}, ColumnError, "nowhere"),
    ({"candidates": [FrontierCandidate("a", 0, 0.1, 0.2, undominated=True, chosen=False), 3]}, ParameterError, "kinds"),
    ({"risk": "theta"}, ParameterError, "risk is 'theta': it must be a figure of a measure"),
    ({"risk": "noise.records"}, ParameterError, "There is no measure 'noise'"),
    ({"risk": "theta.nothing"}, ParameterError, "theta has no figure 'nothing': it has records"),
    ({"risk": "l_diversity.entropy_l"}, ParameterError, "of which a low value is risk"),
    ({"risk": "t_closeness.t"}, ParameterError, "t_closeness needs sensitive"),
    ({"risk": "household_global_risk.percent"}, ParameterError, "household_global_risk needs household"),
    ({"loss": "distribution_distance.columns"}, ParameterError, "has no figure 'columns'"),
    ({"loss": 3}, ParameterError, "loss is 3"),
    ({"max_risk": float("nan")}, ParameterError, "finite"),
    ({"utility": "(SELECT 1)"}, ParameterError, "The utility is"),
    ({"utility": "-loss - w"}, ParameterError, "'w' is none of it"),
]  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("changed", "error", "words"), REFUSED)
def test_what_cannot_be_swept_is_refused(odd, changed, error, words):
    given = {"candidates": [STEPS[3]], "risk": "theta.theta", "loss": LOSS} | changed
    with pytest.raises(error, match=words):
        described(odd).frontier(**given)


STRENGTHS = [
    [("pram_retention", {"columns": ["education"], "retention": r}) for r in (0.95, 0.8, 0.5)],
    [("noise", {"columns": ["age"], "alpha": alpha}) for alpha in (0.001, 0.01, 0.1)],
    [("microaggregate", {"columns": ["age"], "k": k}) for k in (100, 1000, 5000)],
    [("rank_swap", {"column": "age", "p": p}) for p in (1, 5, 20)],
    [("local_suppression", {"k": k}) for k in (2, 5)],
]


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(sdc_sql.Microdata, "true_reidentification"), reason="there is no such measure yet")
@pytest.mark.one_in(5)
@pytest.mark.parametrize("steps", STRENGTHS, ids=lambda steps: steps[0][0])
def test_risk_falls_and_hellinger_rises_with_the_strength_of_each_method(keyed, fixtures, steps):
    keyed.execute(f"CREATE TABLE workers AS FROM '{fixtures}/cps_workers.parquet'")
    found = sdc_sql.Microdata(keyed, "workers", keys=KEYS, id="person").frontier(steps, RISK, LOSS)
    assert found[0].risk < 3685 / 61395  # of the file as it is: each of its cells has one right link
    assert all(a.risk > b.risk for a, b in pairwise(found))
    assert all(0 < a.loss < b.loss for a, b in pairwise(found))
    assert all(c.undominated for c in found)


def test_risk_falls_and_hellinger_rises_with_the_levels_of_a_key(con, fixtures):
    con.execute(f"CREATE TABLE workers AS FROM '{fixtures}/cps_workers.parquet'")
    data = sdc_sql.Microdata(con, "workers", keys=["age", "sex", "region"])
    ages = sdc_sql.interval_hierarchy(range(21, 65), [[*range(25, 65, 5)], [*range(30, 65, 10)], [40]])
    others = {key: sdc_sql.tree_hierarchy({"*": names}) for key, names in
              (("sex", ["female", "male"]), ("region", ["midwest", "northeast", "south", "west"]))}  # fmt: skip
    levels = [{"age": level} for level in range(5)]
    found = data.frontier(
        data.mask.preview_recodings({"age": ages} | others, levels, weight=1400),
        "expected_reidentifications",
        "hellinger",
    )
    assert all(a.risk > b.risk and a.loss < b.loss for a, b in pairwise(found))
    assert found[0].loss == 0


@pytest.mark.slow
def test_the_map_as_pixels(odd, tmp_path):
    pytest.importorskip("matplotlib", reason="the extra plot is not installed")
    previews = described(odd).mask.preview_recodings(LEVELS, "all")
    found = described(odd).frontier(previews, "sample_uniques", "hellinger", max_risk=1)
    found.plot(tmp_path / "map.PNG")
    assert (tmp_path / "map.PNG").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "map.PNG").stat().st_mode & 0o777 == 0o600  # for its owner alone, unless asked otherwise


def test_the_map_is_drawn_without_a_further_package(odd, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = described(odd).frontier([STEPS[3]], "theta.theta", LOSS)
    for name in ("map.svg", "again.svg"):
        found.plot(tmp_path / name, readable="group")
    svg = (tmp_path / "map.svg").read_bytes()
    assert svg == (tmp_path / "again.svg").read_bytes()
    for shown in ("loss (", "disclosure risk (theta.theta)", "on the frontier"):
        assert f">{shown}" in svg.decode()
    assert (tmp_path / "map.svg").stat().st_mode & 0o777 == 0o640
    with pytest.raises(ParameterError, match=r"give a path that ends in \.svg, \.html, \.md, \.png, \.pdf"):
        found.plot(tmp_path / "map.txt")


def test_without_matplotlib_the_error_says_how_to_install_it(odd, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    found = described(odd).frontier([STEPS[3]], "theta.theta", LOSS)
    with pytest.raises(MissingPackageError, match="sdc-sql\\[plot\\]"):
        found.plot(tmp_path / "map.png")
