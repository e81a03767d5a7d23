"""A limit in words: what its figure is, by the header of its measure, and the number that it must keep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.figures.condition import find_single_comparison, list_named_figures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.figures.asked import Asked
    from sdc_sql.figures.condition import Named


@dataclass(frozen=True)
class Spoken:
    """A limit of one comparison: its figure in words, the bound, and what the figure must be (``at most`` it).

    ``at_most``: a greater figure is on the wrong side.
    """

    words: str
    bound: float
    at_most: bool
    must: str


def describe_limit(limit: str, asked: Mapping[str, Asked], titles: Mapping[str, str] | None = None) -> Spoken | None:
    """Return a limit in words; None where it is more than one figure compared with a number.

    ``titles`` are names for readers of what limits name otherwise.

    Examples
    --------
    >>> from sdc_sql.figures.asked import list_measures
    >>> found = describe_limit("k_anonymity.3.records <= 0", list_measures())
    >>> found.words, found.must, found.bound
    ('Records that violate 3-anonymity: fewer than 3 records share their keys', 'at most', 0.0)
    >>> describe_limit("theta.theta < 0.1 OR theta.n1 <= 0", list_measures()) is None
    True
    """
    found = find_single_comparison(limit)
    if found is None:
        return None
    (named,) = list_named_figures(limit)
    words = describe_figure(named, asked, titles)
    column = asked[named.label].measure.figures.get(named.figure) if named.label in asked else None
    at_most = (column is None or column.more) if found.must == "exactly" else found.must in {"at most", "less than"}
    return Spoken(words, found.bound, at_most, found.must)


def describe_figure(named: Named, asked: Mapping[str, Asked], titles: Mapping[str, str] | None = None) -> str:
    """Return a figure in words: those of its measure's header, or its name where that has none.

    Examples
    --------
    >>> from sdc_sql.figures.asked import list_measures
    >>> from sdc_sql.figures.condition import Named
    >>> describe_figure(Named("", "il1", "income", "bounded"), list_measures())
    'Mean change of a number, bounded (IL1): income'
    >>> describe_figure(Named("", "cells", None, "sample_frequency"), list_measures())
    'Sample frequency (cells)'
    """
    label = (titles or {}).get(named.label, named.label.replace("_", " "))
    if named.label not in asked:
        return f"{_read_name(named.figure)} ({label})"
    measure = asked[named.label].measure
    words = measure.declaration.words.get(named.figure)
    limit = measure.declaration.limit
    if words is None and limit is not None and limit.figure == named.figure:
        words = limit.meaning.removeprefix("The ")
    if words is None:
        return f"{_read_name(named.figure)} ({', '.join(x for x in (label, named.row) if x)})"
    rows = {name: named.row if named.row is not None else name for name in measure.by} if len(measure.by) == 1 else {}
    spoken = words.format(**{name: rows.get(name, name) for name in measure.by})
    own = named.label != measure.name  # a name that the release file gave it
    told = f"{label}: {spoken[0].lower()}{spoken[1:]}" if own else spoken
    in_words = any(f"{{{name}}}" in words for name in rows)
    row = "" if named.row is None or in_words else f": {named.row}"
    return f"{told[0].upper()}{told[1:]}{row}"


def _read_name(name: str) -> str:
    words = name.replace("_", " ")
    return f"{words[:1].upper()}{words[1:]}"
