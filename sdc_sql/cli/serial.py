"""The options of ``sdc-sql mask`` for a release of a series."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sdc_sql.errors import ParameterError
from sdc_sql.series.series import WEAKENED, Series
from sdc_sql.series.told_counts import list_counts

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
    group.add_argument(
        "--series-counts", metavar="FILE",
        help="write as JSON how many records wait, were left out or were given a new id: it is the house's own",
    )  # fmt: skip


def make_series(arguments: argparse.Namespace) -> Series | None:
    """Return the release of a series that is asked for, or None."""
    given = {name: getattr(arguments, name) for name in _NAMES}
    if not any(given.values()):
        flags = (arguments.after, arguments.disk_encrypted, arguments.returning, arguments.series_counts)
        if any(flags) or arguments.weakened != WEAKENED[0]:
            raise ParameterError(
                "--after, --disk-encrypted, --returning, --weakened and --series-counts go with --ledger only."
            )
        return None
    missing = [f"--{name.replace('_', '-')}" for name, value in given.items() if not value]
    if missing:
        raise ParameterError(
            f"A release of a series needs --ledger, --series and --series-release: {missing[0]} is missing."
        )
    if arguments.make_id is not None:
        raise ParameterError("--make-id numbers rows, which come and leave: a series needs ids of persons, --id.")
    counts = None if arguments.series_counts is None else Path(arguments.series_counts)
    if counts is not None and (counts.exists() or not counts.resolve().parent.is_dir()):
        raise ParameterError(f"--series-counts: {counts} is there already, or its folder is not: name a new file.")
    series = _Told(
        arguments.ledger, arguments.series, arguments.series_release, after=arguments.after,
        disk_encrypted=arguments.disk_encrypted, returning=arguments.returning,
        weakened=arguments.weakened,
    )  # fmt: skip
    series.counts_file = counts
    return series


class _Told(Series):
    """A release whose head is told where progress is: the next one names it."""

    counts_file: Path | None = None

    def record(self) -> None:
        super().record()
        # how many is not said: what is printed is a log that others may read
        if self.counts_file is not None:
            opened = os.open(self.counts_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(opened, "w", encoding="utf-8") as file:
                file.write(json.dumps(self.counts) + "\n")
        elif list_counts(self.counts):
            print(f"series {self.name}, release {self.release}: records wait or go on otherwise (how many: "
                  "--series-counts FILE)", file=sys.stderr)  # fmt: skip
        print(f"series {self.name}, release {self.release}: --after {self.head} for the next one", file=sys.stderr)
