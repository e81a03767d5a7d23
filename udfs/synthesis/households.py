"""Households drawn anew: of each its own columns by its size, then its persons one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.synthesis.columns import Before
from sdc_sql.udfs.synthesis.donors import Donors
from sdc_sql.udfs.synthesis.synthesise import PROPER, Column, draw_column

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.synthesis.draws import Draws

POOLED = 3  # persons from this place on are of one model
OF_HOUSEHOLD, STRUCTURE = 1, 2


@dataclass(frozen=True)
class Members:
    """Of each record its place in its household, from 1, the household's size, its first record, and the one before."""

    place: Integers
    size: Integers
    head: Integers
    previous: Integers  # -1 of heads

    @classmethod
    def find(cls, house: Floats, place: Integers) -> Members:
        """Return the members of households, which are told apart by any numbers.

        Examples
        --------
        >>> found = Members.find(np.array([7.0, 3.0, 7.0]), np.array([2, 1, 1]))
        >>> found.size.tolist(), found.head.tolist(), found.previous.tolist()
        ([2, 1, 2], [2, 1, 2], [2, -1, -1])
        """
        order = np.lexsort([place, house])
        _, number, counts = np.unique(house, return_inverse=True, return_counts=True)
        head = order[np.cumsum(counts) - counts][number]
        previous = np.empty(len(house), dtype=np.int64)
        previous[order[1:]] = order[:-1]
        previous[place == 1] = -1
        return cls(place, counts[number], head, previous)

    def list_groups(self, k: int) -> Iterator[tuple[Integers, list[int]]]:
        """Return the persons of each model, and the places that it draws; few are joined by those before them."""
        last = int(self.place.max())
        for least in range(1, min(POOLED, last) + 1):
            fitted = np.flatnonzero(self.place >= least if least == POOLED else self.place == least)
            for wider in range(least, 0, -1):
                if len(fitted) >= 2 * k:
                    break
                fitted = np.flatnonzero(self.place >= wider - 1)
            yield fitted, [least] if least < POOLED else list(range(POOLED, last + 1))


def synthesise_households(  # noqa: PLR0917 - as of files of persons, and who lives with whom
    columns: list[Column], roles: Integers, given: list[Column], draws: Draws, members: Members, k: int, *,
    proper: bool = False,
) -> list[Floats]:  # fmt: skip
    """Return the columns with values drawn anew, household by household; which persons live together stays.

    First the columns of households, each given the size and those before it. Then persons in the order of their places,
    each given their household, the first person, and the one before: columns of the structure for all of them (who
    lives with whom), then the others.

    Parameters
    ----------
    columns, given, draws, k, proper
        As of `synthesise`.
    roles
        Of each column 1 where it is the household's, 2 where it is of the structure, else 0.
    members
        Who lives with whom.

    Raises
    ------
    ValueError
        Where a column of the household differs within one, and as of `synthesise`.
    """
    found = [np.full(len(c.values), np.nan) for c in columns]
    heads = np.flatnonzero(members.place == 1)
    if len(heads) < 2 * k:
        raise ValueError(
            f"{len(heads)} households; expected at least {2 * k}, twice the fewest of a leaf: take a smaller k"
        )
    for column in (c for c, role in zip(columns, roles, strict=True) if role == OF_HOUSEHOLD):
        own, first = column.values, column.values[members.head]
        apart = int((~((own == first) | (np.isnan(own) & np.isnan(first))))[members.place > 1].sum())
        if apart:
            raise ValueError(
                f"{column.name} is of the household, and {apart} persons have another value than the first"
            )
    file = _File(columns, roles, given, draws, members, k, proper, found)
    file.draw_persons(heads, 1, OF_HOUSEHOLD)
    for j in np.flatnonzero(roles == OF_HOUSEHOLD):
        found[j] = found[j][members.head]
    for role in (STRUCTURE, 0):
        if (roles == role).any():
            for fitted, places in members.list_groups(k):
                for place in places:
                    file.draw_persons(fitted, place, role)
    return found


@dataclass(frozen=True)
class _File:
    columns: list[Column]
    roles: Integers
    given: list[Column]
    draws: Draws
    members: Members
    k: int
    proper: bool
    found: list[Floats]

    def draw_persons(self, fitted: Integers, place: int, role: int) -> None:
        """Draw the columns of a role for the persons of a place."""
        rows, m = np.flatnonzero(self.members.place == place), self.members
        if not (self.roles == role).any():
            return
        own = self.draws.choose(rows)
        again = (self.draws.choose(fitted).draw(PROPER + role) * len(fitted)).astype(np.int64) if self.proper else None
        boot = fitted if again is None else fitted[again]
        before = Before.make(3 * len(self.columns) + len(self.given) + 2, len(boot), len(rows))
        before.add(m.size[boot].astype(np.float64), m.size[rows].astype(np.float64), 0)
        if place >= POOLED:
            before.add(m.place[boot].astype(np.float64), m.place[rows].astype(np.float64), 0)
        for column in self.given:
            before.add(column.values[boot], column.values[rows], column.kind)
        for j, column in enumerate(self.columns):
            if self._is_drawn(j, role):
                before.add(column.values[boot], self.found[j][rows], column.kind)
            if self.roles[j] != OF_HOUSEHOLD and (self._is_drawn(j, role) or self.roles[j] == role):
                for least, other in ((2, m.head), (POOLED, m.previous)):
                    if place >= least:
                        before.add(_look(column.values, other[boot]), _look(self.found[j], other[rows]), column.kind)
        for j in np.flatnonzero(self.roles == role).tolist():
            column = self.columns[j]
            released = draw_column(column, column.values[fitted], again, before, self.k, Donors(own, j))
            self.found[j][rows] = released
            before.add(column.values[boot], released, column.kind)

    def _is_drawn(self, j: int, role: int) -> bool:
        """Return whether a column is drawn for all persons before those of a role are."""
        order = (OF_HOUSEHOLD, STRUCTURE, 0)
        return order.index(int(self.roles[j])) < order.index(role)


def _look(values: Floats, places: Integers) -> Floats:
    """Return the values at places, NaN where there is none (-1)."""
    return np.where(places < 0, np.nan, values[places])
