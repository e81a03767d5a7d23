"""The digest that a certificate carries of itself, and which field of it was changed."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK = 8  # each field has so many hexadecimal digits: they say which one was changed, the digest only that one was


def list_leaves(value: object, path: str = "") -> Iterator[tuple[str, object]]:
    """Yield the fields of a certificate with their places, by name; an empty list or object is a field too.

    Examples
    --------
    >>> list(list_leaves({"limits": [{"holds": True}], "steps": []}))
    [('limits[0].holds', True), ('steps', [])]
    """
    if isinstance(value, dict) and value:
        for name, v in sorted(value.items()):
            yield from list_leaves(v, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list) and value:
        for i, v in enumerate(value):
            yield from list_leaves(v, f"{path}[{i}]")
    else:
        yield path, value


def _sha256(value: object) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _mark_fields(fields: dict[str, Any]) -> list[str]:
    return [_sha256(leaf)[:MARK] for leaf in list_leaves(fields)]


def seal_fields(fields: dict[str, Any]) -> dict[str, Any]:
    """Return the fields with a mark for each of them (``marks``) and the digest of all (``digest``)."""
    marked = fields | {"marks": "".join(_mark_fields(fields))}
    return marked | {"digest": _sha256(marked)}


def find_changed_fields(certificate: dict[str, Any]) -> list[str]:
    """Return the places of the fields that are not as they were sealed; none where the digest is right.

    Examples
    --------
    >>> certificate = seal_fields({"output": {"records": 3, "columns": 2}})
    >>> find_changed_fields(certificate), find_changed_fields(certificate | {"output": {"records": 3, "columns": 4}})
    ([], ['output.columns'])
    """
    marked = {name: value for name, value in certificate.items() if name != "digest"}
    fields = {name: value for name, value in marked.items() if name != "marks"}
    if _sha256(marked) == certificate.get("digest"):
        return [] if marked == {**fields, "marks": "".join(_mark_fields(fields))} else ["marks"]
    if seal_fields(fields)["digest"] == certificate.get("digest"):
        return ["marks"]
    text = str(certificate.get("marks"))
    marks = [text[i : i + MARK] for i in range(0, len(text), MARK)]
    found = [(place, mark) for (place, _), mark in zip(list_leaves(fields), _mark_fields(fields), strict=True)]
    if len(found) == len(marks):
        return [place for (place, mark), old in zip(found, marks, strict=True) if mark != old] or ["digest"]
    return [place for place, mark in found if mark not in set(marks)] or ["(a field was taken away)"]
