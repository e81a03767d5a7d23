"""What the steps of a table say of PRAM: which keys went through it, and whether the true cells can be told."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdc_sql.db.catalogue.macros import find_effect
from sdc_sql.db.masking.steps import is_changed_since, name_chain
from sdc_sql.db.masking.targets import find_known_table
from sdc_sql.errors import TableError
from sdc_sql.risk.pram_passes import MOST_CELLS, Changed, has_matrix, is_pram, list_step_columns

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlglot import exp

    from sdc_sql.db.masking.steps import LoggedStep
    from sdc_sql.roles import Roles


@dataclass(frozen=True)
class Pram:
    """What the steps say of the keys: in words, and in groups where the true cells can be told, else ``why`` not."""

    said: str
    groups: tuple[Changed, ...] = ()
    why: str = ""


def _find_steps(data: Roles) -> tuple[exp.Table, list[LoggedStep]] | None:
    """Return the table, fully qualified, and its steps, None where there are none."""
    # asked first, since it takes a millisecond
    logs = data.con.execute("SELECT 1 FROM duckdb_tables() WHERE lower(table_name) = 'sdc_steps' LIMIT 1").fetchall()
    if not logs:
        return None
    whole = data if data.part is None else data.part.whole
    table = find_known_table(whole, whole.table)
    if table is None:
        return None
    try:
        return table, name_chain(data.con, table, unknown=True)
    except TableError:  # sdc_steps is a table of the user's own
        return None


def find_pram(data: Roles) -> Pram | None:
    """Return what the steps of a table say of PRAM of its keys, or of a swap of them, None where nothing of it."""
    found = _find_steps(data)
    if found is None:
        return None
    table, steps = found
    have = {c.lower(): c for c in data.columns}
    gone = {c for s in steps for c in s.columns if is_pram(s) and c.lower() not in have}
    ours = [s for s in steps if is_pram(s) and s.masked([*data.keys, *gone])]
    swaps = [s for s in steps if find_effect(s.method).matrix.kind == "unknown" and s.masked(data.keys)]
    lost = bool(steps) and steps[0].source_step is not None
    if not ours and not swaps:
        why = "the steps of the table that it was copied from are not here: attach their database"
        return Pram("Whether a key went through PRAM is not known", why=why) if lost else None
    parts = (_describe_passes(data, ours, "PRAM"), _describe_passes(data, swaps, "swapping"))
    said = "; ".join(part for part in parts if part) + _describe_household_draws(ours)
    of_parts = [str(s.step) for s in ours if "where" in s.parameters]
    whole = [str(s.step) for s in ours if "by_household" in s.parameters]
    why = ""
    if lost:
        why = "earlier steps are not here: attach the database of the table that it was copied from"
    elif swaps:
        why = "who was swapped is not in the log (swapping_risk compares with the original)"
    elif gone:
        why = f"the table has no column {', '.join(sorted(gone))} any more, perhaps renamed to a key"
    elif of_parts:
        why = f"step {', '.join(of_parts)} changed a part of the records only"
    elif whole:
        why = f"step {', '.join(whole)} changed households as one record each, and its matrix is of these"
    if why:
        return Pram(said, why=why)
    groups = _group_steps(ours, data.keys, have)
    why = next(filter(None, (_explain_unknown(data, table, group, steps) for group in groups)), "")
    return Pram(said, () if why else groups, why)


def _describe_passes(data: Roles, steps: Sequence[LoggedStep], through: str) -> str:
    """Return which keys went through it, and by which steps."""
    keys = {k.lower() for k in data.keys}
    named: dict[str, list[str]] = {}
    for step in steps:
        columns = [c for c in step.columns if c.lower() in keys] or list(step.columns)
        named.setdefault(", ".join(columns), []).append(str(step.step))
    return "; ".join(
        f"{columns} went through {through} (step{'s' * (len(numbers) > 1)} {', '.join(numbers)})"
        for columns, numbers in named.items()
    )


def _describe_household_draws(steps: Sequence[LoggedStep]) -> str:
    """Return what draws by household change: with equal probabilities for each record, sums vary more."""
    drawn = [str(s.step) for s in steps if json.loads(s.parameters).get("unit") == "household"]
    if not drawn:
        return ""
    return (
        f"; step{'s' * (len(drawn) > 1)} {', '.join(drawn)} drew by household: the probability of each record to have "
        "its true cell is as by record, and so are expected sums, but their variance is up to the greatest number of "
        "members times as large, and a household's risk after PRAM an upper bound"
    )


def _group_steps(steps: Sequence[LoggedStep], keys: Sequence[str], have: dict[str, str]) -> tuple[Changed, ...]:
    """Return the steps by the columns that they changed, and their strata."""
    found: dict[tuple[frozenset[str], frozenset[str]], list[LoggedStep]] = {}
    for step in steps:
        columns, strata = list_step_columns(step)
        found.setdefault((_fold_names(columns), _fold_names(strata)), []).append(step)
    return tuple(
        Changed(
            tuple(have.get(c.lower(), c) for c in list_step_columns(own[0])[0]),
            tuple(have.get(c.lower(), c) for c in list_step_columns(own[0])[1]),
            tuple(own),
            tuple(k for k in keys if k.lower() in columns | strata),
            number,
        )
        for number, ((columns, strata), own) in enumerate(found.items(), 1)
    )


def _explain_unknown(data: Roles, table: exp.Table, group: Changed, steps: Sequence[LoggedStep]) -> str:
    """Return why the true values of a group's columns cannot be told, '' where they can."""
    for step in group.steps:
        if step.counts is None or (has_matrix(step) and step.matrix is None):
            return (
                f"step {step.step} kept no matrix and no counts: in a later release of a series records are drawn by "
                f"batches, of which it keeps none (or version {step.version} did not keep them yet)"
            )
    since = steps[steps.index(group.steps[0]) :]
    other = next((s for s in since if s not in group.steps and s.masked(group.every)), None)
    if other is not None:
        return f"{', '.join(other.columns)} went through {other.method} after it (step {other.step})"
    missing = [c for c in group.strata if c not in data.columns]
    if missing:
        return f"the table has no column {', '.join(missing)} any more, the stratum"
    changed = [c for c in group.columns if is_changed_since(data.con, table, group.steps[-1], c, data.columns)]
    if changed:
        return f"{', '.join(changed)} has changed since, or the id {group.steps[-1].id} is gone"
    if len(group.steps) > 1 and not group.few:
        return f"it went through several passes, of more than {MOST_CELLS:,} cells"
    return ""


def _fold_names(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)
