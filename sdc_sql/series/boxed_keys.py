"""What the boxes of a series are made of in its first release, and how the ledger keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from sqlglot import exp

from sdc_sql.db import query
from sdc_sql.db.catalogue.load import execute
from sdc_sql.errors import translate_errors
from sdc_sql.series.boxes import BY_VALUE, IN_RANGES, IN_TREE, Boxes, BoxKey
from sdc_sql.series.temporary import drop_tables, fetch_arrow, name_table, store_rows
from sdc_sql.udfs.generalisation.boxes import Questions, make_questions
from sdc_sql.udfs.generalisation.mondrian import make_nodes, place_cells

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import duckdb
    from numpy.typing import NDArray

CHECKED, RECORDS, CELLS, PLACES = (f"sdc_series_box_{name}" for name in ("hierarchies", "records", "cells", "places"))
MERGES = pa.schema({"ended": pa.int64(), "into": pa.int64(), "since": pa.int32()})
_QUESTIONS = ("key", "low", "high", "yes", "no")
_Rows: TypeAlias = "list[dict[str, Any]]"


def cut_boxes(  # noqa: PLR0917 - what mondrian takes
    con: duckdb.DuckDBPyConnection, table: str, keys: Sequence[str], identifier: str, k: int, hierarchies: str | None
) -> tuple[Boxes, dict[str, pa.Table]]:
    """Return the boxes of the first release, those that mondrian cuts, and what the ledger is to have of them."""
    with translate_errors():
        store_rows(con, CHECKED, query.call_macro("sdc__mondrian_checked", hierarchies))
        store_rows(con, RECORDS, query.call_macro("sdc__mondrian_records", table, tuple(keys), identifier))
        store_rows(con, CELLS, query.call_macro("sdc__mondrian_cells", f"temp.{RECORDS}"))
        store_rows(con, PLACES, query.call_macro("sdc__mondrian_places", f"temp.{CELLS}", f"temp.{CHECKED}"))
        described = execute(con, exp.Describe(this=exp.select("*").from_(name_table(RECORDS)))).fetchall()
        cells = fetch_arrow(con, exp.select("*").from_(name_table(CELLS)).order_by("sdc__cell"))
        places = fetch_arrow(con, exp.select("*").from_(name_table(PLACES)).order_by("sdc__j", "sdc__place"))
        nodes, leaves = (
            fetch_arrow(con, query.call_macro(f"sdc__mondrian_{what}", f"temp.{PLACES}", f"temp.{CHECKED}"))
            for what in ("nodes", "leaves")
        )
        drop_tables(con, CHECKED, RECORDS, CELLS, PLACES)
    types = [(str(name), str(kind)) for name, kind, *_ in described if name != "sdc__id"]
    codes = np.asarray(cells["sdc__codes"].combine_chunks().flatten()).reshape(-1, len(types))
    at, orders = place_cells(
        codes, _stack(places, "sdc__j", "sdc__n", "sdc__place"),
        _stack(nodes, "sdc__j", "sdc__level", "sdc__place", "sdc__low", "sdc__high"),
    )  # fmt: skip
    questions = make_questions(at, np.asarray(cells["sdc__records"]).astype(np.int64), k, orders)
    kinds = dict(
        zip(
            places["sdc__j"].to_pylist(),
            zip(*(places[c].to_pylist() for c in ("sdc__in_ranges", "sdc__has_tree")), strict=True),
            strict=True,
        )
    )
    told: _Rows = []
    for j, (name, kind) in enumerate(types):
        in_ranges, has_tree = kinds[j]
        told.append({"name": name, "type": kind, "kind": IN_RANGES if in_ranges else IN_TREE if has_tree else BY_VALUE})
    texts = {
        (j, place): text
        for rows in (places, leaves)
        for j, place, text in zip(*(rows[c].to_pylist() for c in ("sdc__j", "sdc__place", "sdc__text")), strict=True)
    }
    kept: _Rows = []
    for j, key in enumerate(told):
        if key["kind"] == IN_TREE:
            kept += [
                {"key": j, "place": p, "text": t} for (i, p), t in sorted(texts.items(), key=lambda x: x[0]) if i == j
            ]
        else:  # of other keys those values alone at which is cut, or that have a box: they are released
            questions, asked = _number_anew(questions, j, in_ranges=key["kind"] == IN_RANGES)
            kept += [{"key": j, "place": n, "text": texts[j, p]} for n, p in enumerate(asked.tolist())]
    tables = {
        "keys": pa.Table.from_pylist(told),
        "texts": pa.Table.from_pylist(kept, pa.schema({"key": pa.int64(), "place": pa.int64(), "text": pa.string()})),
        "nodes": nodes.filter(pa.array([told[j]["kind"] == IN_TREE for j in nodes["sdc__j"].to_pylist()], pa.bool_())),
        "questions": pa.table({name: getattr(questions, name) for name in _QUESTIONS}),
        "merges": MERGES.empty_table(),
    }
    return read_boxes(tables), tables


def read_boxes(tables: Mapping[str, pa.Table], number: int | None = None) -> Boxes:
    """Return the boxes that the ledger has, as they were in a release, or now."""
    nodes = _stack(tables["nodes"], "sdc__j", "sdc__level", "sdc__place", "sdc__low", "sdc__high")
    names = tables["nodes"]["sdc__label"].to_pylist()
    texts: dict[int, list[str | None]] = {}
    for row in tables["texts"].to_pylist():
        texts.setdefault(row["key"], []).append(row["text"])
    keys = []
    for j, row in enumerate(tables["keys"].to_pylist()):
        own = np.flatnonzero(nodes[:, 0] == j)
        labels: dict[tuple[int, int], str | None] = {}
        for i in own[np.argsort(-nodes[own, 1], kind="stable")].tolist():  # of one run the label of the lowest level
            labels[int(nodes[i, 3]), int(nodes[i, 4])] = names[i]
        tree = make_nodes(nodes[own]) if len(own) else None
        keys.append(BoxKey(row["name"], row["type"], row["kind"], tuple(texts.get(j, ())), tree, labels))
    questions = Questions(*(np.asarray(tables["questions"][name]) for name in _QUESTIONS))
    merges = [(m["ended"], m["into"], m["since"]) for m in tables["merges"].to_pylist()]
    return Boxes(keys, questions, [m for m in merges if number is None or m[2] <= number])


def _number_anew(questions: Questions, j: int, *, in_ranges: bool) -> tuple[Questions, NDArray[np.int64]]:
    """Return the questions by the number of a cut, or of a value, in the place of its place in the file; and these."""
    asked = questions.key == j
    cuts = np.unique(questions.high[asked])
    low, high = questions.low.copy(), questions.high.copy()
    high[asked] = np.searchsorted(cuts, high[asked])
    low[asked] = 0 if in_ranges else high[asked]
    return Questions(questions.key, low, high, questions.yes, questions.no), cuts


def _stack(rows: pa.Table, *names: str) -> NDArray[np.int64]:
    return np.column_stack([np.asarray(rows[name]).astype(np.int64) for name in names])
