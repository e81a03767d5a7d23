"""Every example of every README runs, and what a README shows is what is printed."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tomllib
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from pages import FENCED, KEY, ROOT, SITE, link_fixtures, list_site_pages, plain, read, run_shell, shown_in

import sdc_sql
from sdc_sql.release.reading.read import FILE

MAIN = ROOT / "README.md"
FOLDERS = (ROOT / name for name in ("sdc_sql", "sql", "udfs", "tests", "fixtures"))
PAGES = sorted([MAIN, *(ROOT / ".github").glob("*.md"), *(page for f in FOLDERS for page in f.rglob("*.md"))])
LINKS = re.compile(r"\]\(([^)\s]+)\)")
SAMPLE = ROOT / "fixtures" / "dbt_project"
WRITTEN = ("functions", "gallery", "reference", "chapters", "validation")  # below .docs/, when the site is built


def of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


BLOCKS = [(of(page), language, code) for page in PAGES for language, code in FENCED.findall(read(page))]
SET_UP = [code for page, _, code in BLOCKS if page == "README.md" and code.startswith("python3 -m venv")]
# what a person does by hand, and is not run: .github/ says how to work on the project
RUN = [block for block in BLOCKS if not block[0].startswith(".github/") and block[2] not in SET_UP]


def blocks(language: str) -> list[str]:
    return [code for _, name, code in RUN if name == language]


def examples(language: str, *, without: str = " never ") -> list[object]:
    """Return the blocks of a language as parameters, named by their page and first line."""
    chosen = [(page, code) for page, name, code in RUN if name == language and without not in code]
    return [pytest.param(code, id=f"{page}: {code.splitlines()[0][:40]}") for page, code in chosen]


def need_duckdb_shell(code: str) -> None:
    if re.search(r"\bduckdb -|\bduckdb \w+\.duckdb", code) and not shutil.which(
        "duckdb", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ):
        pytest.skip("no DuckDB shell: pip install duckdb-cli")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder where the paths of the examples hold and nothing of the project is written."""
    return link_fixtures(tmp_path)


def test_the_pages_have_the_blocks_that_are_tested_here():
    assert {name for _, name, _ in RUN} == {"sh", "sql", "python", "text", "console", "yaml", "jinja", "toml"}
    for page in PAGES:  # none is hidden from these tests by being indented, or without a language
        assert of(page).startswith(".github/") or read(page).count("```") == 2 * len(FENCED.findall(read(page))), page


def test_readme_is_short_and_both_set_up_lines_are_one_line_each():
    assert read(MAIN).count("\n") <= 120
    assert len(SET_UP) == 2
    assert all(code.count("\n") == 1 for code in SET_UP)


def test_every_place_names_the_same_version():
    project = tomllib.loads(read(ROOT / "pyproject.toml"))["project"]
    assert project["version"] == sdc_sql.__version__
    (package,) = (path for path in (ROOT / "sdc_sql").rglob("dbt_project.yml"))
    assert f"\nversion: {sdc_sql.__version__}\n" in read(package)
    assert f"sdc-sql, version {sdc_sql.__version__}:" in read(MAIN)
    assert f"\n## {sdc_sql.__version__}" in read(ROOT / ".github" / "CHANGELOG.md")
    (ruff,) = (named for named in project["optional-dependencies"]["lint"] if named.startswith("ruff=="))
    assert f"rev: v{ruff.removeprefix('ruff==')}\n" in read(ROOT / ".pre-commit-config.yaml")


def anchors(page: Path) -> set[str]:
    """Return the names of the headings, as code hosts make them."""
    outside = FENCED.sub("", read(page))
    titles = re.findall(r"^#+ +(.*)$", outside, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", [*PAGES, *list_site_pages()], ids=of)
def test_links_lead_somewhere(page):
    for link in LINKS.findall(FENCED.sub("", read(page))):
        path, _, anchor = link.partition("#")
        if not path.startswith("https://"):
            target = (page.parent / path).resolve() if path else page
            if target.is_relative_to(SITE) and target.relative_to(SITE).parts[0] in WRITTEN:
                continue  # where the site is built, such links are looked at
            assert target.is_file(), link
            assert not anchor or anchor in anchors(target), link


@pytest.mark.slow
def test_the_main_job_prints_what_readme_shows_and_can_be_run_again(checkout):
    command = SET_UP[0].split("&&")[-1].strip().replace(".venv/bin/", "")
    without_key = f"unset SDC_KEY; {command}"
    done = run_shell(without_key, checkout)
    assert done.returncode == 0, done.stderr
    shown = next(code for page, _, code in RUN if page == "README.md" and code.startswith("steps[0]: "))
    assert shown_in(shown, done.stdout)
    (folder,) = (checkout / "released").iterdir()  # another one each second
    assert {path.suffix for path in folder.iterdir()} == {".parquet", ".html", ".json"}
    assert "released/" in read(ROOT / ".gitignore").split()


@pytest.mark.slow
@pytest.mark.whole
def test_the_report_of_risk_is_as_its_page_shows(checkout):
    in_full = next(code for code in blocks("text") if code.startswith("Disclosure risk of"))
    (page,) = {of for of, _, code in RUN if code == in_full}
    command = next(code for of, language, code in RUN if (of, language) == (page, "sh") and "sdc-sql risk" in code)
    done = run_shell(command, checkout)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == in_full.strip()


@pytest.mark.slow
def test_dbt_prints_what_its_page_shows(checkout):
    pytest.importorskip("dbt.adapters.duckdb")
    (code,) = [code for code in blocks("sh") if "dbt build" in code]
    done = run_shell("set -e\n" + code, checkout)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    (printed,) = [block for block in blocks("text") if "PASS=" in block]
    told = {plain(line) for line in done.stdout.splitlines()}
    assert {plain(line) for line in printed.splitlines()} <= told, done.stdout[-2000:]


@pytest.mark.parametrize("code", examples("toml"))
def test_parts_of_a_release_file_are_toml_of_fields_that_there_are(code):
    assert set(tomllib.loads(code)) <= set(FILE)


@pytest.mark.parametrize("code", [*examples("yaml"), *examples("jinja")])
def test_the_files_of_the_dbt_project_are_those_that_are_shown(code):
    name, _, text = code.partition("\n")
    if name.startswith("# packages.yml"):
        yaml = pytest.importorskip("yaml")
        (package,) = yaml.safe_load(text)["packages"]
        assert set(package) == {"git", "subdirectory", "revision"}
        assert (ROOT / package["subdirectory"] / "dbt_project.yml").is_file()
        assert package["revision"] == f"v{sdc_sql.__version__}"
    else:
        assert any(text in read(path) for path in SAMPLE.parent.glob(f"dbt_*/{name.split()[1]}"))


@pytest.mark.slow
@pytest.mark.one_in(18)
@pytest.mark.parametrize("code", examples("sh", without="dbt build"))
def test_shell_examples(code, checkout):
    need_duckdb_shell(code)
    done = run_shell("set -e\n" + code, checkout)
    # the last command of such an example is a gate that the file does not pass
    assert done.returncode == (3 if "--fail-if" in code else 0), done.stderr


@pytest.mark.slow
@pytest.mark.one_in(2)
@pytest.mark.parametrize("code", examples("console"))
def test_transcripts_of_shells(code, checkout):
    """Type what stands after the prompts, and compare what is printed; errors go to standard error."""
    need_duckdb_shell(code)
    command, *lines = code.splitlines()
    prompts = ("sdc> ", "...> ", "D ")
    typed = [line[len(prompt) :] for line in lines for prompt in prompts if line.startswith(prompt)]
    shown = [line for line in lines if not line.startswith(prompts)]
    errors = [line for line in shown if line.startswith("sdc-sql: ") or " Error: " in line]
    (checkout / "typed").write_text("\n".join([*typed, ""]))
    done = run_shell(f"{command.removeprefix('$ ')} < typed", checkout)
    assert [line for line in done.stdout.splitlines() if line] == [line for line in shown if line not in errors]
    assert errors
    assert all(error in done.stderr for error in errors)


@pytest.mark.slow
@pytest.mark.parametrize("code", examples("sql"))
def test_sql_examples(code, monkeypatch, connect):
    monkeypatch.chdir(ROOT)
    with connect() as con:
        con.execute("SET VARIABLE sdc_key = ?", [KEY])
        assert con.sql(code).fetchall()


@pytest.mark.slow
@pytest.mark.one_in(21)
@pytest.mark.parametrize("code", examples("python", without="pyspark"))  # Spark's: see test_spark_mask
def test_python_examples(code, checkout, monkeypatch, capsys):
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("SDC_KEY", KEY)  # set here, so that none stays for other tests
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - the page's own code
    printed = capsys.readouterr().out
    # what stands below such a block is what it prints
    below = next((b[2] for a, b in pairwise(BLOCKS) if a[2] == code and b[:2] == (a[0], "text")), "")
    assert printed
    assert below in printed
    released = checkout / "released.parquet"
    assert not released.exists() or "person" not in duckdb.read_parquet(str(released)).columns
