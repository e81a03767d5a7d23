"""The whole way through the page: a raw file becomes an accepted release, which the command line makes too."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib

import duckdb
import pytest
from driven_page import (
    KEY,
    ROOT,
    accept_proposals,
    apply_step,
    choose_method,
    find_file,
    go_to,
    list_violations,
    wait_until_idle,
)

pytestmark = pytest.mark.slow
COUPLES = ROOT / "fixtures" / "cps_couples.parquet"
RECODE = tomllib.loads((ROOT / "fixtures" / "cps_couples.toml").read_text())["steps"][0]
HURT = '<img src=x onerror="window.hurt=1">'
LONG = 120_000  # milliseconds: a machine may be busy


def read_release(page):
    return tomllib.loads(page.file.read_text(encoding="utf-8"))


def read_steps(page):
    return read_release(page).get("steps", [])


def wait_for_undo(page, words):
    page.wait_for_function(f"() => document.querySelector('#undo').title.includes('{words}')")
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


def test_couples_from_the_raw_file_to_a_release_that_the_command_line_makes_too(start, visit, tmp_path):
    file = tmp_path / COUPLES.name
    shutil.copy(COUPLES, file)
    app = start(file)
    page = visit(app.wait_for_address())
    page.set_default_timeout(LONG)
    page.file, page.folder = find_file(app), tmp_path
    look(page)
    say_who_might_look(page)
    see_the_risk(page)
    recode(page)
    order_the_steps(page)  # while there are few: each order is worked through
    protect_by_records(page)
    compare(page)
    release(page)
    assert page.complaints == []
    assert len("".join(map(str, page.frames_seen))) > 10_000
    assert all(KEY not in str(frame) for frame in page.frames_seen)
    assert KEY not in page.content()
    assert KEY not in "".join(app.lines)
    release_by_the_command_line(page)


def look(page):
    wait_until_idle(page)
    assert list_violations(page) == []
    accept_proposals(page)
    assert page.inner_text("#to-look .stands") == "all 14 columns decided"
    for name in ("own_insurance", "husband_covers", "husband_insurance"):
        page.get_by_label(f"What {name} is").select_option("released_as_collected")
        wait_for_undo(page, f"{name}: ")
    page.fill("#look-fraction", "0.0006")
    page.click("#look-fraction-set")
    wait_for_undo(page, "the sampling fraction")
    assert read_release(page)["roles"]["sampling_fraction"] == 0.0006


def say_who_might_look(page):
    go_to(page, "scenarios")
    page.fill("#scenario-0-name", "nosy neighbour")
    page.keyboard.press("Tab")
    wait_for_undo(page, "scenario: name")
    page.fill("#limit-0-bound", "10")
    page.click("#limit-0-add")
    page.wait_for_selector(".fails")
    page.fill("#scenario-0-text", "A neighbour knows the household.")
    page.fill("#scenario-0-threshold", "20000")
    page.keyboard.press("Tab")
    wait_for_undo(page, "scenario: threshold")
    page.wait_for_selector(".fails")
    assert "does not hold" in page.inner_text("#limits-0-table")
    scenario = read_release(page)["scenarios"][0]
    assert scenario["limits"] == ["k_anonymity.3.records <= 10"]
    assert scenario["text"] == "A neighbour knows the household."
    assert scenario["threshold"] == 20000
    # a wrong limit is told where it was written, stays there, and changes nothing
    page.click("#limit-0-more summary")
    page.fill("#limit-0-text", "k_anonymity.3.records >= 10")
    page.click("#limit-0-write")
    assert "k_anonymity" in page.wait_for_selector(".card .problem").inner_text()
    assert page.input_value("#limit-0-text") == "k_anonymity.3.records >= 10"
    assert read_release(page)["scenarios"][0]["limits"] == ["k_anonymity.3.records <= 10"]
    assert list_violations(page) == []


def see_the_risk(page):
    go_to(page, "risk")
    keys = read_release(page)["scenarios"][0]["keys"]
    assert {*keys} == {"region", "race", "hispanic", "education", "children_under_6", "children_6_to_18"}
    with duckdb.connect() as con:  # counted without any of our code
        ((uniques,),) = con.execute(
            f"SELECT count(*) FROM (FROM '{COUPLES}' SELECT {', '.join(keys)} GROUP BY ALL HAVING count(*) = 1)"
        ).fetchall()
    page.wait_for_selector(".tiles")
    assert page.inner_text(".tiles .figure >> nth=0") == f"{uniques:,}"
    assert page.inner_text(".tiles .unit >> nth=1") == "no limit set"
    assert page.inner_text("#risk-intruder") == "A neighbour knows the household."
    assert list_violations(page) == []
    for panel, found in (
        ("keys", "#risk-riskiest"), ("records", "#risk-records"), ("suda", ".report"), ("threshold", "#threshold-sets"),
    ):  # fmt: skip
        page.click(f"#risk-to-{panel}")
        page.wait_for_selector(found)
        wait_until_idle(page)
        assert not page.query_selector(".problem"), panel
        assert list_violations(page) == [], panel
    write_levels(page, keys)
    page.click("#risk-to-records")
    page.wait_for_selector("#risk-records")
    page.select_option("#records-key", "education")
    page.fill("#records-value", "<9years")
    page.click("#records-set")
    page.wait_for_selector("#records-all")
    wait_until_idle(page)
    page.wait_for_function(  # the table may be drawn anew meanwhile, with the keys that make unique
        "() => { const cells = [...document.querySelectorAll('#risk-records tbody td:nth-child(9)')];"
        " return cells.length === 100 && cells.every(cell => cell.textContent.trim() === '<9years'); }"
    )


def write_levels(page, keys):
    """Write levels of identification to the release file, and take them back."""
    page.click("#levels-0 summary")
    levels = ["extremely", "very", *["identifying"] * (len(keys) - 2)]
    for i, level in enumerate(levels):
        page.select_option(f"#level-0-{i}", level)
        wait_until_idle(page)
    page.click("#levels-0-write")
    wait_for_undo(page, "levels of identification")
    assert "has these levels" in page.inner_text("#levels-0-said")
    assert [*read_release(page)["figures"]["threshold_by_level"]["levels"].values()] == [
        keys[:1], keys[1:2], keys[2:],
    ]  # fmt: skip
    page.click("#undo")
    page.wait_for_function("() => document.querySelector('#redo').title.includes('levels of identification')")


def recode(page):
    """Recode by cut points: what it would do is told exactly."""
    go_to(page, "protect")
    page.wait_for_selector("#protect-now")
    assert "0 of 1 limits hold" in page.inner_text("#protect_now")

    # cut points by buttons, a slider and numbers; what they would do is told exactly, and nothing is changed yet
    choose_method(page, "sdc_recode_intervals", "children_under_6")
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
    apply_step(page, 1)
    assert read_steps(page) == [RECODE]

    choose_method(page, "sdc_recode_intervals", "children_6_to_18")
    page.fill("#protect-even", "3")
    page.keyboard.press("Tab")
    page.wait_for_selector("#protect-break-1")
    wait_until_idle(page)
    page.click("#protect-cut-0")
    page.wait_for_selector("#protect-break-1", state="detached")
    apply_step(page, 2)


def protect_by_records(page):
    """Suppress, code and group: a sample says that it is one and judges nothing, in full it does."""
    choose_method(page, "sdc_local_suppression")
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
    apply_step(page, 3)
    assert read_steps(page)[2] == {"mask": "local_suppression", "scenario": "nosy neighbour", "k": 3}

    choose_method(page, "sdc_top_bottom_code", "husband_income")
    choose_option(page, "#protect-unit", "quantile")
    fill(page, "#protect-top", "0.99")
    apply_step(page, 4)
    choose_method(page, "sdc_microaggregate")
    for name in ("experience", "hours", "husband_income"):
        page.get_by_label(name, exact=True).check()
        wait_until_idle(page)
    fill(page, "#protect-k", "3")
    page.click("#protect-full")
    page.click("#stop-protect_full")
    page.wait_for_selector("text=was stopped")
    wait_until_idle(page)
    assert list_violations(page) == []
    apply_step(page, 5)
    page.wait_for_function("() => document.querySelector('#protect_now').textContent.includes('1 of 1 limits hold')")


def order_the_steps(page):
    """Move them, switch one off, edit one; undo, and do again."""
    before = read_steps(page)
    page.click("#protect-up-1")
    page.wait_for_function("() => document.querySelector('.worksteps strong').textContent.includes('children_6_to_18')")
    assert read_steps(page)[0] == before[1]
    page.click("#undo")
    page.wait_for_function("() => document.querySelector('.worksteps strong').textContent.includes('children_under_6')")
    page.click("#protect-switch-1")
    page.wait_for_selector(".worksteps .off")
    assert len(read_steps(page)) == 1
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
    wait_until_idle(page)


def compare(page):
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
    # the point that is chosen: what was tried first puts its steps back, and the last ones come back by undo
    steps = read_steps(page)
    page.click("#compare-take-1")
    wait_for_undo(page, "try 1 again")
    assert read_steps(page) == []
    page.click("#undo")
    page.wait_for_function("() => document.querySelector('#redo').title.includes('try 1 again')")
    assert read_steps(page) == steps


def release(page):
    page.click("#to-release")
    page.wait_for_selector("#release-title")
    page.click("#release-verify")  # before anything is written
    assert "certificate" in page.wait_for_selector("#release_write .problem").inner_text()
    page.fill("#release-title", "Couples")
    page.fill("#release-officer", HURT)
    page.fill("#release-folder", str(page.folder / "released"))
    for name in ("report", "public_report", "certificate"):
        page.check(f"#release-writes-{name}")
    page.click("#release-keep")
    page.wait_for_function("() => document.querySelector('#release_file').textContent.includes('certificate = ')")
    page.wait_for_selector("#release-document-public_report")
    assert "accepted" in page.inner_text("#release_verdict .verdict")
    assert "no column, and no pair of them" in page.inner_text("#release-rules")
    assert "A neighbour knows the household." in page.inner_text("#release-scenarios")
    assert page.locator("#release-steps > li").count() == len(read_steps(page))
    assert list_violations(page) == []
    with page.expect_popup() as opened:
        page.click("#release-document-report")
    opened.value.wait_for_load_state()
    assert opened.value.query_selector("h1")
    assert opened.value.evaluate("window.hurt") is None
    opened.value.close()
    page.click("#release-write")
    page.wait_for_selector("#release_write .verdict.good")
    assert "4 files" in page.inner_text("#release_write .verdict")
    page.click("#release-verify")
    page.wait_for_selector("#release-checks")
    assert "verified" in page.inner_text("#release_write")
    assert f"--release {page.file}" in page.inner_text("#release-verified")
    page.click("#release-write")  # a second time
    assert "never replaced" in page.wait_for_selector("#release_write .problem").inner_text()


def release_by_the_command_line(page):
    """Run the release file that the page shows, in another folder: every output has the same bytes."""
    ours, kept = page.folder / "released", page.folder / "kept"
    ours.rename(kept)  # the internal report names the folder that it is written to
    own = page.folder / "copied" / page.file.name
    own.parent.mkdir()
    own.write_text(page.text_content("#release_file pre code") + "\n", encoding="utf-8", newline="\n")
    assert own.read_bytes() == page.file.read_bytes()
    environment = {**os.environ, "SDC_KEY": KEY}
    command = [sys.executable, "-m", "sdc_sql", "release", str(own), "--output-folder", str(ours)]
    subprocess.run(command, check=True, capture_output=True, env=environment)
    names = sorted(file.name for file in ours.iterdir())
    assert len(names) == 4
    assert names == sorted(file.name for file in kept.iterdir())
    for name in names:
        assert (ours / name).read_bytes() == (kept / name).read_bytes(), name
