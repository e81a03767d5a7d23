"""The mutants themselves: which slips are made, that each can be applied, and that one is caught, missed or alike."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


@pytest.fixture(scope="module")
def mutants() -> SimpleNamespace:
    before = sys.path[:]
    sys.path.insert(0, str(HERE))
    try:
        modules = {}
        for name in ("kernel_mutants", "sql_mutants", "meets"):
            modules[name] = importlib.import_module(name)
        spec = importlib.util.spec_from_file_location("mutants_main", HERE / "__main__.py")
        modules["main"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules["main"])
        return SimpleNamespace(**modules)
    finally:
        sys.path[:] = before


SQL = """-- a < b in a comment is no part of it
CREATE OR REPLACE MACRO sdc__a(x, y) AS TABLE
    SELECT *, coalesce(x, 0) - -y AS "a < b", f(x, y, 'x = 1') FROM t LEFT JOIN u ON a BETWEEN 1.5 AND b
    WHERE x IS NOT NULL AND NOT y < 2 AND count(DISTINCT z) IS NOT DISTINCT FROM sum(z * 2) ORDER BY q DESC;
"""


def test_every_kind_of_slip_in_sql(mutants):
    found = {(m.before, m.after) for m in mutants.sql_mutants.find_sql_mutants("a.sql", SQL)}
    assert found == {
        ("0", "1"), ("-", "+"), ("x, 0", "0, x"), ("x, 0", "x"), ("x, y", "y, x"), ("LEFT JOIN", "JOIN"),
        ("1.5", "3.0"), ("IS NOT NULL", "IS NULL"), ("AND", "OR"), ("NOT", ""), ("<", "<="), ("2", "3"),
        ("DISTINCT", ""),
        ("IS NOT DISTINCT FROM", "="), ("sum", "max"), ("*", "/"), ("DESC", "ASC"),
    }  # fmt: skip


KERNEL = '''
def f(x: int, y: float | None) -> int:
    """Return 1 < 2."""
    if y is None or not x <= 3 or np.isnan(y):
        raise ValueError(f"{x + 1}")
    return np.minimum(x + 1, [-(2.5 * y)], (x) == (y))
'''


def test_every_kind_of_slip_in_a_kernel(mutants):
    found = {(m.before, m.after) for m in mutants.kernel_mutants.find_kernel_mutants("a.py", KERNEL)}
    assert found == {
        (" is ", " is not "), (" or ", " and "), ("not ", ""), (" <= ", " < "), ("3", "4"), ("isnan", "isinf"),
        ("minimum", "maximum"), (" + ", " - "), ("1", "2"), ("2.5", "5.0"), (" * ", " / "),
        ("x + 1, [-(2.5 * y)]", "[-(2.5 * y)], x + 1"), (") == (", ") != ("),
    }  # fmt: skip


def test_every_mutant_can_be_applied_and_changes_the_file(mutants):
    for mutant in mutants.main.draw_mutants(["sql/risk", "udfs/pram"], 3, "applied"):
        text = (ROOT / mutant.file).read_text(encoding="utf-8")
        changed = mutant.apply(text)
        assert changed != text
        if mutant.file.endswith(".py"):
            ast.parse(changed)


@pytest.mark.slow
def test_each_file_meets_tests(mutants):
    alone = [
        str(file)
        for file in mutants.main._walk(ROOT / "sql")
        if not any(mutants.meets.list_tests(str(file.relative_to(ROOT))))
    ]
    assert not alone


def test_the_interval_is_wilsons(mutants):
    # Newcombe (1998), Statistics in Medicine 17, 857-872, table I: 81 of 263, and 0 of 20
    assert mutants.main.find_interval(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert mutants.main.find_interval(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)


@pytest.mark.slow
@pytest.mark.parametrize("file", ["sql/risk/theta.sql", "udfs/pram/matrix.py"])
def test_a_run_catches_a_slip(file, tmp_path):
    kept = tmp_path / "kept.json"
    command = [sys.executable, HERE, file, "--of", "3", "--kept", kept, "--verbose"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert "left out" not in done.stdout
    fates = [fate["fate"] for fate in json.loads(kept.read_text()).values()]
    assert len(fates) == 3
    assert "caught" in fates, done.stdout
    assert "missed" not in fates, done.stdout
