"""Every measure whose figures a limit can name, by the name of its macro: read from the headers of the SQL files."""

from __future__ import annotations

import difflib
import inspect
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.macros import read_catalogue
from sdc_sql.db.checks import text_for_message
from sdc_sql.errors import ParameterError
from sdc_sql.figures.renamed import AFTER_PRAM, find_new_name
from sdc_sql.methods import Methods

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.functions import Declaration
    from sdc_sql.db.catalogue.gives import Column
    from sdc_sql.db.catalogue.headers import Parameter

ROOMS = ("core/", "risk/", "linkage/", "loss/")
# These are roles of a table, as the headers name them where a measure asks for one.
ROLES = ("keys", "weight", "sampling_fraction", "household", "stratum", "id")
_OF_TABLES = ("self", "data", "original")
_TABLES = ("matrices",)  # a method with this argument chooses among macros, one of which takes tables


@dataclass(frozen=True)
class Measure:
    """A measure as limits know it: its name, the method of Microdata that computes it, and its figures by name.

    ``by`` names the columns that tell several rows of a file apart, as ``k`` those of k-anonymity. Where the rows are
    records, cells or pairs (``of_file`` is False), a figure is the worst of them, and only directed columns count.
    """

    name: str
    verb: str
    declaration: Declaration
    figures: Mapping[str, Column]
    by: tuple[str, ...]
    of_file: bool

    @cached_property
    def arguments(self) -> Mapping[str, inspect.Parameter]:
        """Return what the method takes besides the table and the original, by name."""
        taken = inspect.signature(getattr(Methods, self.verb)).parameters
        return {name: p for name, p in taken.items() if name not in _OF_TABLES}

    @property
    def required(self) -> tuple[str, ...]:
        """Return the arguments without a default."""
        return tuple(name for name, p in self.arguments.items() if p.default is p.empty)

    @cached_property
    def compares(self) -> bool:
        """Whether it compares a released table with its original."""
        return "original" in inspect.signature(getattr(Methods, self.verb)).parameters

    @property
    def joins(self) -> bool:
        """Whether it takes other releases of the same persons, beside which the measured one leaves."""
        return "releases" in self.arguments

    @property
    def reads_wildcards(self) -> bool:
        """Whether NULL in a key may agree with every value."""
        return any(p.name == "nulls" and "wildcard" in p.choices for p in self.declaration.parameters)

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the roles that it cannot do without, unless they are given as arguments."""
        return tuple(p.name for p in self.declaration.required if p.name in ROLES and p.name not in self.required)

    def parameter(self, name: str) -> Parameter | None:
        """Return what the header says of an argument."""
        return next((p for p in self.declaration.parameters if p.name == name), None)

    def takes_tables(self, name: str) -> bool:
        """Whether an argument is a table besides the one that is measured, or several of them."""
        parameter = self.parameter(name)
        return name in _TABLES if parameter is None else parameter.type in {"table", "tables"}

    def figure(self, name: str) -> Column:
        """Return a figure by its name.

        Raises
        ------
        ParameterError
            Where the measure has none of that name.
        """
        if name not in self.figures:
            raise ParameterError(
                f"{self.name} has no figure {text_for_message(name)}: it has {', '.join(self.figures)}."
            )
        return self.figures[name]

    def list_bearings(self) -> set[str]:
        """Return what its figures bear, risk or loss."""
        return {column.bears for column in self.figures.values()} - {""}


@cache
def list_all_measures() -> Mapping[str, Measure]:
    """Return every measure whose figures can be limited, by name.

    Examples
    --------
    >>> found = list_all_measures()["k_anonymity"]
    >>> found.by, list(found.figures), found.figure("records").bears, found.compares
    (('k',), ['records', 'cells'], 'risk', False)
    """
    found = (_read_measure(d) for d in read_catalogue() if d.is_table)
    return {measure.name: measure for measure in found if measure is not None}


def list_limitable(declaration: Declaration) -> tuple[Column, ...]:
    """Return the columns that a limit can name: the numbers of the file, and of records the directed ones."""
    if declaration.is_step or not declaration.file.startswith(ROOMS):
        return ()
    given = declaration.given
    return given.figures or tuple(c for c in given.columns if c.is_number and c.bears)


def _read_measure(declaration: Declaration) -> Measure | None:
    name, given = declaration.name.removeprefix("sdc_"), declaration.given
    # after PRAM the method of the plain measure gives both figures, by the steps of the table
    verb = name if hasattr(Methods, name) else name.removesuffix(AFTER_PRAM)
    columns = list_limitable(declaration)
    if not columns or not hasattr(Methods, verb):
        return None
    return Measure(name, verb, declaration, {c.name: c for c in columns}, given.by, given.of_file)


def find_measure(name: str, figure: str = "") -> Measure:
    """Return a measure by its name; an older name is an error that gives the new one.

    Raises
    ------
    ParameterError
        Where there is none of that name.

    Examples
    --------
    >>> find_measure("suda", "records_with_msu")
    Traceback (most recent call last):
    sdc_sql.errors.ParameterError: suda.records_with_msu is the name of versions before 0.2.0: write suda_summary...
    """
    known = list_all_measures()
    if name in known and (not figure or figure in known[name].figures):
        return known[name]
    new = find_new_name(name, figure)
    if new:
        was = f"{name}.{figure}" if figure else name
        raise ParameterError(f"{was} is the name of versions before 0.2.0: write {new}.")
    if name in known:
        known[name].figure(figure)
    near = difflib.get_close_matches(name, known, n=1) or [n for n in known if name and name in n][:3]
    hint = f": did you mean {' or '.join(near)}?" if near else "; FROM sdc_help() lists all."
    raise ParameterError(f"There is no measure {text_for_message(name)}{hint}")
