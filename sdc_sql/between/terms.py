"""The terms of an agreement: drafted or read, and each held to what it must be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sdc_sql.between.agreement import Agreement
from sdc_sql.between.identity import require_public
from sdc_sql.between.modular import MAX_PARTIES
from sdc_sql.db.checks import is_number, text_for_message
from sdc_sql.errors import ParameterError, TableError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FORMAT = "sdc-sql between 1"
METHODS = ("shares", "ring")
LEAST_PARTIES = 3
LEAST_THRESHOLD = 3
THRESHOLD = 10
MAX_COLUMNS = 100
MAX_CELLS = 200
COMMON = {"format", "kind", "purpose", "method", "threshold", "sizes", "parties"}
OWN_FIELDS = {"regression": {"response", "regressors"}, "sums": {"by", "cells", "totals"}}


def draft_agreement(
    parties: Sequence[Mapping[str, str]],
    sizes: Mapping[str, float],
    *,
    response: str | None = None,
    regressors: Sequence[str] = (),
    by: Sequence[str] = (),
    cells: Sequence[Sequence[str]] = (),
    purpose: str = "",
    threshold: int = THRESHOLD,
    method: str = "shares",
) -> Agreement:
    """Return an agreement, not yet signed: on a regression where a response is named, else on the sums of cells.

    Parameters
    ----------
    parties
        The public halves of three or more parties (:func:`read_public`).
    sizes
        For each numeric column the greatest absolute value that it can have, by the code book. It is told to all: the
        greatest value of the data would be a person's.
    response, regressors
        The columns of a regression; the constant is always in it.
    by, cells
        The columns whose values make the cells, and all cells, each a text for each column. The columns of ``sizes``
        are summed in each; without any, the records are counted.
    purpose
        What it is for, in words that are signed.
    threshold
        k: no party answers what tells of fewer than so many of its records.
    method
        ``shares``, or ``ring`` for comparison.

    Raises
    ------
    ParameterError
        Where a field is wrong; it says which.
    """
    terms: dict[str, Any] = {
        "format": FORMAT, "purpose": purpose, "method": method, "threshold": threshold, "sizes": dict(sizes),
        "parties": [dict(party) for party in parties],
    }  # fmt: skip
    if response is not None:
        terms |= {"kind": "regression", "response": response, "regressors": list(regressors)}
    else:
        terms |= {"kind": "sums", "by": list(by), "cells": [list(cell) for cell in cells], "totals": list(sizes)}
    return check_terms(terms, "The agreement")


def read_agreement(file: str | Path) -> Agreement:
    """Return the agreement of a file, checked; its signatures are looked at by :func:`require_signatures`."""
    try:
        terms = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise TableError(f"{file} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError):
        raise ParameterError(f"{file} is no JSON: give an agreement that sdc-sql between draft has written.") from None
    return check_terms(terms, str(file))


def check_terms(terms: object, where: str) -> Agreement:
    """Return an agreement whose terms are what they must be."""
    if not isinstance(terms, dict) or terms.get("format") != FORMAT:
        raise ParameterError(f"{where} is no agreement of this version ({FORMAT}): draft it by sdc-sql between draft.")
    kind = terms.get("kind")
    if not isinstance(kind, str) or kind not in OWN_FIELDS:
        raise ParameterError(f"{where}: kind is {text_for_message(kind)}: it must be regression or sums.")
    if set(terms) != COMMON | OWN_FIELDS[kind]:
        strange = sorted(map(str, set(terms) ^ (COMMON | OWN_FIELDS[kind])))
        raise ParameterError(f"{where}: an agreement on {kind} has other fields ({', '.join(strange)}).")
    if not _is_printed(terms["purpose"]):
        raise ParameterError(f"{where}: purpose must be a text of one line.")
    if terms["method"] not in METHODS:
        raise ParameterError(
            f"{where}: method is {text_for_message(terms['method'])}: it must be one of {', '.join(METHODS)}."
        )
    threshold = terms["threshold"]
    if isinstance(threshold, bool) or not isinstance(threshold, int) or threshold < LEAST_THRESHOLD:
        raise ParameterError(
            f"{where}: threshold is {text_for_message(threshold)}: it must be a whole number of at least "
            f"{LEAST_THRESHOLD}."
        )
    _check_parties(terms["parties"], where)
    (_check_model if kind == "regression" else _check_cells)(terms, where)
    _check_sizes(terms, where)
    return Agreement(terms)


def _check_parties(parties: object, where: str) -> None:
    if not isinstance(parties, list) or not LEAST_PARTIES <= len(parties) <= MAX_PARTIES:
        number = len(parties) if isinstance(parties, list) else 0
        raise ParameterError(
            f"{where} has {number} parties: there must be at least {LEAST_PARTIES} (of two, each has the other's "
            f"sums as the total less its own), and at most {MAX_PARTIES}."
        )
    read = [require_public(party, where) for party in parties]
    for field, words in (("name", "name"), ("signs", "key"), ("receives", "key"), ("certificate", "certificate")):
        if len({party[field] for party in read}) < len(read):
            raise ParameterError(f"{where} has two parties of one {words}: each must be a house of its own.")


def _is_printed(text: object) -> bool:
    """Return whether something is a text that a terminal shows as it is: it is signed as it is seen."""
    return isinstance(text, str) and (text.isprintable() or not text)


def _require_columns(names: object, where: str, what: str, *, least: int) -> list[str]:
    if not isinstance(names, list) or not all(_is_printed(n) and n for n in names) or len(names) < least:
        raise ParameterError(f"{where}: {what} must be a list of at least {least} names of columns.")
    if any(name.lower().startswith("sdc__") for name in names):
        raise ParameterError(f"{where}: {what} names a column that begins with sdc__, which is reserved.")
    return names


def _refuse_twice(names: Sequence[str], where: str) -> None:
    if len({name.lower() for name in names}) < len(names):  # DuckDB compares names so
        raise ParameterError(f"{where} names a column twice: {', '.join(names)}.")
    if len(names) > MAX_COLUMNS:
        raise ParameterError(f"{where} names {len(names)} columns: there may be at most {MAX_COLUMNS}.")


def _check_model(terms: dict[str, Any], where: str) -> None:
    if not isinstance(terms["response"], str):
        raise ParameterError(f"{where}: response must be the name of a column.")
    regressors = _require_columns(terms["regressors"], where, "regressors", least=1)
    (response,) = _require_columns([terms["response"]], where, "response", least=1)
    _refuse_twice([*regressors, response], where)


def _check_cells(terms: dict[str, Any], where: str) -> None:
    by = _require_columns(terms["by"], where, "by", least=1)
    _refuse_twice([*by, *_require_columns(terms["totals"], where, "totals", least=0)], where)
    cells = terms["cells"]
    fits = isinstance(cells, list) and all(
        isinstance(c, list) and len(c) == len(by) and all(_is_printed(v) for v in c) for c in cells
    )
    if not fits or not 1 <= len(cells) <= MAX_CELLS or len({tuple(c) for c in cells}) < len(cells):
        raise ParameterError(
            f"{where}: cells must be a list of 1 to {MAX_CELLS:,} different cells, each a list of {len(by)} texts, "
            "one for each column of by."
        )


def _check_sizes(terms: dict[str, Any], where: str) -> None:
    wanted = Agreement(terms).columns
    sizes = terms["sizes"]
    if not isinstance(sizes, dict) or set(sizes) != set(wanted):
        raise ParameterError(
            f"{where}: sizes must give the greatest absolute value of each of {', '.join(wanted) or 'no column'}."
        )
    for column, size in sizes.items():
        if not is_number(size) or not 1e-9 <= size <= 1e15:  # noqa: PLR2004 - where units are numbers of 128 bits
            raise ParameterError(
                f"{where}: the size of {column} is {text_for_message(size)}: it must be a number from 1e-9 to 1e15, "
                "the greatest absolute value by the code book."
            )
