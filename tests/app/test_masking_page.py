"""The steps Protect, Compare and Release as they are used: from collected couples to a release."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib

import duckdb
import pytest
from driven_page import KEY, ROOT, go_to, list_violations, wait_until_idle

from sdc_sql.app.draft import format_release

pytestmark = pytest.mark.slow
FIXTURES = ROOT / "fixtures"
SAID = tomllib.loads((FIXTURES / "cps_couples.toml").read_text())
HURT = '<img src=x onerror="window.hurt=1">'
LONG = 120_000  # milliseconds: a machine may be busy


@pytest.fixture
def begin(start, visit, tmp_path):
    """Return what opens a file whose columns and scenarios are decided already."""

    def go(said, source=FIXTURES / "cps_couples.parquet"):
        file = tmp_path / source.name
        shutil.copy(source, file)
        name = hashlib.sha256(f"{file.resolve()}\0".encode()).hexdigest()[:16]
        folder = tmp_path / "state" / "sdc-sql" / "app" / name
        folder.mkdir(parents=True)
        (folder / "release.toml").write_text(format_release({**said, "source": {"path": str(file)}}))
        page = visit(start(file).wait_for_address())
        page.set_default_timeout(LONG)
        page.file = folder / "release.toml"
        page.folder = tmp_path
        return page

    return go


def read_steps(page):
    return tomllib.loads(page.file.read_text()).get("steps", [])


def choose(page, method, column=None):
    page.select_option("#protect-method", method)
    page.wait_for_function(f"() => document.querySelector('#protect-method').value === '{method}'")
    wait_until_idle(page)
    if column:
        page.select_option("#protect-columns", column)
        wait_until_idle(page)


def apply(page, number):
    page.click("#protect-apply")
    page.wait_for_selector(f".worksteps > li >> nth={number - 1}")
    wait_until_idle(page)


def fill(page, field, text):
    if not page.is_visible(field):
        page.click("#protect-more summary")
    page.fill(field, text)
    page.keyboard.press("Tab")
    wait_until_idle(page)


def choose_option(page, field, value):
    if not page.is_visible(field):
        page.click("#protect-more summary")
    page.select_option(field, value)
    wait_until_idle(page)


def test_couples_from_the_first_step_to_a_release_that_the_command_line_makes_too(begin):  # noqa: PLR0915 - one way
    said = {name: SAID[name] for name in ("roles", "scenarios", "loss", "release")}
    said |= {"scenarios": SAID["scenarios"][:1], "intruder": {"records": 0}}  # each run takes half of the time then
    page = begin({**said, "steps": [], "output": {"path": "couples-released.parquet"}})
    go_to(page, "protect")
    page.wait_for_selector("#protect-now")
    assert "of 5 limits hold" in page.inner_text("#protect_now")

    # cut points by buttons, a slider and numbers; what they would do is told exactly, and nothing is changed yet
    choose(page, "sdc_recode_intervals", "children_under_6")
    for i, value in enumerate(("0", "1", "2")):
        page.click("#protect-add")
        page.wait_for_selector(f"#protect-break-{i}")
        page.fill(f"#protect-break-{i}", value)
        page.keyboard.press("Tab")
        wait_until_idle(page)
    page.locator("#protect-slide-2").fill("3")
    page.wait_for_function("() => document.querySelector('#protect-break-2').value === '3'")
    page.locator("#protect-slide-2").fill("2")
    page.wait_for_function("() => document.querySelector('#protect-break-2').value === '2'")
    choose_option(page, "#protect-ends", "open_above")
    page.wait_for_selector("#protect-risk")
    assert "Exact, of all 22,272 records" in page.inner_text("#protect_preview")
    first = page.inner_text("#protect-risk tbody tr:nth-child(2)").split()
    assert {"581", "473"} <= {*first}, first
    assert read_steps(page) == []
    apply(page, 1)
    assert read_steps(page) == [SAID["steps"][0]]

    choose(page, "sdc_recode_intervals", "children_6_to_18")
    page.fill("#protect-even", "3")
    page.keyboard.press("Tab")
    page.wait_for_selector("#protect-break-1")
    wait_until_idle(page)
    page.click("#protect-cut-0")
    page.wait_for_selector("#protect-break-1", state="detached")
    apply(page, 2)

    # a sample says that it is one, and judges nothing; in full it does
    choose(page, "sdc_local_suppression")
    page.select_option("#protect-scenario", "nosy neighbour")
    wait_until_idle(page)
    fill(page, "#protect-k", "3")
    page.click("#protect-sample")
    page.wait_for_selector("#protect_preview .sample")
    shown = page.inner_text("#protect_preview")
    assert "10,000 records" in shown
    assert "All would take about" in shown
    assert "hold" not in page.inner_text("#protect-risk")
    page.click("#protect-full")
    page.wait_for_selector("#protect-risk .holds")
    apply(page, 3)
    assert read_steps(page)[2] == {"mask": "local_suppression", "scenario": "nosy neighbour", "k": 3}

    choose(page, "sdc_top_bottom_code", "husband_income")
    choose_option(page, "#protect-unit", "quantile")
    fill(page, "#protect-top", "0.99")
    apply(page, 4)
    choose(page, "sdc_microaggregate")
    for name in ("hours", "husband_income"):
        page.get_by_label(name, exact=True).check()
        wait_until_idle(page)
    fill(page, "#protect-k", "3")
    page.click("#protect-full")
    page.click("#stop-protect_full")
    page.wait_for_selector("text=was stopped")
    wait_until_idle(page)
    assert list_violations(page) == []
    apply(page, 5)

    # moved, switched off, edited; undone and done again
    before = read_steps(page)
    page.click("#protect-up-1")
    page.wait_for_function("() => document.querySelector('.worksteps strong').textContent.includes('children_6_to_18')")
    assert read_steps(page)[0] == before[1]
    page.click("#undo")
    page.wait_for_function("() => document.querySelector('.worksteps strong').textContent.includes('children_under_6')")
    page.click("#protect-switch-1")
    page.wait_for_selector(".worksteps .off")
    assert len(read_steps(page)) == 4
    page.reload()
    page.wait_for_selector(".worksteps .off")
    page.click("#undo")
    page.wait_for_selector(".worksteps .off", state="detached")
    page.click("#redo")
    page.wait_for_selector(".worksteps .off")
    page.click("#protect-switch-1")
    page.wait_for_selector(".worksteps .off", state="detached")
    assert read_steps(page) == before
    wait_until_idle(page)
    page.click("#protect-edit-1")
    page.wait_for_selector(".worksteps .editing")
    page.fill("#protect-break-0", "3")
    page.keyboard.press("Tab")
    wait_until_idle(page)
    page.click("#protect-apply")
    page.wait_for_selector(".worksteps .editing", state="detached")
    assert read_steps(page)[1]["breaks"] == [3]
    page.wait_for_selector("#protect-now")
    wait_until_idle(page)

    go_to(page, "compare")
    page.wait_for_selector("#compare-tried")
    page.select_option("#compare-column", "husband_income")
    page.select_option("#estimate-statistic", "mean")
    page.select_option("#estimate-variable", "husband_income")
    page.select_option("#estimate-by", "region")
    page.click("#estimate-add")
    page.wait_for_selector("#compare_estimates table")
    wait_until_idle(page)
    assert "Their intervals overlap" in page.inner_text("#compare_estimates")
    assert not page.query_selector(".step .problem")
    assert list_violations(page) == []

    page.click("#to-release")
    page.wait_for_selector(".points")
    assert "roles.released_as_collected" in page.inner_text("#release_verdict")
    page.click("#to-look")
    page.get_by_label("What experience is").select_option("released_as_collected")
    page.wait_for_function("() => document.querySelector('#to-look .stands').textContent.startsWith('all ')")
    page.click("#to-release")
    page.wait_for_selector("#release-keep")
    page.fill("#release-title", "Couples")
    page.fill("#release-officer", HURT)
    page.fill("#release-folder", str(page.folder / "released"))
    for name in ("report", "public_report", "certificate"):
        page.check(f"#release-writes-{name}")
    page.click("#release-keep")
    page.wait_for_function("() => document.querySelector('#release_file').textContent.includes('certificate = ')")
    page.wait_for_selector("#release-document-public_report")
    assert "accepted" in page.inner_text("#release_verdict .verdict")
    assert list_violations(page) == []
    with page.expect_popup() as opened:
        page.click("#release-document-report")
    opened.value.wait_for_load_state()
    assert opened.value.query_selector("h1")
    assert opened.value.evaluate("window.hurt") is None
    opened.value.close()
    page.click("#release-write")
    page.wait_for_selector("#release_write .verdict.good")
    page.click("#release-verify")
    page.wait_for_selector("#release-checks")
    assert "verified" in page.inner_text("#release_write")
    assert page.complaints == []
    assert all(KEY not in str(frame) for frame in page.frames_seen)

    # the command line makes the same bytes of the release file, in another folder
    ours, kept = page.folder / "released", page.folder / "kept"
    ours.rename(kept)  # the internal report names the folder that it is written to
    own = page.folder / "copied" / page.file.name
    own.parent.mkdir()
    shutil.copy(page.file, own)
    environment = {**os.environ, "SDC_KEY": KEY}
    command = [sys.executable, "-m", "sdc_sql", "release", str(own), "--output-folder", str(ours)]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    names = sorted(file.name for file in ours.iterdir())
    assert len(names) == 4
    assert names == sorted(file.name for file in kept.iterdir())
    for name in names:
        assert (ours / name).read_bytes() == (kept / name).read_bytes(), name


@pytest.fixture
def hurting(tmp_path):
    """Return a file whose columns and values are names that a page must not take for its own."""
    path = tmp_path / "given" / "k.parquet"
    path.parent.mkdir()
    with duckdb.connect() as con:
        con.execute(
            f"""COPY (
                SELECT i AS id, (i * 7 % 50)::INTEGER AS '{HURT}', i % 3 || '{HURT}' AS "Select" FROM range(401) r(i)
            ) TO '{path}'"""
        )
    return path


def test_a_release_that_is_refused_says_why_and_writes_nothing(begin, hurting):
    with duckdb.connect() as con:  # counted without any of our code
        ((few,),) = con.execute(
            f"""SELECT sum(n)::BIGINT FROM (
                SELECT count(*) AS n FROM '{hurting}' GROUP BY "{HURT.replace('"', '""')}", "Select" HAVING n < 3
            )"""
        ).fetchall()
    scenario = {"name": "one", "keys": [HURT, "Select"], "limits": ["k_anonymity.3.records <= 0"]}
    output = {"path": "refused.parquet", "certificate": "refused.json"}
    page = begin({"roles": {"id": "id"}, "scenarios": [scenario], "output": output}, hurting)
    page.click("#to-release")
    page.wait_for_selector("#release-limits")
    assert "refused" in page.inner_text("#release_verdict .verdict")
    assert "does not hold" in page.inner_text("#release-limits")
    assert page.query_selector("#release-document-report")
    assert not page.query_selector("#release-document-public_report")
    page.click("#release-write")
    page.wait_for_selector("#release_write .verdict.bad")
    assert f"k_anonymity.3.records is {few}" in page.inner_text("#release_write")
    assert few > 0
    assert not [*page.folder.glob("refused*")]
    assert page.complaints == []


def test_what_is_typed_at_once_stays_and_so_does_what_was_refused(begin, hurting):
    scenario = {"name": "one", "keys": [HURT, "Select"], "limits": ["k_anonymity.3.records <= 0"]}
    page = begin({"roles": {"id": "id"}, "scenarios": [scenario], "output": {"path": "k-released.csv"}}, hurting)
    go_to(page, "release")  # the browser knows the form from now on
    page.wait_for_selector("#release-keep")
    page.click("#to-look")
    page.select_option("#look-role-2", "drop")
    page.wait_for_function("() => document.querySelector('#undo').title.includes('not needed')")
    page.evaluate(
        "() => { window.drawn = 0; jQuery(document).on('shiny:bound', (event) => { if (event.target.id === "
        "'release_form') new MutationObserver(() => { window.drawn += event.target.querySelector('form') ? 1 : 0; })"
        ".observe(event.target, { childList: true }); }); }"
    )
    page.click("#to-release")
    page.fill("#release-title", "Persons")
    page.check("#release-writes-report")
    page.fill("#release-folder", "no whole path")
    wait_until_idle(page)
    assert page.input_value("#release-title") == "Persons"
    assert page.evaluate("window.drawn") <= 1
    page.click("#undo")  # the form is drawn anew under what was typed
    page.wait_for_function("() => document.querySelector('#redo').title.includes('not needed')")
    wait_until_idle(page)
    assert page.input_value("#release-title") == "Persons"
    page.click("#release-keep")
    page.wait_for_selector("#release_form .problem")
    assert page.input_value("#release-title") == "Persons"
    assert page.input_value("#release-folder") == "no whole path"
    assert page.is_checked("#release-writes-report")
    page.fill("#release-folder", str(page.folder / "released"))
    page.click("#release-keep")
    page.wait_for_selector("#release_form .problem", state="detached")
    page.wait_for_function("() => document.querySelector('#release_file').textContent.includes('Persons')")
    assert page.input_value("#release-folder") == str(page.folder / "released")
    assert page.complaints == []


def test_names_and_values_are_never_part_of_the_page(begin, hurting):
    scenario = {"name": HURT, "keys": [HURT, "Select"], "limits": ["k_anonymity.3.records <= 0"]}
    page = begin(
        {"title": HURT, "roles": {"id": "id"}, "scenarios": [scenario], "output": {"path": "k-released.csv"}}, hurting
    )
    go_to(page, "protect")
    choose(page, "sdc_recode_intervals", HURT)
    page.fill("#protect-even", "3")
    page.keyboard.press("Tab")
    page.wait_for_selector("#protect-risk")
    apply(page, 1)
    page.click("#best-search")
    page.wait_for_selector("#protect-proposals, #protect_best .hint >> nth=1")
    go_to(page, "compare")
    page.wait_for_selector("#compare-tried")
    page.click("#to-release")
    page.wait_for_selector("#release-limits")
    assert page.evaluate("window.hurt") is None
    assert not page.query_selector("img")
    assert page.complaints == []


def test_a_step_is_tried_applied_and_moved_by_the_keyboard_alone(begin, hurting):
    scenario = {"name": "one", "keys": [HURT, "Select"], "limits": ["k_anonymity.3.records <= 0"]}
    said = {"roles": {"id": "id"}, "scenarios": [scenario], "steps": [{"mask": "round", "columns": [HURT], "base": 5}]}
    page = begin({**said, "output": {"path": "k-released.csv"}}, hurting)

    def reach(target):
        for _ in range(80):
            if page.evaluate("document.activeElement?.id") == target:
                return
            page.keyboard.press("Tab")
        pytest.fail(f"{target} is not reached")

    page.keyboard.press("Tab")
    reach("to-protect")
    page.keyboard.press("Enter")
    page.wait_for_selector("#protect-now")
    wait_until_idle(page)
    reach("protect-method")
    page.keyboard.type("Top bottom")
    page.keyboard.press("Tab")
    wait_until_idle(page)
    assert page.input_value("#protect-method") == "sdc_top_bottom_code"
    reach("protect-columns")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    wait_until_idle(page)
    page.focus("#protect-more summary")
    page.keyboard.press("Enter")
    reach("protect-top")
    page.keyboard.type("40")
    page.keyboard.press("Tab")
    page.wait_for_selector("#protect-apply")
    wait_until_idle(page)
    reach("protect-apply")
    page.keyboard.press("Enter")
    page.wait_for_selector(".worksteps > li >> nth=1")
    wait_until_idle(page)
    page.focus("#to-protect")
    reach("protect-up-1")
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('.worksteps strong').textContent.startsWith('Top')")
    assert [step["mask"] for step in read_steps(page)] == ["top_bottom_code", "round"]
    assert page.complaints == []
