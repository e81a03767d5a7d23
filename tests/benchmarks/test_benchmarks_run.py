"""The benchmarks still run (small); their times are for reading, never for asserting."""

from __future__ import annotations

import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from driven_page import CHROMIUM

from sdc_sql.db.catalogue.macros import read_catalogue

pytest.importorskip("pandas")
pytestmark = pytest.mark.slow


def run(script: str, *arguments: str) -> str:
    """Return what a benchmark prints."""
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_risk_benchmark_runs():
    assert "sdc_theta / GROUP BY" in run("risk.py", "2000", "--threads", "1", "--repeats", "1")


def test_the_masking_benchmark_runs():
    printed = run("masking.py", "2000")
    assert printed.count("| 2,000 |") == 7


def test_the_benchmark_of_calls_runs():
    printed = run("calls.py", "--runs", "1", "--most", "3")
    assert printed.count("| `sdc_") == 3
    assert f"| all {len(read_catalogue())} |" in printed


def test_the_benchmark_of_swapping_runs():
    printed = run("swapping.py", "500")
    assert printed.count("| 500 |") == 3


def test_the_benchmark_of_the_frontier_runs():
    printed = run("frontier.py", "2000", "--candidates", "20", "--repeats", "1")
    assert printed.count("\n| 2,000 |") == 3


def test_the_benchmark_of_blocks_runs():
    printed = run("blocking.py", "600:1,4")
    assert printed.count("\n| 600 |") == 2


def test_the_benchmark_of_a_series_runs():
    printed = run("series.py", "5000")
    assert printed.count("\n| 5,000 |") == 10  # nine methods, and the digests alone


def test_the_benchmark_of_attribute_disclosure_runs():
    printed = run("attribute.py", "2000", "--repeats", "1")
    assert printed.count(" 2,000 ") == 7


def test_the_benchmark_of_special_uniques_runs():
    printed = run("suda.py", "2000", "--repeats", "1")
    assert printed.count("| 2,000 |") == 2


def test_the_benchmark_of_exact_sums_runs():
    printed = run("sums.py", "2000", "--threads", "1", "--repeats", "1")
    assert printed.count(" | 1 | ") == 6


def test_the_benchmark_of_suppression_runs():
    printed = run("suppression.py", "2000")
    # three guarantees of four tables; two readings of rare combinations in two
    assert printed.count(" suppressed ") == 16


def test_the_benchmark_of_generalising_runs():
    printed = run("generalising.py", "--records", "500", "--nodes", "0")
    assert printed.count("| 500 |") == 6
    printed = run("generalising.py", "--records", "500", "--nodes", "0", "--preview", "--repeats", "1")
    assert printed.count("| 500 |") == 2


def test_the_benchmark_of_reidentification_runs():
    printed = run("reidentification.py", "2000", "--threads", "1")
    assert printed.count("| 2,000 |") == 6


def test_the_benchmark_of_nearest_records_runs():
    printed = run("nearest.py", "300", "--threads", "1")
    assert printed.count("| 300 | 1 |") == 3


def test_the_benchmark_of_loss_runs():
    printed = run("loss.py", "2000", "--joins", "3000", "--repeats", "1")
    assert (printed.count("| 2,000 |"), printed.count("| 3,000 |")) == (19, 6)


def test_the_benchmark_of_continuous_keys_runs():
    printed = run("continuous.py", "1000")
    assert printed.count("| 1,000 |") == 8


def test_the_benchmark_of_linkage_runs():
    printed = run("linkage.py", "300")
    assert printed.count("| 300 |") == 4


def test_the_benchmark_of_log_linear_models_runs():
    printed = run("log_linear.py", "1000", "--repeats", "1")
    assert printed.count("\n| ") == 4


def test_the_benchmark_of_households_runs():
    printed = run("households.py", "3000", "--runs", "1")
    assert printed.count("\n| ") == 9


def test_the_benchmark_of_synthetic_files_runs():
    printed = run("synthesising.py", "2000")
    assert printed.count(" GiB | ") == 2


def test_the_benchmark_of_previews_runs():
    printed = run("previews.py", "2000")
    assert printed.count("\n| ") == 5


def test_the_benchmark_of_the_page_runs():
    pytest.importorskip("shiny", reason="the extra app is not installed")
    pytest.importorskip("playwright", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    printed = run("page.py", "2000")
    assert printed.count(" s |") == 11


def test_all_of_them_are_found_and_compared(tmp_path):
    """No script is left out, each says how it is run, and ratios that doubled are shown."""
    script = Path(__file__).with_name("all.py")
    kept = tmp_path / "ratios.json"
    run(script.name, "blocking", "--small", "--keep", str(kept))
    found = json.loads(kept.read_text())["ratios"]["blocking"]
    assert {name.partition(",")[0] for name in found} == {"3"}  # 3,000 records in both rows
    assert len(found) == 2
    named = runpy.run_path(str(script))
    others = {p.stem for p in script.parent.glob("*.py")} - {"all", "test_benchmarks_run"}
    assert {p.stem for p in named["find_scripts"]()} == others
    assert all(named["read_commands"](p) for p in named["find_scripts"]())
    printed = (
        "| what | time | clock | ratio |\n|---|---|---|---|\n| theta | 0.5 s | 9 s | 1.1 |\n| f | 1,000.0 s | 9 s | |"
    )
    ratios = named["read_ratios"](printed, 0.25)
    assert ratios == {"theta: time": 2.0, "theta: ratio": 1.1, "f: time": 4000.0}
    changed = named["compare"]({"risk": {**ratios, "theta: time": 4.0}}, {"risk": ratios})
    assert changed == ["| risk | theta: time | 2.0 | 4.0 | 2.00 |", "of 3 ratios 1 changed"]


def test_the_benchmark_of_a_release_runs():
    printed = run("release.py", "20000", "--verify")
    assert printed.count("| **all** |") == 3


def test_the_benchmark_of_tasks_beside_their_bars_runs():
    printed = run("bars.py", "--records", "500", "--only", "noise", "Fellegi")
    assert printed.count("| 500 |") == 3


def test_the_head_to_head_runs_and_answers_that_differ_are_an_error():
    """Ours and pandas count the same cells; what is not installed is named; an answer that is not ours is refused."""
    printed = run("headtohead.py", "500", "--task", "frequencies")
    ours, pandas, *others = (line for line in printed.splitlines() if line.startswith("| frequencies | 500 |"))
    assert "| sdc-sql " in ours
    assert pandas.rpartition("| alone ")[2] == ours.rpartition("| alone ")[2] != ""
    assert len(others) == 2
    named = runpy.run_path(str(Path(__file__).with_name("headtohead.py")))
    task = named["Task"]("x", "y", 0.01, {"spread": (0, 1)})
    line = {"contender": "ours", "answer": {"x": 1.0, "spread": 0.5}}
    named["_assert_alike"](task, [line, {"contender": "theirs", "answer": {"x": 1.009, "spread": 0.9}}])
    for answer in ({"x": 1.02, "spread": 0.5}, {"x": 1.0, "spread": 1.1}, {"spread": 0.5}):
        with pytest.raises(AssertionError, match="theirs has"):
            named["_assert_alike"](task, [line, {"contender": "theirs", "answer": answer}])


def test_what_is_kept_of_a_task_and_a_size_replaces_what_was_measured_of_it(tmp_path):
    keep = runpy.run_path(str(Path(__file__).with_name("headtohead.py")))["_keep"]
    file = tmp_path / "kept.json"
    one = {"task": "suda", "records": 10, "contender": "sdc-sql 1", "seconds": 1}
    other, larger = one | {"contender": "sdcMicro 5"}, one | {"records": 20}
    keep([one, other], file)
    keep([larger], file)
    newer = one | {"contender": "sdc-sql 2"}
    keep([newer, {"task": "suda", "records": 10, "contender": "sdcMicro", "missing": "R is not installed"}], file)
    assert json.loads(file.read_text(encoding="utf-8")) == [newer, other, larger]


def test_the_benchmark_of_masks_on_spark_runs():
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    printed = run("spark.py", "2000", "--masks")
    assert printed.count("| 2,000 |") == 5


def test_the_benchmark_of_a_release_on_spark_runs():
    pytest.importorskip("pyspark")
    if shutil.which("java") is None:
        pytest.skip("Spark runs where Java is")
    printed = run("spark.py", "10000", "--release")  # of fewer, an age has one ethnic group that it gives back: refused
    assert "one content" in printed
