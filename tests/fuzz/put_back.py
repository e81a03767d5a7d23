"""Faults that were mended, each put back for the test of its attack: a plugin of pytest, loaded by test_put_back.py.

A fault is what a version before did: a macro of which a part is as it was, or another function in the place of one.
The attack must then fail by what it asserts, or by the error of before; where it passes, nobody would see the fault if
it came again.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pytest

import sdc_sql

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


@dataclass(frozen=True)
class Macro:
    """A macro of which a part is as it was."""

    name: str
    now: str
    before: str
    error: type[BaseException] = AssertionError

    @contextmanager
    def put_back(self, funcargs: dict[str, Any]) -> Iterator[None]:
        """Let the test's connection find the macro as it was."""
        con = next(given for given in funcargs.values() if isinstance(given, duckdb.DuckDBPyConnection))
        its, _, rest = sdc_sql.bundle().partition(f"CREATE OR REPLACE MACRO {self.name}(")[2].partition(";\n")
        assert rest
        assert self.now in its, self
        con.execute(f"CREATE MACRO {self.name}({its.replace(self.now, self.before)}")  # before the one of the file
        try:
            yield
        finally:
            con.execute(f"DROP MACRO {self.name}")


@dataclass(frozen=True)
class Function:
    """A function, by its module and name, that does what it did."""

    module: str
    name: str
    before: Any
    error: type[BaseException] = AssertionError

    @contextmanager
    def put_back(self, _: dict[str, Any]) -> Iterator[None]:
        """Let the module have the function as it was."""
        *owner, name = self.name.split(".")
        place = import_module(self.module)
        for part in owner:
            place = getattr(place, part)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(place, name, self.before)
            yield


def do_nothing(*_: object, **__: object) -> None:
    """Do nothing, as where there was no such check."""


def pair_by_places(draws: np.ndarray, _alike: np.ndarray, apart: np.ndarray, *_: object) -> np.ndarray:
    """Pair place i with place i + half, by a fixed rule."""
    order = np.lexsort((draws[:, 0], apart[:, 0, 0]))
    half = len(order) // 2
    found = np.full(len(order), -1, dtype=np.int64)
    found[order[:half]], found[order[half : 2 * half]] = order[half : 2 * half], order[:half]
    return found


ALL_BITS = Macro(
    "sdc__multiple", "CASE WHEN step > 0 AND abs(v) < 1e150 THEN round_even(v / step, 0) * step ELSE v END", "v"
)
# the first case of a test, or the case that is named
FAULTS: dict[str, Macro | Function] = {
    # one release
    "mask/test_grid.py::test_trailing_zeros_name_no_zeros": ALL_BITS,
    "mask/test_grid.py::test_every_whole_number_could_be_the_original": ALL_BITS,
    "mask/test_grid.py::test_multiplied_numbers_could_come_of_any_original": Macro(
        "sdc__product_bits", "greatest(24e0, 20e0 - round_even(ln(size) / 0.6931471805599453e0, 0))", "53e0"
    ),
    "mask/test_grid.py::test_averages_do_not_show_by_their_digits_who_is_in_them": Macro(
        "sdc__own_bits", "bits <= 50", "false"
    ),
    "mask/test_grid.py::test_nothing_released_is_minus_zero": Macro("sdc__within_points", "END)) + 0e0", "END))"),
    "mask/test_record_swap.py::test_where_a_swapped_household_came_from_is_drawn": Function(
        "sdc_sql.udfs.swapping.exchange", "exchange_units", pair_by_places
    ),
    "mask/test_record_swap.py::test_as_many_at_risk_as_can_be_find_a_partner": Function(
        "sdc_sql.udfs.swapping.matching", "Matching.cover", do_nothing
    ),
    "mask/test_one_release.py::test_of_a_file_too": Function(
        "sdc_sql.mask.multiplicative_noise", "refuse_second_release", do_nothing
    ),
    "mask/test_unused_labels.py::test_suppressed_labels_leave_the_types": Function(
        "sdc_sql.cli.mask", "remove_unused_labels", do_nothing
    ),
    "core/test_equal_values.py::test_one_minus_zero_among_zeros_is_no_member_of_their_cell": Macro(
        "sdc__is_minus_zero", "v = 0 AND signbit(v)", "false"
    ),
    "mask/test_round_points.py::test_a_point_that_the_type_does_not_hold_is_refused": Macro(
        "sdc__is_of_type", "x = floor(x)", "true"
    ),
    "mask/test_massc.py::test_a_tenth_of_each_stratum_stays": Macro(
        "sdc__massc_rates", "greatest(0.1,", "greatest(0.0,"
    ),
    "mask/test_massc.py::test_small_strata_keep_the_variance": Macro("sdc__massc_rates", "ceil(sdc__n", "round(sdc__n"),
    # what is left behind
    "integration/test_signals.py::test_what_is_left_when_a_signal_comes[copied-SIGTERM]": Function(
        "sdc_sql.cli", "raise_on_end", nullcontext
    ),
    "integration/test_signals.py::test_what_is_left_when_a_signal_comes[measured-SIGQUIT]": Function(
        "sdc_sql.db.files.work", "_is_private", lambda _: False
    ),
    "integration/test_storage.py::test_what_is_written_is_opened_by_duckdb_1_5": Function(
        "sdc_sql.db.files.storage", "CHOSEN", "latest"
    ),
    "mask/test_meanwhile.py::test_what_another_connection_commits_meanwhile_is_masked_too[round-inserted]": Function(
        "sdc_sql.db.masking.meanwhile", "Meanwhile.check", do_nothing
    ),
    "mask/test_meanwhile.py::test_what_was_inserted_since_the_callers_transaction_began_is_told_from_what_is_its_own": (
        Function("sdc_sql.db.masking.meanwhile", "Meanwhile._refuse_inserted", do_nothing)
    ),
    # doors
    "mask/test_calibrate.py::test_age_by_year_of_birth_is_met": Function(
        "sdc_sql.udfs.calibration.raking", "MANY", 0, ValueError
    ),
    "udfs/test_suppression.py::test_five_records_lose_as_little_as_can_be": Function(
        "sdc_sql.udfs.suppression.identical", "suppress_fewest", do_nothing
    ),
    "risk/test_harm.py::test_flip_posterior_by_counting[1.0-0.0]": Macro(
        "sdc_flip_posterior", "sdc__kept_probability(q) = 1 AND prior = 1 - released", "false"
    ),
}


def _find_fault(item: pytest.Item) -> tuple[str, Macro | Function] | None:
    of_test = item.nodeid.partition("[")[0].removeprefix("tests/")
    for name in (item.nodeid.removeprefix("tests/"), of_test):
        if name in FAULTS:
            return name, FAULTS[name]
    return None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep one case of each attack."""
    kept: dict[str, pytest.Item] = {}
    for item in items:
        found = _find_fault(item)
        if found is not None:
            kept.setdefault(found[0], item)
    items[:] = kept.values()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Function) -> Generator[None, None, None]:
    """Run an attack with its fault; it fails where the attack is passed."""
    found = _find_fault(item)
    assert found is not None
    with found[1].put_back(item.funcargs):
        try:
            yield
        except (AssertionError, pytest.fail.Exception, found[1].error):
            return
    pytest.fail(f"{item.nodeid} does not see the fault: {found[1]}")
