"""Try one mutant: in a process of its own, forked from one that has imported all but the project."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from functools import cache
from typing import TYPE_CHECKING, Any

import meets
from apart import LONGEST, apart

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from mutant import Mutant


class Clone:
    """A copy of the project in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def changed(self, mutant: Mutant) -> contextlib.AbstractContextManager[None]:
        """Let the file of a mutant be as the mutant has it, for a while."""
        return _changed(self.folder / mutant.file, mutant)


@contextlib.contextmanager
def _changed(file: Path, mutant: Mutant) -> Any:
    text = file.read_text(encoding="utf-8")
    file.write_text(mutant.apply(text), encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(text, encoding="utf-8")


def run_tests(files: Sequence[str], marked: str = "not slow and not shared") -> int:
    """Return how pytest ended on some files, up to the first failure."""
    import pytest  # noqa: PLC0415

    sys.path.insert(0, os.getcwd())  # noqa: PTH109
    with tempfile.TemporaryDirectory() as folder:
        return int(pytest.main(["-x", "-q", "-p", "no:cacheprovider", "-m", marked, f"--basetemp={folder}/b", *files]))


def load() -> int:
    """Create every macro, and import every kernel: what cannot be is no mutant."""
    import duckdb  # noqa: PLC0415

    import sdc_sql  # noqa: PLC0415

    with duckdb.connect() as con:
        sdc_sql.load(con)
    return 0


NEAREST = 5  # so many files of slow tests does one meet that the corpus tells from the project
_PASSED = {("done", 0), ("done", 5)}  # 5: no test was chosen
_SOUND: dict[str, bool] = {}


def keep_sound(files: Sequence[str]) -> list[str]:
    """Return the test files that pass on the project as it is: one that fails there would catch everything."""
    unknown = [file for file in files if file not in _SOUND]
    if unknown and apart(lambda: run_tests(unknown), 10 * LONGEST) == ("done", 0):
        _SOUND.update(dict.fromkeys(unknown, True))
    for file in unknown:
        if file not in _SOUND:
            _SOUND[file] = apart(lambda file=file: run_tests([file]), 4 * LONGEST) in _PASSED  # type: ignore[misc]
            if not _SOUND[file]:
                print(f"left out, since it fails as it is: {file}", flush=True)
    return [file for file in files if _SOUND[file]]


def try_mutant(mutant: Mutant, clone: Clone, answers: Callable[[Sequence[str]], dict[str, str]]) -> dict[str, Any]:
    """Return what became of a mutant: "unborn", "caught" (by which tests), "missed" (by which call), or "alike"."""
    from corpus import answer_all  # noqa: PLC0415 - of the project as it is

    named = meets.list_tests(mutant.file)
    own, others = map(keep_sound, named)
    macros = meets.list_reached_macros(mutant.file)
    with clone.changed(mutant):
        ended, _ = apart(load)
        if ended == "failed":
            return {"fate": "unborn"}
        if ended == "too long":
            return {"fate": "caught", "by": "it does not load"}
        for files in filter(None, (own, others)):
            seconds = LONGEST * max(1, len(files) / meets.MOST)  # a room has more files than a name
            ended, code = apart(lambda files=files: run_tests(files), seconds)  # type: ignore[misc]
            if ended != "done" or code not in {0, 5}:  # 5: no test was chosen
                return {"fate": "caught", "by": files[0] if files is own else "others", "how": ended}
        ended, found = apart(lambda: answer_all(macros), 4 * LONGEST) if macros else ("asks nothing of it", {})
    fate = (
        _compare_answers(answers(macros), found) if ended == "done" else {"fate": "missed", "by": f"the corpus {ended}"}
    )
    if fate["fate"] == "missed" and (by := _find_slow(mutant, clone, [*named[0], *named[1]][:NEAREST])):
        return {**fate, "fate": "caught", "by": f"{by} (slow)"}
    return fate


def _find_slow(mutant: Mutant, clone: Clone, files: Sequence[str]) -> str:
    """Return the file with a slow test that fails on a mutant, or none; one that takes too long has not failed."""
    for file in filter(lambda file: _run_slow(file) in _PASSED, files):  # others fail as they are
        with clone.changed(mutant):
            ended = _run_slow.__wrapped__(file)
        if ended not in _PASSED and ended[0] != "too long":
            return file
    return ""


@cache
def _run_slow(file: str) -> tuple[str, Any]:
    return apart(lambda: run_tests([file], "slow"), 4 * LONGEST)


def _compare_answers(right: dict[str, str], found: dict[str, str]) -> dict[str, Any]:
    """Return what the corpus tells of a survivor."""
    other = [name for name in right if right[name] != found[name]]
    if other:
        return {
            "fate": "missed",
            "by": other[0],
            "calls": len(other),
            "right": right[other[0]][:300],
            "wrong": found[other[0]][:300],
        }
    return {"fate": "alike"}
