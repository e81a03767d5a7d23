"""Samples of households in a series: the draw is of a household's number, which must stay that of the same one.

A household that was drawn stays drawn, and who moves is released where he lives now: one who moves into a drawn
household comes into the sample, and one who leaves it goes. Numbers given anew would draw all of them again, until
nearly everybody had been released: that is seen by who stayed, of whom too many have another number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from sdc_sql.errors import SeriesError, translate_errors
from sdc_sql.series.kept_values import Place
from sdc_sql.series.ledger import DIGEST

if TYPE_CHECKING:
    from sdc_sql.db.masking.masking import Masking

HOMES = pa.schema({"id": DIGEST, "home": pa.string()})


def draws_households(masking: Masking) -> bool:
    """Return whether a step draws whole households."""
    return masking.macro == "sample" and masking.arguments.get("household") is not None


def read_homes(data: Any, masking: Masking, series: str, step: int) -> pa.Table:  # noqa: ANN401 - a described table
    """Return of each record the digests of its id and of its household's number."""
    identifier, household = str(masking.arguments["id"]), str(masking.arguments["household"])
    with translate_errors():
        own = Place(data.con, data.table, identifier, (), household, series, step).read_digests()
    return own.select(["sdc__person", "sdc__stratum"]).rename_columns(HOMES.names).cast(HOMES)


def count_moved(before: pa.Table | None, now: pa.Table) -> tuple[int, int]:
    """Return how many of those who were there before have another household, and how many they are."""
    if before is None:
        return 0, 0
    at = pc.index_in(now["id"].combine_chunks(), value_set=before["id"].combine_chunks())
    stayed = pc.is_valid(at)
    former = before["home"].combine_chunks().take(at.filter(stayed))
    moved = int(pc.sum(pc.not_equal(former, now["home"].combine_chunks().filter(stayed))).as_py() or 0)
    return moved, len(former)


def refuse_new_numbers(moved: int, stayed: int, most_new: float) -> None:
    """Refuse households that were numbered anew.

    Raises
    ------
    SeriesError
        Where a larger share than ``most_new`` of those who stayed have another number.
    """
    if moved > most_new * stayed:
        raise SeriesError(
            f"More of the persons who stayed have another household than most_new = {most_new} (series.counts has how "
            "many): households must have been numbered anew, and all would be drawn for a second time. Give the "
            "former numbers or, where so many moved, a larger most_new."
        )
