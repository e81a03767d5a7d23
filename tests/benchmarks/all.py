"""Every benchmark of this folder, as ratios, beside those of the last release.

    python tests/benchmarks/all.py                                 each as the first line of its description runs it
    python tests/benchmarks/all.py loss masking --small            some, as the last line runs it
    python tests/benchmarks/all.py --against ratios.json           what has changed since another run
    python tests/benchmarks/all.py --keep ratios.json              what a later release is compared with

A script is found in the folder, its command in its own description, and its figures in the tables that it prints: there
is no list of them. A ratio is taken as it is printed; seconds are divided by those of a copy of a table (a million
records of seven columns) that is made before and after each script, so that machines and busy hours compare.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import duckdb

from sdc_sql.version import VERSION

FOLDER = Path(__file__).resolve().parent
CHANGED = 1.2  # a ratio that grew or fell by this factor is shown
_NUMBER = re.compile(r"^\**([0-9][0-9,]*\.?[0-9]*)\**( s)?( |$)")
_PLACEHOLDER = re.compile(r"^[A-Z]+$|^\[|\.parquet$")  # an argument of a command that asks for files of its own
_MEASURED = re.compile(r"^[0-9][0-9,]*(\.[0-9]+|\.?[0-9]* ([kMG]i?B|ms|s))( |$)")  # a figure, which names no row


def find_scripts() -> list[Path]:
    """Return the benchmarks of the folder."""
    return sorted(p for p in FOLDER.glob("*.py") if not p.name.startswith("test_") and p.name != Path(__file__).name)


def read_commands(script: Path) -> list[list[str]]:
    """Return the arguments of each command that the description of a script shows."""
    told = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or ""
    shown = re.findall(rf"^ *python tests/benchmarks/{re.escape(script.name)}(.*)$", told, re.MULTILINE)
    commands = [re.split(r" {2,}", line.strip())[0].split() if line[:2] != "  " else [] for line in shown]
    return [of for of in commands if not any(_PLACEHOLDER.search(word) for word in of)]


def read_ratios(printed: str, copy: float) -> dict[str, float]:
    """Return what the tables of a script say: by row and column, a ratio, or seconds in copies of a table.

    Examples
    --------
    >>> read_ratios("| records | what | time | ratio |\\n|---|---|---|---|\\n| 1,000 | theta | 0.5 s | 1.1 |", 0.25)
    {'1,000, theta: time': 2.0, '1,000, theta: ratio': 1.1}
    """
    found: dict[str, float] = {}
    header: list[str] = []
    rows = [[cell.strip() for cell in line.strip()[1:-1].split("|")] for line in printed.splitlines() if _is_row(line)]
    for before, row in zip([[], *rows], rows, strict=False):
        if set("".join(row)) <= set("-: "):
            header = before
            continue
        texts = [c for c, name in zip(row, header, strict=False) if c and not (_is_ratio(name) or _MEASURED.match(c))]
        for cell, name in zip(row, header, strict=False):
            number = _NUMBER.match(cell)
            if number is None:
                continue
            value = float(number[1].replace(",", ""))
            if _is_ratio(name):
                found[f"{', '.join(texts)}: {name}"] = value
            elif number[2] is not None and name != "clock":
                found[f"{', '.join(texts)}: {name}"] = round(value / copy, 3)
    return found


def _is_row(line: str) -> bool:
    return line.strip().startswith("|") and line.strip().endswith("|")


def _is_ratio(name: str) -> bool:
    return "ratio" in name or name == "times"


def measure_copy() -> float:
    """Return the seconds of processors that the copy of a table takes, the least of three."""
    with duckdb.connect() as con:
        draws = ", ".join(f"hash(range, {i}) / 1.8446744073709552e19 AS v{i}" for i in range(6))
        con.execute(f"CREATE TABLE t AS SELECT range AS id, {draws} FROM range(1000000)")
        found = []
        for _ in range(3):
            start = _read_processors()
            con.execute("CREATE TABLE copied AS FROM t").fetchall()
            found.append(_read_processors() - start)
            con.execute("DROP TABLE copied")
    return min(found)


def _read_processors() -> float:
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_utime + own.ru_stime


def run(script: Path, arguments: list[str]) -> dict[str, float] | None:
    """Return the ratios of a script; None where it did not run (an engine or a package is missing)."""
    before = measure_copy()
    done = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{script.stem} did not run: {(done.stderr.strip().splitlines() or ['no message'])[-1]}", flush=True)
        return None
    print(done.stdout, flush=True)
    return read_ratios(done.stdout, (before + measure_copy()) / 2)


def compare(now: dict[str, dict[str, float]], then: dict[str, dict[str, float]]) -> list[str]:
    """Return a line for each ratio that changed by a fifth, and the number of those that did not.

    Examples
    --------
    >>> compare({"loss": {"il1: ratio": 3.0, "sse: ratio": 2.0}}, {"loss": {"il1: ratio": 6.0, "sse: ratio": 2.1}})
    ['| loss | il1: ratio | 6.0 | 3.0 | 0.50 |', 'of 2 ratios 1 changed']
    """
    both = [
        (s, name, then[s][name], new) for s, its in now.items() for name, new in its.items() if name in then.get(s, {})
    ]
    changed = [one for one in both if one[2] > 0 and not 1 / CHANGED <= one[3] / one[2] <= CHANGED]
    lines = [f"| {s} | {name} | {old} | {new} | {new / old:.2f} |" for s, name, old, new in changed]
    return [*lines, f"of {len(both)} ratios {len(changed)} changed"]


def main() -> None:
    """Run the scripts, and keep or compare their ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scripts", nargs="*", help="by their names; all of them by default")
    parser.add_argument("--small", action="store_true", help="as the last line of each description runs it")
    parser.add_argument("--against", type=Path, help="ratios of another run")
    parser.add_argument("--keep", type=Path, help="where to write the ratios; those of other scripts there stay")
    asked = parser.parse_args()
    there = {script.stem: script for script in find_scripts()}
    if unknown := [name for name in asked.scripts if name not in there]:
        parser.error(f"{', '.join(unknown)}: not among {', '.join(there)}")
    found: dict[str, dict[str, float]] = {}
    for name in asked.scripts or there:
        commands = read_commands(there[name]) or [[]]
        ratios = run(there[name], commands[-1 if asked.small else 0])
        if ratios is not None:
            found[name] = ratios
    if asked.against is not None:
        print("| benchmark | what | then | now | times |\n|---|---|---|---|---|")
        print("\n".join(compare(found, json.loads(asked.against.read_text(encoding="utf-8"))["ratios"])))
    if asked.keep is not None:
        kept = json.loads(asked.keep.read_text(encoding="utf-8"))["ratios"] if asked.keep.is_file() else {}
        written = {"version": VERSION, "duckdb": duckdb.__version__, "ratios": {**kept, **found}}
        asked.keep.write_text(json.dumps(written, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
