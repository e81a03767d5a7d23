"""Every example of README runs, and what README shows is what is printed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

import sdc_sql

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(
    r"^```(\w+)\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
)
SAMPLE = ROOT / "fixtures" / "dbt_project"
SET_UP = [code for language, code in BLOCKS if language == "sh" and code.startswith("python3 -m venv")]
SHELL = [code for language, code in BLOCKS if language == "sh" and code not in SET_UP]


def blocks(language: str) -> list[str]:
    return [code for name, code in BLOCKS if name == language]


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    scripts = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": scripts + os.pathsep + os.environ["PATH"]}
    return subprocess.run(
        ["bash", "-c", code], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a folder where README's paths hold and nothing of the project is written."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    return tmp_path


def test_readme_has_the_blocks_that_are_tested_here():
    assert len(SET_UP) == 2
    assert {name for name, _ in BLOCKS} == {"sh", "sql", "python", "text", "console", "yaml", "jinja"}


def test_both_set_up_lines_are_one_line_each():
    assert all(code.count("\n") == 1 for code in SET_UP)


@pytest.mark.integration
def test_the_main_job_prints_what_readme_shows(checkout):
    command = SET_UP[0].split("&&")[-1].strip().replace(".venv/bin/", "")
    done = run(command, checkout)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == blocks("text")[0].strip()


def told(line: str) -> str:
    """Return a line of dbt's without the time of day, the dots, and how long it took."""
    return re.sub(r"^\d\d:\d\d:\d\d +|\.{2,}|in [\d.]+s", "", line).replace(" ", "")


@pytest.mark.integration
def test_dbt_prints_what_readme_shows(checkout):
    pytest.importorskip("dbt.adapters.duckdb")
    (code,) = [code for code in SHELL if "dbt build" in code]
    done = run("set -e\n" + code, checkout)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    (printed,) = [block for block in blocks("text") if "PASS=" in block]
    assert {told(line) for line in printed.splitlines()} <= {told(line) for line in done.stdout.splitlines()}


@pytest.mark.parametrize("code", blocks("yaml") + blocks("jinja"), ids=lambda code: code.split("\n")[0])
def test_the_files_of_the_dbt_project_are_those_that_readme_shows(code):
    name, _, text = code.partition("\n")
    if name.startswith("# packages.yml"):
        yaml = pytest.importorskip("yaml")
        assert set(yaml.safe_load(text)["packages"][0]) == {"git", "subdirectory", "revision"}
        assert (ROOT / "sdc_sql" / "dbt" / "package" / "dbt_project.yml").is_file()
    else:
        assert text in (SAMPLE / name.split()[1]).read_text(encoding="utf-8")


@pytest.mark.integration
@pytest.mark.parametrize(
    "code", [code for code in SHELL if "dbt build" not in code], ids=lambda code: code.split("\n")[0][:40]
)
def test_shell_examples(code, checkout):
    if "duckdb" in code and not (Path(sys.executable).parent / "duckdb").exists() and not shutil.which("duckdb"):
        pytest.skip("no DuckDB shell: pip install duckdb-cli")
    done = run("set -e\n" + code, checkout)
    # the last example is a gate that the file does not pass
    assert done.returncode == (3 if "--fail-if" in code else 0), done.stderr


@pytest.mark.integration
@pytest.mark.parametrize("code", blocks("console"), ids=lambda code: code.split("\n")[0][2:])
def test_transcripts_of_shells(code, checkout):
    """Type what stands after the prompts, and compare what is printed; errors go to standard error."""
    if "duckdb -init" in code and not (Path(sys.executable).parent / "duckdb").exists() and not shutil.which("duckdb"):
        pytest.skip("no DuckDB shell: pip install duckdb-cli")
    command, *lines = code.splitlines()
    prompts = ("sdc> ", "...> ", "D ")
    typed = [line[len(prompt) :] for line in lines for prompt in prompts if line.startswith(prompt)]
    shown = [line for line in lines if not line.startswith(prompts)]
    errors = [line for line in shown if line.startswith("sdc-sql: ") or " Error: " in line]
    (checkout / "typed").write_text("\n".join([*typed, ""]))
    done = run(f"{command.removeprefix('$ ')} < typed", checkout)
    assert [line for line in done.stdout.splitlines() if line] == [line for line in shown if line not in errors]
    assert errors
    assert all(error in done.stderr for error in errors)


@pytest.mark.parametrize("code", blocks("sql"))
def test_sql_examples(code, monkeypatch):
    monkeypatch.chdir(ROOT)
    with duckdb.connect() as con:
        assert sdc_sql.load(con).sql(code).fetchall()


@pytest.mark.parametrize("code", [code for code in blocks("python") if "pyspark" not in code])  # see test_spark_mask
def test_python_examples(code, monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("SDC_KEY", "the key of README's examples")  # set here, so that none stays for other tests
    exec(compile(code, "README.md", "exec"), {})  # noqa: S102 - README's own code
    assert "Theta" in capsys.readouterr().out
