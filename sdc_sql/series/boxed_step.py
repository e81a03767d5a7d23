"""Local recoding in a series: the boxes of the first release stay, are merged where too few are left, and never cut."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import SeriesError, translate_errors
from sdc_sql.series.boxed_keys import MERGES, cut_boxes, read_boxes
from sdc_sql.series.boxed_records import read_places
from sdc_sql.series.kept_values import OWN, Place, collect_new, look_up, select_texts
from sdc_sql.series.ledger import DIGEST, VALUES
from sdc_sql.series.temporary import call, drop_tables, load_rows, name_table, read_in_place_of, store_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from sdc_sql.series.boxes import Boxes
    from sdc_sql.series.kept_values import Known
    from sdc_sql.series.ledger import Ledger
    from sdc_sql.series.release_step import ReleaseStep

LEFT_OUT, WAITING, AFTER = (f"sdc_series_boxes_{name}" for name in ("left_out", "waiting", "after"))
MASKED = "sdc_masked_values"
_TABLES = ("keys", "texts", "nodes", "questions", "merges")


def cuts_boxes(method: str) -> bool:
    """Return whether a mask cuts the records into boxes, which a series keeps.

    Examples
    --------
    >>> cuts_boxes("mondrian"), cuts_boxes("generalise")
    (True, False)
    """
    return method == "mondrian"


class BoxedStep:
    """One local recoding in one release of a series."""

    def __init__(self, step: ReleaseStep) -> None:
        self._ledger, self._con, self._table = step.ledger, step.data.con, step.data.table
        arguments: dict[str, Any] = dict(step.masking.arguments)
        self._k, self._hierarchies = int(arguments["k"]), arguments.get("hierarchies")
        self._identifier, self._columns = step.identifier, step.columns
        self._series, self._step, self._number = step.series, step.place, step.number
        self._repeats, self._waiting = step.repeats, step.waiting
        self._late: pa.Array = pa.array([])
        self.new: pa.Table = VALUES.empty_table()
        self.fixed: dict[str, pa.Table] = {}
        self.counts: dict[str, int] = {}
        self.gave_ids = False
        self.absent = pa.array([], DIGEST)  # who is left out of the release

    def select(self, _: exp.Select) -> exp.Select:
        """Return the query of the labels: of each record those of its box. Of who waits they are NULL."""
        k = self._k
        known = read_tables(self._ledger, self._step)
        if known is None:
            boxes, known = cut_boxes(self._con, self._table, self._columns, self._identifier, k, self._hierarchies)
        else:
            boxes = read_boxes(known, self._number if self._repeats else None)
        own, places = read_places(self._con, self._table, self._identifier, self._series, self._step, boxes.keys)
        persons = to_ids(own)
        present = ~_to_numpy(pc.is_in(persons, value_set=self._waiting))
        late = np.zeros(len(own), dtype=bool)
        if self._repeats:
            late = _to_numpy(pc.is_in(persons, value_set=self._ledger.fixed[self._name_late()]["id"].combine_chunks()))
        else:
            before, kept = find_before(self._ledger, self._step, persons), self._look_up(own)
            counted = present & hold_what_was_shown(boxes, places, kept.released)
            boxes.settle(places[counted], before[counted], k, self._number)
            late = present & ~counted
            late[counted] = boxes.find_waiting(places[counted], before[counted], k)
        box, shown = boxes.find_boxes(places), present & ~late
        if not shown.any():
            raise SeriesError(
                f"No box has k = {k} records that can be released: too few of the release before are left, and too few "
                "came. Begin another series."
            )
        self._keep(known, boxes, pa.table({"id": persons, "box": box}).filter(pa.array(shown)), persons.filter(late))
        self._late = own["sdc__id"].filter(pa.array(late))
        self.absent = persons.filter(pa.array(late))
        for j, runs in enumerate(write_runs(boxes, box)):
            own = own.append_column(f"sdc__r{j}", runs)
        self.new = collect_new(own, self._look_up(own), self._columns, self._step, self._number, present=shown)
        found, row = np.unique(box, return_inverse=True)
        at = pa.array(row, mask=~shown)
        texts = [pa.array(labels, pa.string()).take(at) for labels in boxes.name_boxes(found)]
        place = Place(self._con, self._table, self._identifier, self._columns, None, self._series, self._step)
        return select_texts(place, own, texts, ["VARCHAR"] * len(texts))

    def collect(self, masked: exp.Expression) -> None:
        """Store the labels that are released, by which they are counted anew."""
        drop_tables(self._con, OWN)
        load_rows(self._con, LEFT_OUT, pa.table({"sdc__id": self._late}))
        load_rows(self._con, WAITING, pa.table({"sdc__id": self._waiting}))
        own = exp.column(self._identifier, table="v", quoted=True)
        digest = call("sdc__series_id", call("sdc__checked_id", own), self._series)
        waits = exp.In(this=digest, query=exp.select("sdc__id").from_(name_table(WAITING)).subquery())
        released = exp.select("v.*").from_(exp.alias_(masked.copy(), "v", table=True))
        store_rows(self._con, AFTER, released.where(exp.not_(waits), exp.not_(self._find_left_out("v"))))
        drop_tables(self._con, WAITING)

    def choose_proof(self, asked: dict[str, exp.Select]) -> dict[str, exp.Select]:
        """Return the queries for the log, about the records that are released."""
        return {name: read_in_place_of(select, {MASKED: AFTER}) for name, select in asked.items()}

    def finish(self, target: exp.Table, *, ids: bool) -> int:  # noqa: ARG002 - as of other steps
        """Take from what was written who is left out by this step alone; return how many were taken out."""
        with translate_errors():
            ((gone,),) = execute(self._con, exp.Delete(this=target.copy()).where(self._find_left_out(None))).fetchall()
        drop_tables(self._con, LEFT_OUT, AFTER)
        return int(gone)

    def _look_up(self, own: pa.Table) -> Known:
        return look_up(self._ledger, own, self._step, self._columns)

    def _find_left_out(self, table: str | None) -> exp.Expression:
        left = exp.select(call("sdc__by_bytes", exp.column("sdc__id"))).from_(name_table(LEFT_OUT))
        own = exp.column(self._identifier, table=table, quoted=True)
        return exp.In(this=call("sdc__by_bytes", own), query=left.subquery())

    def _keep(self, known: dict[str, pa.Table], boxes: Boxes, boxed: pa.Table, late: pa.Array) -> None:
        """Take what the ledger is to have: the boxes, how they were merged, and in which one each record stands now."""
        merged = pa.Table.from_pylist(
            [dict(zip(MERGES.names, merge, strict=True)) for merge in boxes.new], schema=MERGES
        )
        known = {**known, "merges": pa.concat_tables([known["merges"], merged])}
        self.fixed = {name_fixed(name, self._step): table for name, table in known.items()}
        self.fixed[name_fixed("boxed", self._step)] = boxed
        self.fixed[self._name_late()] = pa.table({"id": late})
        self.counts = {"merged_boxes": len(boxes.new), "waiting_for_others": len(late)}

    def _name_late(self) -> str:
        return f"{name_fixed('late', self._step)} {self._number}"


def name_fixed(what: str, step: int) -> str:
    """Return the name of a table of boxes in the ledger."""
    return f"boxes {step} {what}"


def read_tables(ledger: Ledger, step: int) -> dict[str, pa.Table] | None:
    """Return what the ledger has of the boxes of a step; None before the first release."""
    if name_fixed("keys", step) not in ledger.fixed:
        return None
    return {name: ledger.fixed[name_fixed(name, step)] for name in _TABLES}


def find_before(ledger: Ledger, step: int, persons: pa.Array) -> NDArray[np.int64]:
    """Return the box in which each record stood in the release before, -1 where it was in none."""
    boxed = ledger.fixed.get(name_fixed("boxed", step))
    if boxed is None:
        return np.full(len(persons), -1, dtype=np.int64)
    at = pc.index_in(persons, value_set=boxed["id"].combine_chunks())
    return np.asarray(pc.fill_null(boxed["box"].combine_chunks().take(at), -1)).astype(np.int64)


def ask_who_waits(  # noqa: PLR0917 - what a release is
    ledger: Ledger, data: Any, table: str, identifier: str, series: str, step: int, k: int  # noqa: ANN401
) -> tuple[pa.Array, Callable[[NDArray[np.bool_]], NDArray[np.bool_]]]:  # fmt: skip
    """Return the digests of the ids, and what says of those that are present which of them wait."""
    known = read_tables(ledger, step)
    assert known is not None  # noqa: S101 - it is asked of a later release
    boxes = read_boxes(known)
    own, places = read_places(data.con, table, identifier, series, step, boxes.keys)
    persons = to_ids(own)
    before = find_before(ledger, step, persons)
    kept = look_up(ledger, own, step, [key.name for key in boxes.keys])
    holds = hold_what_was_shown(boxes, places, kept.released)

    def find_waiting(present: NDArray[np.bool_]) -> NDArray[np.bool_]:
        waits = present & ~holds
        counted = present & holds
        waits[counted] = boxes.find_waiting(places[counted], before[counted], k)
        return waits

    return persons, find_waiting


def hold_what_was_shown(boxes: Boxes, places: NDArray[np.int64], released: Sequence[pa.Array]) -> NDArray[np.bool_]:
    """Return of which records the box, as it is now, holds all that was shown first of each of their values.

    Of a record that changes in one key the others would else be shown by another label than before, and the two
    intersect.
    """
    box = boxes.find_boxes(places)
    holds = np.ones(len(box), dtype=bool)
    for j, runs in enumerate(released):
        ends = pc.split_pattern(runs, " ")
        low, high = (
            np.asarray(pc.fill_null(pc.cast(pc.list_element(ends, end), pa.int64()), missing))
            for end, missing in ((0, np.iinfo(np.int64).max), (1, np.iinfo(np.int64).min))
        )
        holds &= (boxes.low[box, j] <= low) & (high <= boxes.high[box, j])
    return holds


def write_runs(boxes: Boxes, box: NDArray[np.int64]) -> list[pa.Array]:
    """Return for each key the run of each record's box, as the ledger keeps it of the value."""
    found, row = np.unique(box, return_inverse=True)
    runs = zip(boxes.low[found].T.tolist(), boxes.high[found].T.tolist(), strict=True)
    return [
        pa.array([f"{a} {b}" for a, b in zip(low, high, strict=True)], pa.string()).take(pa.array(row))
        for low, high in runs
    ]


def to_ids(own: pa.Table) -> pa.Array:
    """Return the digests of ids as a ledger has them."""
    return own["sdc__person"].combine_chunks().cast(DIGEST)


def _to_numpy(truths: pa.Array) -> NDArray[np.bool_]:
    return np.asarray(truths.to_numpy(zero_copy_only=False), dtype=bool)
