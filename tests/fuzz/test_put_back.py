"""Each fault that was mended is seen by the test of its attack when it is put back (put_back.py)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import put_back
import pytest

HERE = Path(__file__).parent
TESTS = HERE.parent


@pytest.mark.slow
def test_each_fault_that_is_put_back_is_seen(tmp_path):
    files = sorted({name.partition("::")[0] for name in put_back.FAULTS})
    path = os.pathsep.join([str(HERE), *sys.path])
    options = ["-q", "-m", "", "-p", "put_back", "-p", "no:cacheprovider", f"--basetemp={tmp_path / 'faults'}"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *(str(TESTS / file) for file in files)],
        capture_output=True, text=True, check=False, cwd=TESTS.parent,
        env={k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "SDC_"))} | {"PYTHONPATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-6000:]
    passed, _, rest = done.stdout.strip().splitlines()[-1].partition(" passed")
    skipped = int(rest.split(" skipped")[0].strip(", ")) if "skipped" in rest else 0
    assert int(passed) + skipped == len(put_back.FAULTS), done.stdout[-3000:]
    assert skipped <= 1  # the shell of DuckDB 1.5 may be absent
