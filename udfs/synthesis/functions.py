"""What DuckDB is given: a file drawn anew, of the records of a table in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, ROWS, TABLE, WHOLES, Rows
from sdc_sql.udfs.synthesis.draws import WORDS, Draws, order_words
from sdc_sql.udfs.synthesis.synthesise import Column, synthesise
from sdc_sql.udfs.trees.codes import NOMINAL

if TYPE_CHECKING:
    from sdc_sql.udfs.arguments import Floats, Integers

ROLES = 2  # behind the columns: whether a record is fitted to, and whether it is drawn; then its place and its draws


def _number_names(values: Floats) -> tuple[Floats, Floats]:
    """Return names as numbers from 1, and the names in this order; they are numbers made of their digests."""
    there = ~np.isnan(values)
    names, places = np.unique(values[there], return_inverse=True)
    found = np.full(len(values), np.nan)
    found[there] = places + 1.0
    return found, names


def _synthesise(
    records: Rows, places: Integers, labels: Floats, counts: Integers, order: Integers,
    kinds: Integers, k: float, methods: str, names: str, proper: float,
) -> list[Floats]:  # fmt: skip
    """Synthesise as DuckDB asks.

    Parameters
    ----------
    records
        Of each record its numbers: columns and given ones, whether it is fitted to and drawn, its place, and uniform
        numbers.
    places
        Those of the records in the order in which values are asked for.
    labels, counts
        Of the columns to draw, one after the other, the names, as numbers, and of each column how many.
    order
        The places of the columns to draw, in the order in which they are drawn, from 1; the given ones come after.
    kinds, methods, names
        Of all columns; methods of those that are drawn, in their order, a line each.
    k, proper
        As of `synthesise`.
    """
    q = len(kinds)
    words = np.array([records.read_column(q + ROLES + 1 + j) for j in range(WORDS)])
    canonical = order_words(words)
    draws = Draws.read(words[:, canonical])
    lines, of = names.split("\n"), []
    read = [np.empty(0)] * q
    for j, kind in enumerate(kinds):
        values = records.read_column(j)[canonical]
        if kind == NOMINAL:
            values, read[j] = _number_names(values)
        of.append(Column(lines[j], values, int(kind)))
    fitted, drawn = (records.read_column(q + role)[canonical] > 0 for role in range(ROLES))
    own = records.read_column(q + ROLES).astype(np.int64)
    asked = [
        Column(of[j].name, of[j].values, of[j].kind, m) for j, m in zip(order - 1, methods.split("\n"), strict=True)
    ]
    found = synthesise(asked, of[len(order) :], draws, int(k), fitted=fitted, drawn=drawn, proper=proper > 0)
    place_of = np.empty(len(own), dtype=np.int64)
    place_of[own[canonical] - 1] = np.arange(len(own))
    answers = [np.empty(0)] * len(order)
    names_of = np.split(labels, np.cumsum(counts)[:-1])
    for j, values in zip(order - 1, found, strict=True):
        answer = values[place_of[places - 1]]
        answers[j] = _find_labels(answer, read[j], names_of[j]) if kinds[j] == NOMINAL else answer
    return answers


def _find_labels(values: Floats, names: Floats, labels: Floats) -> Floats:
    """Return the place of each name among the labels, from 1; 0 of none."""
    order = np.argsort(labels, kind="stable")
    place = np.r_[0.0, order[np.searchsorted(labels[order], names)] + 1.0] if len(names) else np.zeros(1)
    return place[np.where(np.isnan(values), 0, values).astype(np.int64)]


FUNCTIONS = (
    declare_function(
        "synthesise", _synthesise, TABLE, by_stratum=False, records=ROWS, places=WHOLES, labels=NUMBERS,
        counts=WHOLES, ordered=WHOLES, kinds=WHOLES, k="DOUBLE", methods=TEXT, names=TEXT, proper="DOUBLE",
    ),
)  # fmt: skip
