"""What DuckDB is given: a file drawn anew, of the records of a table in any order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.adapters import NUMBER, TEXT, declare_function
from sdc_sql.udfs.arrow_function import NUMBERS, ROWS, TABLE, WHOLES, Rows
from sdc_sql.udfs.synthesis.draws import WORDS, Draws, order_words
from sdc_sql.udfs.synthesis.households import Members, synthesise_households
from sdc_sql.udfs.synthesis.model import Column, Fineness
from sdc_sql.udfs.synthesis.synthesise import synthesise
from sdc_sql.udfs.trees.codes import NOMINAL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.arguments import Floats, Integers

# behind the columns: 1 for a record that is fitted to, and 2 for one that is drawn; the place where it stands; its
# household, and its place in that (NaN where there is none); its draws
FLAGS, OWN, HOUSE, PLACE, FIRST_DRAW = range(5)


def _number_names(values: Floats) -> tuple[Floats, Floats]:
    """Return names as numbers from 1, and the names in this order; they are numbers made of their digests."""
    there = ~np.isnan(values)
    names, places = np.unique(values[there], return_inverse=True)
    found = np.full(len(values), np.nan)
    found[there] = places + 1.0
    return found, names


def _synthesise(
    records: Rows, places: Integers, labels: Floats, counts: Integers, order: Integers,
    kinds: Integers, roles: Integers, k: float, leaf: float, gain: float, candidates: float,
    methods: str, names: str, proper: float,
) -> list[Floats]:  # fmt: skip
    """Synthesise as DuckDB asks.

    Parameters
    ----------
    records
        Of each record its numbers: columns and given ones, and those named above.
    places
        Those of the records in the order in which values are asked for.
    labels, counts
        Of the columns to draw, one after the other, the names, as numbers, and of each column how many.
    order
        The places of the columns to draw, in the order in which they are drawn, from 1; the given ones come after.
    kinds, roles, methods, names
        Of all columns; of those that are drawn the role in a household, and methods, in their order, a line each.
    k, leaf, gain, candidates, proper
        As of `synthesise`.
    """
    q = len(kinds)
    words = np.array([records.read_column(q + FIRST_DRAW + j) for j in range(WORDS)])
    canonical = order_words(words)
    draws = Draws.read(words[:, canonical])
    del words
    lines, of = names.split("\n"), []
    read = [np.empty(0)] * q
    for j, kind in enumerate(kinds):
        values = records.read_column(j)[canonical]
        if kind == NOMINAL:
            values, read[j] = _number_names(values)
        of.append(Column(lines[j], values, int(kind)))
    own = records.read_column(q + OWN).astype(np.int64)
    asked = [replace(of[j], method=m) for j, m in zip(order - 1, methods.split("\n"), strict=True)]
    given = of[len(order) :]
    fineness = Fineness(int(k), int(leaf), gain, int(candidates))
    house, place = (records.read_column(q + j)[canonical] for j in (HOUSE, PLACE))
    if np.isnan(house).all():
        flags = records.read_column(q + FLAGS)[canonical].astype(np.int64)
        fitted, drawn = (flags & flag > 0 for flag in (1, 2))
        found = synthesise(asked, given, draws, fineness, fitted=fitted, drawn=drawn, proper=proper > 0)
    else:
        members = Members.find(house, place.astype(np.int64))
        found = synthesise_households(asked, roles[order - 1], given, draws, members, fineness, proper=proper > 0)
    del of, asked, given, draws  # before as much memory is taken again
    place_of = np.empty(len(own), dtype=np.int64)
    place_of[own[canonical] - 1] = np.arange(len(own))
    asked_for = place_of[places - 1]
    answers = [np.empty(0)] * len(order)
    names_of = np.split(labels, np.cumsum(counts)[:-1])
    for j, values in zip(order[::-1] - 1, _take_last(found), strict=True):
        answer = values[asked_for]
        answers[j] = _find_labels(answer, read[j], names_of[j]) if kinds[j] == NOMINAL else answer
    return answers


def _take_last(values: list[Floats]) -> Iterator[Floats]:
    """Return the arrays from the last one on, each forgotten when it has been used."""
    while values:
        yield values.pop()


def _find_labels(values: Floats, names: Floats, labels: Floats) -> Floats:
    """Return the place of each name among the labels, from 1; 0 of none."""
    order = np.argsort(labels, kind="stable")
    place = np.r_[0.0, order[np.searchsorted(labels[order], names)] + 1.0] if len(names) else np.zeros(1)
    return place[np.where(np.isnan(values), 0, values).astype(np.int64)]


FUNCTIONS = (
    declare_function(
        "synthesise", _synthesise, TABLE, by_stratum=False, records=ROWS, places=WHOLES, labels=NUMBERS,
        counts=WHOLES, ordered=WHOLES, kinds=WHOLES, roles=WHOLES, k=NUMBER, leaf=NUMBER, gain=NUMBER,
        candidates=NUMBER, methods=TEXT, names=TEXT, proper=NUMBER,
    ),
)  # fmt: skip
