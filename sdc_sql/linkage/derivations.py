"""Which derivations of hidden values are worth counting: read from two tables, and sieved (`udfs/derivation.py`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from sqlglot import exp

from sdc_sql.compiler.columns import fold_case
from sdc_sql.db import query
from sdc_sql.errors import translate_errors
from sdc_sql.udfs.derivation import Target, find_possible_givers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from sdc_sql.roles import Roles

SUPPRESSED, COARSENED = 0, 1
_NUMBERED = {"VARCHAR", "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DOUBLE", "FLOAT", "DATE"}
_COMPARED = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "DATE", "BOOLEAN"}  # other types are compared by their texts


@dataclass(frozen=True)
class Derivations:
    """Variables, givers, and what is to be counted: the place of a giver, of a variable, and how it was masked.

    ``hidden`` are the numbers of suppressed and of coarsened values.
    """

    columns: list[str]
    givers: list[list[str]]
    tasks: list[list[int]]
    hidden: tuple[int, int]


def sieve_derivations(
    data: Roles, original: str, columns: Sequence[str], givers: Sequence[str]
) -> Derivations:  # fmt: skip
    """Return the derivations, alone and in pairs, that the records do not refute.

    Parameters
    ----------
    columns
        The variables whose hidden values are looked for.
    givers
        The released columns that may give them back.

    Notes
    -----
    The numbers of households mean nothing outside the file: what was made coarser they do not tell.
    """
    names = _find_masked_columns(data, original, columns)
    table = _read_sides(data, original, names, givers)
    homes = _codes(table["home"]) if data.household is not None else None
    codes = [_keep_repeated_codes(_codes(table[f"g_{i}"])) for i in range(len(givers))]
    lower = [fold_case(name) for name in givers]
    targets, of, hidden = [], [], [0, 0]
    for j, name in enumerate(names):
        released, old = table[f"r_{j}"], table[f"o_{j}"]
        own = lower.index(fold_case(name)) if fold_case(name) in lower else None
        for masked, (known, records) in enumerate((_find_suppressed(old, released), _find_coarsened(old, released))):
            hidden[masked] += len(records)
            if not len(records):
                continue
            tried = [i for i in range(len(givers)) if masked == SUPPRESSED or givers[i] != data.household]
            alone = tuple(i for i in tried if i != own)
            pairs = tuple(tried) if masked == COARSENED else alone
            if homes is not None and masked == SUPPRESSED:  # what a member's own household shows is the household's
                shown = np.where(np.isin(homes, homes[records]), -1, known)
            else:
                shown = known
            targets.append(Target(shown, records, masked, alone, pairs))
            of.append((j, masked))
    found = find_possible_givers(codes, targets)
    lists = list(dict.fromkeys(one.giver for one in found))
    tasks = [[1 + lists.index(one.giver), 1 + of[one.target][0], of[one.target][1]] for one in found]
    return Derivations(names, [[givers[i] for i in one] for one in lists], tasks, (hidden[0], hidden[1]))


def _find_masked_columns(data: Roles, original: str, columns: Sequence[str]) -> list[str]:
    """Return the columns whose released value is not the original one of some record."""
    before, after = (
        _select_side(data, table, [(name, name, False) for name in columns]) for table in (original, data.table)
    )
    types = [data.relation("sdc__rows", table) for table in (original, data.table)]
    kinds = [{fold_case(c): str(kind) for c, kind in zip(t.columns, t.types, strict=True)} for t in types]
    differs = []
    for j, name in enumerate(columns):
        sides: list[exp.Expr] = [exp.column(name, table=side, quoted=True) for side in ("a", "b")]
        if not kinds[0].get(fold_case(name)) == kinds[1].get(fold_case(name)) in _COMPARED:
            sides = [exp.cast(value, "VARCHAR") for value in sides]
        differs.append(exp.alias_(exp.func("bool_or", exp.NullSafeNEQ(this=sides[0], expression=sides[1])), f"d_{j}"))
    if not columns:
        return []
    select = exp.select(*differs).from_(before.subquery("a")).join(after.subquery("b"), using=["sdc__person"])
    (row,) = data.select(select)
    return [name for name, found in zip(columns, row.values(), strict=True) if found]


def _select_side(data: Roles, table: str, names: Sequence[tuple[str, str, bool]]) -> exp.Select:
    """Return the records of a table: the id, and columns under other names, as texts or as they are."""
    chosen: list[exp.Expr] = [exp.alias_(exp.cast(exp.column(str(data.id), quoted=True), "VARCHAR"), "sdc__person")]
    for alias, name, as_text in names:
        column: exp.Expr = exp.column(name, quoted=True)
        chosen.append(exp.alias_(exp.cast(column, "VARCHAR") if as_text else column, alias, quoted=True))
    return exp.select(*chosen).from_(query.call_macro("sdc__rows", table).subquery("r"))


def _read_sides(data: Roles, original: str, columns: Sequence[str], givers: Sequence[str]) -> pa.Table:
    """Return original and released values of variables, and the givers, side by side."""
    # what Arrow cannot number is numbered by its text
    kinds = dict(zip(data.columns, map(str, data.relation("sdc__rows", data.table).types), strict=True))
    old = _select_side(data, original, [(f"o_{j}", name, True) for j, name in enumerate(columns)])
    named = [(f"r_{j}", name, True) for j, name in enumerate(columns)]
    named += [(f"g_{i}", name, kinds[name] not in _NUMBERED) for i, name in enumerate(givers)]
    new = _select_side(data, data.table, named)
    if data.household is not None:
        new = new.select(exp.alias_(exp.cast(exp.column(data.household, quoted=True), "VARCHAR"), "home"))
    wanted = ["home"] * (data.household is not None)
    wanted += [f"{side}_{j}" for side in "or" for j in range(len(columns))] + [f"g_{i}" for i in range(len(givers))]
    both = exp.select(*map(exp.column, wanted)).from_(old.subquery("a")).join(new.subquery("b"), using=["sdc__person"])
    with translate_errors():
        return data.reading(both).to_arrow_table()


def _codes(column: pa.ChunkedArray) -> NDArray[np.int64]:
    """Return the places of the values among the different ones, -1 where it is missing."""
    coded = column.combine_chunks().dictionary_encode()
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    return np.asarray(coded.indices.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _keep_repeated_codes(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the codes with -1 in the place of a value that no other record has: it gives nothing back."""
    single = np.bincount(codes + 1) == 1
    single[0] = False
    return np.where(single[codes + 1], -1, codes) if single.any() else codes


def _find_suppressed(old: pa.ChunkedArray, released: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    known = _codes(released)
    return known, np.flatnonzero((known < 0) & np.asarray(old.is_valid()))


def _find_coarsened(old: pa.ChunkedArray, released: pa.ChunkedArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the codes of the original values, and the records whose released value stands for several of them."""
    known, labels = _codes(old), _codes(released)
    both = np.flatnonzero((known >= 0) & (labels >= 0))
    kinds = int(known.max(initial=0)) + 1
    pairs = np.unique(labels[both] * kinds + known[both])
    several = np.bincount(pairs // kinds, minlength=int(labels.max(initial=0)) + 1) > 1
    return known, both[several[labels[both]]]
