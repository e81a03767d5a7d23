"""The options of ``sdc-sql mask`` for a release of a series."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from sdc_sql.errors import ParameterError
from sdc_sql.series.series import WEAKENED, Series
from sdc_sql.series.told_counts import describe_counts

if TYPE_CHECKING:
    import argparse

_NAMES = ("ledger", "series", "series_release")


def add_options(method: argparse.ArgumentParser) -> None:
    """Add what names a ledger, the series, this release and the one before."""
    group = method.add_argument_group("a release of a series")
    group.add_argument("--ledger", metavar="FILE", help="the private ledger, made by the first release")
    group.add_argument("--series", metavar="NAME", help="the name of the series")
    group.add_argument("--series-release", metavar="NAME", help="the name of this release")
    group.add_argument("--after", metavar="HEAD", default="", help="the head of the release before, as it was told")
    group.add_argument(
        "--disk-encrypted", action="store_true", help="the disk is encrypted, and the ledger need not be"
    )
    group.add_argument("--returning", action="store_true", help="ids that had left and are back are the same persons")
    group.add_argument(
        "--weakened", choices=WEAKENED, default=WEAKENED[0],
        help="what becomes of a record whose suppressed row cannot go on: it is left out, or is given a new id",
    )  # fmt: skip


def make_series(arguments: argparse.Namespace) -> Series | None:
    """Return the release of a series that is asked for, or None."""
    given = {name: getattr(arguments, name) for name in _NAMES}
    if not any(given.values()):
        if arguments.after or arguments.disk_encrypted or arguments.returning or arguments.weakened != WEAKENED[0]:
            raise ParameterError("--after, --disk-encrypted, --returning and --weakened go with --ledger only.")
        return None
    missing = [f"--{name.replace('_', '-')}" for name, value in given.items() if not value]
    if missing:
        raise ParameterError(
            f"A release of a series needs --ledger, --series and --series-release: {missing[0]} is missing."
        )
    if arguments.make_id is not None:
        raise ParameterError("--make-id numbers rows, which come and leave: a series needs ids of persons, --id.")
    return _Told(
        arguments.ledger, arguments.series, arguments.series_release, after=arguments.after,
        disk_encrypted=arguments.disk_encrypted, returning=arguments.returning,
        weakened=arguments.weakened,
    )  # fmt: skip


class _Told(Series):
    """A release whose head is told where progress is: the next one names it."""

    def record(self) -> None:
        super().record()
        for said, number in describe_counts(self.counts):
            print(f"series {self.name}, release {self.release}: {number:,} {said}", file=sys.stderr)
        if waiting := self.counts["waiting"]:
            print(f"{waiting:,} records wait for a later release, and are left out of this one", file=sys.stderr)
        print(f"series {self.name}, release {self.release}: --after {self.head} for the next one", file=sys.stderr)
