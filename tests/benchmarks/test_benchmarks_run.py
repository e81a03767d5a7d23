"""The benchmarks still run (small); their times are for reading, never for asserting."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from driven_page import CHROMIUM

pytest.importorskip("pandas")
pytestmark = pytest.mark.slow


def test_the_risk_benchmark_runs():
    script = Path(__file__).with_name("risk.py")
    command = [sys.executable, str(script), "2000", "--threads", "1", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "sdc_theta / GROUP BY" in done.stdout


def test_the_masking_benchmark_runs():
    command = [sys.executable, str(Path(__file__).with_name("masking.py")), "2000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 2,000 |") == 7


def test_the_benchmark_of_swapping_runs():
    command = [sys.executable, str(Path(__file__).with_name("swapping.py")), "500"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 500 |") == 3


def test_the_benchmark_of_the_frontier_runs():
    command = [
        sys.executable,
        str(Path(__file__).with_name("frontier.py")),
        "2000",
        "--candidates",
        "20",
        "--repeats",
        "1",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n| 2,000 |") == 3


def test_the_benchmark_of_blocks_runs():
    command = [sys.executable, str(Path(__file__).with_name("blocking.py")), "600:1,4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n| 600 |") == 2


def test_the_benchmark_of_a_series_runs():
    command = [sys.executable, str(Path(__file__).with_name("series.py")), "5000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n| 5,000 |") == 9


def test_the_benchmark_of_attribute_disclosure_runs():
    command = [sys.executable, str(Path(__file__).with_name("attribute.py")), "2000", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" 2,000 ") == 7


def test_the_benchmark_of_special_uniques_runs():
    command = [sys.executable, str(Path(__file__).with_name("suda.py")), "2000", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 2,000 |") == 2


def test_the_benchmark_of_exact_sums_runs():
    command = [sys.executable, str(Path(__file__).with_name("sums.py")), "2000", "--threads", "1", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" | 1 | ") == 6


def test_the_benchmark_of_suppression_runs():
    command = [sys.executable, str(Path(__file__).with_name("suppression.py")), "2000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    # three guarantees of four tables; two readings of rare combinations in two
    assert done.stdout.count(" suppressed ") == 16


def test_the_benchmark_of_generalising_runs():
    command = [sys.executable, str(Path(__file__).with_name("generalising.py")), "--records", "500", "--nodes", "0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 500 |") == 6
    command += ["--preview", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 500 |") == 2


def test_the_benchmark_of_reidentification_runs():
    command = [sys.executable, str(Path(__file__).with_name("reidentification.py")), "2000", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 2,000 |") == 6


def test_the_benchmark_of_nearest_records_runs():
    command = [sys.executable, str(Path(__file__).with_name("nearest.py")), "300", "--threads", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 300 | 1 |") == 3


def test_the_benchmark_of_loss_runs():
    command = [sys.executable, str(Path(__file__).with_name("loss.py")), "2000", "--joins", "3000", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert (done.stdout.count("| 2,000 |"), done.stdout.count("| 3,000 |")) == (19, 6)


def test_the_benchmark_of_continuous_keys_runs():
    command = [sys.executable, str(Path(__file__).with_name("continuous.py")), "1000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 1,000 |") == 8


def test_the_benchmark_of_linkage_runs():
    command = [sys.executable, str(Path(__file__).with_name("linkage.py")), "300"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 300 |") == 4


def test_the_benchmark_of_log_linear_models_runs():
    command = [sys.executable, str(Path(__file__).with_name("log_linear.py")), "1000", "--repeats", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n| ") == 4


def test_the_benchmark_of_households_runs():
    command = [sys.executable, str(Path(__file__).with_name("households.py")), "3000", "--runs", "1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n| ") == 9


def test_the_benchmark_of_synthetic_files_runs():
    command = [sys.executable, str(Path(__file__).with_name("synthesising.py")), "2000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" GiB | ") == 2


def test_the_benchmark_of_previews_runs():
    command = [sys.executable, str(Path(__file__).with_name("previews.py")), "2000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n| ") == 5


def test_the_benchmark_of_the_page_runs():
    pytest.importorskip("shiny", reason="the extra app is not installed")
    pytest.importorskip("playwright", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium on this machine")
    command = [sys.executable, str(Path(__file__).with_name("page.py")), "2000"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" s |") == 11


def test_all_of_them_are_found_and_compared(tmp_path):
    """No script is left out, each says how it is run, and ratios that doubled are shown."""
    script = Path(__file__).with_name("all.py")
    kept = tmp_path / "ratios.json"
    command = [sys.executable, str(script), "blocking", "--small", "--keep", str(kept)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
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
    command = [sys.executable, str(Path(__file__).with_name("release.py")), "20000", "--verify"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| **all** |") == 3


def test_the_benchmark_of_tasks_beside_their_bars_runs():
    command = [
        sys.executable,
        str(Path(__file__).with_name("bars.py")),
        "--records",
        "500",
        "--only",
        "noise",
        "Fellegi",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("| 500 |") == 3
