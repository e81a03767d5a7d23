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

import pyarrow as pa
import pyarrow.compute as pc

from sdc_sql.series.sealed_file import read_sealed, write_sealed

if TYPE_CHECKING:
    from pathlib import Path

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
_ABOUT = "ledger.json"


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
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as file:
            about = {"series": self.series, "releases": self.releases, "steps": self.steps}
            file.writestr(_ABOUT, json.dumps(about))
            for name, table in self._list_tables().items():
                file.writestr(f"{name}.arrow", _write_arrow(table))
        write_sealed(path, packed.getvalue(), key, {"releases": len(self.releases)}, encrypted=encrypted)

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


def _write_arrow(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return sink.getvalue()


def read_ledger(path: Path, key: bytes) -> tuple[Ledger, bool]:
    """Return a ledger, and whether its file is encrypted."""
    head, body = read_sealed(path, key)
    tables: dict[str, pa.Table] = {}
    with zipfile.ZipFile(io.BytesIO(body)) as file:
        about = json.loads(file.read(_ABOUT))
        for name in file.namelist():
            if name != _ABOUT:
                tables[name.removesuffix(".arrow")] = pa.ipc.open_stream(file.read(name)).read_all()
    fixed = {name.removeprefix("fixed/"): table for name, table in tables.items() if name.startswith("fixed/")}
    ledger = Ledger(about["series"], about["releases"], about["steps"], tables["ids"], tables["values"], fixed)
    return ledger, bool(head["encrypted"])
