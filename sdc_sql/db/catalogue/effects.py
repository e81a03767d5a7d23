"""What a mask does to a file, as far as others ask: how it is read and certified, and what its users are told.

A mask that does not say is the safe case: its columns are codes, which stay as they are written; its last digits may
differ; users are told nothing of it, not even a loss.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sdc_sql.db.catalogue import headers
from sdc_sql.db.catalogue.headers import Word

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.catalogue.headers import Comment, Names, Parameter

# These are the words of each tag; the first one is safe, and holds for a mask that has no such tag.
WORDS = {
    "Values": ("codes", "numbers"),
    "Bits": ("last digits", "exact"),
    "Coarsens": ("no", "into values", "into classes"),
    "Suppresses": ("nothing", "values", "records"),
    "Records": ("stay", "fewer", "reordered"),
    "Loss": ("withheld", "published"),
    "Matrix": ("none", "logged", "by retention", "withheld", "unknown"),
    "Households": ("checked", "by unit", "as one record"),
    "Repeated": ("once", "again"),
    "Series": ("refused", "parameters", "values"),
    "Strata": ("together", "apart"),
}
MUST = ("Values", "Bits", "Coarsens", "Loss", "Told", "Repeated", "Series")  # each mask of ours must have these tags


@dataclass(frozen=True)
class Effect:
    """What a mask does to a file.

    ``values``: whether what it masks is codes or numbers, however a CSV file writes them. ``bits``: whether two
    processors give the same ones. ``coarsens``: whether a released value stands for several original ones, one of them
    or a class. ``suppresses``: whether NULL means that a value was taken away, or that the record was. ``records``:
    whether all stay, and in their order. ``loss``: whether a loss of its columns is told to users of the public file.
    ``told``: the parameters that they are told. ``matrix``: where a matrix of misclassification is known. ``publicly``:
    what is said of it in public, where the declaration's own words name what is not told. ``households``: how members
    of a household get one masked value of a column that is of it: by the method's own ``unit``, masked as one record,
    or like values become like ones anyhow, which is checked. ``repeated``: whether a table that changes may be released
    again: what is released of a record that did not change is the same then, whoever came, left or changed. ``series``:
    what is kept of it in a series of releases: its parameters alone, where they and the record decide, or also what was
    released of each value; or why it is refused there. ``strata``: whether, with a ``stratum``, each is masked as if it
    were a table of its own. ``users``: which of their estimates hold.
    """

    values: Word
    bits: Word
    coarsens: Word
    suppresses: Word
    records: Word
    loss: Word
    matrix: Word
    households: Word
    repeated: Word
    series: Word
    strata: Word
    told: tuple[Names, ...] = ()
    publicly: str = ""
    users: str = ""
    says: frozenset[str] = frozenset()  # the tags that the header has

    def list_told(self, arguments: Mapping[str, object]) -> tuple[str, ...]:
        """Return the parameters that users are told of a call.

        Examples
        --------
        >>> from dataclasses import replace
        >>> from sdc_sql.db.catalogue.headers import Names
        >>> told = (Names(("method",)), Names(("alpha",), "method", ("plain",)))
        >>> replace(UNKNOWN, told=told).list_told({"method": "plain"})
        ('method', 'alpha')
        """
        fitting = (n for n in self.told if not n.parameter or arguments.get(n.parameter) in n.choices)
        return tuple(name for one in fitting for name in one.names)


_SAFE: dict[str, Any] = {tag.lower(): Word(known[0]) for tag, known in WORDS.items()}
UNKNOWN = Effect(**_SAFE)


def read_effect(header: Comment, own: Comment, parameters: Mapping[str, Parameter], columns: str) -> Effect:
    """Return what the header of a file and the comment of a macro declare; a measure may name columns that are told."""
    words = {**_SAFE}
    for tag, known in WORDS.items():
        said = headers.read_word(own, tag, known, parameters) or headers.read_word(header, tag, known, parameters)
        if said is not None:
            words[tag.lower()] = said
    where = own if "Told" in own.tags else header
    names = [*parameters, *re.findall(r"(?:^|, )(\w+)", columns)]
    return Effect(
        **words,
        told=headers.read_names(where, "Told", parameters, names),
        publicly=own.tags.get("Publicly", header.tags.get("Publicly", "")),
        users=own.tags.get("Users", header.tags.get("Users", "")),
        says=frozenset(header.tags | own.tags),
    )
