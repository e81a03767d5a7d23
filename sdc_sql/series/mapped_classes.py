"""A mapping may become coarser in a later release of a series: each new class is made of whole former ones.

What the former mapping listed stands in the ledger as digests, so that the two are compared value by value. Values that
only the new one lists are new, unless the former one said what becomes of all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from sdc_sql.db import query
from sdc_sql.errors import translate_errors
from sdc_sql.series.ledger import DIGEST
from sdc_sql.series.temporary import fetch_arrow

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sdc_sql.db.masking.masking import Masking

CLASSES = pa.schema({"value": DIGEST, "class": DIGEST, "named": DIGEST, "listed": pa.bool_()})
METHOD = "recode"
_DIFFER = {"mapping", "others", "label"}
_Named = dict[bytes, "str | None"]


@dataclass(frozen=True)
class Classes:
    """What a mapping makes of each value, by digests; and of those that it does not list.

    ``listed`` has the class of each value; ``named`` the digest of each class's label as a value; ``rest`` is the class
    of all others where they have a label, and None where they are kept or refused, as ``others`` says.
    """

    listed: dict[bytes, bytes]
    named: dict[bytes, bytes]
    rest: bytes | None
    others: str

    def find_class(self, value: bytes, kept: bytes) -> bytes | None:
        """Return the class of a value, ``kept`` where it stays as it is; None where it is refused."""
        return self.listed.get(value, {"label": self.rest, "keep": kept}.get(self.others))


def read_classes(data: Any, masking: Masking, series: str, step: int) -> tuple[pa.Table, _Named]:  # noqa: ANN401
    """Return the digests of a mapping's values and classes for the ledger, and the labels of the classes."""
    arguments = masking.arguments
    asked = query.call_macro("sdc__series_classes", arguments["mapping"], arguments.get("label"), series, str(step))
    with translate_errors():
        found = fetch_arrow(data.con, asked.order_by("sdc__value", "sdc__class"))
    labels = dict(zip(found["sdc__class"].to_pylist(), found["sdc__label"].to_pylist(), strict=True))
    return found.drop_columns(["sdc__label"]).rename_columns(CLASSES.names).cast(CLASSES), labels


def explain_parted(
    known: Mapping[str, Any], form: Mapping[str, Any], before: pa.Table, now: pa.Table, labels: _Named
) -> str:
    """Return why a mapping is not made of whole former classes, in words that show no former value; "" where it is.

    Parameters
    ----------
    known, form
        The step of the releases before, and of this one.
    before, now
        What the ledger has of the former mapping, and what it is to have of this one.
    labels
        Of this mapping's classes.
    """
    if known["columns"] != form["columns"] or any(
        known["arguments"].get(name) != form["arguments"].get(name)
        for name in {*known["arguments"], *form["arguments"]} - _DIFFER
    ):
        return "not the mapping alone differs"
    former, new = _read(before, known["arguments"]), _read(now, form["arguments"])
    found: dict[bytes, set[bytes | None]] = {}
    for value, of in former.listed.items():
        found.setdefault(of, set()).add(new.find_class(value, value))
    if former.others == "label" and former.rest is not None:  # all that it did not list was one class
        others = [of for value, of in new.listed.items() if value not in former.listed]
        found.setdefault(former.rest, set()).update([new.rest, *others])
    if former.others == "keep":  # a value that stayed as it was stands in the class of that name
        for of, name in former.named.items():
            if name not in former.listed:
                found.setdefault(of, set()).add(new.find_class(name, of))
        if new.others == "error":
            return "values that were not listed stayed as they were, and are refused now"
    lacking = sum(None in of for of in found.values())
    if lacking:
        return f"values of {lacking:,} former classes have no class in this mapping"
    parted = sorted({_say(labels, one) for of in found.values() if len(of) > 1 for one in of if one is not None})
    return f"a former class is divided between {', '.join(parted)}" if parted else ""


def _read(rows: pa.Table, arguments: Mapping[str, Any]) -> Classes:
    listed, named, rest = {}, {}, None
    for row in rows.to_pylist():
        named[row["class"]] = row["named"]
        if row["listed"]:
            listed[row["value"]] = row["class"]
        else:
            rest = row["class"]
    return Classes(listed, named, rest, str(arguments.get("others") or "error"))


def _say(labels: _Named, one: bytes) -> str:
    return repr(labels[one]) if one in labels else "values that stay as they are"
