"""The bytes of a ledger on the disk: encrypted and authenticated, or, on an encrypted disk, authenticated alone.

A file is a line of JSON that hides nothing, and the body after it. The body is cut into blocks, each encrypted by
AES-256-GCM under a number of its own that tells its place and whether it is the last (STREAM: Hoang, Reyhanitabar,
Rogaway & Vizar, 2015): no block can be left out, moved or taken from another file. The line is authenticated with each
block.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from sdc_sql.errors import MissingPackageError, SeriesError

try:
    import fcntl
except ImportError:  # Windows has no such module
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FORMAT, READ = 2, (1, 2)  # the one that is written, and those that are read
KIND = "sdc-sql ledger"
BLOCK = 1 << 24
TAG = 16
CODE = 32
OWNER = 0o600
_MISSING = (
    "The ledger of a series holds released values beside who they are of, and is encrypted by the package "
    "cryptography, "
    "which is not installed: pip install 'sdc-sql[series]'. Or, where the disk is encrypted, say so: "
    "disk_encrypted=True "
    "(disk_encrypted = true in [series])."
)


def write_sealed(path: Path, body: memoryview, key: bytes, told: dict[str, Any], *, encrypted: bool) -> None:
    """Write a ledger in the place of the former one, durably: after a crash the one or the other is there, whole.

    Parameters
    ----------
    told
        What the first line says besides the form; it is not secret.
    encrypted
        Whether the body is; else it carries a code of its key alone.
    """
    head: dict[str, Any] = {"file": KIND, "format": FORMAT, "encrypted": encrypted, **told}
    if encrypted:
        prefix = secrets.token_bytes(7)
        head["nonce"] = prefix.hex()
        line = _write_line(head)
        sealed: list[Any] = _encrypt(body, key, prefix, line)
    else:
        line = _write_line(head)
        sealed = [_authenticate(line, body, key), body]
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER), "wb") as file:
            file.write(line)
            file.writelines(sealed)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
        _remove_parts(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise SeriesError(f"The ledger {path} cannot be written: {error.strerror}.") from None
    _sync_folder(path.parent)


def _remove_parts(path: Path) -> None:
    """Remove what runs that were killed have left of this ledger: it may hold who was erased since.

    It is called under the lock. Where there is none another run may be writing one.
    """
    if fcntl is None:
        return
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{8}}\.part")
    for left in path.parent.iterdir():
        if name.fullmatch(left.name):
            left.unlink(missing_ok=True)


def read_sealed(path: Path, key: bytes) -> tuple[dict[str, Any], bytes]:
    """Return what the first line of a ledger says, and its body.

    Raises
    ------
    SeriesError
        Where it is no ledger, is of another key, or was changed.
    """
    try:
        with path.open("rb") as file:
            line = file.readline()
            head = json.loads(line)
            code = b"" if not isinstance(head, dict) or head.get("encrypted") else file.read(CODE)
            sealed = file.read()
    except OSError as error:
        raise SeriesError(f"The ledger {path} cannot be read: {error.strerror}.") from None
    except ValueError:
        head = None
    if not isinstance(head, dict) or head.get("file") != KIND:
        raise SeriesError(f"{path} is no ledger of a series.")
    if head.get("format") not in READ:
        raise SeriesError(
            f"{path} is a ledger of format {head.get('format')}, and this version reads {READ[0]} to {READ[-1]}."
        )
    if head.get("encrypted"):
        return head, _decrypt(path, sealed, key, bytes.fromhex(head["nonce"]), line)
    if not hmac.compare_digest(code, _authenticate(line, sealed, key)):
        raise _refuse_key(path)
    return head, sealed


def identify_file(path: Path) -> str:
    """Return what tells a ledger from each other one: its first line and what follows; empty where there is none.

    It holds the code of all that is in it or, of one that is encrypted, a number that no other has.

    Raises
    ------
    SeriesError
        Where it cannot be read.
    """
    try:
        if not path.exists():
            return ""
        with path.open("rb") as file:
            return hashlib.sha256(file.readline() + file.read(CODE)).hexdigest()
    except OSError as error:
        raise SeriesError(f"The ledger {path} cannot be read: {error.strerror}.") from None


def _authenticate(line: bytes, body: bytes | memoryview, key: bytes) -> bytes:
    code = hmac.new(key, line, hashlib.sha256)
    code.update(body)
    return code.digest()


def _write_line(head: dict[str, Any]) -> bytes:
    return json.dumps(head, sort_keys=True).encode() + b"\n"


def _name_block(prefix: bytes, place: int, *, last: bool) -> bytes:
    return prefix + place.to_bytes(4, "big") + bytes([last])


def _encrypt(body: memoryview, key: bytes, prefix: bytes, line: bytes) -> list[bytes]:
    cipher = import_aead().AESGCM(key)
    places = range(max(1, -(-len(body) // BLOCK)))
    return [
        cipher.encrypt(_name_block(prefix, i, last=i == places[-1]), bytes(body[i * BLOCK : (i + 1) * BLOCK]), line)
        for i in places
    ]


def _decrypt(path: Path, sealed: bytes, key: bytes, prefix: bytes, line: bytes) -> bytes:
    aead, whole = import_aead(), BLOCK + TAG
    invalid = import_module("cryptography.exceptions").InvalidTag
    cipher = aead.AESGCM(key)
    places = range(max(1, -(-len(sealed) // whole)))
    try:
        return b"".join(
            cipher.decrypt(_name_block(prefix, i, last=i == places[-1]), sealed[i * whole : (i + 1) * whole], line)
            for i in places
        )
    except (invalid, ValueError):
        raise _refuse_key(path) from None


def _refuse_key(path: Path) -> SeriesError:
    return SeriesError(
        f"The ledger {path} is of another secret key or another series, or was changed: it is opened with the key "
        "(SDC_KEY) and the name of the series by which it was begun."
    )


def import_aead() -> Any:  # noqa: ANN401 - a module of an extra, which need not be there
    """Return the module of the package that encrypts.

    Raises
    ------
    MissingPackageError
        Where it is not installed; the message says what else can be done.
    """
    try:
        return import_module("cryptography.hazmat.primitives.ciphers.aead")
    except ImportError as error:
        raise MissingPackageError(_MISSING) from error


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Let one run at a time read the end of a ledger and write the next one, where the system can."""
    if fcntl is None:
        yield
        return
    lock = path.with_name(f".{path.name}.lock")
    try:
        opened = os.open(lock, os.O_RDWR | os.O_CREAT, OWNER)
    except OSError as error:
        raise SeriesError(f"The ledger {path} cannot be written: {error.strerror}.") from None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
    finally:
        os.close(opened)


def _sync_folder(folder: Path) -> None:
    """Make the new name in a folder durable, where the system can."""
    with suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)
