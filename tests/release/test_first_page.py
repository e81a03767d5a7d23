"""The first page of the internal report: each of its figures counted anew, one sheet of paper, and nothing left out."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import duckdb
import pytest
from browser import Browser, find_chromium, measure_fill
from household_and_firm import write_firms, write_households

from sdc_sql import Microdata
from sdc_sql.document.blocks import Gauge, Table
from sdc_sql.release.reading.read import read_release
from sdc_sql.release.reporting.internal.closest import format_beside, rank_limits
from sdc_sql.release.reporting.internal.felt import _measure_mean
from sdc_sql.release.reporting.internal.first_page import list_cover_blocks
from sdc_sql.release.reporting.internal_report import internal_page, internal_report
from sdc_sql.release.running.run import run_release

KEY = "Zk3vQ9xT1bW7mLs5dHf8yRpN2cGjU4aE6oXiKtVw0qM"
FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
NAMES = ("cps_couples", "lfs", "cis")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", params=[*NAMES, write_households, write_firms], ids=[*NAMES, "households", "firms"])
def outcome(request, tmp_path_factory):
    """Return the outcome of the couples, the two surveys of the handbook, a household file with labels, and firms."""
    folder = tmp_path_factory.mktemp("released")
    if request.param is write_households:
        pytest.importorskip("pyreadstat")
        pytest.importorskip("polars")
    file = FIXTURES / f"{request.param}.toml" if isinstance(request.param, str) else request.param(folder)
    with duckdb.connect() as con, pytest.MonkeyPatch.context() as patch:
        patch.setenv("SDC_KEY", KEY)
        plan = read_release(file, output_folder=folder / "out")
        yield run_release(replace(plan, intruder=0), con=con, write=False)


def find_tables(outcome) -> dict[str, Table]:
    return {block.title: block for block in list_cover_blocks(outcome) if isinstance(block, Table)}


def count_below(con, table: str, keys, k: int, *, wildcard: bool) -> int:
    """Return the records with fewer than k alike, pair by pair: NULL agrees with all where it is a wildcard."""
    listed = ", ".join(f'"{key}"' for key in keys)
    cells = con.sql(f"SELECT {listed}, count(*) FROM {table} GROUP BY ALL").fetchall()
    found = 0 if wildcard else sum(records for *_, records in cells if records < k)
    for *own, records in cells if wildcard else ():
        alike = sum(
            n for *other, n in cells
            if all(a == b or a is None or b is None for a, b in zip(own, other, strict=True))
        )  # fmt: skip
        found += records if alike < k else 0
    return found


def test_values_that_were_changed_and_are_missing_are_counted_anew(outcome):
    con, id_ = outcome.original.con, outcome.plan.roles.id
    sides = [f"{data.table}" for data in (outcome.original, outcome.released)]
    before, after = ({row[0]: row for row in con.sql(f'SELECT "{id_}", * FROM {table}').fetchall()} for table in sides)
    names = [[c.lower() for c in con.table(table).columns] for table in sides]
    left = {id_.lower(), str(outcome.plan.roles.household).lower()}
    changed, gone = {}, {}
    for name in (n for n in names[1] if n in names[0] and n not in left):
        i, j = (of.index(name) + 1 for of in names)
        pairs = [(before[person][i], row[j]) for person, row in after.items()]
        alike = {type(a) for a, _ in pairs if a is not None} == {type(b) for _, b in pairs if b is not None}
        changed[name] = sum((a != b) if alike or a is None or b is None else (str(a) != str(b)) for a, b in pairs)
        gone[name] = sum(a is not None and b is None for a, b in pairs)
    rows = find_tables(outcome)["What users of the file will feel"].rows
    whole = len(after) * len(changed)
    for (_, figure, where), counted in zip(rows[:2], (changed, gone), strict=True):
        assert figure.startswith(f"{sum(counted.values()):,} of {whole:,}, ")
        if not any(counted.values()):
            assert where == "none"
            continue
        name, _, share = where.removeprefix("most: ").partition(", ")
        assert counted[name.lower()] == max(counted.values())
        assert float(share.split()[0]) == pytest.approx(100 * counted[name.lower()] / len(after), rel=5e-3)


def test_the_least_overlap_of_estimates_is_that_of_their_intervals(outcome):
    # the interval of a quantile is not about it: that of the test of estimates
    about = [one for one in outcome.estimates if one.estimate.arguments["statistic"] != "quantile"]
    rows = [row for one in about for row in one.rows if row["overlap"] is not None]
    if not rows:
        pytest.skip("the release file names no estimate")
    z = 1.959963984540054

    def overlap(row):
        (low, high), (lower, higher) = (
            (row[name] - z * row[f"error_{name}"], row[name] + z * row[f"error_{name}"]) for name in ("before", "after")
        )
        both = min(high, higher) - max(low, lower)
        return (both / (high - low) + both / (higher - lower)) / 2

    _, figure, where = find_tables(outcome)["What users of the file will feel"].rows[2]
    least = min(overlap(row) for row in rows if row["error_before"] and row["error_after"])
    if where.removeprefix("most: ") in {one.estimate.title for one in outcome.estimates if one not in about}:
        assert float(figure) <= least
    else:
        assert float(figure) == pytest.approx(least, rel=2e-2)


def test_the_greatest_change_of_a_mean_is_that_of_weighted_means(outcome):
    words, figure, where = find_tables(outcome)["What users of the file will feel"].rows[2]
    if not words.startswith("change of a mean"):
        pytest.skip("the release file names estimates")
    con, weight = outcome.original.con, outcome.plan.roles.weight
    changes = {}
    for name in outcome.plan.loss.continuous:
        before, after = (
            con.sql(
                f'SELECT sum("{name}" * "{weight}") / sum("{weight}") FILTER ("{name}" IS NOT NULL) FROM {d.table}'
            ).fetchall()[0][0]
            for d in (outcome.original, outcome.released)
        )
        changes[name] = 100 * abs(after - before) / abs(before)
    assert where == max(changes, key=changes.get)
    assert float(figure.split()[0]) == pytest.approx(max(changes.values()), rel=1e-2)


@pytest.mark.parametrize(("before", "after"), [("0.5 * i", "NULL"), ("NULL", "NULL"), ("NULL", "0.5 * i")])
def test_a_number_without_any_value_has_no_mean_that_changes(con, before, after):
    for name, value in (("o", before), ("r", after)):
        con.execute(f"CREATE TABLE {name} AS SELECT i AS id, ({value})::DOUBLE AS x FROM range(30) t(i)")
    sides = SimpleNamespace(original=Microdata(con, "o", id="id"), released=Microdata(con, "r", id="id"))
    assert _measure_mean(sides, "x") is None


def test_records_below_k_are_counted_pair_by_pair(outcome):
    rows = next(t for title, t in find_tables(outcome).items() if "limits that hold" in title).rows
    named = {scenario.scenario.name: scenario for scenario in outcome.scenarios}
    checked = 0
    for words, before, after, *_ in rows:
        found = re.fullmatch(r"(.+?): Records that violate (\d+)-anonymity: fewer than \2 .*share their keys", words)
        scenario = named[found[1]] if found else None
        if scenario is None or (len(scenario.scenario.keys) > 5 and outcome.plan.path.stem != "cps_couples"):
            continue
        # members complete one another where a household is named, and its numbers leave
        wild = [how == "wildcard" for how in (scenario.nulls_before, scenario.nulls_after)]
        counted = [
            count_below(outcome.original.con, data.table, scenario.scenario.keys, int(found[2]), wildcard=w)
            for data, w in zip((outcome.original, outcome.released), wild, strict=True)
        ]
        assert [int(value.replace(",", "")) for value in (before, after)] == counted, words
        checked += 1
    assert checked


def test_the_tightest_limits_come_first_and_every_limit_is_counted(outcome):
    ranked = rank_limits(outcome)
    tables = find_tables(outcome)
    shown = next(t for title, t in tables.items() if title.startswith("The ") and "hold" in title)
    used = [g.measure_use(g.after) for *_, g in shown.rows]
    zero = [g.limit == 0 for *_, g in shown.rows]
    assert zero == sorted(zero, reverse=True)  # a limit of 0 leaves no room
    rest = [use for use, none in zip(used, zero, strict=True) if not none]
    assert rest == sorted(rest, reverse=True)
    assert all(isinstance(row[-1], Gauge) for row in shown.rows)
    assert len(shown.rows) == min(8, len(ranked))  # nothing fails
    text = internal_report(outcome, "markdown").partition("## 1. ")[0]
    more = re.search(r"(\d+) more holds?; section 6", text)
    assert len(shown.rows) + (int(more[1]) if more else 0) == len(outcome.limits)


def test_what_does_not_hold_stands_first_and_the_rest_of_it_is_counted(outcome):
    broken = [replace(o, holds=False) for o in outcome.limits * 3]
    refused = replace(outcome, limits=(*broken, outcome.limits[0]))
    text = internal_report(refused, "markdown").partition("## 1. ")[0]
    rows = [line for line in text.splitlines() if " | at " in line]
    assert [row.startswith("| DOES NOT HOLD: ") for row in rows] == [True] * 5 + [False] * (len(rows) - 5)
    assert text.index("**REFUSED**") < text.index("What does not hold, then the limits that hold") < text.index(rows[0])
    assert f"{len(broken) - 5} more do not hold" in text
    assert "SHA-256" not in text


def test_what_nobody_judged_is_not_said_to_be_broken_nor_to_hold(outcome):
    first = outcome.limits[0]
    unmeasured = replace(first, holds=False, judged=False, found="not measured; a person has to look at it")
    text = internal_report(replace(outcome, limits=(unmeasured, first)), "markdown").partition("## 1. ")[0]
    assert "DOES NOT HOLD" not in text
    assert "| NOT JUDGED: " in text
    assert "What nobody has judged, then" in text
    looked = replace(unmeasured, holds=True)
    whole = internal_report(replace(outcome, limits=(looked, looked, first)), "markdown")
    assert "**ACCEPTED**: every limit holds; 2 of them rest on a person's word." in whole
    assert "2 more were not measured and rest on a person's word; section 6" in whole
    assert whole.count("| a person has looked |") == 2


def test_an_estimate_that_is_lost_comes_before_the_overlap_of_others(outcome):
    if not outcome.estimates:
        pytest.skip("the release file names no estimate")
    one = outcome.estimates[0]
    lost = replace(one, rows=({**one.rows[0], "after": None, "overlap": None}, *one.rows[1:]))
    row = find_tables(replace(outcome, estimates=(lost, *outcome.estimates[1:])))[
        "What users of the file will feel"
    ].rows[2]
    assert row[0] == "users' estimates that can no longer be made"
    assert row[1].startswith("1 of ")
    assert row[2].startswith(one.estimate.title)


def test_each_stage_begins_with_its_answer(outcome):
    page = internal_page(outcome)
    assert [section.title[0] for section in page.sections] == list("123456")
    for section in page.sections:
        first = section.blocks[0]
        assert re.search(r"[a-z]", first.text), section.title
        assert first.text.endswith(".")


def test_no_name_of_the_release_file_is_left_where_words_are(outcome):
    text = internal_report(outcome, "markdown")
    for raw in ("steps[", "steps\\[", "k_anonymity.", "recode_intervals", "local_suppression", " inf ", "nan"):
        assert raw not in text, raw


def test_a_rounded_figure_stays_on_its_side_of_the_limit():
    for value, bound in ((0.0500004, 0.05), (0.04999996, 0.05), (1.0000000001, 1.0), (999.9999, 1000.0)):
        shown = float(format_beside(value, bound).replace(",", ""))
        assert (shown > bound) == (value > bound)
        assert (shown < bound) == (value < bound)


@pytest.mark.skipif(find_chromium() is None or shutil.which("pdftotext") is None, reason="no Chromium, or no poppler")
def test_it_is_one_sheet(outcome, tmp_path):
    """The verdict and the lines to sign are on the first page, the first stage on the second: also of a long one."""
    refused = replace(outcome, limits=tuple(replace(o, holds=i > 9) for i, o in enumerate(outcome.limits * 3)))
    browser = Browser(tmp_path / "chromium")
    try:
        for one in (outcome, refused):
            browser.show(internal_report(one))
            browser.print_pages(tmp_path / "report.pdf")
            command = ["pdftotext", "-layout", "-l", "2", tmp_path / "report.pdf", "-"]
            pages = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\f")
            assert "ACCEPTED" in pages[0] or "REFUSED" in pages[0]
            assert pages[0].count("Signature") == 2
            assert "1. Why confidentiality" in pages[1]
            fill = measure_fill(tmp_path / "report.pdf", tmp_path)
            assert [share for share in fill[:-1] if share < 0.6] == [], [f"{share:.0%}" for share in fill]
    finally:
        browser.close()


def test_it_is_well_formed(outcome):
    ET.fromstring(internal_report(outcome).replace("<!DOCTYPE html>", ""))  # noqa: S314 - a page of our own
