"""Make the validation book: run every comparison and every simulation, and write their figures to fixtures/validation/.

    python tests/validation                    comparisons and simulations (a quarter of an hour of one core)
    python tests/validation --only comparisons a minute
    python tests/validation --peers            first asks the peers that are installed: R's survey by Rscript; others by
                                               the interpreter that --python names, which has the packages; ARX by
                                               the jars that the variable SDC_ARX names, as java -cp takes them;
                                               mu-ARGUS by its sources in the folder that SDC_MUARGUS names, which
                                               has libmuargus and libnumericalmu

The site shows what stands there; tests/validation/ holds that the comparisons answer the same today.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import sdc_sql  # noqa: E402 - the paths stand first
from validation.book import write_cases, write_simulations  # noqa: E402
from validation.cases import list_modules  # noqa: E402
from validation.simulations import list_simulations  # noqa: E402
from validation.tables import FIXTURES, make_tables, write_for_arx, write_for_muargus  # noqa: E402

SEED = 20_260_101


def main() -> int:
    """Make the book, and say what does not agree; return how many comparisons are not as they say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("comparisons", "simulations"), help="one part of the book")
    parser.add_argument("--peers", action="store_true", help="ask the peers that are installed first")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the peers of PyPI")
    parser.add_argument("--repetitions", type=int, help="of each simulation, in the place of its own number")
    asked = parser.parse_args()
    if asked.peers:
        ask_peers(asked.python)
    wrong = 0 if asked.only == "simulations" else run_cases()
    if asked.only != "comparisons":
        run_simulations(asked.repetitions)
    return wrong


def ask_peers(python: str) -> None:
    """Run each script of peers/, and say which peer is not there."""
    for script in sorted((HERE / "peers").iterdir()):
        if script.stem in {"__init__", "written"} or script.suffix not in {".py", ".R", ".java", ".cpp"}:
            continue
        if script.suffix == ".R" and shutil.which("Rscript") is None:
            print(f"{script.stem}: Rscript is not installed")
            continue
        if script.suffix == ".java" and (shutil.which("javac") is None or "SDC_ARX" not in os.environ):
            print(f"{script.stem}: there is no JDK, or the variable SDC_ARX names no jar of ARX")
            continue
        if script.suffix == ".cpp" and (shutil.which("g++") is None or "SDC_MUARGUS" not in os.environ):
            print(f"{script.stem}: there is no g++, or the variable SDC_MUARGUS names no folder of mu-ARGUS's sources")
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                command = _write_command(script, python, Path(folder))
            except subprocess.CalledProcessError as error:
                print(f"{script.stem}: it cannot be built: {error.stderr.strip()[-200:]}", flush=True)
                continue
            done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True, check=False,
                                  env=os.environ | {"PYTHONWARNINGS": "ignore"})  # fmt: skip
        told = (done.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"{script.stem}: {'asked' if done.returncode == 0 else told}", flush=True)


def _write_command(script: Path, python: str, folder: Path) -> list[str]:
    if script.suffix == ".py":
        return [python, "-m", f"validation.peers.{script.stem}"]
    written = str(FIXTURES / "validation" / f"{script.stem}.json")
    with duckdb.connect() as con:  # no one of R, ARX and mu-ARGUS reads Parquet
        make_tables(con)
        if script.suffix == ".cpp":
            write_for_muargus(con, folder)
            return [_build_muargus(script, folder), str(folder), written]
        if script.suffix == ".java":
            write_for_arx(con, folder)
            return ["java", "-cp", os.environ["SDC_ARX"], str(script), str(folder), written]
        for name, order in (("lfs", "person"), ("couples", "couple"), ("blanked", "couple")):
            con.execute(f"COPY (FROM {name} ORDER BY {order}) TO '{folder / name}.csv'")
    return ["Rscript", "--vanilla", str(script), str(folder), written]


def _build_muargus(script: Path, folder: Path) -> str:
    """Build the program that asks mu-ARGUS, of its two engines without what speaks with Java."""
    engines = [Path(os.environ["SDC_MUARGUS"]) / name for name in ("libmuargus", "libnumericalmu")]
    left = ("_wrap.cpp", "Old.cpp")
    sources = [str(p) for engine in engines for p in sorted(engine.glob("*.cpp")) if not p.name.endswith(left)]
    built = str(folder / "muargus")
    headers = [f"-I{engine}" for engine in engines]
    command = ["g++", "-std=c++17", "-O1", "-w", *headers, str(script), *sources, "-o", built]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return built


def run_cases() -> int:
    """Run every comparison, write them all, and return how many are not as they say."""
    with duckdb.connect() as con:
        sdc_sql.load(con)
        make_tables(con)
        cases = {module.__name__.rpartition(".")[2]: list(module.list_cases(con)) for module in list_modules()}
    write_cases(cases)
    every = [case for of in cases.values() for case in of]
    wrong = [case for case in every if not case.is_proven]
    for case in wrong:
        print(f"NOT AS IT SAYS: {case}")
    print(f"{len(every)} comparisons: {sum(c.agrees for c in every)} agree, "
          f"{sum(bool(c.judgement) for c in every)} differ for a reason, {len(wrong)} are not as they say")  # fmt: skip
    return len(wrong)


def run_simulations(repetitions: int | None) -> None:
    """Run every simulation, each from the same seed, and write the regions."""
    regions = []
    for module in list_simulations():
        with duckdb.connect() as con:
            sdc_sql.load(con)
            regions += module.list_regions(con, np.random.default_rng(SEED), repetitions or module.REPETITIONS)
        print(f"{module.__name__.rpartition('.')[2]}: done", flush=True)
    made = {"seed": SEED, "sdc-sql": sdc_sql.__version__, "duckdb": duckdb.__version__, "numpy": np.__version__}
    write_simulations(regions, made)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
