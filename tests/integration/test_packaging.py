"""The sdist and the wheel: what is in them, and that what is in them works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import duckdb
import pytest

pytest.importorskip("build")
pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
CHECK = """
import json, duckdb, sdc_sql
con = sdc_sql.load(duckdb.connect())
con.execute("CREATE TABLE t AS FROM (VALUES (1), (1), (2)) AS v(a)")
print(json.dumps({"file": sdc_sql.__file__, "theta": con.execute("FROM sdc_theta('t', ['a'], 0.1)").fetchone()}))
"""


def _setuptools() -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in version("setuptools").split(".")[:2])
    except PackageNotFoundError:
        return (0,)


# An isolated build fetches setuptools first; where a new enough one is at hand that is spared.
ISOLATED = _setuptools() < (77,)


def run(*command: object, **options) -> str:
    """Return what a command prints; its complaint where it fails."""
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def tree(tmp_path_factory) -> Path:
    """Return a copy of what git tracks or would track: no caches, no build folders."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no git checkout to copy from")
    names = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", cwd=ROOT).split("\0")
    copy = tmp_path_factory.mktemp("tree")
    for name in filter(None, names):
        source = ROOT / name
        if source.is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy / name)
    return copy


@pytest.fixture(scope="module")
def built(tree, tmp_path_factory) -> Path:
    """Return the folder of the sdist and of the wheel that was built from it, as for PyPI."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", *(() if ISOLATED else ("--no-isolation",)), "--outdir", out, tree)
    return out


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    """Return the wheel."""
    (found,) = built.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def sdist(built) -> Path:
    """Return the sdist."""
    (found,) = built.glob("*.tar.gz")
    return found


@pytest.fixture(scope="module")
def modules(tree) -> set[str]:
    """Return the files of the project that belong in a distribution."""
    found = {p for folder in ("sdc_sql", "udfs", "sql") for p in (tree / folder).rglob("*.py")}
    found |= set((tree / "sql").rglob("*.sql")) | {tree / "sdc_sql" / "py.typed"}
    found |= {path for pattern in ("*.toml", "*.schema.json") for path in (tree / "sdc_sql").rglob(pattern)}
    for folder in ("dbt/package", "app/files"):
        found |= {p for p in (tree / "sdc_sql" / folder).rglob("*") if p.is_file()}
    return {p.relative_to(tree).as_posix() for p in found}


def in_wheel(name: str) -> str:
    """Return where a file of the project is in the wheel: sql/ and udfs/ are subpackages there."""
    return name if name.startswith("sdc_sql/") else f"sdc_sql/{name}"


def test_the_wheel_holds_every_module_and_nothing_else(wheel, modules):
    with zipfile.ZipFile(wheel) as archive:
        names = {n for n in archive.namelist() if ".dist-info/" not in n}
    assert names == {in_wheel(name) for name in modules}


def test_the_wheel_tells_its_licence_and_its_command(wheel):
    with zipfile.ZipFile(wheel) as archive:
        info = {
            n.partition(".dist-info/")[2]: archive.read(n).decode() for n in archive.namelist() if ".dist-info/" in n
        }
    assert set(info) >= {"METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE"}
    assert "sdc-sql = sdc_sql.cli:main" in info["entry_points.txt"]
    assert info["top_level.txt"].split() == ["sdc_sql"]
    required = [line.partition(": ")[2] for line in info["METADATA"].splitlines() if line.startswith("Requires-Dist")]
    run_time = {r.split(">=")[0] for r in required if "extra ==" not in r}
    assert run_time == {"duckdb", "sqlglot", "numpy", "pyarrow"}


def test_the_sdist_holds_every_module_and_no_tests(sdist, modules):
    with tarfile.open(sdist) as archive:
        names = {m.name.partition("/")[2] for m in archive.getmembers() if m.isfile()}
    made = {n for n in names if n.startswith("sdc_sql.egg-info/")} | {"PKG-INFO", "setup.cfg"}
    assert names - made == modules | {"LICENSE", "README.md", "pyproject.toml"}


def test_the_files_are_the_very_same(wheel, sdist, tree, modules):
    with zipfile.ZipFile(wheel) as in_zip, tarfile.open(sdist) as in_tar:
        (top,) = {m.name.partition("/")[0] for m in in_tar.getmembers()}
        for name in modules:
            content = (tree / name).read_bytes()
            assert in_zip.read(in_wheel(name)) == content
            assert in_tar.extractfile(f"{top}/{name}").read() == content


def fresh(path: Path) -> Path:
    """Make an environment with nothing of ours; the run-time packages are borrowed from the one that runs."""
    venv.create(path, with_pip=False, symlinks=True)
    python = path / "bin" / "python"
    own = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    # a plain line: .pth files over there, such as the one of an editable install of ours, are not followed
    (own / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def install(python: Path, *what: object) -> None:
    options = ["--quiet", "--no-deps", "--ignore-installed", *([] if ISOLATED else ["--no-build-isolation"])]
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, *what)


def works(python: Path, place: Path, folder: Path) -> None:
    """Check that the macros load and the command runs in an environment, from where they should come."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    found = json.loads(run(python, "-c", CHECK, cwd=folder, env=clean))
    assert Path(found["file"]).is_relative_to(place)
    assert found["theta"][:5] == [3, 2, 1, 1, 0]
    with duckdb.connect() as con:
        con.execute(f"COPY (FROM (VALUES (30, 'f'), (30, 'f'), (41, 'm')) AS t(age, sex)) TO '{folder}/persons.csv'")
    command = python.parent / "sdc-sql"
    report = json.loads(run(command, "risk", "persons.csv", "--keys", "age,sex", "--json", cwd=folder, env=clean))
    assert report["frequency_summary"]["sample_uniques"] == 1
    bundle = run(command, "macros", cwd=folder, env=clean)
    assert all(line not in bundle for line in ("Traceback", "\r"))
    assert bundle.count("CREATE OR REPLACE MACRO") > 10


@pytest.mark.parametrize("what", ["wheel", "sdist"])
def test_installed_it_works(request, tmp_path, what):
    python = fresh(tmp_path / "env")
    install(python, request.getfixturevalue(what))
    works(python, tmp_path / "env", tmp_path)


def test_installed_editable_it_works_and_follows_the_source(tree, tmp_path):
    source = tmp_path / "source"
    shutil.copytree(tree, source)
    python = fresh(tmp_path / "env")
    install(python, "--editable", source)
    works(python, source, tmp_path)
    cells = source / "sql" / "core" / "cells.sql"
    cells.write_text(cells.read_text().replace("AS sample_frequency", "AS renamed"))
    columns = run(
        python,
        "-c",
        "import duckdb, sdc_sql; con = sdc_sql.load(duckdb.connect()); con.execute('CREATE TABLE t AS SELECT 1 AS a');"
        "print([d[0] for d in con.execute('''FROM sdc_cells('t', ['a'])''').description])",
        cwd=tmp_path,
    )
    assert columns.strip() == "['a', 'renamed']"


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
@pytest.mark.parametrize("what", ["wheel", "clone"])
def test_type_checkers_understand_a_users_script(request, tmp_path, what, checker):
    pytest.importorskip(checker)
    python = fresh(tmp_path / "env")
    if what == "wheel":
        install(python, request.getfixturevalue("wheel"))
    else:
        shutil.copytree(request.getfixturevalue("tree"), tmp_path / "source")
        install(python, "--editable", tmp_path / "source")
    script = shutil.copy(ROOT / "tests" / "integration" / "typed_script.py", tmp_path)
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    assert run(python, script, cwd=tmp_path, env=clean) == "typed\n"
    options = ["--strict", "--python-executable"] if checker == "mypy" else ["--pythonpath"]
    run(sys.executable, "-m", checker, *options, python, script, cwd=tmp_path)


def test_blocks_of_readme_pasted_at_a_prompt_in_the_clone(tree, tmp_path):
    """Installed as README's first line installs it, and started where README's paths hold: in the clone."""
    clone = tmp_path / "clone"
    shutil.copytree(tree, clone)
    python = fresh(tmp_path / "env")
    install(python, clone)
    shutil.rmtree(clone / "build")
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    pasted = re.findall(r"^```python\n(.*?)^```$", (clone / "README.md").read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert pasted
    for code in pasted:
        typed = f"{code}\nsdc_sql.udfs.__file__\n"
        done = subprocess.run(
            [python, "-i"], input=typed, cwd=clone, env=clean, check=False, capture_output=True, text=True
        )
        assert "Error" not in done.stderr
        assert "566 5.7" in done.stdout
        assert str(clone / "udfs") in done.stdout  # all of it is the clone's, no mixture of two versions


def test_straight_from_the_wheel(wheel, tmp_path):
    python = fresh(tmp_path / "env")
    path = {**os.environ, "PYTHONPATH": str(wheel)}
    found = json.loads(run(python, "-c", CHECK, cwd=tmp_path, env=path))
    assert found["file"].startswith(str(wheel))
    assert found["theta"][:5] == [3, 2, 1, 1, 0]
    whole = run(python, "-c", "import sdc_sql; print(sdc_sql.bundle(), end='')", cwd=tmp_path, env=path)
    assert whole.count("CREATE OR REPLACE MACRO sdc_theta(") == 1
