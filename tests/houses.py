"""Three houses on one machine: their keys, an agreement that all have signed, and what carries messages."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import duckdb

from sdc_sql.between.exchange import Exchange
from sdc_sql.between.identity import make_identity, read_identity, read_public
from sdc_sql.between.signatures import sign_agreement
from sdc_sql.between.terms import draft_agreement

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from sdc_sql.between.agreement import Agreement
    from sdc_sql.between.identity import Identity

NAMES = ["office-a", "office-b", "office-c"]
# 255 degrees of freedom: the chance that chi-square is above it is 1e-9 (mpmath: 1 - gammainc(127.5, 0, x / 2,
# regularized=True))
CHI_SQUARE_255 = 416.0


def chi_square(counts: Counter[int], cells: int) -> float:
    expected = counts.total() / cells
    return sum((counts[c] - expected) ** 2 / expected for c in range(cells))


def found_houses(folder: Path, names: Sequence[str] = NAMES) -> dict[str, Identity]:
    """Make the keys of parties."""
    for name in names:
        make_identity(name, folder / f"keys-{name}")
    return {name: read_identity(folder / f"keys-{name}") for name in names}


def publics(identities: Mapping[str, Identity]) -> list[dict[str, str]]:
    return [read_public(identity.folder / "public.json") for identity in identities.values()]


def agree_on(file: Path, identities: Mapping[str, Identity], sizes: Mapping[str, float], **terms: Any) -> Agreement:
    """Draft an agreement, and let all sign it."""
    agreement = draft_agreement(publics(identities), sizes, **terms)
    file.write_text(json.dumps(agreement.terms))
    for identity in identities.values():
        sign_agreement(file, identity)
    return agreement


class Wire:
    """What carries messages between threads, and keeps them all: what an eavesdropper on every line has."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.there: dict[tuple[str, str, str], bytes] = {}
        self.sent: list[tuple[str, str, str, bytes]] = []

    def side(self, name: str) -> Side:
        return Side(self, name)


class Side:
    """One party's end of it."""

    def __init__(self, wire: Wire, name: str) -> None:
        self.wire, self.name = wire, name

    def send(self, to: str, step: str, message: bytes) -> None:
        with self.wire.lock:
            self.wire.there[self.name, to, step] = message
            self.wire.sent.append((self.name, to, step, message))

    def receive(self, sender: str, step: str) -> bytes | None:
        with self.wire.lock:
            return self.wire.there.get((sender, self.name, step))

    def close(self, seconds: float) -> None:
        pass


def run_together(calls: Mapping[str, Callable[[], Any]]) -> dict[str, Any]:
    """Run a call for each party at the same time; return what each gives, or the error that it ends with."""
    with ThreadPoolExecutor(len(calls)) as pool:
        begun = {name: pool.submit(call) for name, call in calls.items()}
        return {name: each.exception() or each.result() for name, each in begun.items()}


def add_up(
    agreement: Agreement,
    identities: Mapping[str, Identity],
    values: Mapping[str, Sequence[int]],
    wire: Wire,
    wait: float = 10,
) -> dict[str, Any]:
    """Add up values, each party in a thread of its own."""
    return run_together(
        {
            name: lambda name=name: Exchange(agreement, identities[name], wire.side(name), wait).add_up(values[name])
            for name in values
        }
    )


def make_database(file: Path, rows: str) -> Path:
    with duckdb.connect(file) as con:
        con.execute(f"CREATE TABLE persons AS {rows}")
    return file
