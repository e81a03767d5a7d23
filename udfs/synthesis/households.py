"""Households drawn anew: of each its own columns by its size, then its persons one after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from sdc_sql.udfs.synthesis.candidates import choose
from sdc_sql.udfs.synthesis.columns import Before, Drawn
from sdc_sql.udfs.synthesis.donors import Uniforms
from sdc_sql.udfs.synthesis.model import fit_column
from sdc_sql.udfs.synthesis.synthesise import PROPER, require_records

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.udfs.arguments import Floats, Integers
    from sdc_sql.udfs.synthesis.draws import Draws
    from sdc_sql.udfs.synthesis.model import Column, Fineness, Model

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
    columns: list[Column], roles: Integers, given: list[Column], draws: Draws, members: Members, fineness: Fineness, *,
    proper: bool = False,
) -> list[Floats]:  # fmt: skip
    """Return the columns with values drawn anew, household by household; which persons live together stays.

    First the columns of households, each given the size and those before it. Then persons in the order of their places,
    each given their household, the first person, and the one before: columns of the structure for all of them (who
    lives with whom), then the others.

    Parameters
    ----------
    columns, given, draws, fineness, proper
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
    heads = np.flatnonzero(members.place == 1)
    require_records(len(heads), "households", fineness)
    for column in (c for c, role in zip(columns, roles, strict=True) if role == OF_HOUSEHOLD):
        own, first = column.values, column.values[members.head]
        apart = int((~((own == first) | (np.isnan(own) & np.isnan(first))))[members.place > 1].sum())
        if apart:
            raise ValueError(
                f"{column.name} is of the household, and {apart} persons have another value than the first"
            )
    file = _File(columns, roles, given, draws, members, fineness, proper)
    file.fit(heads)
    everybody = Before.make(len(given) + len(columns) + 1, len(members.place))
    everybody.add(members.size.astype(np.float64), members.size.astype(np.float64), 0)
    for column in (*given, *columns):
        everybody.add(column.values, column.values, column.kind)
    number = np.empty(len(members.place), dtype=np.int64)
    number[heads] = np.arange(len(heads))
    unit = number[members.head]

    def draw(rows: Integers, candidate: int) -> Drawn:
        found = file.draw(rows, candidate)
        new = Drawn.make(everybody, len(rows))
        new.add(members.size[rows].astype(np.float64))
        for values in (*(c.values for c in given), *found):
            new.add(values[rows])
        return new

    found = choose(everybody, unit, unit, draws.choose(heads), draw, fineness.candidates)
    return found[1 + len(given) :]


@dataclass(frozen=True)
class _Stage:
    """The columns of a role for the persons of some places, and their models."""

    role: int
    places: list[int]
    before: Before
    models: list[tuple[int, Model]]  # of columns, by their number


@dataclass(frozen=True)
class _File:
    columns: list[Column]
    roles: Integers
    given: list[Column]
    draws: Draws
    members: Members
    fineness: Fineness
    proper: bool
    stages: list[_Stage] = field(default_factory=list)

    def fit(self, heads: Integers) -> None:
        """Fit what is drawn of households, of the structure, and of the persons."""
        self._fit_stage(heads, [1], OF_HOUSEHOLD)
        for role in (STRUCTURE, 0):
            for fitted, places in self.members.list_groups(self.fineness.k):
                self._fit_stage(fitted, places, role)

    def _fit_stage(self, fitted: Integers, places: list[int], role: int) -> None:
        """Fit the columns of a role for the persons of some places, which one model draws."""
        if not (self.roles == role).any():
            return
        own = self.draws.choose(fitted)
        again = (own.draw(PROPER + role) * len(fitted)).astype(np.int64) if self.proper else None
        boot = fitted if again is None else fitted[again]
        before = Before.make(3 * len(self.columns) + len(self.given) + 2, len(boot))
        real = [column.values for column in self.columns]
        for values, every, kind in self._explain(boot, places[0], role, real):
            before.add(values, every, kind)
        stage = _Stage(role, places, before, [])
        for j in np.flatnonzero(self.roles == role).tolist():
            column = self.columns[j]
            stage.models.append((j, fit_column(column, column.values[fitted], again, before, self.fineness)))
            before.add(column.values[boot], column.values, column.kind)
        self.stages.append(stage)

    def draw(self, rows: Integers, candidate: int) -> list[Floats]:
        """Return the columns with new values of these records, whole households; of others NaN."""
        m = self.members
        found = [np.full(len(m.place), np.nan) for _ in self.columns]
        for stage in self.stages:
            for place in stage.places:
                chosen = rows[m.place[rows] == place]
                if not len(chosen):
                    continue
                new, own = Drawn.make(stage.before, len(chosen)), self.draws.choose(chosen)
                for values, _, _ in self._explain(chosen, place, stage.role, found):
                    new.add(values)
                for j, model in stage.models:
                    released = model.draw(new, Uniforms(own, j, candidate))
                    found[j][chosen] = released
                    new.add(released)
            if stage.role == OF_HOUSEHOLD:
                for j, _ in stage.models:
                    found[j][rows] = found[j][m.head[rows]]
        return found

    def _explain(
        self, rows: Integers, place: int, role: int, values: list[Floats]
    ) -> Iterator[tuple[Floats, Floats, int]]:
        """Return what explains the columns of a role of persons of a place: values, those of the file, and the kind."""
        m = self.members
        yield m.size[rows].astype(np.float64), m.size.astype(np.float64), 0
        if place >= POOLED:
            yield m.place[rows].astype(np.float64), m.place.astype(np.float64), 0
        for column in self.given:
            yield column.values[rows], column.values, column.kind
        for j, column in enumerate(self.columns):
            if self._is_drawn(j, role):
                yield values[j][rows], column.values, column.kind
            if self.roles[j] != OF_HOUSEHOLD and (self._is_drawn(j, role) or self.roles[j] == role):
                for least, other in ((2, m.head), (POOLED, m.previous)):
                    if place >= least:
                        yield _look(values[j], other[rows]), column.values, column.kind

    def _is_drawn(self, j: int, role: int) -> bool:
        """Return whether a column is drawn for all persons before those of a role are."""
        order = (OF_HOUSEHOLD, STRUCTURE, 0)
        return order.index(int(self.roles[j])) < order.index(role)


def _look(values: Floats, places: Integers) -> Floats:
    """Return the values at places, NaN where there is none (-1)."""
    return np.where(places < 0, np.nan, values[places])
