"""What a ledger holds: the chain of releases, what was fixed on the first one, and what was released of each value.

No id, no value that is masked and no stratum stands in it, but digests by a key. Whoever has the secret key can try all
possible values against them: it is then as confidential as the originals.
"""

from __future__ import annotations

import hashlib
import hmac
import io
import json
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sdc_sql.series.found_digests import find_digests
from sdc_sql.series.sealed_file import read_sealed, write_sealed

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

DIGEST = pa.binary(16)
# who is, or was, in a release: the first and the last one that he was in
IDS = pa.schema({"id": DIGEST, "first": pa.int32(), "last": pa.int32()})
# what was released of each value that a record ever had, as text; `since`: the release in which it was first
VALUES = pa.schema(
    {
        "step": pa.int32(),
        "place": pa.int32(),
        "id": DIGEST,
        "digest": DIGEST,
        "since": pa.int32(),
        "released": pa.string(),
    }
)
WAITING = "waiting "  # with the number of a release: the ids that waited in it
_ABOUT = "ledger.json"  # in an archive, the first format
ALIGNED = 64  # bytes: each part begins at a multiple, so that its numbers are read in place


@dataclass
class Ledger:
    """The content of a ledger.

    ``releases`` have each its name, the digest of its content, and the ``head`` of the chain after it; ``steps`` each
    its method, columns and frozen parameters; ``fixed`` are tables of what was found in the first release, by step.
    """

    series: str
    releases: list[dict[str, Any]] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    ids: pa.Table = field(default_factory=IDS.empty_table)
    values: pa.Table = field(default_factory=VALUES.empty_table)
    fixed: dict[str, pa.Table] = field(default_factory=dict)
    _found: tuple[pa.Table, pa.Array, NDArray[np.int64]] | None = field(default=None, init=False, repr=False)

    @property
    def head(self) -> str:
        """The digest of the chain after the last release; empty before the first."""
        return str(self.releases[-1]["head"]) if self.releases else ""

    def extend_chain(self, key: bytes, name: str, content: str, *, shown: str, **told: Any) -> str:  # noqa: ANN401 - JSON
        """Add a release to the chain, and return its head; ``shown`` is the digest of how it was masked."""
        parts = [self.series, self.head, str(len(self.releases) + 1), name, content, shown]
        message = b"".join(f"{len(p)}:{p}".encode() for p in parts)
        head = hmac.new(key, b"chain " + message, hashlib.sha256).hexdigest()
        self.releases.append({"name": name, "content": content, **told, "head": head})
        return head

    def find_places(self, persons: pa.Array) -> NDArray[np.int64]:
        """Return of each digest of an id its place among the ids, -1 where it is not there; once for the same ones."""
        if self._found is None or self._found[0] is not self.ids or not self._found[1].equals(persons):
            self._found = self.ids, persons, find_digests(persons, self.ids["id"].combine_chunks())
        return self._found[2]

    def count_in(self, persons: pa.Array, number: int) -> None:
        """Take note of who is in a release, by the digests of their ids."""
        place = self.find_places(persons)
        last = self.ids["last"].to_numpy().copy()
        last[place[place >= 0]] = number
        new = persons.filter(pa.array(place < 0))
        numbers = pa.array(np.full(len(new), number, np.int32))
        known = self.ids.set_column(2, IDS.field("last"), pa.array(last, pa.int32()))
        self.ids = pa.concat_tables([known, pa.table([new, numbers, numbers], schema=IDS)])

    def erase_ids(self, ids: pa.Array) -> int:
        """Forget records by the digests of their ids, and all that was released of them; return how many they were.

        The releases in which they may have been are marked, and cannot be repeated any more; the digests of their
        tables, which hang on them too, are taken away.
        """
        before = len(self.ids)
        gone = pc.is_in(self.ids["id"], value_set=ids)
        last = pc.max(self.ids.filter(gone)["last"]).as_py() or 0
        self.releases = [
            {**release, "erased": True, "content": ""} if number <= last else release
            for number, release in enumerate(self.releases, 1)
        ]
        self.ids = self.ids.filter(pc.invert(gone))
        self.values = self.values.filter(pc.invert(pc.is_in(self.values["id"], value_set=ids)))
        for name, table in self.fixed.items():
            if "id" in table.schema.names and table.schema.field("id").type == DIGEST:
                self.fixed[name] = table.filter(pc.invert(pc.is_in(table["id"], value_set=ids)))
        return before - len(self.ids)

    def write(self, path: Path, key: bytes, *, encrypted: bool) -> None:
        """Write it durably."""
        tables = {name: _write_arrow(table) for name, table in self._list_tables().items()}
        about = {"series": self.series, "releases": self.releases, "steps": self.steps}
        head = json.dumps({**about, "tables": {name: len(written) for name, written in tables.items()}}).encode()
        packed = pa.BufferOutputStream()
        for part in (len(head).to_bytes(8, "big"), head, *tables.values()):
            packed.write(part)
            packed.write(bytes(-packed.tell() % ALIGNED))
        body = memoryview(packed.getvalue())
        write_sealed(path, body, key, {"releases": len(self.releases)}, encrypted=encrypted)

    def _list_tables(self) -> dict[str, pa.Table]:
        return {"ids": self.ids, "values": self.values, **{f"fixed/{n}": t for n, t in self.fixed.items()}}


def digest_shown(steps: list[dict[str, Any]], values: list[pa.Table], fixed: dict[str, pa.Table]) -> str:
    """Return the digest of how a release was masked: its steps, and what it adds to the ledger.

    Two first releases of one table that were masked otherwise are a fork, though all else of them is the same.
    """
    digest = hashlib.sha256(json.dumps(steps, sort_keys=True).encode())
    for table in (*values, *(fixed[name] for name in sorted(fixed))):
        digest.update(hashlib.sha256(_write_arrow(table)).digest())
    return digest.hexdigest()


def _write_arrow(table: pa.Table) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def read_ledger(path: Path, key: bytes) -> tuple[Ledger, bool]:
    """Return a ledger, and whether its file is encrypted."""
    head, body = read_sealed(path, key)
    about, tables = _read_zip(body) if head["format"] == 1 else _read_parts(body)
    fixed = {name.removeprefix("fixed/"): table for name, table in tables.items() if name.startswith("fixed/")}
    ledger = Ledger(about["series"], about["releases"], about["steps"], tables["ids"], tables["values"], fixed)
    return ledger, bool(head["encrypted"])


def _read_parts(body: bytes) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """Return what a ledger says of itself, and its tables, which are read where they are."""
    whole, at = pa.py_buffer(body), 8 + -8 % ALIGNED
    size = int.from_bytes(body[:8], "big")
    about = json.loads(body[at : at + size])
    at += size + -(at + size) % ALIGNED
    tables = {}
    for name, size in about.pop("tables").items():
        tables[name] = pa.ipc.open_stream(whole.slice(at, size)).read_all()
        at += size + -size % ALIGNED
    return about, tables


def _read_zip(body: bytes) -> tuple[dict[str, Any], dict[str, pa.Table]]:
    """Return the same of a ledger as it was written first, an archive."""
    tables = {}
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        about = json.loads(file.read(_ABOUT))
        for name in file.namelist():
            if name != _ABOUT:
                tables[name.removesuffix(".arrow")] = pa.ipc.open_stream(file.read(name)).read_all()
    return about, tables
