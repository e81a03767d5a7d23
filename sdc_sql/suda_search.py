"""Minimal sample uniques size by size: one small GROUP BY for each set of keys on which anything can be new.

The macro says the same in one query; with hundreds of sets most of its time is planning. Here each set is a query
of its own over the cells, their keys numbered and packed into one integer, and sets are skipped:

    where a set S parts the file into as many groups as S without one of its keys, that key says nothing more
    beside the others; so in every set that holds S it can be left out, and none of them is minimal
"""

from __future__ import annotations

import itertools
from contextlib import contextmanager, suppress
from math import comb, prod
from typing import TYPE_CHECKING

import duckdb
from sqlglot import exp

from sdc_sql import query
from sdc_sql.errors import ParameterError, translated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sdc_sql.roles import Roles

MOST_SETS = 1_000_000
MOST_KEYS = 62  # a set is the bits of a BIGINT
_ID, _RECORDS, _MASK, _GROUPS = ("sdc__id", "sdc__records", "sdc__mask", "sdc__groups")
_numbers = itertools.count(1)


def _column(name: str, table: str | None = None) -> exp.Column:
    return exp.column(name, table=table, quoted=True)


def _key(position: int) -> exp.Column:
    return _column(f"sdc__code_{position}")


def _create(name: str, select: exp.Expression) -> str:
    return query.text(
        exp.Create(
            this=exp.to_table(name),
            kind="TABLE",
            expression=select,
            properties=exp.Properties(expressions=[exp.TemporaryProperty()]),
        )
    )


def _drop(name: str) -> str:
    return f"DROP TABLE IF EXISTS {exp.to_table(name).sql('duckdb')}"


def stored(data: Roles, select: exp.Select) -> str:
    """Store the rows of a query in a temporary table; return its name."""
    name = f"sdc__suda_rows_{next(_numbers)}"
    with translated():
        data.con.execute(_create(name, select)).fetchall()
    return name


def _group(positions: tuple[int, ...], radices: list[int]) -> list[exp.Expression]:
    """Return what to group by: the codes as the digits of one number, or as they are where it would be too long."""
    if prod(radices[p] for p in positions) >= 2**63:
        return [_key(p) for p in positions]
    first, *rest = positions
    packed: exp.Expression = exp.cast(_key(first), "BIGINT")
    for p in rest:
        times = exp.Mul(this=exp.Paren(this=packed), expression=query.literal(radices[p]))
        packed = exp.Add(this=times, expression=_key(p))
    return [packed]


def _groups(name: str, positions: tuple[int, ...], radices: list[int], *, excluded: bool) -> str:
    """Return the query of the groups of a set: a cell of each, and whether it is a record that is alone."""
    alone: exp.Expression = exp.EQ(this=exp.Sum(this=_column(_RECORDS)), expression=query.literal(1))
    if excluded:  # the code of NULL is 0
        some = exp.Least(this=_key(positions[0]), expressions=[_key(p) for p in positions[1:]])
        alone = exp.And(this=alone, expression=exp.GT(this=exp.Min(this=some), expression=query.literal(0)))
    columns = [exp.alias_(exp.Min(this=_column(_ID)), _ID), exp.alias_(alone, "sdc__alone", copy=False)]
    groups = exp.select(*columns, copy=False).from_(exp.to_table(f"{name}_codes"), copy=False)
    return query.text(groups.group_by(*_group(positions, radices), copy=False))


def _insert(name: str) -> str:
    """Return what stores, of the groups, the cells for which the set is minimal, and in a row of its own their number.

    The set is three parameters: it is the same text for every set.
    """
    mask = exp.cast(exp.Placeholder(), "BIGINT")
    within = exp.EQ(
        this=exp.paren(exp.BitwiseAnd(this=_column(_MASK, "m"), expression=mask.copy())), expression=_column(_MASK, "m")
    )
    smaller = exp.select(query.literal(1)).from_(exp.to_table(name).as_("m"))
    smaller = smaller.where(_column(_ID, "m").eq(_column(_ID, "u")), within)
    new = (
        exp.select(_column(_ID, "u"), mask.copy(), exp.null())
        .from_(exp.to_table("sdc__grouped").as_("u"))
        .where(_column("sdc__alone", "u"), exp.not_(exp.Exists(this=smaller)))
    )
    number = exp.select(exp.null(), mask, exp.Count(this=exp.Star())).from_("sdc__grouped")
    return query.text(exp.insert(exp.union(new, number, distinct=False), exp.to_table(name), dialect="duckdb"))


def _search(data: Roles, name: str, most: int, *, excluded: bool) -> None:
    con = data.con
    cells = query.call("sdc__category_cells", data.table, data.keys, None)
    numbered = exp.Window(this=exp.RowNumber())
    con.execute(_create(f"{name}_cells", cells.select(exp.alias_(numbered, _ID)))).fetchall()
    codes = [
        exp.alias_(
            exp.Coalesce(
                this=exp.Anonymous(this="sdc__code", expressions=[_column(k)]), expressions=[query.literal(0)]
            ),
            f"sdc__code_{p}",
        )
        for p, k in enumerate(data.keys)
    ]
    coded = exp.select(_column(_ID), _column(_RECORDS), *codes).from_(exp.to_table(f"{name}_cells"))
    con.execute(_create(f"{name}_codes", coded)).fetchall()
    empty = exp.select(*(exp.alias_(exp.cast(exp.null(), "BIGINT"), column) for column in (_ID, _MASK, _GROUPS))).limit(
        0
    )
    con.execute(_create(name, empty)).fetchall()
    largest = [exp.Max(this=_key(p)) for p in range(len(data.keys))]
    counts = exp.select(exp.Count(this=exp.Star()), exp.Sum(this=_column(_RECORDS)), *largest)
    ((number, records, *tops),) = con.execute(query.text(counts.from_(exp.to_table(f"{name}_codes")))).fetchall()
    radices = [int(top) + 1 for top in tops]
    # the groups of each set that can still be extended; nobody is unique on no key, unless alone in the file
    groups: dict[frozenset[int], int] = {frozenset(): 1 if records > 1 else 0}
    insert = _insert(name)
    for size in range(1, most + 1):
        found = {}
        for positions in itertools.combinations(range(len(data.keys)), size):
            smaller = [groups.get(frozenset(positions) - {p}) for p in positions]
            if None in smaller or (size > 1 and number in smaller):
                continue
            mask = sum(1 << p for p in positions)
            grouped = _groups(name, positions, radices, excluded=excluded)
            con.execute(f"WITH sdc__grouped AS MATERIALIZED ({grouped}) {insert}", [mask, mask, mask]).fetchall()
            found[mask] = (frozenset(positions), smaller)
        counted = exp.select(_column(_MASK), _column(_GROUPS)).from_(exp.to_table(name))
        rows = con.execute(query.text(counted.where(_column(_GROUPS).is_(exp.null()).not_()))).fetchall()
        of = dict(rows)
        groups = {positions: of[mask] for mask, (positions, smaller) in found.items() if of[mask] not in smaller}
        if not groups:
            break
    con.execute(query.text(exp.delete(exp.to_table(name)).where(_column(_ID).is_(exp.null())))).fetchall()


@contextmanager
def searched(data: Roles, max_msu: int | None, nulls: str) -> Iterator[str]:
    """Give the name of a temporary table of what was found, for the macros to take in the place of ``max_msu``."""
    data.load_again()
    m = len(data.keys)
    most = m if max_msu is None else min(max_msu, m)
    if m > MOST_KEYS or sum(comb(m, k) for k in range(1, most + 1)) > MOST_SETS:
        raise ParameterError(
            f"max_msu asks for more than {MOST_SETS:,} sets of {m} keys: it must be a whole number of at least 1 that "
            f"keeps them fewer, or name fewer keys (at most {MOST_KEYS})."
        )
    name = f"sdc__suda_{next(_numbers)}"
    try:
        with translated():
            _search(data, name, most, excluded=nulls == "excluded")
        yield name
    finally:
        for table in (name, f"{name}_codes", f"{name}_cells"):
            with suppress(duckdb.Error):  # in a transaction that has failed the first error is the one to tell
                data.con.execute(_drop(table)).fetchall()
