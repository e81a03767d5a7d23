"""The steps Protect, Compare and Release as they are used: refused, by the keyboard, with names that hurt."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib

import duckdb
import pytest
from driven_page import KEY, ROOT, apply_step, choose_method, go_to, list_violations, wait_until_idle

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
    choose_method(page, "sdc_recode_intervals", HURT)
    page.fill("#protect-even", "3")
    page.keyboard.press("Tab")
    page.wait_for_selector("#protect-risk")
    apply_step(page, 1)
    page.click("#best-search")
    page.wait_for_selector("#protect-proposals, #protect_best .hint >> nth=1")
    go_to(page, "compare")
    page.wait_for_selector("#compare-tried")
    page.click("#to-release")
    page.wait_for_selector("#release-limits")
    assert page.evaluate("window.hurt") is None
    assert not page.query_selector("img")
    assert page.complaints == []


def test_categories_are_merged_by_the_keyboard_and_the_release_file_alone_says_so(begin, hurting):
    scenario = {"name": "only one", "keys": [HURT, "Select"], "limits": ["k_anonymity.3.records <= 200"]}
    output = {"path": "k-released.csv"}
    page = begin({"roles": {"id": "id"}, "scenarios": [scenario], "output": output}, hurting)
    go_to(page, "protect")
    choose_method(page, "sdc_local_suppression")
    assert page.input_value("#protect-scenario") == "only one"  # there is no other
    choose_method(page, "sdc_recode", "Select")
    page.wait_for_selector("#protect-becomes-2[data-column=Select]")
    assert "Mapping: it is not given yet" in page.inner_text("#protect_preview")
    for i in (0, 1):
        page.focus(f"#protect-becomes-{i}")
        page.keyboard.press("Control+A")
        page.keyboard.type(f"{HURT} merged")
        page.keyboard.press("Tab")
        page.wait_for_selector(f"#protect-becomes-{i}.changed")
        wait_until_idle(page)
        assert page.input_value(f"#protect-becomes-{i}") == f"{HURT} merged"
        assert page.evaluate("document.activeElement.id") == f"protect-becomes-{i + 1}"
    page.wait_for_selector("#protect-risk")
    assert f"0{HURT} and 1{HURT} become {HURT} merged; what is left stays" in page.inner_text("#protect_preview")
    assert list_violations(page) == []
    apply_step(page, 1)
    mapping = {f"{i}{HURT}": f"{HURT} merged" if i < 2 else f"{i}{HURT}" for i in range(3)}
    assert read_steps(page) == [{"mask": "recode", "column": "Select", "mapping": mapping}]
    page.click("#protect-edit-0")  # of what it was before the step
    page.wait_for_selector("#protect-becomes-2[data-column=Select]")
    wait_until_idle(page)
    assert page.input_value("#protect-becomes-1") == f"{HURT} merged"
    assert page.complaints == []
    outside = page.folder / "outside.toml"  # the command runs of the file that was copied, wherever it stands
    outside.write_text(page.file.read_text())
    command = [sys.executable, "-m", "sdc_sql", "release", str(outside)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "SDC_KEY": KEY}, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    with duckdb.connect() as con:
        found = con.execute(
            f"""SELECT "Select", count(*) FROM '{page.folder / "k-released.csv"}' GROUP BY ALL ORDER BY 1"""
        ).fetchall()
    assert found == [(f"2{HURT}", 133), (f"{HURT} merged", 268)]


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
    page.keyboard.type("Top and bottom")
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
