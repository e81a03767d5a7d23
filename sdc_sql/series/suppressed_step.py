"""Local suppression in a series: a released id shows one row of keys in all its releases, or it ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.db.catalogue.macros import find_effect
from sdc_sql.errors import translate_errors
from sdc_sql.series.given_ids import find_id_kind, give_ids, list_given_ids
from sdc_sql.series.ledger import DIGEST, VALUES
from sdc_sql.series.placed_newcomers import place_newcomers, refuse_one_key_of_two
from sdc_sql.series.suppression_rule import find_suppression_rule
from sdc_sql.series.temporary import (
    call,
    drop_tables,
    fetch_arrow,
    load_rows,
    match_bytes,
    name_table,
    store_rows,
    sum_lost_keys,
)

if TYPE_CHECKING:
    from sdc_sql.series.release_step import ReleaseStep

# of each released id that a person ever had: see series_identities.sql
IDENTITIES = pa.schema(
    {
        "id": DIGEST, "number": pa.int32(), "since": pa.int32(), "ended": pa.int32(), "row_digest": DIGEST,
        "whole": DIGEST, "lost": pa.int32(), "standing": pa.string(), "settled": pa.int32(),
    }
)  # fmt: skip
_NAMES = ("now", "identities", "states", "found", "live", "free", "placed", "rows", "below", "lost", "before", "after")
NOW, KNOWN, STATES, FOUND, LIVE, FREE, PLACED, ROWS, BELOW, LOST, BEFORE, AFTER = (f"sdc_series_{n}" for n in _NAMES)
MASKED = "sdc_masked_values"


def suppresses_values(method: str) -> bool:
    """Return whether a mask hides values of keys.

    Examples
    --------
    >>> suppresses_values("local_suppression"), suppresses_values("microaggregate")
    (True, False)
    """
    return find_effect(method).suppresses.kind == "values"


class SuppressedStep:
    """One suppression in one release of a series.

    Parameters
    ----------
    weakened
        What becomes of a record whose released id has ended: ``"leave_out"`` or ``"new_id"``.
    """

    def __init__(self, step: ReleaseStep, weakened: str) -> None:
        self._ledger, self._con, self._table = step.ledger, step.data.con, step.data.table
        self._macro = step.masking.macro
        self._arguments: dict[str, Any] = dict(step.masking.arguments)
        self._identifier, self._keys = step.identifier, tuple(self._arguments["columns"])
        self._masked = step.columns
        self._series, self._step, self._number = step.series, step.place, step.number
        self._waiting, self._repeats, self._renews = step.waiting, step.repeats, weakened == "new_id"
        self._rule = find_suppression_rule(self._con, self._macro, self._arguments)
        self._later = f"identities {step.place}" in self._ledger.fixed
        self._kind = find_id_kind(self._con, self._table, self._identifier) if self._renews else ""
        self.new: pa.Table = VALUES.empty_table()
        self.fixed: dict[str, pa.Table] = {}
        self.counts: dict[str, int] = {}
        self.gave_ids = False
        self.absent = pa.array([], DIGEST)  # who is left out of the release

    def select(self, selected: exp.Select) -> exp.Select:
        """Return the query of the masked values: the method's own in the first release, what is kept in a later one."""
        if not self._later:
            return selected
        self._list_records()
        states = self._ledger.values.filter(pc.equal(self._ledger.values["step"], self._step))
        load_rows(self._con, KNOWN, self._ledger.fixed[f"identities {self._step}"])
        load_rows(self._con, STATES, states)
        if self._repeats:
            self._store(
                ROWS,
                "sdc__series_repeated_rows",
                _name_temporary(NOW),
                _name_temporary(KNOWN),
                self._number,
                self._every_key,
            )
        else:
            self._decide_rows()
        return self._select_masked()

    def choose_proof(self, asked: dict[str, exp.Select]) -> dict[str, exp.Select]:
        """Return the queries for the log, of a later release about the records that are released."""
        if not self._later:
            return asked
        for name, source in ((BEFORE, exp.Table(this=call("query_table", self._table))), (AFTER, name_table(MASKED))):
            every = exp.select(exp.Column(this=exp.Star(), table=exp.to_identifier("t")))
            every = every.from_(exp.alias_(source, "t", table=True))
            store_rows(self._con, name, self._join_rows(every).where("r.sdc__stands"))
        return {name: self._read_standing(select) for name, select in asked.items()}

    def collect(self, masked: exp.Expression) -> None:
        """Take at first what was released of each value; later this is known before it is written."""
        if not self._later:
            self._list_records()
            load_rows(self._con, KNOWN, IDENTITIES.empty_table())
            load_rows(self._con, STATES, VALUES.empty_table())
            own = exp.alias_(exp.column(self._identifier, table="v", quoted=True), "sdc__id")
            lost = exp.alias_(sum_lost_keys(self._keys, "v"), "sdc__lost")
            store_rows(self._con, LOST, exp.select(own, lost).from_(exp.alias_(masked, "v", table=True)))
            self._store(ROWS, "sdc__series_first_rows", _name_temporary(NOW), _name_temporary(LOST))
        if not self._repeats:
            self._record()

    def finish(self, target: exp.Table, *, ids: bool) -> int:
        """Take from what was written who is left out, and give new ids; return how many were taken out.

        Parameters
        ----------
        ids
            Whether the ids are given here, or when the file is written.
        """
        gone = 0
        if self._later:
            left = exp.select(call("sdc__by_bytes", exp.column("sdc__id"))).from_(name_table(ROWS))
            left = left.where("NOT sdc__stands")
            identified = call("sdc__by_bytes", exp.column(self._identifier, quoted=True))
            delete = exp.Delete(this=target.copy()).where(exp.In(this=identified, query=left.subquery()))
            with translate_errors():
                ((gone,),) = execute(self._con, delete).fetchall()
            absent = exp.select("sdc__person").from_(name_table(ROWS)).where("NOT sdc__stands")
            self.absent = fetch_arrow(self._con, absent)["sdc__person"].combine_chunks().cast(DIGEST)
            if self._kind:
                self.gave_ids = True
                list_given_ids(
                    self._con, self._table, ROWS, identifier=self._identifier, kind=self._kind, series=self._series,
                    step=self._step,
                )  # fmt: skip
                if ids:
                    give_ids(self._con, target, self._identifier)
        drop_tables(self._con, NOW, KNOWN, STATES, FOUND, LIVE, FREE, PLACED, BELOW, LOST, BEFORE, AFTER)
        return int(gone)

    @property
    def _every_key(self) -> int:
        return (1 << len(self._keys)) - 1

    def _list_records(self) -> None:
        """Store of each record its digests, its keys as bytes, its stratum and weight."""
        own = exp.column(self._identifier, table="t", quoted=True)
        stratum, weight = self._arguments.get("stratum"), self._arguments.get("weight")
        named: list[exp.Expression] = [exp.column(k, table="t", quoted=True) for k in self._keys]
        part: exp.Expression = exp.null() if stratum is None else exp.column(stratum, table="t", quoted=True)
        digests = [
            call("sdc__series_value", own.copy(), value.copy(), self._series, str(self._step), name)
            for name, value in zip((*self._keys, "the stratum"), (*named, part), strict=True)
        ]
        weighed = exp.null() if weight is None else query.make_text_literal(weight)
        if isinstance(weight, str):
            weighed = call("sdc__checked_weight", exp.column(weight, table="t", quoted=True))
        told = [
            exp.alias_(own, "sdc__id"),
            exp.alias_(call("sdc__series_id", call("sdc__checked_id", own.copy()), self._series), "sdc__person"),
            exp.alias_(exp.Array(expressions=digests), "sdc__digests"),
            exp.alias_(exp.Array(expressions=[call("sdc__shown_bytes", v) for v in named]), "sdc__values"),
            exp.alias_(call("sdc__shown_bytes", part.copy()), "sdc__part"),
            exp.alias_(exp.cast(weighed, "DOUBLE"), "sdc__weight"),
        ]
        source = exp.alias_(exp.Table(this=call("query_table", self._table)), "t", table=True)
        store_rows(self._con, NOW, exp.select(*told).from_(source))
        load_rows(self._con, BELOW, pa.table({"sdc__person": self._waiting}))
        self._store(NOW, "sdc__series_without", _name_temporary(NOW), _name_temporary(BELOW))
        refuse_one_key_of_two(self._con, _name_temporary(NOW), self._keys)

    def _decide_rows(self) -> None:
        self._store(FOUND, "sdc__series_found", _name_temporary(NOW), _name_temporary(KNOWN))
        self._store(LIVE, "sdc__series_live", _name_temporary(FOUND), self._number)
        self._drop_too_few()
        self._store(FOUND, "sdc__series_weakened", _name_temporary(FOUND), _name_temporary(LIVE))
        self._store(FREE, "sdc__series_free", _name_temporary(FOUND), _name_temporary(STATES), self._renews)
        place_newcomers(self._con, self._macro, self._arguments, self._keys, self._rule)
        self._store(
            BELOW, "sdc__series_certain", _name_temporary(FOUND), _name_temporary(LIVE), _name_temporary(PLACED)
        )
        self._store(PLACED, "sdc__series_without", _name_temporary(PLACED), _name_temporary(BELOW))
        self._store(LIVE, "sdc__series_standing", _name_temporary(LIVE), _name_temporary(PLACED), self._number)
        self._drop_too_few()
        self._store(FOUND, "sdc__series_weakened", _name_temporary(FOUND), _name_temporary(LIVE))
        self._store(
            ROWS,
            "sdc__series_rows",
            _name_temporary(FOUND),
            _name_temporary(LIVE),
            _name_temporary(PLACED),
            self._every_key,
        )
        least = self._rule.bounds[0] if self._rule.compares == "records" else 2
        counts = query.call_macro(
            "sdc__series_counts",
            _name_temporary(ROWS),
            _name_temporary(NOW),
            _name_temporary(STATES),
            _name_temporary(LIVE),
            self._renews,
            len(self._keys),
            least,
        )
        self.counts = {name: int(n) for name, n in fetch_arrow(self._con, counts).to_pylist()[0].items()}
        if self._rule.guarantee != "identical":
            del self.counts["apart_by_presence"]  # rows need not be alike

    def _drop_too_few(self) -> None:
        """End the ids for which too few others are left, until there is none: each of them is one less for others."""
        rule = self._rule
        while True:
            given = (list(rule.sets), list(rule.bounds), rule.guarantee, rule.compares)
            self._store(BELOW, "sdc__series_below", _name_temporary(LIVE), *given)
            ((some,),) = execute(self._con, exp.select("count(*)").from_(name_table(BELOW))).fetchall()
            if not some:
                return
            self._store(LIVE, "sdc__series_without", _name_temporary(LIVE), _name_temporary(BELOW))

    def _record(self) -> None:
        """Take what the ledger is to have: the ids with their rows, and the state of each value that is new."""
        identities = query.call_macro(
            "sdc__series_identities", _name_temporary(KNOWN), _name_temporary(ROWS), _name_temporary(NOW), self._number
        )
        found = fetch_arrow(self._con, identities.order_by("id", "number"))
        self.fixed[f"identities {self._step}"] = found.cast(IDENTITIES)
        states = query.call_macro(
            "sdc__series_value_states",
            _name_temporary(ROWS),
            _name_temporary(NOW),
            _name_temporary(STATES),
            self._number,
            self._step,
            len(self._keys),
        )
        self.new = fetch_arrow(self._con, states.order_by("id", "place", "digest")).cast(VALUES)

    def _select_masked(self) -> exp.Select:
        followers = self._arguments.get("ghosts") or {}
        told: list[Any] = [exp.column(self._identifier, table="t", quoted=True)]
        for name in self._masked:
            bits = sum(1 << j for j, k in enumerate(self._keys) if k == name or name in followers.get(k, ()))
            gone = exp.BitwiseAnd(this=exp.column("sdc__lost", table="r"), expression=exp.Literal.number(bits))
            value = exp.column(name, table="t", quoted=True)
            shown = exp.Case().when(exp.Paren(this=gone).eq(0), value).else_(exp.null())
            told.append(exp.alias_(shown, name, quoted=True))
        source = exp.alias_(exp.Table(this=call("query_table", self._table)), "t", table=True)
        return self._join_rows(exp.select(*told).from_(source))  # nothing is shown of who waits

    def _join_rows(self, select: exp.Select) -> exp.Select:
        own = exp.column(self._identifier, table="t", quoted=True)
        rows = exp.alias_(name_table(ROWS), "r", table=True)
        return select.join(rows, on=match_bytes(own, exp.column("sdc__id", table="r")), join_type="left")

    def _read_standing(self, select: exp.Select) -> exp.Select:
        """Return a query of macros that read the table, and the masked values, as one of the released records."""

        def change(node: exp.Expression) -> exp.Expression:
            if isinstance(node, exp.Anonymous):
                for place, (name, new) in enumerate(
                    ((self._table, _name_temporary(BEFORE)), (_name_temporary(MASKED), _name_temporary(AFTER)))
                ):
                    given = node.expressions[place] if len(node.expressions) > place else None
                    if isinstance(given, exp.Literal) and given.is_string and given.name == name:
                        given.replace(exp.Literal.string(new))
            return node

        changed = select.copy().transform(change)
        assert isinstance(changed, exp.Select)  # noqa: S101 - for the type checker: its root is no call
        return changed

    def _store(self, name: str, macro: str, *arguments: Any) -> None:  # noqa: ANN401 - of a macro
        store_rows(self._con, name, query.call_macro(macro, *arguments))


def _name_temporary(name: str) -> str:
    return f"temp.{name}"
