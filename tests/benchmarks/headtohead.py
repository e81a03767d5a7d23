"""The same task by this package and by each peer that is installed: the same answer first, then time and memory.

    python tests/benchmarks/headtohead.py                          10,000 and 100,000 records, every task
    python tests/benchmarks/headtohead.py --python PYTHON          the interpreter that has the peers of PyPI
    python tests/benchmarks/headtohead.py --keep FILE              keeps the lines, of which the site makes its chart
    python tests/benchmarks/headtohead.py 2000 --task frequencies  one task, fewer records

The site reads fixtures/validation/headtohead.json.

Each contender runs in a process of its own, which reads the table from Parquet (R and Java: from CSV), does the task
once, and says what it found; seconds are those of the task alone, on the clock and of all processors, memory is the
most that the process had. A deterministic task must give the same answer; of a random one the same property is
asserted. A peer that is not installed is named; a contender whose process takes longer than --limit seconds, reading
included, is stopped, ours too, and stands with that bound. --keep replaces the lines of the same task and size.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CONTENDERS = HERE / "contenders"
OURS = "sdc_sql"
ARX = "SDC_ARX"  # the variable with ARX's jar, and with those that it needs, as java -cp takes them
POPULATION = """COPY (SELECT * FROM synthetic_population({records}, 'example')) TO '{path}' (FORMAT {format})"""


@dataclass(frozen=True)
class Task:
    """A task: what is compared of the answers, and how near they must be (0: the same; None: each is in its bounds)."""

    name: str
    asked: str
    near: float | None = 1e-9
    bounds: dict[str, tuple[float, float]] = field(default_factory=dict)


TASKS = [
    Task("frequencies", "records alone on eight keys, and the sum of the squared frequencies"),
    Task("individual_risk", "expected re-identifications", 0.03),
    Task("suda", "records with a special unique of up to three of five keys"),
    Task("suppression", "3-anonymity on five keys; the values lost", None, {"below": (0, 0)}),
    Task("generalisation", "5-anonymity by three hierarchies, nothing suppressed", None, {"below": (0, 0)}),
    Task("microaggregation", "MDAV, k = 3, two columns; the share of the sum of squares that is lost", 0.05),
    Task("noise", "five columns, a tenth of the deviation", None, {"spread": (0.09, 0.11)}),
    Task("pram", "one column, 0.8 retained; the share that stayed", None, {"stayed": (0.77, 0.83)}),
    Task(
        "record_swap",
        "5 percent of the households, all at risk; their sizes kept in each region",
        None,
        {"kept": (1, 1), "moved": (0.02, 0.1)},
    ),
    Task("rank_swap", "one column, 5 percent; values kept, none farther", None, {"kept": (1, 1), "farther": (0, 0)}),
    # (theirs ends after 10,000 steps: 200,000 plain ones of EM come to ours)
    Task("linkage", "m and u by EM of all pairs of 1,000 records, five variables", 5e-3),
    Task("log_linear", "tau1 and tau2 by independence of four keys", 1e-6),
    Task("propensity", "pMSE by main effects of six variables", 1e-5),
    Task("distances", "Kolmogorov-Smirnov, Wasserstein and total variation", 1e-9),
    Task("shapes", "the distance of each of six columns: Kolmogorov-Smirnov, or total variation", 1e-9),
    Task("attribution", "k, l, t and beta of one variable by three keys", 1e-9),
    Task("synthesis", "as many made-up records of eight columns", None, {"distance": (0, 0.5)}),
    Task("calibration", "weights to the margins of two keys; the sum of their squares", 1e-6),
    Task("estimates", "a mean by domains with Taylor's errors", 1e-9),
    Task(
        "release",
        "age recoded, four keys suppressed to three, noise; risk, loss, two reports and the file",
        None,
        {"below": (0, 0), "spread": (0.08, 0.12)},
    ),
]


def main() -> None:
    """Run the tasks and print a line for each contender; ours first."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=int, default=[10_000, 100_000])
    parser.add_argument("--task", action="append", choices=[t.name for t in TASKS], help="all of them by default")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the peers of PyPI")
    parser.add_argument("--limit", type=int, default=120, help="seconds that a contender may take")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="write the lines there")
    asked = parser.parse_args()
    print("| task | records | contender | clock | of all processors | memory | answer |\n|---|---|---|---|---|---|---|")
    for records in asked.records:
        with tempfile.TemporaryDirectory() as folder:
            table = _make_table(Path(folder), records)
            for task in (t for t in TASKS if t.name in (asked.task or [t.name])):
                lines = _compare(task, table, records, asked)
                if asked.keep:
                    _keep(lines, asked.keep)


def _keep(lines: list[dict[str, Any]], file: Path) -> None:
    """Put the lines of a task and a number of records in the place of those that a file has of them.

    A contender that is not installed here stays as it was measured.
    """
    there: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    sizes = {_name(line)[:2] for line in lines}
    absent = {_name(line) for line in lines if "missing" in line}
    kept = [n for n in there if _name(n)[:2] not in sizes or (_name(n) in absent and "missing" not in n)]
    known = {_name(line) for line in kept}
    new = [line for line in lines if _name(line) not in known]
    order = {task.name: place for place, task in enumerate(TASKS)}
    both = sorted([*new, *kept], key=lambda line: (order.get(line["task"], len(order)), line["records"]))
    file.write_text(json.dumps(both, indent=1) + "\n", encoding="utf-8", newline="\n")


def _name(line: dict[str, Any]) -> tuple[str, int, str]:
    return line["task"], line["records"], line["contender"].split()[0]


def _make_table(folder: Path, records: int) -> Path:
    import duckdb  # noqa: PLC0415 - the contenders' own processes do without

    with duckdb.connect() as con:
        con.execute((ROOT / "fixtures" / "population.sql").read_text(encoding="utf-8"))
        path = folder / "table.parquet"
        con.execute(POPULATION.format(records=records, path=path, format="PARQUET"))
        con.execute(f"COPY (FROM '{path}') TO '{folder / 'table.csv'}'")
    return path


def _compare(task: Task, table: Path, records: int, asked: argparse.Namespace) -> list[dict[str, Any]]:
    """Run every contender of a task, assert that they answer the same, and print a line for each."""
    lines: list[dict[str, Any]] = []
    for contender in _list_contenders(task.name):
        found = _run(contender, table, asked)
        line = {"task": task.name, "records": records, **found}
        _print_line(line)
        lines.append(line)
    if "missing" in lines[0]:
        msg = f"{task.name}: ours did not answer: {lines[0]}"
        raise AssertionError(msg)
    if answered := [line for line in lines if "answer" in line]:
        _assert_alike(task, answered)
    return lines


def _list_contenders(task: str) -> list[Path]:
    """Return the scripts of a task, ours first: contenders/TASK/NAME.py, NAME.R or NAME.java."""
    found = [p for p in sorted((CONTENDERS / task).iterdir()) if p.suffix in {".py", ".R", ".java"}]
    return sorted(found, key=lambda path: path.stem != OURS)


def _run(script: Path, table: Path, asked: argparse.Namespace) -> dict[str, Any]:
    """Return what a contender says: its name with the version, seconds, memory, answer; or why there is none."""
    name = script.stem.replace("_", "-")
    if script.suffix == ".R":
        if shutil.which("Rscript") is None:
            return {"contender": name, "missing": "R is not installed"}
        command = ["Rscript", "--vanilla", str(CONTENDERS / "run.R"), str(script), str(table.with_suffix(".csv"))]
    elif script.suffix == ".java":
        if shutil.which("javac") is None or ARX not in os.environ:
            return {"contender": name, "missing": f"there is no JDK, or the variable {ARX} names no jar of ARX"}
        command = ["java", "-cp", os.environ[ARX], str(script), str(table.with_suffix(".csv"))]
    else:
        python = sys.executable if script.stem == OURS else asked.python
        command = [python, "-W", "ignore", str(CONTENDERS / "run.py"), str(script), str(table)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=asked.limit, check=False)
    except subprocess.TimeoutExpired:
        return {"contender": name, "stopped": asked.limit}
    if done.returncode:
        return {"contender": name, "missing": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    said: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return said


def _print_line(line: dict[str, Any]) -> None:
    head = f"| {line['task'].replace('_', ' ')} | {line['records']:,} | {line['contender']} |"
    if "missing" in line:
        print(f"{head} | | | {line['missing'][:100]} |", flush=True)
    elif "stopped" in line:
        print(f"{head} stopped after {line['stopped']} s with reading | | | |", flush=True)
    else:
        answer = ", ".join(f"{name} {value:.6g}" for name, value in line["answer"].items())
        memory = f"{line['memory'] / 1e6:,.0f} MB"
        print(f"{head} {line['seconds']:.2f} s | {line['processor']:.2f} s | {memory} | {answer} |", flush=True)


def _assert_alike(task: Task, lines: list[dict[str, Any]]) -> None:
    """Raise where a deterministic answer is not ours, or a random one out of its bounds."""
    ours, *others = lines
    for line in lines:
        for name, (least, most) in task.bounds.items():
            if not least <= line["answer"][name] <= most:
                msg = f"{task.name}: {line['contender']} has {name} = {line['answer'][name]}, not {least} to {most}"
                raise AssertionError(msg)
    for line in others if task.near is not None else []:
        for name, value in ours["answer"].items():
            theirs = line["answer"].get(name, math.nan)  # a figure that is not answered is none that agrees
            if name not in task.bounds and not math.isclose(value, theirs, rel_tol=task.near, abs_tol=1e-12):
                msg = f"{task.name}: {line['contender']} has {name} = {theirs}, ours is {value}"
                raise AssertionError(msg)


if __name__ == "__main__":
    main()
