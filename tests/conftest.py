"""What the tests share: connections with the macros, odd tables, and the data that may stand beside the project."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import sys
import tempfile
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import hypothesis
import pytest

sys.path.insert(0, str(Path(__file__).parent))
if "PYTEST_XDIST_WORKER" in os.environ:  # what a test kills leaves work behind, which commands of its own process tell
    tempfile.tempdir = os.environ["TMPDIR"] = tempfile.mkdtemp(prefix="tests-")
    Path(tempfile.tempdir).chmod(0o711)  # a server of the tests has another user
    atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)
from emptied import empty, settings
from macros_file import with_macros, written

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

    import duckdb

ROOT = Path(__file__).resolve().parents[1]
FIXTURES = ROOT / "fixtures"
SHARED = ROOT.parent / "shared"
hypothesis.settings.register_profile("thorough", max_examples=400)
os.environ.pop("SDC_KEY", None)  # a test that needs a key says so
if "SDC_CACHE" not in os.environ:  # nor does one write to the user's cache folder: the run has its own
    os.environ["SDC_CACHE"] = tempfile.mkdtemp(prefix="sdc-cache-")
    atexit.register(shutil.rmtree, os.environ["SDC_CACHE"], ignore_errors=True)
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script: what tries Ctrl-C would wait
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--every N`` and ``--turn K/N``: of the cases of each test, and of the slow files, only every N-th."""
    parser.addoption("--every", type=int, default=1, metavar="N", help="of the cases of each test only every N-th")
    parser.addoption("--turn", default="0/1", metavar="K/N", help="of the files with slow tests every N-th, from K on")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let one process of a run compile the tests, and the others read what it wrote: half of what collecting takes."""
    if sys.dont_write_bytecode or sys.platform == "win32":
        return (yield)
    import fcntl  # noqa: PLC0415 - which Windows has not

    with Path(__file__).open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            fcntl.flock(file, fcntl.LOCK_SH)
        except OSError:  # a file system that cannot: each process compiles
            pass
        return (yield)


@pytest.hookimpl(tryfirst=True)  # before what is marked is left out
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as shared what needs the data beside the project, as slow what ``one_in`` leaves; begin with long files."""
    seen: Counter[str] = Counter()
    left_out: list[pytest.Item] = []
    for item in items:
        test = item.nodeid.partition("[")[0]
        if "shared" in getattr(item, "fixturenames", ()):
            item.add_marker("shared")
        for mark in item.iter_markers("one_in"):
            if seen[test] % mark.args[0]:
                item.add_marker("slow")
        if seen[test] % config.getoption("--every") and not item.get_closest_marker("whole"):
            left_out.append(item)
        seen[test] += 1
    # so that no core is left with one of them at the end
    long = ("fuzz", "studies", "test_spark", "test_killed", "test_dbt", "test_readme", "test_ten_nights", "tests/app",
            "mutants", "docs/test_doors", "benchmarks")  # fmt: skip
    items.sort(key=lambda item: not any(part in item.nodeid for part in long))
    turn, turns = map(int, config.getoption("--turn").split("/"))
    slow = [item for item in items if item.get_closest_marker("slow") or item.get_closest_marker("shared")]
    places = {file: i for i, file in enumerate(dict.fromkeys(item.path for item in slow))}
    left_out += [i for i in slow if places[i.path] % turns != turn % turns and not i.get_closest_marker("whole")]
    ids = {id(item) for item in left_out}
    left_out = [item for item in items if id(item) in ids]
    items[:] = [item for item in items if id(item) not in ids]
    config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def connect(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., duckdb.DuckDBPyConnection]:
    """Return what opens a database that has every macro: as `sdc_sql.load` does, in a tenth of the time."""
    folder = tmp_path_factory.getbasetemp()
    run = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder  # where the processes of a run meet
    return partial(with_macros, written(run))


@pytest.fixture(scope="session")
def loaded(
    connect: Callable[..., duckdb.DuckDBPyConnection],
) -> Iterator[tuple[duckdb.DuckDBPyConnection, dict[str, str]]]:
    """Return a connection that has every macro, and its settings: it takes longer than most tests."""
    with connect() as connection:
        yield connection, settings(connection)


@pytest.fixture
def con(loaded: tuple[duckdb.DuckDBPyConnection, dict[str, str]]) -> Iterator[duckdb.DuckDBPyConnection]:
    """Return a connection that has every macro and nothing else. A test that changes macros makes its own."""
    yield loaded[0]
    empty(*loaded)


@pytest.fixture
def persons(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return a connection with the table `persons`: eight records in three households, weights, regions, NULLs."""
    con.execute("""
        CREATE TABLE persons AS FROM (VALUES
            (1, 30, 'f', 'north', 10.0, 1), (2, 30, 'f', 'north', 15.0, 1), (3, 41, 'm', 'north', 20.0, 1),
            (4, 41, 'm', 'south', 20.0, 2), (5, 41, 'm', 'south', 12.5, 2), (6, NULL, 'f', 'south', 30.0, 3),
            (7, 67, NULL, 'south', 8.0, 3), (8, 25, 'm', NULL, 11.0, 3)
        ) AS t(id, age, sex, region, weight, household)
    """)
    return con


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """Return the folder of the project's own tables and figures."""
    return FIXTURES


@pytest.fixture(scope="session")
def sdcmicro() -> dict[str, dict[str, Any]]:
    """Return what sdcMicro answers on tables that are not part of the project, by the name of the call."""
    entries = json.loads((FIXTURES / "sdcmicro_testdata.json").read_text(encoding="utf-8"))["entries"]
    return {name: entry["result"] for name, entry in entries.items()}


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of real microdata, and of peers' answers for each record; skip where it is absent.

    What asks for it is marked `shared`, and left out unless asked for.
    """
    if not SHARED.is_dir():
        pytest.skip(f"no data beside the project: {SHARED} is absent")
    return SHARED
