"""How many slips of the hand the tests catch: ``python tests/mutants sql/risk --of 5 --kept mutants.json``.

Each named file, or each of a named folder (of ``sql`` and ``udfs``, where none is named), is changed in one place at a
time. A mutant that cannot be loaded is left out. The others meet the tests of their stem, then those that name what
they are a part of. A survivor meets the corpus of hostile tables: one that answers otherwise there was *missed*,
another is *alike*. The share is caught / (caught + missed), with its interval of 95 % (Wilson's).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from math import sqrt
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import meets
from apart import LONGEST, apart
from kernel_mutants import find_kernel_mutants
from sql_mutants import find_sql_mutants

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mutant import Mutant

FATES = ("caught", "missed", "alike", "unborn")


def main(given: Sequence[str] | None = None) -> int:
    """Try the mutants that are asked for; print a line for each that was missed, and the shares."""
    options = read_options(given)
    kept: dict[str, Any] = json.loads(options.kept.read_text()) if options.kept and options.kept.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        clone = enter_clone(Path(folder) / "clone")
        for mutant in draw_mutants(options.files, options.of, options.seed):
            if str(mutant) in kept:
                continue
            fate = kept[str(mutant)] = _try(mutant, clone)
            if options.kept:
                options.kept.write_text(json.dumps(kept, indent=0))
            if fate["fate"] == "missed" or options.verbose:
                print(fate["fate"], mutant, "|", fate.get("by", ""), flush=True)
    print(write_table(kept))
    return 0


def read_options(given: Sequence[str] | None) -> argparse.Namespace:
    """Return what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python tests/mutants", description=__doc__)
    parser.add_argument("files", nargs="*", default=["sql", "udfs"], help="SQL files and kernels, or folders of them")
    parser.add_argument("--of", type=int, metavar="N", help="a drawn sample of so many mutants of each file; else all")
    parser.add_argument("--seed", default="mutants", help="what the sample is drawn by")
    parser.add_argument("--kept", type=Path, metavar="FILE", help="what was tried is kept there, and not tried again")
    parser.add_argument("--verbose", action="store_true", help="print every mutant and what became of it")
    return parser.parse_args(given)


def draw_mutants(files: Sequence[str], of: int | None, seed: str) -> Iterator[Mutant]:
    """Yield the mutants of each file, or so many of them as are drawn."""
    for file in sorted({found for name in files for found in _walk(meets.ROOT / name)}):
        name = str(file.relative_to(meets.ROOT))
        find = find_sql_mutants if name.endswith(".sql") else find_kernel_mutants
        mutants = find(name, file.read_text(encoding="utf-8"))
        if of is not None and of < len(mutants):
            mutants = sorted(Random(f"{seed} {name}").sample(mutants, of))  # noqa: S311 - the same each time
        yield from mutants


def _walk(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
    elif path.is_dir():
        yield from (p for p in path.rglob("*") if p.suffix == ".sql" or (p.suffix == ".py" and "udfs" in p.parts))
    else:
        sys.exit(f"There is no {path}: name SQL files or kernels, or folders of them.")


def enter_clone(folder: Path) -> Any:
    """Copy the project, and let everything that is imported from now on come from the copy."""
    from trial import Clone  # noqa: PLC0415

    listed = subprocess.run(["git", "ls-files", "-z"], cwd=meets.ROOT, capture_output=True, check=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (meets.ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(meets.ROOT / name, folder / name)
    for part in ("sql", "udfs"):  # as installed
        (folder / "sdc_sql" / part).symlink_to(folder / part)
    os.chdir(folder)
    os.environ |= {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(folder))
    for name in ("duckdb", "numpy", "pyarrow", "sqlglot", "pytest"):  # once, for all that are forked
        __import__(name)
    return Clone(folder)


_ANSWERS: dict[tuple[str, ...], dict[str, str]] = {}


def _try(mutant: Mutant, clone: Any) -> dict[str, Any]:
    from corpus import answer_all  # noqa: PLC0415
    from trial import try_mutant  # noqa: PLC0415

    macros = meets.list_reached_macros(mutant.file)  # of the project as it is

    def answers(_: Sequence[str]) -> dict[str, str]:
        if macros not in _ANSWERS:
            ended, found = apart(lambda: answer_all(macros), 8 * LONGEST)
            if ended != "done":
                raise RuntimeError(f"the corpus itself {ended}: {macros}")
            _ANSWERS[macros] = found
        return _ANSWERS[macros]

    return try_mutant(mutant, clone, answers)


def write_table(kept: dict[str, dict[str, Any]]) -> str:
    """Return what became of the mutants, file by file, and of all."""
    files: dict[str, Counter[str]] = defaultdict(Counter)
    for name, fate in kept.items():
        files[name.partition(":")[0]][fate["fate"]] += 1
    total = sum(files.values(), Counter())
    lines = [f"| file | {' | '.join(FATES)} | share |", f"| --- |{' --- |' * (len(FATES) + 1)}"]
    for file, counts in [*sorted(files.items()), ("all", total)]:
        lines.append(f"| {file} | {' | '.join(str(counts[fate]) for fate in FATES)} | {_share(counts)} |")
    return "\n".join(lines)


def _share(counts: Counter[str]) -> str:
    n = counts["caught"] + counts["missed"]
    if not n:
        return "-"
    low, high = find_interval(counts["caught"], n)
    return f"{100 * counts['caught'] / n:.0f} % ({100 * low:.0f} to {100 * high:.0f})"


def find_interval(caught: int, n: int, z: float = 1.959964) -> tuple[float, float]:
    """Return Wilson's interval of a share (Wilson 1927)."""
    p, square = caught / n, z * z / n
    middle, half = p + square / 2, z * sqrt(p * (1 - p) / n + square / (4 * n))
    return max(0.0, (middle - half) / (1 + square)), min(1.0, (middle + half) / (1 + square))


if __name__ == "__main__":
    sys.exit(main())
